"""New firmware for the tables over their cables: who gets it, whether somebody consents, in which order, and
what became of each."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from pi_controller.bus.messages import MOST_OFFERS, UPDATE_SINCE
from pi_controller.bus.values import FirmwareAsked, FirmwareEnd, JobResult, NodeView, nodes_of
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.hardware_test.testing import DONE, Holding, Testing
from pi_controller.core.runtime import Alarm, Threads, Timers, by_thread
from pi_controller.core.tables.roster import RosterKeeper
from pi_controller.game.claims import board_key
from pi_controller.hal.roles import TableBus
from pi_controller.language.words import all_words, words
from pi_controller.protocol.firmware import FirmwareOutcome, FirmwareSegment, FirmwareState, FirmwareView
from pi_controller.protocol.messages import AskFirmware, FirmwareAnswer
from pi_controller.protocol.probes import TablePress
from pi_controller.protocol.question import encode
from pi_controller.protocol.sentences import view, views
from pi_controller.protocol.server import ClientConnection
from pi_controller.sentence import SaidError, Sentence

CONSENT_NS = 60_000_000_000
"""So long the first table waits for a press, or somebody for a yes."""
NS_PER_S = 1_000_000_000
UNTRIED: frozenset[FirmwareEnd] = frozenset({"no_key", "other_key", "no_room", "too_old", "on_trial", "lost"})
"""These say nothing of the firmware: another table becomes the first."""
NOBODY = FirmwareAsked(uids=(), offer=1, firmware=(0, 0), key=b"", image=b"")
"""Ends the job before it."""
SAID: dict[FirmwareEnd, Sentence] = {
    "updated": Sentence("firmware.end_updated"),
    "went_back": Sentence("firmware.end_went_back"),
    "no_key": Sentence("firmware.end_no_key"),
    "other_key": Sentence("firmware.end_other_key"),
    "no_room": Sentence("firmware.end_no_room"),
    "damaged": Sentence("firmware.end_damaged"),
    "not_written": Sentence("firmware.end_not_written"),
    "too_old": Sentence("firmware.end_too_old"),
    "on_trial": Sentence("firmware.end_on_trial"),
    "lost": Sentence("firmware.end_lost"),
    "stopped": Sentence("firmware.end_stopped"),
    "not_begun": Sentence("firmware.end_not_begun"),
}
"""What each end means and what to do, in the order in which they are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirmwareImage:
    """What goes to the nodes; `key` is the mark of the key that proves it."""

    firmware: tuple[int, int]
    key: bytes
    data: bytes


@dataclass(slots=True, kw_only=True)
class Run:
    """One update, from its beginning to what became of it."""

    number: int = 0
    state: FirmwareState = "none"
    names: dict[str, str] = field(default_factory=dict)
    """Boards of all nodes that it is about, by their unique ids."""
    waiting: list[NodeView] = field(default_factory=list)
    """Nodes that are to have it, in their order; of the first one it depends whether the others get it."""
    ends: dict[str, FirmwareEnd] = field(default_factory=dict)
    """What has become of nodes, by their unique ids."""
    reason: Sentence | None = None
    image: FirmwareImage | None = None
    nodes: tuple[NodeView, ...] = ()
    """All that were waiting once."""
    under_way: tuple[NodeView, ...] = ()
    """Those of the present job on the bus."""
    unheard: set[str] = field(default_factory=set)
    """Segments that have not reported what it came to."""
    due_ns: int = 0
    """The end of the wait for consent."""
    alarm: Alarm | None = None

    @property
    def goes_on(self) -> bool:
        return self.state in ("building", "asking", "working")


class FirmwareUpdate:
    """One at a time, under a lease of the hardware: no game can start meanwhile, and tables are in
    maintenance. `version` and `build` tell of the image and make it, on a thread, or raise a SaidError.
    Called on the loop only."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        timers: Timers,
        threads: Threads,
        testing: Testing,
        bus: TableBus,
        keeper: RosterKeeper,
        version: Callable[[], tuple[int, int]],
        build: Callable[[], FirmwareImage],
    ) -> None:
        self._loop = loop
        self._timers = timers
        self._threads = threads
        self._testing = testing
        self._bus = bus
        self._keeper = keeper
        self._version = ""
        """Known soon after the start."""
        self._build = build
        self._run = Run()
        self._holding: Holding | None = None

        def know(found: tuple[int, int] | None) -> None:
            self._version = "" if found is None else "{}.{}".format(*found)

        by_thread(threads, version, know, broken=None, name="looks at the firmware")

    def answer(self, client: ClientConnection, request: AskFirmware) -> None:
        """At once; what was begun goes on, and who asks again hears how far it is."""
        against: tuple[Sentence, ...] = ()
        match request.do:
            case "begin":
                against = self._begin(request)
            case "consent":
                against = self._consent()
            case "stop" if self._run.goes_on:
                self._end(Sentence("firmware.stopped_by", who=request.who))
        told = FirmwareAnswer(
            id=request.id,
            accepted=not against,
            reasons=all_words(against, request.language),
            reason_keys=views(against),
            firmware=self._view(request.language),
        )
        client.send(encode(told))

    def pressed(self, press: TablePress) -> None:
        """A press at the first table is consent."""
        run = self._run
        if run.state == "asking" and press.uid == run.waiting[0].uid:
            self._give_to_first()

    def _begin(self, request: AskFirmware) -> tuple[Sentence, ...]:
        """Why not; what nobody can be given is told as what became of it."""
        if self._run.goes_on:
            return (Sentence("firmware.goes_on"),)
        if not self._bus.wired:
            return (Sentence("firmware.no_tables"),)
        run = Run(number=self._run.number + 1, state="building")
        if mistakes := self._choose(run, request):
            return mistakes
        if not run.waiting:
            self._run = run
            self._end(None if run.ends else Sentence("firmware.all_current", version=self._version))
            return ()
        holding = self._testing.hold(request.who, "firmware", over=lambda why: self._lease_is_over(run, why))
        if isinstance(holding, Sentence):
            return (holding,)
        self._run, self._holding = run, holding
        by_thread(
            self._threads, self._image, partial(self._built, run), broken=None, name="makes the firmware"
        )
        return ()

    def _choose(self, run: Run, request: AskFirmware) -> tuple[Sentence, ...]:
        """Who is to have it, the first of them one that is well; the mistakes in the names of boards."""
        boards = {board_key(board.name): board for board in self._keeper.roster.boards}
        asked = {board_key(name): name for name in request.boards or ()}
        unknown = [name for key, name in asked.items() if key not in boards or boards[key].node is None]
        if unknown:
            return tuple(Sentence("firmware.no_such_board", board=repr(name)) for name in unknown)
        heard = {node.uid: node for node in nodes_of(self._bus.snapshot())}
        placed = {board.node: board.name for board in boards.values() if board.node is not None}
        wanted = [uid for uid in placed if not asked or board_key(placed[uid]) in asked]
        if not asked:
            wanted += [uid for uid in heard if uid not in placed]
        for uid in wanted:
            node = heard.get(uid)
            if node is not None and node.firmware == self._version and not request.again:
                continue
            run.names[uid] = placed.get(uid, uid)
            if node is None:
                run.ends[uid] = "lost"
            elif node.protocols[1] < UPDATE_SINCE:
                run.ends[uid] = "too_old"
            else:
                run.waiting.append(node)
        run.waiting.sort(key=lambda node: node.state != "good")
        run.nodes = tuple(run.waiting)
        return ()

    def _image(self) -> FirmwareImage | Sentence:
        """On the thread."""
        try:
            return self._build()
        except SaidError as error:
            return error.sentence

    def _built(self, run: Run, image: FirmwareImage | Sentence | None) -> None:
        """None: it ended with a defect of this program."""
        if run.state != "building":
            return
        if not isinstance(image, FirmwareImage):
            self._end(image or Sentence("firmware.not_made"))
            return
        run.image, run.state = image, "asking"
        run.due_ns = self._timers.boot_ns() + CONSENT_NS
        run.alarm = self._timers.call_at(run.due_ns, lambda: self._end(Sentence("firmware.no_consent")))
        self._bus.identify(run.waiting[0].uid, what="name", seconds=CONSENT_NS // NS_PER_S, number=0)

    def _consent(self) -> tuple[Sentence, ...]:
        if self._run.state != "asking":
            return (Sentence("firmware.not_asked"),)
        self._give_to_first()
        return ()

    def _give_to_first(self) -> None:
        run = self._run
        if run.alarm is not None:
            run.alarm.cancel()
        self._bus.identify(run.waiting[0].uid, what="off", seconds=0, number=0)
        run.state = "working"
        self._give(run, run.waiting[:1])

    def _give(self, run: Run, nodes: Sequence[NodeView]) -> None:
        """A job on all segments; those that have none of these nodes are through at once."""
        run.under_way = tuple(nodes)
        run.waiting = [node for node in run.waiting if node not in run.under_way]
        run.unheard = {segment.name for segment in self._bus.snapshot()}
        if run.image is None:
            raise RuntimeError("there is no image")
        asked = FirmwareAsked(
            uids=tuple(node.uid for node in nodes),
            offer=1 + secrets.randbelow(MOST_OFFERS),
            firmware=run.image.firmware,
            key=run.image.key,
            image=run.image.data,
        )
        report = partial(self._reported, run, asked)
        self._bus.measure(asked, lambda result: self._threads.call_on_loop(partial(report, result)))

    def _reported(self, run: Run, asked: FirmwareAsked, result: JobResult) -> None:
        """On the loop; a segment whose driver was started afresh knows of no node."""
        if not run.goes_on or asked.uids != tuple(node.uid for node in run.under_way):
            return
        run.ends |= {node.uid: node.end for node in result.updated}
        run.unheard.discard(result.segment)
        if run.unheard:
            return
        found = {run.ends.setdefault(node.uid, "lost") for node in run.under_way}
        if run.waiting and "updated" in found:
            self._give(run, run.waiting)
        elif run.waiting and found <= UNTRIED:
            self._give(run, run.waiting[:1])
        else:
            self._end(None)

    def _lease_is_over(self, run: Run, why: Sentence) -> None:
        if run.goes_on:
            self._end(why)

    def _end(self, reason: Sentence | None) -> None:
        """Nodes that run on trial go back by themselves; what nobody was given is as it was."""
        run = self._run
        working, run.state, run.reason = run.state == "working", "done", reason
        if run.alarm is not None:
            run.alarm.cancel()
        if working and reason is not None:
            self._bus.measure(NOBODY, lambda _result: None)
        for node in run.under_way:
            run.ends.setdefault(node.uid, "stopped")
        for node in run.waiting:
            run.ends.setdefault(node.uid, "not_begun")
        run.image = None
        if run.number:
            ends = {run.names[uid]: end for uid, end in run.ends.items()}
            self._loop.note({"firmware": self._version, "ends": ends})
        holding, self._holding = self._holding, None
        if holding is not None:
            self._testing.end(DONE, holding.token)

    # What is told.

    def _view(self, language: str) -> FirmwareView:
        run = self._run
        asking = run.state == "asking"
        left_ns = max(0, run.due_ns - self._timers.boot_ns()) if asking else 0
        return FirmwareView(
            version=self._version,
            number=run.number,
            state=run.state,
            board=run.names[run.waiting[0].uid] if asking else None,
            left_s=-(-left_ns // NS_PER_S),
            segments=self._segments(run) if run.state in ("asking", "working") else [],
            outcomes=[
                FirmwareOutcome(end=end, boards=boards, text=words(said, language))
                for end, said in SAID.items()
                if (boards := [name for uid, name in run.names.items() if run.ends.get(uid) == end])
            ],
            reason=None if run.reason is None else words(run.reason, language),
            reason_key=None if run.reason is None else view(run.reason),
        )

    def _segments(self, run: Run) -> list[FirmwareSegment]:
        """What is settled, and how far the present job is on each."""
        told = []
        for segment in self._bus.snapshot():
            here = [node.uid for node in run.nodes if node.segment == segment.name]
            if here:
                done, job = sum(uid in run.ends for uid in here), segment.firmware
                told.append(
                    FirmwareSegment(
                        name=segment.name,
                        nodes=len(here),
                        # The snapshot may be a second old, and the job over.
                        done=min(len(here), done + (0 if job is None else job.done)),
                        part=0 if job is None else job.part,
                        parts=0 if job is None else job.parts,
                    )
                )
        return told
