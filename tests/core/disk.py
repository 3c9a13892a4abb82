"""A game loop on a hand-moved clock over the real journal in a real folder."""

import errno
import os
import queue
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from pi_controller.core.game_loop.opening import header
from pi_controller.core.game_loop.picture import GameTime
from pi_controller.core.game_loop.recovery import Restored, restore
from pi_controller.core.wiring.game import Beats
from pi_controller.game.game import Game, new_game
from pi_controller.game.rule_sets import CONNECT, RuleSet
from pi_controller.journal.errors import Trouble
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.heartbeat import pack_slot
from pi_controller.journal.record import Record
from pi_controller.journal.seals import Evening, read_armed
from pi_controller.journal.store import Store
from pi_controller.journal.writer import JournalWriter
from tests.core.hall import SEED, Hall
from tests.core.hand import S, settle
from tests.patience import DEADLINE_S

GAME_ID = "20261121-180000-0001"


class DyingFiles(DiskFiles):
    """Real files; once `dead`, and after so many more `writes`, nothing more is taken."""

    def __init__(self) -> None:
        self.dead = False
        self.writes: int | None = None

    def create(self, path: Path) -> int:
        self._fail()
        return super().create(path)

    def write(self, fd: int, content: bytes) -> int:
        self._fail()
        if self.writes is not None:
            self.writes -= 1
            self.dead = self.writes == 0
        return super().write(fd, content)

    def _fail(self) -> None:
        if self.dead:
            raise OSError(errno.EIO, os.strerror(errno.EIO))


class NewGames:
    """What arming needs of the journal."""

    def __init__(self, store: Store, writer: JournalWriter) -> None:
        self._store = store
        self._writer = writer

    def new_game_id(self, ending: str | None = None) -> str:
        return self._store.new_game_id("2026-11-21T19:00:00Z", ending)

    def open_game(self, game: Game, opening: dict[str, Any], **moment: int) -> Record:
        return self._writer.open_game(game.game_id, game.dice.seed, opening, **moment)


class DiskHall(Hall):
    """`settle` lets the disk's answers in; nothing else does. `crash` leaves everything as a kill would, at the latest
    when the test ends."""

    opened: ClassVar[list["DiskHall"]] = []

    def __init__(
        self,
        state_dir: Path,
        *,
        boot_ns: int = 1000 * S,
        boot_id: str = "boot-1",
        files: DiskFiles | None = None,
        second_copy: Path | None = None,
        languages: tuple[str, ...] = ("en",),
        close_after_minutes: int = 0,
        rules: RuleSet = CONNECT,
    ) -> None:
        self.state_dir = state_dir
        self.store = Store(state_dir, files=files)
        self.store.prepare()
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.restored: Restored | None = restore(
            state_dir,
            self.store,
            second_copy=second_copy,
            boot_ns=boot_ns,
            boot_id=boot_id,
            wall="2026-11-21T19:00:00Z",
        )
        found = self.restored
        game = found.game if found is not None else new_game(GAME_ID, rules, SEED)
        answers = found.answers if found is not None else None
        super().__init__(
            prompt=False,
            game=game,
            answers=answers,
            languages=languages,
            close_after_minutes=close_after_minutes,
        )
        self.timers.now_ns = boot_ns
        self.timers.boot_id = boot_id
        self.writer = JournalWriter(
            self.store,
            boot_id=boot_id,
            wall=self.timers.wall,
            now_ns=self.timers.boot_ns,
            on_saved=lambda tag, head: self._calls.put(lambda: self.loop.saves.saved(tag, head)),
            on_trouble=self._trouble,
            on_mended=lambda _part: self._calls.put(lambda: self.loop.saves.troubled(None)),
        )
        self.opened.append(self)
        self.loop.saves._log = self.writer
        self.beats = Beats(self.timers)
        self.beats.tell_of(self.loop, self.writer)
        self.arming._files = NewGames(self.store, self.writer)
        self.arming._evening = Evening(self.timers, read_armed(self.store))
        if found is not None:
            self.loop.time = GameTime(boot_ns, found.at_ns)
            self.writer.continue_game(found.recovered)
            for part, level, sentence in found.news:
                self.loop.health.report(part, level, sentence)
            self.loop.begin(found.events, [found.restart.line()], ended_ns=found.ended_ns)
        else:
            self.loop.time = GameTime(boot_ns, boot_ns)
            self._open(game)
            self.loop.begin()
        self.settle()

    def _open(self, game: Game) -> None:
        now_ns = self.timers.boot_ns()
        tag = self.loop.reserve_seq()
        self.writer.open_game(game.game_id, SEED, header(game), game_ns=now_ns, boot_ns=now_ns, tag=tag)

    def _trouble(self, trouble: Trouble) -> None:
        if trouble.fatal:
            self._calls.put(lambda: self.loop.saves.troubled(trouble.sentence))

    def settle(self) -> None:
        """Until the disk has everything, and everybody is told."""
        settle()
        while self.loop.saves.unsaved():
            self._calls.get(timeout=DEADLINE_S)()
            settle()
        self.loop.show_saved()

    def hear_trouble(self) -> None:
        """Until the journal has told that nothing gets to the disk."""
        while self.loop.saves.trouble is None:
            settle()
            self._calls.get(timeout=DEADLINE_S)()
        settle()

    def save(self) -> None:
        self.settle()

    def _keep_up(self) -> None:
        settle()
        if self.log.prompt:
            self.settle()

    def play(self) -> "DiskHall":
        self.log.prompt = True
        self.ask("start")
        self.move(3 * S)
        return self

    def beat(self) -> None:
        """A heartbeat at this moment."""
        value = self.beats()
        assert value is not None
        slot = pack_slot(value, boot_id=self.timers.boot_id, counter=1)
        self.store.heartbeat_path.write_bytes(slot)

    def crash(self) -> None:
        """May be called again."""
        self.writer.close(2.0 if self.loop.saves.trouble is None else 0.0)

    def again(
        self,
        *,
        after_ns: int = 2 * S,
        new_boot: bool = False,
        second_copy: Path | None = None,
        close_after_minutes: int = 0,
    ) -> "DiskHall":
        """The next start, so much later; after a power cut the machine's clock begins anew."""
        self.crash()
        boot_ns = 20 * S if new_boot else self.timers.boot_ns() + after_ns
        return DiskHall(
            self.state_dir,
            boot_ns=boot_ns,
            boot_id="boot-2" if new_boot else self.timers.boot_id,
            second_copy=second_copy,
            close_after_minutes=close_after_minutes,
        )
