"""Bytes for a test of the line: each pattern of 15 bits but that of zeros, once before it begins anew."""

from typing import Final

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
