"""The folder with copies of the games as its readers see it: no journal, no seed and no core is needed."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_controller.journal.regular import open_regular, read_regular
from pi_controller.journal.summary import GameSummary

GAME_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,39}")
PIECE = 256 * 1024


class About(Struct, frozen=True):
    """What GAME.json says: the first `bytes` of GAME.jsonl are `lines` whole lines, the last with the hash
    `head`. `complete`: none will follow. `boot_id` tells whether the machine has been off since."""

    summary: GameSummary
    lines: int = 0
    bytes: int = 0
    head: str = ""
    boot_id: str = ""
    complete: bool = False


def lines_path(folder: Path, game_id: str) -> Path:
    return folder / f"{game_id}.jsonl"


def about_path(folder: Path, game_id: str) -> Path:
    return folder / f"{game_id}.json"


def read_about(folder: Path, game_id: str) -> About | None:
    """None when there is none, or none that a power cut has left whole. Raises OSError."""
    try:
        return msgspec.json.decode(read_regular(about_path(folder, game_id)), type=About)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def read_games(folder: Path) -> list[GameSummary]:
    """All games of the folder, newest first. Raises OSError."""
    names = [path.stem for path in folder.glob("*.json")] if folder.is_dir() else []
    found = [read_about(folder, name) for name in sorted(names, reverse=True)]
    return [about.summary for about in found if about is not None]


def read_export(folder: Path, game_id: str) -> Iterator[bytes] | None:
    """The game's lines in pieces, as many as there were at this moment; None when there is no such copy.

    Raises OSError, also between the pieces, among others when the file is shorter than is told of it.
    """
    about = read_about(folder, game_id) if GAME_ID.fullmatch(game_id) else None
    if about is None or not about.bytes:
        return None
    return _pieces(lines_path(folder, game_id), about.bytes)


def _pieces(path: Path, size: int) -> Iterator[bytes]:
    with open_regular(path) as file:
        left = size
        while left:
            piece = file.read(min(PIECE, left))
            if not piece:
                raise OSError(f"{path.name} is shorter than what is told of it")
            left -= len(piece)
            yield piece
