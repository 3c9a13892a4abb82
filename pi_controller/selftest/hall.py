"""What a check works with: core, operator, the hall as it is known, and what earlier checks have measured."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from msgspec.structs import replace

from pi_controller.bus.diagnosis import USB_V
from pi_controller.bus.messages import MEASURE_SINCE
from pi_controller.bus.values import BusJob, JobResult, NodePing, NodeView, PingAsked
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
from pi_controller.selftest.verdicts import CheckResult, Code, Fix, named
from pi_controller.sentence import Sentence, as_told
from pi_controller.vocabulary import Side

NO_TABLES = Sentence("selftest.no_table_answers")
NO_SEGMENTS = Sentence("selftest.settings_name_no_segments_there")
REPORT_S = 1.5
"""A node that has joined is asked at once; a look at the tables tells its answer within a second."""
Ability = Literal["steady", "tests", "supply", "line"]
"""What a check may need of a node. steady: it answers always and runs its whole program; tests: it knows the
orders and frames of PROTOCOL.md, section 14; supply: it has 24 V, and not USB alone; line: its frames
arrive."""
TRIED_FRAMES, TRIED_AGAIN, TRIED_S = 3, 20, 10.0
"""Test frames to a node that may know none; several may be lost."""


LACKING: dict[Ability, Sentence] = {
    "steady": Sentence("selftest.lacks_steady"),
    "tests": Sentence("selftest.lacks_tests"),
    "supply": Sentence("selftest.lacks_supply"),
    "line": Sentence("selftest.lacks_line"),
}


def exchange(roster: Roster, one: str, other: str) -> Roster:
    """The nodes of these two boards change places, each as it stands."""
    boards = {board.name: board for board in roster.boards}

    def placed(board: Board) -> Board:
        partner = {one: other, other: one}.get(board.name)
        if partner is None or partner not in boards:
            return board
        return replace(board, node=boards[partner].node, swapped=boards[partner].swapped)

    rows = tuple(replace(row, boards=tuple(map(placed, row.boards))) for row in roster.rows)
    return replace(roster, rows=rows)


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
    late: set[str] = field(default_factory=set)
    """Whose presses were acknowledged too late."""
    mute_buttons: set[tuple[str, Side]] = field(default_factory=set)
    """Claim buttons of which CLM tells that nothing was heard."""


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
        self.needs: tuple[Ability, ...] = ()
        """What the check that runs now needs of a node."""
        self.lacks: dict[str, set[Ability]] = {}
        """By unique id: what each node cannot do, or has lost by what an earlier check tells of it."""
        self.dead_segments: set[str] = set()
        """Of which PRT or CEN tells: no board on them is missing."""
        self.left: list[Fix] = []
        """What was found and not mended: later checks go by how boards truly stand."""
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
        for fix in self.left:
            if fix.do == "exchange_boards":
                self.roster = exchange(self.roster, fix.board, fix.other)
        await self.look()

    def known_as(self, board: str) -> str:
        """Core's name for where this board's node is, while its roster does not know of an exchange."""
        for fix in reversed(self.left):
            if fix.do == "exchange_boards":
                board = {fix.board: fix.other, fix.other: fix.board}.get(board, board)
        return board

    async def look(self) -> TablesSnapshot:
        """The table nodes as they are now; one that has just come is given time to report."""
        self.snapshot = await self.core.client.tables()
        if any(node.state == "good" and not node.reported for node in self.snapshot.nodes):
            await self.pause(REPORT_S)
            self.snapshot = await self.core.client.tables()
        return self.snapshot

    async def get_to_know(self) -> None:
        """What each node that answers can do, as far as that is not known yet."""
        if all(node.uid in self.lacks for node in self.chosen()):
            return
        await self.look()
        new = {node.uid: node for node in self.chosen() if node.uid not in self.lacks}
        asked = {uid for uid, node in new.items() if node.protocols[1] < MEASURE_SINCE}
        knowing, silent = new.keys() - asked, asked
        for frames in (TRIED_FRAMES, TRIED_AGAIN) if asked else ():
            job = PingAsked(uids=tuple(sorted(silent)), frames=frames, seconds=TRIED_S)
            pings = [ping for result in await self.bus(job) for ping in result.nodes]
            knowing |= {ping.uid for ping in pings if ping.answered}
            silent = {ping.uid for ping in pings if not ping.answered}
        for uid in knowing | silent:
            self.lacks[uid] = {"tests"} if uid in silent else set()
            if new[uid].supply_v < USB_V:
                self.lacks[uid].add("supply")

    def nodes(self) -> list[NodeView]:
        """Those that are to be tested and have what the check that runs now needs."""
        return [node for node in self.chosen() if not self.lacking(node.uid)]

    def chosen(self) -> list[NodeView]:
        """Those that answer and are to be tested: all, or on the bench the one."""
        return [node for node in self.answering() if self.uid in (None, node.uid)]

    def lacking(self, uid: str) -> set[Ability]:
        """What this node has not got of what the check that runs now needs; one that is not known: all."""
        return self.lacks.get(uid, set(self.needs)).intersection(self.needs)

    def left_out(self) -> list[Sentence]:
        """The nodes that this check says nothing about, each with what it has not got."""
        return [
            Sentence("selftest.node_lacks", board=self.where(node.uid), what=what)
            for node in self.chosen()
            for what in [said for ability, said in LACKING.items() if ability in self.lacking(node.uid)][:1]
        ]

    def no_tables(self) -> Sentence:
        """Why there is nothing to be tested by this check."""
        names = self.left_out()
        return Sentence("selftest.no_table_can_be_tested", names=named(names)) if names else NO_TABLES

    def chains(self) -> dict[str, list[Board]]:
        """By segment its boards in the roster's order, which is the cable's. One whose node was never heard
        goes with those before it, at the beginning with those behind it."""
        segments = {node.uid: node.segment for node in self.snapshot.nodes}
        known = [segments.get(board.node or "") for board in self.roster.boards]
        at = next((name for name in known if name), "")
        found: dict[str, list[Board]] = {}
        for board, name in zip(self.roster.boards, known, strict=True):
            at = name or at
            found.setdefault(at, []).append(board)
        return found

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
