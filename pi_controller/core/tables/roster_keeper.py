"""The roster in force: handed to the nodes at once, and to the disk on a thread of its own."""

from collections.abc import Callable

from pi_controller.bus.values import Place
from pi_controller.core.game_loop.boards import Boards
from pi_controller.core.runtime.threads import Threads
from pi_controller.hal.roles import TableBus
from pi_controller.language.system_errors import why
from pi_controller.roster.model import Board, Roster, RosterFault
from pi_controller.roster.store import RosterStore
from pi_controller.sentence import Sentence

Done = Callable[[Sentence | None], None]
"""Called once on the loop: with None when the roster is on the disk, with a sentence when it is not."""
NOT_KEPT = Sentence("tables.roster_broken_off")
"""Told when the saving ends with a defect of this program."""


class RosterKeeper:
    """Called on the loop only, but for the saving. `found` says whether a roster was kept."""

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
        """The name under which this node claims."""
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

        def work() -> None:
            trouble: Sentence | None = NOT_KEPT
            try:
                self._store.save(roster)
                trouble = None
            except OSError as error:
                trouble = Sentence("tables.roster_not_kept", why=why(error))
            finally:
                self._threads.call_on_loop(lambda: self._saved(waiting, trouble))

        self._threads.run_in_thread(work, "keeps the roster")

    def _saved(self, waiting: list[Done], trouble: Sentence | None) -> None:
        self._saving = False
        self.trouble = trouble
        for done in waiting:
            done(trouble)
        if self._waiting:
            self._save()


def places(boards: tuple[Board, ...]) -> tuple[Place, ...]:
    """Where the nodes stand, as the bus wants it."""
    return tuple(
        Place(uid=board.node, board=board.name, swapped=board.swapped)
        for board in boards
        if board.node is not None
    )
