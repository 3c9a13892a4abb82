"""The leader's second copy, file by file over the broker: with the pairing key a follower can go on with the
game.

Journals only grow, so a follower says how much it has; what is small comes whole. The seed in the copy is
sealed (`docs/spare_pi.md`).
"""

import asyncio
import math
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from pi_controller.hal.system.file_thread import FileThread
from pi_controller.journal.store import private_folder, segments, write_private
from pi_controller.links.payloads import CopyPart, Have

GAMES = "games"
WHOLE = ("heartbeat", "roster.json")
SEED = "seed.sealed"
AT_ONCE_S = 0.05
MOST_BYTES = 64 * 1024
"""Of a part: what is behind more than that comes with the next answers."""
_NAME = re.compile(
    r"heartbeat|roster\.json|games/[0-9A-Za-z-]{1,60}/(seed\.sealed|journal[0-9A-Za-z.-]{0,20}\.jsonl)"
)


class CopyReader:
    """The leader's end, which reads on a thread of its own: it may be a stick that hangs. A folder without a
    game has no parts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._thread = FileThread("second-copy")
        self._reading: dict[str, tuple[dict[str, int], asyncio.Task[list[CopyPart]]]] = {}
        """By the hall that asked: what it had then, and what it lacks."""

    async def parts_soon(self, hall: str, have: dict[str, int]) -> list[CopyPart]:
        """What this follower lacks that has so much, if it is read within AT_ONCE_S; what takes longer it
        gets when it asks for the same again. OSError."""
        reading = self._reading.get(hall)
        if reading is None or (reading[1].done() and reading[0] != have):
            read = self._thread.do(lambda: self.parts(have), patience_s=math.inf)
            reading = self._reading[hall] = have, asyncio.create_task(read)
        asked, task = reading
        done, _ = await asyncio.wait({task}, timeout=AT_ONCE_S)
        if not done:
            return []
        del self._reading[hall]
        parts = task.result()
        return parts if asked == have else []

    def parts(self, have: dict[str, int]) -> list[CopyPart]:
        """What a follower lacks that has so many bytes of each file, at most MOST_BYTES of a journal.
        OSError."""
        game = self._newest()
        return [] if game is None else [*self._of_game(game, have), *self._beside(game, have)]

    def _newest(self) -> Path | None:
        games = self._folder / GAMES
        return max((one for one in games.iterdir() if one.is_dir()), default=None) if games.is_dir() else None

    def _of_game(self, game: Path, have: dict[str, int]) -> Iterator[CopyPart]:
        seed = game / SEED
        name = f"{GAMES}/{game.name}/{SEED}"
        if seed.exists() and name not in have:
            yield CopyPart(file=name, offset=0, data=seed.read_bytes(), whole=True)
        for _, path in segments(game):
            name = f"{GAMES}/{game.name}/{path.name}"
            offset = have.get(name, 0)
            if path.stat().st_size > offset:
                with path.open("rb") as file:
                    file.seek(offset)
                    lines = file.read(MOST_BYTES)
                whole = lines[: lines.rfind(b"\n") + 1]
                if whole:
                    yield CopyPart(file=name, offset=offset, data=whole)
                return  # the next segment follows when this one is there

    def _beside(self, game: Path, have: dict[str, int]) -> Iterator[CopyPart]:
        """A follower has one game only, and its heartbeat beside it."""
        for name in WHOLE:
            path = next((one for one in (game / name, self._folder / name) if one.exists()), game / name)
            if path.exists() and (name == "heartbeat" or have.get(name) != path.stat().st_size):
                yield CopyPart(file=name, offset=0, data=path.read_bytes(), whole=True)


class CopyKeeper:
    """A follower's end: keeps the leader's newest game; `thread` is the one that may wait for it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.thread = FileThread("leaders-game")

    def have(self) -> list[Have]:
        """The bytes of each file. OSError."""
        if not self._folder.is_dir():
            return []
        files = (path for path in self._folder.rglob("*") if path.is_file())
        return [Have(file=str(path.relative_to(self._folder)), size=path.stat().st_size) for path in files]

    def take(self, part: CopyPart) -> bool:
        """Keep it; False for one that does not follow what is there, or has a name that no copy has.
        OSError."""
        if not _NAME.fullmatch(part.file):
            return False
        path = self._folder / part.file
        for folder in (self._folder, *reversed(path.relative_to(self._folder).parents[:-1])):
            private_folder(self._folder / folder)
        if part.whole:
            write_private(path, part.data)
            return True
        if (path.stat().st_size if path.exists() else 0) != part.offset:
            return False
        with path.open("ab") as file:
            file.write(part.data)
        self._forget_but(path.parent)
        return True

    def _forget_but(self, game: Path) -> None:
        for other in game.parent.iterdir():
            if other != game:
                shutil.rmtree(other)
