"""Both ends of a connection under asyncio: reading into memory that stays, and closing a server."""

import asyncio

READ_AT_ONCE = 64 * 1024
"""Bytes."""


def read_buffer() -> memoryview:
    """For one protocol, or for all of one loop."""
    return memoryview(bytearray(READ_AT_ONCE))


class Buffered(asyncio.BufferedProtocol):
    """Hands each read to `data_received`, as asyncio.Protocol does. That one reads into 256 KiB of new memory
    each time, which the kernel gives and takes back: four fifths of what a short read costs."""

    __slots__ = ("_buffer",)

    def __init__(self, buffer: memoryview) -> None:
        self._buffer = buffer

    def get_buffer(self, _sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(self._buffer[:nbytes]))

    def data_received(self, data: bytes) -> None:
        raise NotImplementedError


def let_go(transport: asyncio.BaseTransport) -> None:
    """To be called when its connection is lost. It keeps methods of its own, so that the garbage collector
    alone would free it (CPython 3.11; later ones only after `abort`)."""
    own: dict[str, object] = getattr(transport, "__dict__", {})
    own.update(dict.fromkeys(own.keys() & {"_read_ready_cb", "_write_ready"}))


async def close_server(server: asyncio.Server) -> None:
    """No new connections; those that are just being accepted come in first, for their protocol to close.

    `Server.close` alone leaves such a connection half made, with an exception that nobody can catch when it
    is collected (CPython 3.11 to 3.13).
    """
    loop = asyncio.get_running_loop()
    for listening in server.sockets:
        loop.remove_reader(listening.fileno())
    await asyncio.sleep(0)
    server.close()
