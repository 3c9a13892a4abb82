"""PING and PONG, the messages of protocol 1 that are only for tests of the line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pi_controller.bus.layout import BadMessage, Layout

PING_BYTES = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """Asks a node for the same bytes and for its time."""

    layout: ClassVar = Layout("PING", 9, ("data", "24s"))

    data: bytes

    def values(self) -> Sequence[int | bytes]:
        _check_data("PING", self.data)
        return (self.data,)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        return cls(data=values[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Pong:
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
