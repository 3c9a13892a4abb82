"""What a check works with: core, operator, the hall as it is known, and what earlier checks have measured."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pi_controller.bus.values import BusJob, JobResult, NodePing, NodeView
from pi_controller.language.words import words
from pi_controller.protocol.probes import (
    BusProbe,
    ButtonPress,
    Edge,
    Fitted,
    Level,
    ResultT,
    TypedProbe,
)
from pi_controller.protocol.sentences import view
from pi_controller.protocol.tables import TablesSnapshot
from pi_controller.roster.model import Board, Roster, Row
from pi_controller.selftest.core import CoreUnderTest
from pi_controller.selftest.operator import (
    SAW,
    Live,
    LiveKind,
    Operator,
    OperatorQuestion,
    OperatorReply,
    Picture,
)
from pi_controller.selftest.report import SelfTestReport
from pi_controller.selftest.verdicts import CheckResult, Code
from pi_controller.sentence import Sentence, as_told
from pi_controller.vocabulary import Side

NO_TABLES = Sentence("selftest.no_table_answers")
NO_SEGMENTS = Sentence("selftest.settings_name_no_segments_there")
REPORT_S = 1.5
"""A node that has joined is asked at once; a look at the tables tells its answer within a second."""


class Again(Exception):  # noqa: N818 - the operator wants the check to begin anew
    """Start this check from its beginning."""


class Skipped(Exception):  # noqa: N818 - the operator leaves it out
    """Leave this check out, for this reason."""

    def __init__(self, reason: Sentence) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class MeasuredNodes:
    """What one check found and others use; by the node's unique id."""

    pings: dict[str, NodePing] = field(default_factory=dict)
    button_rests: bool = True
    edges: list[Edge] = field(default_factory=list)
    presses: list[ButtonPress] = field(default_factory=list)
    drift_ppm: dict[str, float] = field(default_factory=dict)
    acknowledged_ms: dict[str, float] = field(default_factory=dict)
    lamps_ma: dict[str, float] = field(default_factory=dict)
    """All four together."""
    displays_ma: dict[str, dict[Side, float]] = field(default_factory=dict)
    """What each takes more when it is white at half contrast."""


class HallUnderTest:
    """For one session, which begins with `learn`. `clock` is monotonic, in seconds, `operator_s` what the
    operator took of it for answers; `pause` waits so many seconds, `now` gives ISO 8601 in UTC; `codes`: the
    checks of the session; `code` is the one that runs now."""

    def __init__(
        self,
        *,
        level: Level,
        core: CoreUnderTest,
        operator: Operator,
        fitted: Fitted,
        previous: SelfTestReport | None,
        clock: Callable[[], float],
        pause: Callable[[float], Awaitable[None]],
        now: Callable[[], str],
        uid: str | None,
        codes: Sequence[Code],
    ) -> None:
        self.level = level
        self.codes = codes
        self.core = core
        self.previous = previous
        self.measured = MeasuredNodes()
        self.fitted = fitted
        self.pause = pause
        self.now = now
        self.clock = clock
        self.operator_s = 0.0
        self.uid = uid
        self.code: Code = "PWR"
        self._operator = operator
        self._asked = 0
        self.roster: Roster
        self.snapshot: TablesSnapshot
        """The table nodes as they were when somebody last looked."""

    async def ask(
        self,
        text: Sentence,
        *,
        picture: Picture = "",
        answers: tuple[str, ...] = SAW,
        names: Sequence[str] = (),
        live: Live | None = None,
        kind: LiveKind = "",
    ) -> OperatorReply:
        """The operator's answer; Again and Skipped when the operator wants that."""
        self._asked += 1
        question = OperatorQuestion(
            id=f"{self.code}-{self._asked}",
            code=self.code,
            text=words(text),
            text_key=view(text),
            picture=picture,
            answers=answers,
            names=tuple(names),
            live=kind,
        )
        began = self.clock()
        try:
            reply = await self._operator.ask(question, live)
        finally:
            self.operator_s += self.clock() - began
        if reply.answer == "retry":
            raise Again
        if reply.answer == "skip":
            raise Skipped(as_told(reply.reason) if reply.reason else Sentence("selftest.no_reason_was_given"))
        return reply

    async def saw(self, text: Sentence, picture: Picture) -> bool:
        """Whether the operator has seen or heard it."""
        return (await self.ask(text, picture=picture)).answer == "saw"

    async def probe(self, probe: TypedProbe[ResultT]) -> ResultT:
        """What this probe gives. DoesNotAnswer when the part fails."""
        return await self.core.probe(probe)

    async def bus(self, job: BusJob) -> Sequence[JobResult]:
        """Done on every segment; empty without segments. DoesNotAnswer as above."""
        return [found.result() for found in (await self.core.probe(BusProbe(job=job))).results]

    async def learn(self) -> None:
        """Roster and nodes, which may have changed."""
        self.roster = await self.core.client.roster()
        await self.look()

    async def look(self) -> TablesSnapshot:
        """The table nodes as they are now; one that has just come is given time to report."""
        self.snapshot = await self.core.client.tables()
        if any(node.state == "good" and not node.reported for node in self.snapshot.nodes):
            await self.pause(REPORT_S)
            self.snapshot = await self.core.client.tables()
        return self.snapshot

    def nodes(self) -> list[NodeView]:
        """Those that answer and are to be tested: all, or on the bench the one."""
        return [node for node in self.answering() if self.uid in (None, node.uid)]

    def answering(self) -> list[NodeView]:
        """All that answer."""
        return [node for node in self.snapshot.nodes if node.state in ("good", "suspect")]

    def silent(self) -> list[str]:
        """The boards whose node does not answer, or that have none."""
        uids = {node.uid for node in self.answering()}
        return [board.name for board in self.roster.boards if board.node not in uids]

    def rows(self) -> list[tuple[Row, list[tuple[Board, NodeView]]]]:
        """The rows with their boards, in the roster's order, that have a node to be tested."""
        nodes = {node.uid: node for node in self.nodes()}
        rows = [
            (row, [(board, nodes[board.node]) for board in row.boards if board.node in nodes])
            for row in self.roster.rows
        ]
        return [(row, seats) for row, seats in rows if seats]

    def where(self, uid: str) -> str:
        """How people call this node: by its board, otherwise by its id."""
        board = self.roster.board_of(uid)
        return uid if board is None else board.name

    def times(self, simulated: float) -> float:
        """By how much limits of time are longer here: simulated parts share the processor with all else."""
        return simulated if self.fitted.simulated else 1.0

    def before(self, code: Code) -> CheckResult | None:
        """What the earlier report says of this check."""
        results = () if self.previous is None else self.previous.results
        return next((result for result in results if result.code == code), None)
