"""One flood against the pages, in a process of its own:
`python -m tests.soak.attacks NAME HOST PORT ENCRYPTED_PORT CONNECTIONS GAME`.

Each of the connections does the same thing for ever, and one that is closed is opened again. Says `under way`
when the first of them is there. Ends when the standard input does, and then says as JSON how often it connected,
was refused and was answered.
"""

import asyncio
import base64
import contextlib
import json
import logging
import os
import random
import resource
import socket
import ssl
import struct
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pi_controller.cli.run import BEHIND_CORE
from tests.soak.own_network import STRANGERS

UNDER_WAY = "under way"
REST_S = 0.02
"""Between two attempts of one connection: 1,000 of them try 50,000 times a second at most."""
DRIP_S = 0.5
PINGS = b"".join(b"\x89\x84" + os.urandom(4) + b"ping" for _ in range(2000))
"""Masked, as clients must (RFC 6455, 5.3)."""


@dataclass(slots=True)
class Flood:
    """Whom to attack, and what came of it."""

    host: str
    port: int
    """Of the pages; those that need TLS have it at this one."""
    game: str
    counted: Counter[str] = field(default_factory=Counter)

    def request(self, path: str, *headers: str) -> bytes:
        lines = (f"GET {path} HTTP/1.1", f"Host: {self.host}:{self.port}", *headers, "", "")
        return "\r\n".join(lines).encode()

    def upgrade(self, path: str = "/api/feed") -> bytes:
        key = base64.b64encode(os.urandom(16)).decode()
        return self.request(
            path,
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
        )


Talk = Callable[[Flood, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def rest(seconds: float) -> None:
    """An attacker's own pace; the tests wait for nothing by it."""
    passed = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(seconds, lambda: passed.done() or passed.set_result(None))
    await passed


def asking(path: str) -> Talk:
    """Ask for this without end, each time as soon as the last answer has begun."""

    async def talk(flood: Flood, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = flood.request(path.format(game=flood.game))
        while True:
            writer.write(request)
            await writer.drain()
            while b"HTTP/1.1 " not in (came := await reader.read(1 << 16)):
                if not came:
                    return
            flood.counted["answered"] += 1

    return talk


async def slow_first(flood: Flood, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A first request that comes byte by byte."""
    await drip(flood, reader, writer)


async def slow_second(flood: Flood, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A whole request, and then a second one that comes byte by byte."""
    writer.write(flood.request("/api/session"))
    if await reader.read(1 << 16):
        flood.counted["answered"] += 1
        await drip(flood, reader, writer)


async def drip(flood: Flood, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for byte in flood.request("/api/state", *(f"X-{number}: 0" for number in range(60))):
        writer.write(bytes([byte]))
        await rest(DRIP_S)
        if reader.at_eof():
            return


def staying(path: str) -> Talk:
    """Open this socket, say nothing and stay."""

    async def talk(flood: Flood, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(flood.upgrade(path))
        while came := await reader.read(1 << 16):
            flood.counted["answered"] += 1
            flood.counted["no place"] += came.startswith(b"HTTP/1.1 503")

    return talk


async def idle(flood: Flood, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Ask for one thing and stay."""
    writer.write(flood.request("/api/join"))
    while await reader.read(1 << 16):
        flood.counted["answered"] += 1


async def silent(_flood: Flood, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    """Say nothing and stay."""
    await reader.read(1 << 16)


async def pings(flood: Flood, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Open the feed and send pings as fast as they are taken."""
    writer.write(flood.upgrade())
    if b"101 Switching" not in await reader.read(1 << 16):
        return
    flood.counted["answered"] += 1
    reading = asyncio.ensure_future(read_on(reader))
    try:
        while not reading.done():
            writer.write(PINGS)
            await writer.drain()
            flood.counted["pings"] += 2000
    finally:
        reading.cancel()


async def read_on(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        while await reader.read(1 << 16):
            pass


async def half_a_hello(flood: Flood, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    hello = client_hello()
    writer.write(hello[: len(hello) // 2])
    await silent(flood, reader, writer)


async def slow_handshake(flood: Flood, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A whole hello, and no word to its answer."""
    writer.write(client_hello())
    while await reader.read(1 << 16):
        flood.counted["answered"] += 1


async def handshake(flood: Flood, _reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    """And go away."""
    flood.counted["answered"] += 1


async def phone(flood: Flood, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """What an honest phone does, a thousand times."""
    writer.write(flood.upgrade("/api/phone"))
    came = await reader.read(1 << 16)
    flood.counted["answered" if b"101 Switching" in came else "refused"] += 1
    await read_on(reader)


async def hang_up(flood: Flood, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """In the middle of answers, and of a feed's beginning."""
    writer.write(flood.request("/api/state") + flood.request("/director") + flood.upgrade("/api/phone"))
    await writer.drain()
    own = writer.get_extra_info("socket")
    own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def client_hello() -> bytes:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        trusting_all().wrap_bio(incoming, outgoing).do_handshake()
    return outgoing.read()


def trusting_all(newest: ssl.TLSVersion = ssl.TLSVersion.MAXIMUM_SUPPORTED) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = newest
    if newest is ssl.TLSVersion.TLSv1_2:
        context.options |= ssl.OP_NO_TICKET  # the server has to keep the session
    return context


async def nothing(_flood: Flood, _reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    """For comparison: no connection is made for it."""


ATTACKS: dict[str, Talk] = {
    "games": asking("/api/games"),
    "exports": asking("/api/games/{game}/export"),
    "metrics": asking("/metrics"),
    "pictures": asking("/api/state"),
    "slow first requests": slow_first,
    "slow second requests": slow_second,
    "listeners": staying("/api/feed"),
    "phones": staying("/api/phone"),
    "seats": staying("/api/seat"),
    "screens": staying("/api/screen"),
    "idle": idle,
    "silent": silent,
    "pings": pings,
    "hang-ups": hang_up,
    "silent to TLS": silent,
    "half a hello": half_a_hello,
    "slow handshakes": slow_handshake,
    "handshakes": handshake,
    "old handshakes": handshake,
    "phones over TLS": phone,
    "hang-ups over TLS": hang_up,
}
TO_TLS = ("silent to TLS", "half a hello", "slow handshakes")
"""These come to the encrypted port and do not get so far."""
OVER_TLS = {
    "seats": trusting_all(),
    "handshakes": trusting_all(),
    "old handshakes": trusting_all(ssl.TLSVersion.TLSv1_2),
    "phones over TLS": trusting_all(),
    "hang-ups over TLS": trusting_all(),
}


async def one(flood: Flood, number: int, talk: Talk, tls: ssl.SSLContext | None) -> None:
    """One connection, again and again, from one of the strangers' addresses."""
    source = (STRANGERS[number % len(STRANGERS)], 0)
    await rest(random.random())
    while True:
        try:
            reader, writer = await asyncio.open_connection(flood.host, flood.port, local_addr=source, ssl=tls)
        except OSError:
            flood.counted["not connected"] += 1
            await rest(REST_S)
            continue
        if not flood.counted["connected"]:
            print(UNDER_WAY, flush=True)
        flood.counted["connected"] += 1
        try:
            await talk(flood, reader, writer)
        except OSError:
            flood.counted["reset"] += 1
        finally:
            writer.close()
        del reader, writer
        await rest(REST_S)


async def attack(flood: Flood, talk: Talk, connections: int, tls: ssl.SSLContext | None) -> None:
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), over.set)
    if connections == 0:
        print(UNDER_WAY, flush=True)
    tasks = [asyncio.create_task(one(flood, number, talk, tls)) for number in range(connections)]
    await over.wait()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def main(given: list[str]) -> None:
    name, host, plain, secure, connections, game = given
    os.nice(BEHIND_CORE)  # strangers have processors of their own: here they may not stand before core either
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # that a connection is gone is seen when it is read
    tls = OVER_TLS.get(name)
    flood = Flood(host, int(plain if tls is None and name not in TO_TLS else secure), game)
    asyncio.run(attack(flood, ATTACKS.get(name, nothing), int(connections), tls))
    print(json.dumps(flood.counted))


if __name__ == "__main__":
    main(sys.argv[1:])
