"""Entry point of the process with the virtual tables."""

import asyncio
import contextlib
import errno
import fcntl
import logging
import os
import select
import selectors
import signal
import struct
import time
import tty
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pi_controller.flashing.build import FlashingError
from pi_controller.flashing.image import node_key
from pi_controller.hal.system import logs
from pi_controller.language.system_errors import why
from pi_controller.language.words import WordedError, words
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import DoneAnswer, encode_malformed
from pi_controller.protocol.options import TablesOptions
from pi_controller.protocol.paths import tables_socket, virtual_port, virtual_segments
from pi_controller.protocol.question import encode
from pi_controller.protocol.server import ClientConnection, LineServer
from pi_controller.protocol.simulated import Do, TablesNews, Watch, decode_request
from pi_controller.sentence import Sentence
from pi_controller.virtual_hall.hall import MASTER, SimulatedSegment, VirtualHall
from pi_controller.virtual_hall.table import start_sparing

# What the virtual tables are asked over their own socket: hands and faults, and news to who watches.


NEWS_US = 100_000
"""Between two news to the same watcher."""


class TablesFeed:
    """`now_us` is the hall's time; `tell` is called when news are due."""

    def __init__(self, hall: VirtualHall, now_us: Callable[[], int]) -> None:
        self._hall = hall
        self._now_us = now_us
        self._watchers: dict[ClientConnection, _Watcher] = {}

    def answer(self, client: ClientConnection, request: Watch | Do) -> None:
        if isinstance(request, Watch):
            self._watchers[client] = _Watcher(due_us=self._now_us())
            client.on_close.append(lambda: self._watchers.pop(client, None))
            return
        try:
            self._hall.do(request, self._now_us())
        except Malformed as error:
            client.send(encode_malformed(request.id, error.sentence))
        else:
            client.send(encode(DoneAnswer(id=request.id)))

    def next_us(self) -> int | None:
        """When `tell` is due; None while nobody watches."""
        return min((watcher.due_us for watcher in self._watchers.values()), default=None)

    def tell(self) -> None:
        """News to the watchers that are due and have read what they got before."""
        now_us = self._now_us()
        for client, watcher in self._watchers.items():
            if watcher.due_us <= now_us:
                watcher.due_us = now_us + NEWS_US
                if not client.lags:
                    self._tell(client, watcher)

    def _tell(self, client: ClientConnection, watcher: "_Watcher") -> None:
        looks = {uid: self._hall.look(uid) for uid in self._hall.tables}
        changed = [uid for uid, look in looks.items() if watcher.seen.get(uid) != look]
        if changed:
            watcher.seen = looks
            news = TablesNews(tables=[self._hall.picture(uid) for uid in changed])
            client.stream("tables", encode(news))


@dataclass
class _Watcher:
    due_us: int
    seen: dict[str, tuple[object, ...]] = field(default_factory=dict)
    """How each table looked when it was told of last."""


# Real time for the virtual tables: ports (pseudo-terminals that stand in for adapters), clock and socket in
# one loop.


TCGETS2 = 0x802C542A
"""asm-generic/ioctls.h; tells rates that have no constant, such as 250,000."""
_TERMIOS2 = struct.Struct("4IB19s2I")
CHUNK = 4096


class SimulatedPort:
    """The far side of a serial port at `link`. It is `open` while somebody has the near side open."""

    def __init__(self, link: Path) -> None:
        self._link = link
        self.master, near = os.openpty()
        try:
            tty.setraw(near)
            os.set_blocking(self.master, False)
            self._name = os.ttyname(near)
            self._point()
        except OSError:
            os.close(self.master)
            raise
        finally:
            os.close(near)
        self._spoken_to = False

    def is_open(self) -> bool:
        """A closed one hangs up, also before it was open for the first time."""
        poll = select.poll()
        poll.register(self.master, select.POLLIN)
        open_now = not any(event & select.POLLHUP for _, event in poll.poll(0))
        self._spoken_to = self._spoken_to and open_now
        return open_now

    def baud(self) -> int:
        """The rate that the near side is set to."""
        found = fcntl.ioctl(self.master, TCGETS2, bytes(_TERMIOS2.size))
        return int(_TERMIOS2.unpack(found)[-1])

    def read(self) -> bytes | None:
        """What was sent, b"" when there is nothing; None when the near side has been closed."""
        try:
            data = os.read(self.master, CHUNK)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            self._spoken_to = False
            return None
        self._spoken_to = True
        return data

    def write(self, data: bytes) -> None:
        """What the near side does not take is lost, as on a line. Nothing is written before it has sent
        something: until it is set up the terminal would echo."""
        if not self._spoken_to:
            return
        with contextlib.suppress(BlockingIOError):
            os.write(self.master, data)

    def close(self) -> None:
        """Also removes the link, unless it has become another's."""
        os.close(self.master)
        with contextlib.suppress(OSError):
            if str(self._link.readlink()) == self._name:
                self._link.unlink()

    def _point(self) -> None:
        self._link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self._link.with_name(f".{self._link.name}.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(self._name)
        fresh.rename(self._link)


log = logging.getLogger(__name__)

LOOK_FOR_MASTER_US = 50_000
"""Between two looks whether a closed port has been opened."""
GRAIN_US = 1_000
"""What is due within one such span is done in one go. An answer may be so much later than its node meant."""
LONGEST_LAG_US = 500_000
"""Who is later than this, on a machine that is too busy, lets the hall's time stand still for the rest."""
LONGEST_WAIT_US = 1_000_000


def run_to_the_microsecond(work: Coroutine[None, None, None]) -> None:
    """On a loop whose timers are not rounded up to milliseconds, as epoll's are; for fewer than 1024
    descriptors."""
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selectors.SelectSelector())) as runner:
        runner.run(work)


class Hub:
    """Serves the hall. Its time begins at 0."""

    def __init__(self, hall: VirtualHall, *, ports: Mapping[str, Path], socket_path: Path) -> None:
        self._began_us = _monotonic_us()
        self.lost_us = 0
        """By how much the hall's time is behind since the start."""
        self._done_us = 0
        """The hall's time up to which everything has happened: it must not go back behind that."""
        self._feed = TablesFeed(hall, self.now_us)
        self._server = LineServer(socket_path, decode=decode_request, answer=self._answer)
        self._due: asyncio.TimerHandle | None = None
        self._lines = [
            _Line(hall.segments[name], SimulatedPort(link), called=self._step, now_us=self.now_us)
            for name, link in ports.items()
        ]

    def now_us(self) -> int:
        return _monotonic_us() - self._began_us - self.lost_us

    async def run(self) -> None:
        """Until it is cancelled. Raises OSError when the socket cannot be made, and whatever breaks off on
        the loop."""
        loop = asyncio.get_running_loop()
        broken: asyncio.Future[None] = loop.create_future()

        def break_off(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            if not broken.done():
                broken.set_exception(context.get("exception") or RuntimeError(context["message"]))

        loop.set_exception_handler(break_off)
        await self._server.start()
        self._step()
        await broken

    async def close(self) -> None:
        """Once `run` has ended."""
        await self._server.stop()
        if self._due is not None:
            self._due.cancel()
        for line in self._lines:
            line.close()

    def _step(self) -> None:
        """What is due, and again when the next is, a port has something to read, or somebody asks for
        something: at once, not in the loop's next turn, for many tables make a thousand turns a second."""
        if self._due is not None:
            self._due.cancel()
        self._advance()
        now_us = self.now_us()
        wait_s = max(0, self._next_us(now_us) - now_us) / 1e6
        self._due = asyncio.get_running_loop().call_later(wait_s, self._step)

    def _answer(self, client: ClientConnection, request: Watch | Do) -> None:
        self._feed.answer(client, request)
        self._step()

    def _next_us(self, now_us: int) -> int:
        news_us = self._feed.next_us()
        soonest = min(line.next_us() for line in self._lines)
        return min(soonest, now_us + LONGEST_WAIT_US if news_us is None else news_us)

    def _advance(self) -> None:
        for line in self._lines:
            line.read()
        now_us = self.now_us()
        lag_us = now_us - max(self._done_us, min(line.next_us() for line in self._lines))
        if lag_us > LONGEST_LAG_US:
            if not self.lost_us:
                log.warning(
                    "this machine is too busy for so many virtual tables; their time stands still meanwhile"
                )
            self.lost_us += lag_us - LONGEST_LAG_US
            now_us = self.now_us()
        for line in self._lines:
            line.advance(now_us)
        self._done_us = now_us
        news_us = self._feed.next_us()
        if news_us is not None and news_us <= now_us:
            self._feed.tell()


class _Line:
    """A segment and its port."""

    def __init__(
        self,
        segment: SimulatedSegment,
        port: SimulatedPort,
        *,
        called: Callable[[], None],
        now_us: Callable[[], int],
    ) -> None:
        """`called` is called when there is something to `read`."""
        self._segment = segment
        self._port = port
        self._called = called
        self._now_us = now_us
        self._open = False
        self._readable = False
        self._look_us = 0

    def next_us(self) -> int:
        due_us = self._segment.next_us(GRAIN_US)
        return due_us if self._open else min(due_us, self._look_us)

    def advance(self, now_us: int) -> None:
        if not self._open and self._look_us <= now_us:
            self._look_us = now_us + LOOK_FOR_MASTER_US
            self._look()
        heard = self._segment.advance(now_us)
        if heard and self._open:
            self._port.write(heard)

    def close(self) -> None:
        if self._open:
            asyncio.get_running_loop().remove_reader(self._port.master)
        self._port.close()

    def _look(self) -> None:
        if self._port.is_open():
            self._open = True
            asyncio.get_running_loop().add_reader(self._port.master, self._has_something)

    def _has_something(self) -> None:
        self._readable = True
        self._called()

    def read(self) -> None:
        """Put on the cable what the near side has written."""
        if not self._readable:
            return
        self._readable = False
        data = self._port.read()
        if data is None:
            self._open = False
            self._look_us = self._now_us() + LOOK_FOR_MASTER_US
            asyncio.get_running_loop().remove_reader(self._port.master)
        elif data:
            cable = self._segment.cable
            cable.set_baud(MASTER, self._port.baud())
            cable.talk(MASTER, data, self._now_us())


def _monotonic_us() -> int:
    return time.monotonic_ns() // 1000


WRONG_USE = 2
"""Exit status: starting again would not help."""
IDEAL_SEED = 0
END_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class AlreadyRunning(WordedError):  # noqa: N818 - one sentence for who started the program
    """Another process serves virtual tables in this state folder."""


def main(options: TablesOptions) -> int:
    """Run until a signal ends it; 2 with a sentence on stderr when starting again would not help."""
    logs.begin("%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    try:
        with _alone(options), contextlib.suppress(asyncio.CancelledError):
            run_to_the_microsecond(_serve(options))
    except (AlreadyRunning, FlashingError) as error:
        logs.complain(str(error))
        return WRONG_USE
    except OSError as error:
        said = Sentence("simulated.folder_unusable", folder=str(options.state_dir), why=why(error))
        logs.complain(words(said))
        return WRONG_USE
    finally:
        logs.end()
    return 0


async def _serve(options: TablesOptions) -> None:
    """A signal to end cancels it."""
    for number in END_SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, _cancel, asyncio.current_task())
    ports = {name: virtual_port(options.state_dir, name) for name in virtual_segments(options.tables)}
    seed = options.parts_seed
    ideal, key = seed == IDEAL_SEED, node_key(options.state_dir)
    hall = VirtualHall(options.tables, start_sparing, seed=seed, sparing=True, ideal=ideal, key=key)
    hub = Hub(hall, ports=ports, socket_path=tables_socket(options.state_dir))
    try:
        await hub.run()
    finally:
        await hub.close()


def _cancel(task: asyncio.Task[Any] | None) -> None:
    if task is not None:
        task.cancel()


@contextlib.contextmanager
def _alone(options: TablesOptions) -> Iterator[None]:
    """Holds the lock of the folder with the ports; the system lets go of it when the process dies."""
    folder = virtual_port(options.state_dir, "lock").parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        said = Sentence("simulated.running_already", folder=str(options.state_dir))
        raise AlreadyRunning(said) from error
    finally:
        os.close(handle)
