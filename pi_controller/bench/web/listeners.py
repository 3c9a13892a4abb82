"""Clients of the feed, as cheap as can be: bare WebSocket readers.

In a hall each listener has a processor of its own. Here all of them share one, and what they take of it is
missing to the server: so they stand in one epoll of their own and look at nothing but their frames.
"""

import asyncio
import base64
import os
import re
import select
import socket
import time

from pi_controller.bench.processes import ANSWER_WITHIN_S, BenchError

LONGEST_READ = 16 * 1024
"""Bytes: more than a picture has, and less than what the allocator asks the kernel for each time."""
IN_A_PICTURE = b'"saved_seq":'
SEQ = re.compile(rb'"seq":[0-9]+,')
SMALL_BUFFER = 8 * 1024
"""Bytes: what the kernel is asked to keep for a listener that may stall. By itself it keeps a megabyte, and
the server would not notice for minutes that nobody reads."""
FULL = 128 * 1024
"""Bytes to one that does not read: more than both ends' kernels then keep for it."""
HEAD_ENDS = b"\r\n\r\n"


class Listener:
    """One socket that has upgraded."""

    def __init__(self, path: str, *, small: bool = False) -> None:
        self.had = b""
        """The last text that was waited for and that this one had."""
        self.received = 0
        """Bytes of messages, with their heads."""
        self.in_pictures = 0
        """Of them, in messages that are pictures."""
        self.pictures = 0
        self._path = path
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        if small:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
        self._rest = b""
        """The beginning of a frame."""

    def fileno(self) -> int:
        return self._socket.fileno()

    async def join(self, port: int) -> bytes:
        """The frame of the first message that it gets."""
        async with asyncio.timeout(ANSWER_WITHIN_S):
            await asyncio.get_running_loop().sock_connect(self._socket, ("127.0.0.1", port))
            await asyncio.get_running_loop().sock_sendall(self._socket, self._upgrade(port))
            while HEAD_ENDS not in self._rest:
                await self._read_more()
            head, _, self._rest = self._rest.partition(HEAD_ENDS)
            status = head.split(b"\r\n")[0].decode("latin-1")
            if " 101 " not in status:
                raise BenchError(f"The feed takes no listener: {status}")
            return await self.next()

    def read(self) -> bytes:
        """The frames that are whole by now, one behind the other. BenchError: the feed has hung up."""
        data = self._socket.recv(LONGEST_READ)
        if not data:
            raise BenchError("The feed hung up on a listener.")
        self._rest += data
        return self._whole()

    def close(self) -> None:
        self._socket.close()

    async def next(self) -> bytes:
        """Wait for the next frames."""
        while not (messages := self._whole()):
            await self._read_more()
        return messages

    async def _read_more(self) -> None:
        data = await asyncio.get_running_loop().sock_recv(self._socket, LONGEST_READ)
        if not data:
            raise BenchError("The feed hung up on a listener that waited for a picture.")
        self._rest += data

    def _whole(self) -> bytes:
        """Take the unfragmented frames of a server (RFC 6455, 5.2) out of what has come."""
        data, ends = self._rest, 0
        while len(data) >= ends + 2:
            size, head = data[ends + 1] & 0x7F, 2
            if size >= 126:
                head = 4 if size == 126 else 10
                size = int.from_bytes(data[ends + 2 : ends + head])
            begins, ends = ends, ends + head + size
            if len(data) < ends:
                ends = begins
                break
            if IN_A_PICTURE in data[begins:ends]:
                self.pictures += 1
                self.in_pictures += ends - begins
        self.received += ends
        self._rest = data[ends:]
        return data[:ends]

    def _upgrade(self, port: int) -> bytes:
        key = base64.b64encode(os.urandom(16)).decode()
        return (
            f"GET {self._path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()


class Listeners:
    """`listen_for` gives the moment at which the last of them had a message with some text in it."""

    def __init__(self, port: int, path: str = "/api/feed", *, may_stall: bool = False) -> None:
        self._path = path
        self._may_stall = may_stall
        self._port = port
        self._there: dict[int, Listener] = {}
        """By file descriptor."""
        self._epoll = select.epoll()
        self._wanted = b""
        self._missing = 0
        self._all: asyncio.Future[float] | None = None
        self._stalled: Listener | None = None
        self._full_at = 0
        self._hung_up: BenchError | None = None

    async def join(self, count: int) -> None:
        """Have so many more of them, each of which has had its first picture."""
        for _ in range(count):
            listener = Listener(self._path, small=self._may_stall)
            self._there[listener.fileno()] = listener
            await listener.join(self._port)
            self._epoll.register(listener, select.EPOLLIN)
        asyncio.get_running_loop().add_reader(self._epoll, self._read)

    def listen_for(self, text: bytes) -> "asyncio.Future[float]":
        """The monotonic time at which the last one has it. BenchError: the feed has hung up on one."""
        self._check_all_hear()
        self._wanted = text
        self._missing = len(self._there) - (self._stalled is not None)
        self._all = asyncio.get_running_loop().create_future()
        return self._all

    def received(self) -> list[tuple[int, int]]:
        """Bytes of each one's messages so far, and of those of them that are pictures.
        BenchError: the feed has hung up on one of them."""
        self._check_all_hear()
        return [(listener.received, listener.in_pictures) for listener in self._there.values()]

    def pictures(self) -> int:
        """As many as one of them has had."""
        return max(listener.pictures for listener in self._there.values())

    def stall(self) -> None:
        """One of them does not read any more, and is not waited for."""
        self._stalled = list(self._there.values())[-1]
        self._epoll.unregister(self._stalled)
        self._full_at = self._most() + FULL

    def stalled_is_full(self) -> bool:
        """Whether the server has to keep for itself what comes for the stalled one."""
        return self._most() >= self._full_at

    async def read_again(self) -> tuple[float, int]:
        """Milliseconds until the stalled one has the newest picture, and how many it had before that."""
        one = self._stalled
        found = SEQ.search(await first_message(self._port, self._path))
        if one is None or found is None:
            raise BenchError("Nobody has stalled, or the picture has no `seq`.")
        before, begun = one.pictures, time.monotonic()
        async with asyncio.timeout(ANSWER_WITHIN_S):
            while found[0] not in await one.next():
                pass
        took_ms = (time.monotonic() - begun) * 1000
        self._epoll.register(one, select.EPOLLIN)
        self._stalled = None
        return took_ms, one.pictures - before - 1

    async def leave(self) -> None:
        asyncio.get_running_loop().remove_reader(self._epoll)
        self._epoll.close()
        for listener in self._there.values():
            listener.close()

    def _most(self) -> int:
        return max(listener.received for listener in self._there.values())

    def _check_all_hear(self) -> None:
        if self._hung_up is not None:
            raise self._hung_up

    def _read(self) -> None:
        """What has come; that the feed has hung up is kept for whoever measures: the loop would print it."""
        try:
            self._take()
        except BenchError as error:
            self._hung_up = error
            asyncio.get_running_loop().remove_reader(self._epoll)
            if self._all is not None and not self._all.done():
                self._all.set_exception(error)

    def _take(self) -> None:
        there, wanted = self._there, self._wanted
        for descriptor, _ in self._epoll.poll(0):
            listener = there[descriptor]
            if wanted in listener.read() and wanted != listener.had:
                listener.had = wanted
                self._missing -= 1
                if not self._missing and self._all is not None:
                    self._all.set_result(time.monotonic())


async def first_message(port: int, path: str) -> bytes:
    """What a listener gets when it comes: an object in JSON."""
    listener = Listener(path)
    try:
        frame = await listener.join(port)
    finally:
        listener.close()
    return frame[frame.index(b"{") :]
