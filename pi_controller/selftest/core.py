"""What the checks ask: of core, over its control socket, and of this computer itself, on threads.

NoCore and the like are not caught here: they end the session.
"""

import asyncio
import hashlib
import itertools
import os
import stat
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_controller.language.words import WordedError
from pi_controller.protocol import messages
from pi_controller.protocol.async_client import AsyncClient, CoreConversation, connect
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore, SocketPathTooLong
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.probes import (
    JOB_DEADLINE_S,
    LONGEST_PIECE,
    RESULTS,
    BusProbe,
    DiskProbe,
    KeepReportProbe,
    Level,
    ReportKept,
    ResultT,
    TablePress,
    TestNews,
    TypedProbe,
)
from pi_controller.protocol.question import DEFAULT_TIMEOUT_S, AnswerT, Question, read_as
from pi_controller.protocol.sentences import sentence
from pi_controller.sentence import Sentence, sentence_of

KEEP_S = 10.0
"""A lease ends after 30 s without a sign."""
DISK_TIMEOUT_S = 40.0
"""Longer than core's own deadlines, so that core says what was late."""
LONGEST_WHO = 60
PIECE = bytes(1 << 20)
"""Hashed without the interpreter's lock, which other threads get meanwhile."""


class CannotRun(WordedError):  # noqa: N818 - the session's end in one sentence
    """The self-test cannot begin or go on; the sentence says why and what to do."""


class DoesNotAnswer(WordedError):  # noqa: N818 - what a check is there to find
    """The part that was probed does not answer; core's sentence says so. The session may go on."""


class Secrets(Struct, frozen=True, kw_only=True):
    """`pin_guessable`: whether the PIN is one that everybody tries first; None while none is set. `files`:
    the modes, as chmod takes them, of what others must not read, by path in the state folder."""

    pin_guessable: bool | None
    files: dict[str, int]
    pin_trouble: str | None = None
    """Why the PIN's file cannot be used."""


PinCheck = Callable[[str], bool | None]
"""Whether this text is the PIN; None while none is set. ValueError or OSError when its file cannot be
used."""


class CoreUnderTest:
    """Holds the lease of the hardware from `begin` to `end`, over one connection: core ends the lease when
    that is closed, also by the end of this process. `client` is for what needs none."""

    def __init__(self, state_dir: Path, *, pin_matches: PinCheck | None = None) -> None:
        """Without `pin_matches` the PIN is not looked at. CannotRun when the state folder lies too deep for a
        socket."""
        try:
            self._path = socket_path(state_dir)
        except SocketPathTooLong as error:
            raise CannotRun(sentence_of(error)) from error
        self.client = AsyncClient(self._path)
        self._state_dir = state_dir
        self._pin_matches = pin_matches
        self._ids = itertools.count(1)
        self._connection: CoreConversation | None = None
        self._lease: str | None = None
        self._presses: asyncio.Queue[TablePress] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []

    async def begin(self, who: str) -> None:
        """Take the lease, and keep it; CannotRun names who holds it or what forbids it."""
        asked = messages.AskTestBegin(who=who[:LONGEST_WHO] or "somebody", purpose="selftest")
        answer = await self._ask(asked)
        if not answer.accepted:
            raise CannotRun(Sentence("list.sentences", sentences=tuple(map(sentence, answer.reason_keys))))
        self._lease = answer.lease
        for name, work in (
            ("keeps the self-test's lease", self._keep_on()),
            ("hears presses", self._listen()),
        ):
            self._tasks.append(asyncio.create_task(work, name=name))

    async def end(self) -> None:
        """Give the lease back; may be called twice. Raises a mistake that broke off what ran beside."""
        for task in self._tasks:
            task.cancel()
        if self._connection is not None:
            self._connection.close()  # core ends the lease with it, and the news of it
        self._connection = self._lease = None
        ends = await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        await self.client.aclose()
        for end in ends:
            if isinstance(end, Exception):
                raise end

    async def probe(self, probe: TypedProbe[ResultT]) -> ResultT:
        """What this probe gives. DoesNotAnswer when the part fails, CannotRun when the lease is gone."""
        longer_s = JOB_DEADLINE_S if isinstance(probe, BusProbe) else 0
        if isinstance(probe, DiskProbe):
            longer_s = DISK_TIMEOUT_S
        try:
            answer = await self._ask(messages.AskProbe(probe=probe, lease=self._lease), longer_s=longer_s)
        except CoreTrouble as trouble:
            if self._lease is not None:
                try:
                    await self.keep()
                except CoreTrouble as lost:
                    raise CannotRun(sentence_of(lost)) from trouble
            raise DoesNotAnswer(sentence_of(trouble)) from trouble
        result: ResultT = msgspec.convert(answer.result, RESULTS[type(probe)])
        return result

    async def keep(self) -> None:
        """The test goes on, though nothing is probed; needed at least every 30 s."""
        await self._ask(messages.AskTestKeep(lease=self._held()))

    async def watch(self) -> AsyncIterator[TestNews]:
        """The live news of the test, once a second at least, until the lease ends; NoCore when they stop."""
        lease = self._held()
        connection = await self._connected()
        connection.send(messages.AskWatchTest(id="watch", lease=lease))
        async for line in connection.lines():
            trouble = line.trouble()
            if trouble is not None:
                raise trouble
            if line.test:
                news = read_as(bytes(line.test), TestNews)
                yield news
                if news.ended is not None:
                    return

    async def keep_report(self, level: Level, text: str) -> str:
        """The name under which core keeps this report (JSON); raises as `probe`."""
        pieces = [text[at : at + LONGEST_PIECE] for at in range(0, len(text), LONGEST_PIECE)]
        kept = ReportKept(name=None)
        for number, piece in enumerate(pieces, 1):
            kept = await self.probe(KeepReportProbe(level=level, text=piece, more=number < len(pieces)))
        if kept.name is None:
            raise DoesNotAnswer(Sentence("core.report_without_name"))
        return kept.name

    async def presses(self, seconds: float) -> Sequence[TablePress]:
        """Claim buttons pressed since the last call; waits at most so many seconds for the first."""
        found: list[TablePress] = []
        if self._presses.empty():
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    found.append(await self._presses.get())
        while not self._presses.empty():
            found.append(self._presses.get_nowait())
        return found

    @asynccontextmanager
    async def busy_processors(self) -> AsyncIterator[None]:
        """A load for the computer's own supply: one hashing thread for each processor."""
        over = threading.Event()

        def work() -> None:
            while not over.is_set():
                hashlib.sha256(PIECE).digest()

        threads = [
            threading.Thread(target=work, name="selftest-load", daemon=True)
            for _ in range(os.cpu_count() or 1)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                await asyncio.to_thread(thread.join)

    async def secrets(self) -> Secrets:
        """The secret files of the state folder, of which nobody reads the contents, and what is to be said of
        the PIN."""
        return await asyncio.to_thread(_secrets, self._state_dir, self._pin_matches)

    def _held(self) -> str:
        if self._lease is None:
            raise CoreTrouble(Sentence("core.no_test_begun"))
        return self._lease

    async def _connected(self) -> CoreConversation:
        if self._connection is None:
            make = partial(CoreConversation, self._path, DEFAULT_TIMEOUT_S)
            self._connection = await connect(self._path, make, DEFAULT_TIMEOUT_S)
        return self._connection

    async def _ask(self, request: Question[AnswerT], *, longer_s: float = 0) -> AnswerT:
        connection = await self._connected()
        request.id = next(self._ids)
        return await connection.ask(request, longer_s=longer_s)

    async def _keep_on(self) -> None:
        """For questions that somebody thinks about for long."""
        with suppress(NoCore, CoreTrouble):  # the session's own next probe says so
            while True:
                await asyncio.sleep(KEEP_S)
                await self.keep()

    async def _listen(self) -> None:
        with suppress(NoCore, CoreTrouble, Malformed):  # as above
            async for news in self.watch():
                if news.pressed is not None:
                    self._presses.put_nowait(news.pressed)


GUESSED_FIRST = ("123456", "000000", "111111", "654321", "121212", "112233", "123123", "222222")
"""The six-digit PINs that stand at the top of every published list."""
SECRET_NAMES = ("seed", "token", "secret", "pin", "key")
"""In the name of a file that must be private, besides everything of the web side."""


def _secrets(state_dir: Path, pin_matches: PinCheck | None) -> Secrets:
    files = {
        name: stat.S_IMODE(path.stat().st_mode)
        for path in sorted(state_dir.rglob("*"))
        if _is_secret(name := str(path.relative_to(state_dir))) and path.is_file() and not path.is_symlink()
    }
    try:
        return Secrets(pin_guessable=_guessable(pin_matches), files=files)
    except (ValueError, OSError) as error:
        return Secrets(pin_guessable=None, files=files, pin_trouble=str(error))


def _guessable(pin_matches: PinCheck | None) -> bool | None:
    if pin_matches is None:
        return None
    for pin in GUESSED_FIRST:
        found = pin_matches(pin)
        if found is None or found:
            return found
    return False


def _is_secret(name: str) -> bool:
    folder, _, file = name.rpartition("/")
    return folder.split("/")[0] == "web" or any(word in file for word in SECRET_NAMES)
