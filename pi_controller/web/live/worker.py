"""Work on copies of games in a process of its own: whatever it takes, feed and commands go on beside it."""

import asyncio
import math
import os
import shutil
import subprocess
import sys
from collections import OrderedDict

from pi_controller.hal.system.file_thread import FileThread
from pi_controller.sentence import Sentence, as_told
from pi_controller.web.http.bodies import Refusal

MOST_WAITING = 8
PATIENCE_S = 60.0
LARGEST_KEPT = 2 * 1024 * 1024
MOST_KEPT = 8
BUSY = {"Retry-After": "5"}
LEAST_PRIORITY = "10"
"""nice(1): whoever waits for a freeze goes first."""


class Worker:
    """Runs `pi-controller` with games on its standard input, one run at a time. What came out of the same
    lines is kept, so that a whole audience may ask for it."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._starting = FileThread("reports")
        self._waiting = 0
        self._kept: OrderedDict[tuple[object, ...], bytes] = OrderedDict()

    async def run(
        self, arguments: tuple[str, ...], lines: bytes, language: str, *, keep: bool = True
    ) -> bytes:
        """What it writes. Refusal: 422 with its own sentence when it cannot, 503 when too many wait or it
        takes too long. Without `keep` it is made anew each time."""
        key = (arguments, language, len(lines), lines[-80:])
        if keep and key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if self._waiting >= MOST_WAITING:
            raise Refusal(503, Sentence("web.worker_busy"), BUSY)
        self._waiting += 1
        try:
            async with self._turn:
                made = (keep and self._kept.get(key)) or await self._made(arguments, lines, language)
        finally:
            self._waiting -= 1
        if keep and len(made) <= LARGEST_KEPT:
            self._kept[key] = made
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return made

    async def _made(self, arguments: tuple[str, ...], lines: bytes, language: str) -> bytes:
        try:
            ended = await self._starting.do(lambda: _run(arguments, lines, language), patience_s=math.inf)
        except subprocess.TimeoutExpired:
            raise Refusal(503, Sentence("web.worker_too_slow"), BUSY) from None
        if ended.returncode != 0:
            sentences = ended.stderr.decode("utf-8", "replace").strip().splitlines() or [""]
            raise Refusal(422, as_told(sentences[-1]))
        return ended.stdout


def _run(arguments: tuple[str, ...], lines: bytes, language: str) -> subprocess.CompletedProcess[bytes]:
    """Also the start reads files: the program's. It is killed after PATIENCE_S, with TimeoutExpired."""
    nice = shutil.which("nice")
    politely = () if nice is None else (nice, "-n", LEAST_PRIORITY)
    return subprocess.run(
        [*politely, sys.executable, "-m", "pi_controller", *arguments],
        input=lines,
        capture_output=True,
        check=False,
        env={**os.environ, "LC_ALL": language.replace("-", "_")},
        timeout=PATIENCE_S,
    )
