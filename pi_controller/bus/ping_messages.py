"""PING and PONG, the frames with which a line is tested, and the pseudo-random bits in them."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final, Self

from msgspec import Struct

from pi_controller.bus.fields import BadMessage, Layout

PING_BYTES = 24


class Ping(Struct, frozen=True, kw_only=True):
    """Asks a node for the same bytes and for its time."""

    layout: ClassVar = Layout("PING", 9, ("data", "24s"))

    data: bytes

    def values(self) -> Sequence[int | bytes]:
        _check_data("PING", self.data)
        return (self.data,)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        return cls(data=values[0])


class Pong(Struct, frozen=True, kw_only=True):
    """A node's answer to PING: what master time was, mod 2^32, when the PING had come; 0: not known."""

    layout: ClassVar = Layout("PONG", 10, ("data", "24s"), ("master_us", "I"))

    data: bytes
    master_us: int = 0

    def values(self) -> Sequence[int | bytes]:
        _check_data("PONG", self.data)
        return self.data, self.master_us

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        data, master_us = values
        return cls(data=data, master_us=master_us)


def _check_data(name: str, data: bytes) -> None:
    if len(data) != PING_BYTES:
        raise BadMessage(f"{name}: {len(data)} bytes of data instead of {PING_BYTES}")


LAST: Final = 14
"""Taps after stages 14 and 15: the sequence O.150 of ITU-T, of 32,767 bits."""


class Prbs:
    """`seed` is any number; each begins the sequence at another place."""

    def __init__(self, seed: int) -> None:
        self._register = seed % 0x7FFF + 1

    def take(self, count: int) -> bytes:
        """The next bytes."""
        return bytes(self._byte() for _ in range(count))

    def _byte(self) -> int:
        register = self._register
        for _ in range(8):
            register = (register << 1 & 0x7FFF) | ((register >> LAST ^ register >> LAST - 1) & 1)
        self._register = register
        return register & 0xFF
