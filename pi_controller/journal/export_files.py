"""The folder with copies of the games as its readers see it, and what a summary of a game says: no journal,
no seed and no core is needed."""

import errno
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from pi_controller.journal.errors import FileUnusable
from pi_controller.journal.files import open_regular, read_regular
from pi_controller.journal.record import Record
from pi_controller.sentence import Sentence


@dataclass(frozen=True, slots=True)
class GameSummary:
    """One game of the list; `closed`: its seed is published; `seal`: the number of its seal in its evening.
    `rounds` and `winners` are those of the last events seen, 0 and empty without any; `problem` is a sentence
    when the journal's beginning cannot be read."""

    game_id: str
    armed_at: str = ""
    rule_set: str = ""
    ended: bool = False
    closed: bool = False
    rounds: int = 0
    winners: tuple[Any, ...] = ()
    seal: int | None = None
    problem: str | None = None


def following(summary: GameSummary, record: Record) -> GameSummary:
    """The summary when this is the next line of its journal."""
    if record.seq == 0:
        rule_set = record.data.get("rule_set", "")
        name = str(rule_set.get("name", "") if isinstance(rule_set, dict) else rule_set)
        seal = record.data.get("seal")
        number = seal.get("number") if isinstance(seal, dict) else None
        number = number if isinstance(number, int) else None
        return replace(summary, armed_at=record.wall, rule_set=name, seal=number)
    if record.kind == "ended":
        summary = replace(summary, ended=True, winners=tuple(record.data.get("winners") or ()))
    elif record.kind == "seed":
        summary = replace(summary, closed=True)
    elif record.kind in ("turned", "corrected"):
        summary = replace(summary, ended=False, winners=())
    if isinstance(record.data.get("round"), int):
        summary = replace(summary, rounds=record.data["round"])
    return summary


def summary_of(records: Sequence[Record]) -> GameSummary:
    """Of a game with these lines, from the first one on."""
    return reduce(following, records, GameSummary(str(records[0].data.get("game_id", ""))))


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


msgspec.json.Decoder(About)  # made known before there are threads: docs/decisions/0072


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
                raise FileUnusable(errno.EIO, Sentence("journal.file_is_shorter", file=path.name))
            left -= len(piece)
            yield piece
