"""Walking along a row: at each board its Sun button is pressed, and the node that was pressed stands there
from then on."""

from pi_controller.bus.values import nodes_of
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.core.tables.roster_keeper import RosterKeeper
from pi_controller.hal.roles import TableBus
from pi_controller.protocol.tables import EnrolmentView
from pi_controller.roster import edits
from pi_controller.vocabulary import Side

SHOWN_S = 120
RENEW_NS = 60_000_000_000
"""The nodes forget by themselves what they were told to show."""
NAME_S = 8


class Enrolment:
    """One walk at a time. Each press puts a new roster in force."""

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
        """The walk that is under way."""
        if not self._ahead:
            return None
        return EnrolmentView(row=self._row, next_board=self._ahead[0], done=list(self._done.values()))

    def begin(self, row: str, first: str | None) -> None:
        """Every node shows "press here". Raises RosterFault when there is no such row or board."""
        ahead = list(edits.walk(self._keeper.roster, row, first))
        self.stop()
        found = self._keeper.roster.row(row)
        self._row, self._ahead, self._done = row if found is None else found.name, ahead, {}
        self._invite()

    def pressed(self, uid: str, side: Side) -> None:
        """A button was pressed; the first press of each node counts."""
        if not self._ahead or uid in self._done:
            return
        board = self._ahead.pop(0)
        self._done[uid] = board
        swapped = self._stands_swapped(uid) != (side == "moon")
        self._keeper.change(edits.place(self._keeper.roster, board, uid, swapped=swapped))
        self._bus.identify(uid, what="name", seconds=NAME_S, number=0)
        if self._ahead:
            self._invite()
        else:
            self.stop()

    def came(self, uid: str) -> None:
        """A node has appeared: it is asked, too."""
        if self._ahead and uid not in self._done:
            self._bus.identify(uid, what="enrol", seconds=SHOWN_S, number=len(self._done) + 1)

    def stop(self) -> None:
        """Nobody is asked to press any more; what was enrolled stays."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self._row:
            for uid in self._asked():
                self._bus.identify(uid, what="off", seconds=0, number=0)
        self._row, self._ahead, self._done = "", [], {}

    def _invite(self) -> None:
        """Ask at all nodes that are not enrolled yet, and again before they forget."""
        for uid in self._asked():
            self._bus.identify(uid, what="enrol", seconds=SHOWN_S, number=len(self._done) + 1)
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = self._timers.call_at(self._timers.boot_ns() + RENEW_NS, self._invite)

    def _asked(self) -> list[str]:
        return [node.uid for node in nodes_of(self._bus.snapshot()) if node.uid not in self._done]

    def _stands_swapped(self, uid: str) -> bool:
        """How the node takes its sides now; a press is reported in these."""
        known = next((node for node in nodes_of(self._bus.snapshot()) if node.uid == uid), None)
        if known is not None:
            return known.swapped
        board = self._keeper.roster.board_of(uid)
        return board is not None and board.swapped
