"""Reading from a connection into memory that stays."""

import asyncio

READ_AT_ONCE = 64 * 1024
"""Bytes."""


def read_buffer() -> memoryview:
    """For one protocol, or for all of one loop."""
    return memoryview(bytearray(READ_AT_ONCE))


class Buffered(asyncio.BufferedProtocol):
    """Hands each read to `data_received`, as asyncio.Protocol does. That one reads into 256 KiB of new memory
    each time, which the kernel gives and takes back: four fifths of what a short read costs."""

    def __init__(self, buffer: memoryview) -> None:
        self._buffer = buffer

    def get_buffer(self, _sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(self._buffer[:nbytes]))

    def data_received(self, data: bytes) -> None:
        raise NotImplementedError
