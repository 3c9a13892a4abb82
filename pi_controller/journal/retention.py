"""Whole games that are older than they may be kept go, with their seeds and copies. No line of a game that
stays is changed, so that its chain can be checked as before."""

import shutil
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from pi_controller.journal.private import sync_folder
from pi_controller.journal.store import Store

STAMP = "%Y%m%d-%H%M%S"
STAMP_LENGTH = 15
"""A game's id begins so: when it was armed."""


def forget(store: Store, *, keep_days: int, wall: str, second_copy: Path | None) -> list[str]:
    """Remove the games that were armed longer than so many days before `wall` (ISO 8601), but never the
    newest; their ids. 0 days: none. Raises OSError."""
    if keep_days == 0:
        return []
    oldest = datetime.fromisoformat(wall).replace(tzinfo=None) - timedelta(days=keep_days)
    gone = [game for game in store.game_ids()[1:] if (armed := _armed(game)) is not None and armed < oldest]
    for game in gone:
        for folder in (store.games_dir, *(() if second_copy is None else (second_copy / "games",))):
            if (folder / game).is_dir():
                shutil.rmtree(folder / game)
                sync_folder(folder)
        for name in (f"{game}.json", f"{game}.jsonl"):
            (store.exports_dir / name).unlink(missing_ok=True)
    return gone


def _armed(game: str) -> datetime | None:
    """None for a name that this controller has not given."""
    with suppress(ValueError):
        return datetime.strptime(game[:STAMP_LENGTH], STAMP)  # noqa: DTZ007 - a label without a zone
    return None
