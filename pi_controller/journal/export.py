"""One game's journal as a file of its own: exactly the lines that chain, in order."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from pi_controller.journal.errors import ExportRefused, UnknownGame
from pi_controller.journal.files import DiskFiles, write_all
from pi_controller.journal.recovery import recover


def export_lines(state_dir: Path, game_id: str, *, second_copy: Path | None = None) -> Iterator[bytes]:
    """The game's good lines. Changes nothing. UnknownGame when there are none; NewerJournal; OSError."""
    found = recover(state_dir, game_id, second_copy=second_copy)
    if found is None or not found.records:
        raise UnknownGame(f"Game {game_id!r} has no readable journal, so there is nothing to export.")
    return iter(found.records.lines)


def export_game(
    state_dir: Path, game_id: str, target: Path, *, force: bool = False, second_copy: Path | None = None
) -> int:
    """Write the game's lines to `target`, whole or not at all; returns how many there are.

    ExportRefused when the target exists and `force` is not given; otherwise as `export_lines`.
    """
    if not force and target.exists():
        raise ExportRefused(f"{target} exists already: choose another name, or give --force to replace it.")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, f"The folder {target.parent} does not exist: make it first", str(target)
        )
    lines = list(export_lines(state_dir, game_id, second_copy=second_copy))
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    files = DiskFiles()
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        write_all(files, fd, b"".join(lines))
        files.sync(fd)
        files.rename(draft, target)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    finally:
        files.close(fd)
    files.sync_folder(target.parent)
    return len(lines)
