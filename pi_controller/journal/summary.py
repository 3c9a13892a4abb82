"""The list of earlier games, from the first line and the last lines of each journal only."""

import os
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

from pi_controller.journal.errors import DamagedLine, NewerJournal
from pi_controller.journal.record import Record, decode
from pi_controller.journal.regular import open_regular, size_of
from pi_controller.journal.store import Store, segments

TAIL_BYTES = 64 * 1024
"""Read from the end of the last segment: some 150 lines, far more than an end and what follows it."""


@dataclass(frozen=True, slots=True)
class GameSummary:
    """One game of the list. `rounds` and `winners` are those of the last events seen, 0 and empty without
    any; `problem` is a sentence when the journal's beginning cannot be read."""

    game_id: str
    armed_at: str = ""
    rule_set: str = ""
    ended: bool = False
    rounds: int = 0
    winners: tuple[Any, ...] = ()
    problem: str | None = None


def games(state_dir: Path) -> list[GameSummary]:
    """All games, newest first. Changes nothing; raises OSError."""
    store = Store(state_dir)
    found = []
    for game_id in store.game_ids():
        files = [path for _, path in segments(store.folder(game_id)) if size_of(path)]
        if files:
            found.append(_summary(game_id, files))
    return found


def following(summary: GameSummary, record: Record) -> GameSummary:
    """The summary when this is the next line of its journal."""
    if record.seq == 0:
        rule_set = record.data.get("rule_set", "")
        name = str(rule_set.get("name", "") if isinstance(rule_set, dict) else rule_set)
        return replace(summary, armed_at=record.wall, rule_set=name)
    if record.kind == "ended":
        summary = replace(summary, ended=True, winners=tuple(record.data.get("winners") or ()))
    elif record.kind in ("turned", "corrected"):
        summary = replace(summary, ended=False, winners=())
    if isinstance(record.data.get("round"), int):
        summary = replace(summary, rounds=record.data["round"])
    return summary


def _summary(game_id: str, files: list[Path]) -> GameSummary:
    first, problem = _first(files[0])
    later = [record for record in _tail(files[-1]) if record.seq > 0]
    known = GameSummary(game_id, problem=problem)
    return reduce(following, later if first is None else [first, *later], known)


def _first(path: Path) -> tuple[Record | None, str | None]:
    with open_regular(path) as file:
        line = file.readline(1 << 20)
    try:
        return decode(line), None
    except DamagedLine as damage:
        return None, f"The first line of {path.name} is damaged: {damage.reason}."
    except NewerJournal as newer:
        return None, str(newer)


def _tail(path: Path) -> list[Record]:
    """The intact lines at the end of this file; damaged ones are recovery's business, not that of a list."""
    with open_regular(path) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL_BYTES))
        lines = file.read().split(b"\n")
    records = []
    for line in lines:
        try:
            records.append(decode(line + b"\n"))
        except (DamagedLine, NewerJournal):
            continue
    return records
