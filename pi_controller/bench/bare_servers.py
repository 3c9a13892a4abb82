"""The least that a pause over HTTP can cost: programs of bare asyncio, the floors of `feed.py`.

python -m pi_controller.bench.bare_servers server BYTES NICENESS [PATH]
python -m pi_controller.bench.bare_servers core BYTES PATH

BYTES are those of a picture. The server answers a POST and writes a picture to every listener. With a PATH it
asks the core of two bare processes for the picture, over this Unix socket. Each tells on its standard output
its port or that it listens, and ends when its standard input does.
"""

import asyncio
import base64
import hashlib
import os
import re
import sys
from collections import deque
from pathlib import Path

from pi_controller.web.http.connections import text_frame

KEY = re.compile(rb"Sec-WebSocket-Key: (\S+)")
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
"""RFC 6455, 1.3."""
DONE = b'{"accepted":true}'


class BareServer:
    """Two kinds of connection: listeners, and who posts. A post is told to all listeners first."""

    def __init__(self, picture_bytes: int) -> None:
        self._bytes = picture_bytes
        self._listeners: list[asyncio.StreamWriter] = []
        self._core: asyncio.StreamWriter | None = None
        self._asked: deque[asyncio.StreamWriter] = deque()
        """Who waits for core."""

    async def follow(self, path: Path) -> None:
        """Ask the core at this socket for every picture."""
        reader, self._core = await asyncio.open_unix_connection(path)
        async for line in reader:
            self._tell(line.rstrip(b"\n"), self._asked.popleft())

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                if head.startswith(b"POST"):
                    self._post(head, writer)
                else:
                    self._join(head, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _post(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        told = b'"paused":true' if b"/pause " in head else b'"running":true'
        if self._core is None:
            self._tell(told.ljust(self._bytes), writer)
        else:
            self._asked.append(writer)
            self._core.write(told + b"\n")

    def _tell(self, picture: bytes, asker: asyncio.StreamWriter) -> None:
        frame = text_frame(picture)
        for listener in self._listeners:
            listener.write(frame)
        asker.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(DONE), DONE))

    def _join(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        found = KEY.search(head)
        key = base64.b64encode(
            hashlib.sha1((found[1] if found else b"") + GUID, usedforsecurity=False).digest()
        )
        upgrade = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + key
        first = text_frame(bytes(self._bytes))
        writer.write(b"HTTP/1.1 101 Switching Protocols\r\n" + upgrade + b"\r\n\r\n" + first)
        self._listeners.append(writer)


async def serve_listeners(picture_bytes: int, core: Path | None) -> None:
    bare = BareServer(picture_bytes)
    following = None if core is None else asyncio.create_task(bare.follow(core))
    async with await asyncio.start_server(bare.serve, "127.0.0.1", 0, backlog=1024) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await _end_of_input()
    if following is not None:
        following.cancel()


async def serve_pictures(picture_bytes: int, path: Path) -> None:
    """For each line that comes over this socket write a picture, which begins with what the line says."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async for line in reader:
            writer.write(line.rstrip(b"\n").ljust(picture_bytes) + b"\n")
        writer.close()

    async with await asyncio.start_unix_server(serve, path):
        print("listens", flush=True)
        await _end_of_input()


async def _end_of_input() -> None:
    over = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), over.set)
    await over.wait()


def main(kind: str, picture_bytes: int, *given: str) -> None:
    if kind == "core":
        asyncio.run(serve_pictures(picture_bytes, Path(given[0])))
    else:
        os.setpriority(os.PRIO_PROCESS, 0, int(given[0]))
        asyncio.run(serve_listeners(picture_bytes, Path(given[1]) if len(given) > 1 else None))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
