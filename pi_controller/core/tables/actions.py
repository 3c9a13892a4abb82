"""What people do to tables and to the roster. Every refusal is a sentence, and nothing is changed then."""

from collections.abc import Callable

from pi_controller.bus.values import nodes_of
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.tables.enrolment import Enrolment
from pi_controller.core.tables.roster_keeper import RosterKeeper
from pi_controller.hal.roles import TableBus
from pi_controller.protocol.tables import TableAction
from pi_controller.roster import checks, edits
from pi_controller.roster.model import Roster, RosterFault
from pi_controller.sentence import SaidError, Sentence

SHOW_NAME_S = 10
CLOCK_RUNS = Sentence("tables.clock_runs")

Answer = Callable[[tuple[Sentence, ...]], None]
"""Called once with the reasons against it; without any it is done and kept."""


class _Refused(SaidError):  # noqa: N818 - an answer to who asked
    """This may not be done now."""


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

    @property
    def clock_runs(self) -> bool:
        """Nobody shall walk about and press buttons now."""
        return self._loop.plays

    def set_roster(self, value: object, answer: Answer) -> None:
        """Put the roster in this JSON value in force. It names its rows, also where it has none: what was
        sent by mistake, such as an empty object, empties no hall."""
        if isinstance(value, dict) and "rows" not in value:
            answer((Sentence("roster.form_of_rows", value=checks.said(None)),))
            return
        try:
            roster = checks.read(value)
        except RosterFault as fault:
            answer(fault.problems)
            return
        if self.clock_runs:
            answer((CLOCK_RUNS,))
            return
        self._enrolment.stop()
        self._note("set_roster", f"{len(roster.boards)} boards")
        self._change(roster, answer)

    def do(self, action: TableAction, answer: Answer) -> None:
        """The action's fields have been checked (`control.tables.check_action`)."""
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
        """That board's node shows its name; nothing happens where no node stands."""
        found = self._keeper.roster.board(board)
        if found is not None and found.node is not None:
            self._bus.identify(found.node, what="name", seconds=SHOW_NAME_S, number=0)

    def replace(self, board: str, uid: str) -> None:
        """As the action, without being asked by anybody."""
        self.do(TableAction(do="replace", board=board, uid=uid), lambda _reasons: None)

    def _done(self, action: TableAction) -> Roster | None:
        """Do it; the changed roster, None where it stays as it is."""
        roster, board, uid = self._keeper.roster, action.board or "", action.uid or ""
        match action.do:
            case "swap":
                return edits.swap(roster, board)
            case "clear":
                return edits.clear(roster, board)
            case "replace":
                return edits.place(roster, board, self._known(uid))
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
        if self.clock_runs:
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
