"""The roster in force: given to the nodes at once and to the disk on a thread. Enrolment, spare nodes, and
people's actions on tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from pi_controller.bus.values import Place, SegmentSnapshot, nodes_of
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.picture import Boards
from pi_controller.core.runtime import Alarm, Threads, Timers, by_thread
from pi_controller.hal.roles import TableBus
from pi_controller.language.system_errors import why
from pi_controller.protocol.tables import EnrolmentView, TableAction
from pi_controller.roster import model
from pi_controller.roster.model import Board, Roster, RosterFault
from pi_controller.roster.store import RosterStore
from pi_controller.sentence import SaidError, Sentence
from pi_controller.vocabulary import Side

Done = Callable[[Sentence | None], None]
"""Called once on the loop: with None when the roster is on the disk, otherwise with a sentence."""
NOT_KEPT = Sentence("tables.roster_broken_off")
"""Reported if saving fails by a defect of this program."""


class RosterKeeper:
    """Holds the roster in force. Called on the loop; saving runs on a thread. `found`: a roster was kept
    before."""

    def __init__(self, store: RosterStore, *, bus: TableBus, boards: Boards, threads: Threads) -> None:
        self.roster = Roster()
        self.found = False
        self.trouble: Sentence | None = None
        self._store = store
        self._bus = bus
        self._boards = boards
        self._threads = threads
        self._waiting: list[Done] = []
        self._saving = False
        self._load()

    def board_of(self, uid: str) -> str:
        """The board of this node, as used in its claims."""
        return self.roster.name_of(uid)

    def change(self, roster: Roster, done: Done = lambda _trouble: None) -> None:
        """Put this roster in force."""
        self._enforce(roster)
        self._waiting.append(done)
        if not self._saving:
            self._save()

    def _load(self) -> None:
        try:
            kept = self._store.load()
        except RosterFault as fault:
            self.trouble = Sentence("list.sentences", sentences=fault.problems)
            return
        if kept is not None:
            self.found = True
            self._enforce(kept)

    def _enforce(self, roster: Roster) -> None:
        self.roster = roster
        self._boards.take(roster)
        self._bus.places(places(roster.boards))

    def _save(self) -> None:
        roster, self._saving = self.roster, True
        waiting, self._waiting = self._waiting, []

        def work() -> Sentence | None:
            try:
                self._store.save(roster)
            except OSError as error:
                return Sentence("tables.roster_not_kept", why=why(error))
            return None

        then = partial(self._saved, waiting)
        by_thread(self._threads, work, then, broken=NOT_KEPT, name="keeps the roster")

    def _saved(self, waiting: list[Done], trouble: Sentence | None) -> None:
        self._saving = False
        self.trouble = trouble
        for done in waiting:
            done(trouble)
        if self._waiting:
            self._save()


def places(boards: tuple[Board, ...]) -> tuple[Place, ...]:
    """The nodes' places, for the bus."""
    return tuple(
        Place(uid=board.node, board=board.name, swapped=board.swapped)
        for board in boards
        if board.node is not None
    )


# Enrolment: somebody walks along a row and presses the Sun button at each board; the node that was pressed
# gets that place.


SHOWN_S = 120
RENEW_NS = 60_000_000_000
"""Interval at which nodes are told again what to show; they forget it by themselves."""
NAME_S = 8


class Enrolment:
    """One walk along a row at a time. Each press puts a new roster in force."""

    def __init__(self, *, bus: TableBus, keeper: RosterKeeper, timers: Timers) -> None:
        self._bus = bus
        self._keeper = keeper
        self._timers = timers
        self._row = ""
        self._ahead: list[str] = []
        self._done: dict[str, str] = {}
        self._alarm: Alarm | None = None

    @property
    def view(self) -> EnrolmentView | None:
        """The walk under way; None if there is none."""
        if not self._ahead:
            return None
        return EnrolmentView(row=self._row, next_board=self._ahead[0], done=list(self._done.values()))

    def begin(self, row: str, first: str | None) -> None:
        """Begin a walk: every node shows "press here". Raises RosterFault if there is no such row or
        board."""
        ahead = list(model.walk(self._keeper.roster, row, first))
        self.stop()
        found = self._keeper.roster.row(row)
        self._row, self._ahead, self._done = row if found is None else found.name, ahead, {}
        self._invite()

    def pressed(self, uid: str, side: Side) -> None:
        """Take a press; the first press of each node counts."""
        if not self._ahead or uid in self._done:
            return
        board = self._ahead.pop(0)
        self._done[uid] = board
        swapped = self._stands_swapped(uid) != (side == "moon")
        self._keeper.change(model.place(self._keeper.roster, board, uid, swapped=swapped))
        self._bus.identify(uid, what="name", seconds=NAME_S, number=0)
        if self._ahead:
            self._invite()
        else:
            self.stop()

    def came(self, uid: str) -> None:
        """A node has appeared: include it."""
        if self._ahead and uid not in self._done:
            self._bus.identify(uid, what="enrol", seconds=SHOWN_S, number=len(self._done) + 1)

    def stop(self) -> None:
        """End the walk; what was enrolled stays."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self._row:
            for uid in self._asked():
                self._bus.identify(uid, what="off", seconds=0, number=0)
        self._row, self._ahead, self._done = "", [], {}

    def _invite(self) -> None:
        """Have all nodes that are not enrolled show the request, and repeat it before they forget."""
        for uid in self._asked():
            self._bus.identify(uid, what="enrol", seconds=SHOWN_S, number=len(self._done) + 1)
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = self._timers.call_at(self._timers.boot_ns() + RENEW_NS, self._invite)

    def _asked(self) -> list[str]:
        return [node.uid for node in nodes_of(self._bus.snapshot()) if node.uid not in self._done]

    def _stands_swapped(self, uid: str) -> bool:
        """Whether the node has its sides swapped now; presses are reported accordingly."""
        known = next((node for node in nodes_of(self._bus.snapshot()) if node.uid == uid), None)
        if known is not None:
            return known.swapped
        board = self._keeper.roster.board_of(uid)
        return board is not None and board.swapped


# Spare nodes: which could take the place of a lost one. Pure.


@dataclass(frozen=True, slots=True)
class Offer:
    """A node that could take this board's place now."""

    board: str
    uid: str
    segment: str

    @property
    def sentence(self) -> Sentence:
        return Sentence("tables.spare", board=self.board, uid=self.uid, segment=self.segment)


def offers(segments: Sequence[SegmentSnapshot], roster: Roster) -> tuple[Offer, ...]:
    """One offer for each segment with exactly one lost board and exactly one answering node without a
    board."""
    found = []
    boards = {board.node: board.name for board in roster.boards}
    for segment in segments:
        lost = [boards[node.uid] for node in segment.nodes if node.state == "lost" and node.uid in boards]
        new = [node.uid for node in segment.nodes if node.state == "good" and node.uid not in boards]
        if len(lost) == 1 and len(new) == 1:
            found.append(Offer(lost[0], new[0], segment.name))
    return tuple(found)


# Actions of people on tables and roster. A refusal is a sentence, and nothing is changed then.


SHOW_NAME_S = 10
CLOCK_RUNS = Sentence("tables.clock_runs")

Answer = Callable[[tuple[Sentence, ...]], None]
"""Called once with the reasons of a refusal; empty if it is done and saved."""


class _Refused(SaidError):  # noqa: N818 - an answer to who asked
    """The action may not be done now."""


class TableActions:
    """Called on the loop only."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        bus: TableBus,
        keeper: RosterKeeper,
        enrolment: Enrolment,
    ) -> None:
        self._loop = loop
        self._bus = bus
        self._keeper = keeper
        self._enrolment = enrolment

    def set_roster(self, value: object, answer: Answer) -> None:
        """Put the roster in this JSON value in force. It must have `rows`, even if empty, so that an empty
        object sent by mistake does not delete a hall."""
        if isinstance(value, dict) and "rows" not in value:
            answer((Sentence("roster.form_of_rows", value=model.said(None)),))
            return
        try:
            roster = model.read(value)
        except RosterFault as fault:
            answer(fault.problems)
            return
        if self._loop.plays:
            answer((CLOCK_RUNS,))
            return
        self._enrolment.stop()
        self._note("set_roster", f"{len(roster.boards)} boards")
        self._change(roster, answer)

    def do(self, action: TableAction, answer: Answer) -> None:
        """Carry out an action. Its fields have been checked already."""
        try:
            changed = self._done(action)
        except RosterFault as fault:
            answer(fault.problems)
            return
        except _Refused as refused:
            answer((refused.sentence,))
            return
        if action.do != "identify":
            told = (action.board, action.uid, action.row, action.what)
            self._note(action.do, " ".join(part for part in told if part is not None))
        if changed is None:
            answer(())
        else:
            self._change(changed, answer)

    def identify_board(self, board: str) -> None:
        """Let that board's node show its name; does nothing if no node stands there."""
        found = self._keeper.roster.board(board)
        if found is not None and found.node is not None:
            self._bus.identify(found.node, what="name", seconds=SHOW_NAME_S, number=0)

    def replace(self, board: str, uid: str) -> None:
        """Put a node in a board's place, without anybody's request."""
        self.do(TableAction(do="replace", board=board, uid=uid), lambda _reasons: None)

    def _done(self, action: TableAction) -> Roster | None:
        """Carry it out; returns the changed roster, None if unchanged."""
        roster, board, uid = self._keeper.roster, action.board or "", action.uid or ""
        match action.do:
            case "swap":
                return model.swap(roster, board)
            case "clear":
                return model.clear(roster, board)
            case "replace":
                return model.place(roster, board, self._known(uid))
            case "enrol":
                self._enrol(action.row or "", action.board)
            case "stop_enrolment":
                self._enrolment.stop()
            case "identify":
                self._identify(action)
            case "order" if action.what is not None:
                self._bus.order(self._known(uid), action.what)
        return None

    def _enrol(self, row: str, first: str | None) -> None:
        if self._loop.plays:
            raise _Refused(CLOCK_RUNS)
        self._enrolment.begin(row, first)

    def _identify(self, action: TableAction) -> None:
        uid = None if action.uid is None else self._known(action.uid)
        if action.board is not None:
            board = self._keeper.roster.board(action.board)
            uid = None if board is None else board.node
            if uid is None:
                raise _Refused(Sentence("tables.no_node_at_board", board=action.board))
        seconds = action.seconds or SHOW_NAME_S
        self._bus.identify(uid, what="name", seconds=seconds, number=0)

    def _known(self, uid: str) -> str:
        if all(node.uid != uid for node in nodes_of(self._bus.snapshot())):
            raise _Refused(Sentence("tables.node_not_heard", uid=uid))
        return uid

    def _change(self, roster: Roster, answer: Answer) -> None:
        self._keeper.change(roster, lambda trouble: answer(() if trouble is None else (trouble,)))

    def _note(self, what: str, about: str) -> None:
        self._loop.note({"table": what, "about": about})
