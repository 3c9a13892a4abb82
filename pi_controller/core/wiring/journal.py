"""The state folder's journal with its writers and readers."""

import logging
import platform
from dataclasses import dataclass
from pathlib import Path

from pi_controller.core.game_loop.arming import CannotArm
from pi_controller.core.game_loop.beats import Beats
from pi_controller.core.game_loop.copying import key_for_copy
from pi_controller.core.game_loop.journal_news import JournalNews
from pi_controller.core.server.archive import Archive
from pi_controller.core.wiring.start import Start
from pi_controller.game.game import Game
from pi_controller.journal.errors import JournalError
from pi_controller.journal.exports import Exports, export_lines
from pi_controller.journal.heartbeat import HeartbeatWriter
from pi_controller.journal.private import private_folder
from pi_controller.journal.record import Record
from pi_controller.journal.seals import Evening, read_armed
from pi_controller.journal.second_copy import Owner, controller_id
from pi_controller.journal.witnesses import games
from pi_controller.journal.writer import JournalWriter
from pi_controller.roster.store import FILE_NAME as ROSTER_NAME
from pi_controller.sentence import Sentence, said_by
from pi_controller.settings.standing import COPY_NAME

log = logging.getLogger(__name__)

CLOSE_JOURNAL_S = 1.0
CLOSE_EXPORTS_S = 0.3
CLOSE_HEARTBEAT_S = 0.2
"""A clean end takes at most 2 s in all, also with a stalled disk."""


@dataclass(frozen=True, slots=True)
class Journal:
    """What writes; `start` closes it."""

    start: Start
    writer: JournalWriter
    exports: Exports
    beats: Beats
    news: JournalNews
    evening: Evening
    owner: Owner

    def start_heartbeat(self) -> HeartbeatWriter:
        """Says from now on what the hall sees."""
        clock = self.start.runtime.clock
        heartbeat = HeartbeatWriter(
            self.start.store.heartbeat_path,
            now=self.beats,
            boot_id=clock.boot_id,
            now_ns=clock.boot_ns,
            on_trouble=self.news.trouble,
            on_mended=self.news.mended,
        )
        heartbeat.start()
        self.start.closing.callback(heartbeat.stop, CLOSE_HEARTBEAT_S)
        return heartbeat

    def own_copy(self) -> Path | None:
        """The second copy that is there and this controller's own: what it has counts. Of any other one the
        journal's writer tells."""
        folder = self.start.second_copy
        try:
            there = folder is not None and folder.is_dir()
            return folder if folder is not None and there and self.owner.stranger(folder) is None else None
        except (OSError, JournalError) as error:
            log.warning("the second copy in %s is of no use: %s", folder, error)
            return None

    def new_game_id(self, ending: str | None = None) -> str:
        """Raises CannotArm when the state folder takes no further game."""
        try:
            return self.start.store.new_game_id(self.start.runtime.clock.wall(), ending)
        except (JournalError, OSError) as error:
            raise CannotArm(Sentence("arm.not_now", why=said_by(error))) from error

    def open_game(
        self, game: Game, opening: dict[str, object], *, game_ns: int, boot_ns: int, tag: int
    ) -> Record:
        """Begin this game's journal; the tag comes back when its first line is saved."""
        seed = game.dice.seed
        return self.writer.open_game(game.game_id, seed, opening, game_ns=game_ns, boot_ns=boot_ns, tag=tag)


def open_journal(start: Start, news: JournalNews) -> Journal:
    """Its threads run from now on; what they report goes to `news`."""
    clock, store = start.runtime.clock, start.store
    state_dir = start.options.state_dir
    if start.second_copy == state_dir / COPY_NAME:  # no stick, which somebody else makes ready
        private_folder(start.second_copy)
    evening = Evening(clock, read_armed(store))
    owner = Owner(controller_id(state_dir), start.settings.hall.name or platform.node(), store)
    beats = Beats(clock)
    exports = Exports(store, boot_id=clock.boot_id, on_trouble=news.trouble, on_mended=news.mended)
    start.closing.callback(exports.close, CLOSE_EXPORTS_S)
    writer = JournalWriter(
        store,
        boot_id=clock.boot_id,
        wall=clock.wall,
        now_ns=clock.boot_ns,
        on_saved=news.saved,
        on_trouble=news.trouble,
        on_mended=news.mended,
        on_lines=exports.put,
        second_copy=start.second_copy,
        copy_beat=beats,
        copy_beside=(state_dir / ROSTER_NAME,),
        owner=owner,
        pairing=key_for_copy(state_dir, start.second_copy, news.trouble),
    )
    start.closing.callback(writer.close, CLOSE_JOURNAL_S)
    return Journal(start, writer, exports, beats, news, evening, owner)


def make_archive(state_dir: Path, second_copy: Path | None, writer: JournalWriter) -> Archive:
    """Readers of earlier games, and of the one that is on as far as it is known to be on the disk: a seed
    that the picture withholds is not given out."""

    def lines(game_id: str) -> list[str]:
        newest, _, saved = writer.progress()
        exported = export_lines(state_dir, game_id, second_copy=second_copy)
        found = [line.decode().rstrip("\n") for line in exported]
        return found[:saved] if game_id == newest else found

    return Archive(
        games=lambda: games(state_dir),
        lines=lines,
        errors=(JournalError, OSError),
    )
