"""A hall whose log nobody reads, and whose disk takes its time: core, web and links of a leader, and a follower, each with a
full pipe in the place of its terminal. What a hall notices of it is measured from outside.

`python -m tests.slow_disk.hall` prints the figures of a minute without and a minute with such a disk.
"""

import argparse
import asyncio
import contextlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.changes import NewestPicture
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.messages import AskSim
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.question import CoreLine
from tests.bus.hall import percentile
from tests.patience import DEADLINE_S
from tests.system.broker import Broker, free_port
from tests.system.programs import COMMAND, PYTHON_PATH, ROOT

SETTINGS = """
[game]
schedule = [{{from_round = 1, seconds = 3600}}]
start_countdown_seconds = 0
resume_countdown_seconds = 0
[links]
role = "{role}"
hall = "{hall}"
broker = "127.0.0.1"
port = {port}
"""
PAGES = ("/", "/verify.html", "/static/bundles/hall.css", "/api/state", "/metrics", "/api/links")
"""For these nothing on the disk has to be looked at."""
WRONG = {"Cookie": "pi_controller_session=nobody"}
BETWEEN_S = 0.3
"""So long a contact rests before it is pressed anew."""
RESUME_AGAIN_S = 1.0
SILENT = 504
"""Of an answer that did not come."""
PATIENCE = aiohttp.ClientTimeout(DEADLINE_S)


@dataclass
class Seen:
    """What was noticed; all in seconds."""

    presses: list[float] = field(default_factory=list)
    """From the press of the button to the frozen picture."""
    feed_gaps: list[float] = field(default_factory=list)
    """Between two words of core, and of the pages' feed."""
    page_gaps: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    """Until an answer came that needs no disk; `from_disk`: one that does."""
    from_disk: list[float] = field(default_factory=list)
    statuses: set[int] = field(default_factory=set)
    following: list[float] = field(default_factory=list)
    """Between two pictures or beats of the follower's core."""
    follower_pauses: set[str] = field(default_factory=set)


class Full:
    """A pipe that takes nothing any more, as of a terminal in which somebody has pressed Ctrl-S."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.writing, False)
        for size in (1 << 16, 1):
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(self.writing, b"." * size)
        os.set_blocking(self.writing, True)

    def close(self) -> None:
        os.close(self.reading)
        os.close(self.writing)


class SlowHall:
    """`slow` says how many seconds each call on a file's path takes, from now on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._slow = folder / "slow"
        self._pipe = Full()
        self.programs: dict[str, subprocess.Popen[bytes]] = {}
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self, name: str, hall: str, *arguments: str) -> None:
        environment = {
            "PYTHONPATH": PYTHON_PATH,
            "FILE_CALLS_TOLD": str(self.folder / "told"),
            "FILE_CALLS_SLOW": str(self._slow),
        }
        state, settings = self.folder / hall, self.folder / f"{hall}.toml"
        self.programs[f"{hall}/{name}"] = subprocess.Popen(
            [*COMMAND, name, "--state-dir", str(state), "--settings", str(settings), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self._pipe.writing,
            stderr=self._pipe.writing,
            cwd=ROOT,
            env=os.environ | environment,
        )

    def slow(self, seconds: float) -> None:
        self._slow.write_text(str(seconds))

    def client(self, hall: str) -> AsyncClient:
        return AsyncClient(socket_path(self.folder / hall), longest_silence_s=math.inf)

    @property
    def token(self) -> dict[str, str]:
        """What the director's scripts send."""
        token = (self.folder / "leader" / "web" / "token").read_text().strip()
        return {"Authorization": f"Bearer {token}"}

    def file_calls(self) -> list[str]:
        """On the loops of core, web and links."""
        told = self.folder / "told"
        return sorted(set(told.read_text().splitlines())) if told.exists() else []

    def close(self) -> None:
        for program in self.programs.values():
            program.kill()
            program.wait(DEADLINE_S)
        self._pipe.close()


@contextlib.contextmanager
def slow_hall(folder: Path) -> Iterator[SlowHall]:
    """A leader with its pages and a follower, all of them up; a game runs."""
    broker, hall = Broker(folder / "broker").start(), SlowHall(folder)
    try:
        for name, role in (("leader", "leader"), ("follower", "follower")):
            (folder / name).mkdir()
            text = SETTINGS.format(role=role, hall=name, port=broker.port)
            (folder / f"{name}.toml").write_text(text)
            hall.start("core", name, "--hardware=sim")
            hall.start("links", name)
        hall.start("web", "leader", f"--port={hall.port}")
        asyncio.run(_begin(hall))
        yield hall
    finally:
        hall.close()
        broker.kill()


async def _begin(hall: SlowHall) -> None:
    leader, follower = hall.client("leader"), hall.client("follower")
    try:
        await _until(leader.picture, lambda _picture: True)
        await _until(lambda: leader.command("start"), lambda answer: answer.accepted)
        follows = _until(
            follower.picture, lambda picture: picture.link is not None and picture.link.state == "following"
        )
        await follows
        await _until(lambda: _status(hall.url), lambda status: status == 200)
    finally:
        await leader.aclose()
        await follower.aclose()


async def _until(ask: Callable[[], Coroutine[Any, Any, Any]], ready: Callable[[Any], bool]) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while True:
            with contextlib.suppress(NoCore, CoreTrouble, OSError, aiohttp.ClientError):
                if ready(await ask()):
                    return
            await _moment()


async def _moment(seconds: float = 0.02) -> None:
    """Before it is asked again."""
    later = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, later.set)
    await later.wait()


async def _status(url: str) -> int:
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        return answer.status


async def look(hall: SlowHall, seconds: float, enough: Callable[[Seen], bool] = lambda _seen: False) -> Seen:
    """Press the button again and again, watch feeds and ask for pages; for so long, or until there is enough."""
    seen = Seen()
    watching = [
        asyncio.create_task(task)
        for task in (
            _watch(hall, "leader", seen.feed_gaps),
            _watch(hall, "follower", seen.following, seen.follower_pauses),
            _feed(hall, seen),
            _pages(hall, seen),
            _from_disk(hall, seen),
        )
    ]
    try:
        until = time.monotonic() + seconds
        async with _button(hall) as press:
            while time.monotonic() < until and not enough(seen):
                seen.presses.append(await press())
        assert not any(task.done() for task in watching), [task for task in watching if task.done()]
    finally:
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
    return seen


@contextlib.asynccontextmanager
async def _button(hall: SlowHall) -> AsyncIterator[Callable[[], Coroutine[Any, Any, float]]]:
    """Presses and lets go; the seconds until the picture stands still. Then the game goes on, with or without a record."""
    client, watching = hall.client("leader"), hall.client("leader")
    newest, waking, told = list[Picture](), asyncio.Event(), NewestPicture()

    def tell(line: CoreLine) -> None:
        if line.shown:
            told.take(line)
            newest[:] = [msgspec.json.decode(told.encoded(), type=Picture)]
            waking.set()

    task = asyncio.create_task(watching.watch(tell))

    async def shows(wanted: Callable[[Picture], bool]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not (newest and wanted(newest[0])):
                waking.clear()
                await waking.wait()

    async def press() -> float:
        await plays()
        began = time.monotonic()
        await client.ask(AskSim(do="press"))
        await shows(lambda picture: not picture.running)
        took = time.monotonic() - began
        await client.ask(AskSim(do="release"))
        await _moment(BETWEEN_S)
        return took

    async def plays() -> None:
        """A disk that takes its time pauses, too: with `override` the game goes on without a record."""
        while True:
            answers.append(asyncio.create_task(client.command("resume", {"override": True})))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RESUME_AGAIN_S):
                    await shows(lambda picture: picture.running)
                    return

    answers: list[asyncio.Task[Any]] = []
    try:
        yield press
    finally:
        for one in (task, *answers):
            one.cancel()
        await asyncio.gather(task, *answers, return_exceptions=True)
        await client.aclose()
        await watching.aclose()


async def _watch(hall: SlowHall, name: str, gaps: list[float], pauses: set[str] | None = None) -> None:
    client, last, told = hall.client(name), [time.monotonic()], NewestPicture()

    def tell(line: CoreLine) -> None:
        gaps.append(time.monotonic() - last[0])
        last[0] = time.monotonic()
        if line.shown and pauses is not None:
            told.take(line)
            picture = msgspec.json.decode(told.encoded(), type=Picture)
            pauses.update(item.key for item in picture.health.items if item.key.startswith("link."))

    try:
        await client.watch(tell)
    finally:
        gaps.append(time.monotonic() - last[0])
        await client.aclose()


async def _feed(hall: SlowHall, seen: Seen) -> None:
    last = time.monotonic()
    async with aiohttp.ClientSession() as http, http.ws_connect(f"{hall.url}/api/feed") as feed:
        async for _message in feed:
            seen.page_gaps.append(time.monotonic() - last)
            last = time.monotonic()
        raise AssertionError(f"the pages' feed was closed: {feed.close_code}")


async def _pages(hall: SlowHall, seen: Seen) -> None:
    """A guest and a director whose log-in is known."""
    async with aiohttp.ClientSession(headers=hall.token, timeout=PATIENCE) as http:
        while True:
            for path in PAGES:
                seen.pages.append(await _ask(http.get(f"{hall.url}{path}"), seen))
                await _moment()


async def _from_disk(hall: SlowHall, seen: Seen) -> None:
    """A stranger with an old cookie and one who guesses a link, a director who makes one, one who looks at games."""
    asks: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("GET", "/api/session", {"headers": WRONG}),
        ("GET", "/api/games", {}),
        ("POST", "/login?token=wrong", {}),
        ("POST", "/api/login-link", {"json": {"role": "judge", "name": "Ada"}, "headers": hall.token}),
    )
    async with aiohttp.ClientSession(timeout=PATIENCE) as http:
        while True:
            for method, path, how in asks:
                asked = http.request(method, f"{hall.url}{path}", **how)
                seen.from_disk.append(await _ask(asked, seen))


async def _ask(asked: Any, seen: Seen) -> float:
    began = time.monotonic()
    try:
        async with asked as answer:
            await answer.read()
            seen.statuses.add(answer.status)
    except TimeoutError:
        seen.statuses.add(SILENT)
    return time.monotonic() - began


def figures(seen: Seen) -> dict[str, Any]:
    return {
        "presses": len(seen.presses),
        "press_to_frozen_p50_ms": round(percentile(seen.presses, 0.5) * 1000, 1),
        "press_to_frozen_p99_ms": round(percentile(seen.presses, 0.99) * 1000, 1),
        "core_silent_max_s": round(max(seen.feed_gaps, default=math.nan), 2),
        "feed_silent_max_s": round(max(seen.page_gaps, default=math.nan), 2),
        "follower_silent_max_s": round(max(seen.following, default=math.nan), 2),
        "answers": len(seen.pages),
        "answer_max_s": round(max(seen.pages, default=math.nan), 2),
        "answers_from_disk": len(seen.from_disk),
        "answer_from_disk_max_s": round(max(seen.from_disk, default=math.nan), 2),
        "statuses": sorted(seen.statuses),
        "follower_told": sorted(seen.follower_pauses),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each of both runs")
    parser.add_argument("--call", type=float, default=5.0, help="seconds of each call on a file's path")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, slow_hall(Path(folder)) as hall:
        quick = asyncio.run(look(hall, arguments.seconds))
        hall.slow(arguments.call)
        slow = asyncio.run(look(hall, arguments.seconds))
        on_loops = hall.file_calls()
    print(json.dumps({"quick": figures(quick), "slow": figures(slow), "on loops": on_loops}, indent=1))
    ratio = percentile(slow.presses, 0.99) / percentile(quick.presses, 0.99)
    print(f"press to frozen, p99: {ratio:.2f} times that of a disk that answers")
    return int(ratio > 1.5 or bool(on_loops) or SILENT in slow.statuses or bool(slow.follower_pauses))


if __name__ == "__main__":
    sys.exit(main())
