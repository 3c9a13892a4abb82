"""Frames on the wire, for CPython and MicroPython: 00, COBS of header, payload and CRC-32, 00 (PROTOCOL.md).

Receiving works in preallocated buffers and leaves no garbage behind for a good frame.
"""

from binascii import crc32
from struct import pack_into

LONGEST_PAYLOAD = 29
OVERHEAD = 11
LONGEST_FRAME = LONGEST_PAYLOAD + OVERHEAD
"""Bytes on the wire, both delimiters included: what a buffer for `encode` must hold."""
MASTER = 0x00
FIRST_NODE = 0x01
LAST_NODE = 0x20
UNASSIGNED = 0xF0
EVERYBODY = 0xFF

_SHORTEST = 9
_LONGEST = LONGEST_FRAME - 2
_RESIDUE = 0x2144DF1C
"""CRC-32 of any bytes followed by their own CRC-32; below 2**30, so comparing it allocates nothing."""


def encode(into, version_type, dst, src, seq, payload, size):  # noqa: PLR0917 - names cost time in MicroPython
    """Writes the whole frame, both delimiters included, to the beginning of `into`; returns how many bytes it
    has. `payload` holds at least `size` bytes; at most 29 of them fit (ValueError)."""
    if size > LONGEST_PAYLOAD:
        raise ValueError("a frame carries at most 29 bytes")
    into[2] = version_type
    into[3] = dst
    into[4] = src
    into[5] = seq
    at = 0
    while at < size:
        into[6 + at] = payload[at]
        at += 1
    end = size + 6
    pack_into("<I", into, end, crc32(memoryview(into)[2:end]))
    end += 4
    _stuff(into, end)
    into[0] = 0
    into[end] = 0
    return end + 1


def _stuff(into, end):
    """COBS in place: into[2:end] is the data, into[1] the first distance."""
    code = 1
    at = 2
    while at < end:
        if into[at] == 0:
            into[code] = at - code
            code = at
        at += 1
    into[code] = end - code


class Receiver:
    """Takes the line's bytes one by one; a damage costs the bytes up to the next delimiter.

    After `take` has said True, version, type, dst, src, seq, payload (a memoryview of exactly `size` bytes)
    are those of the frame, until `take` gets the next byte that is not 0.
    """

    def __init__(self):
        self.version = 0
        self.type = 0
        self.dst = 0
        self.src = 0
        self.seq = 0
        self.size = 0
        self.good = 0
        self.damaged = 0
        self._count = 0
        self._raw = bytearray(_LONGEST)
        view = memoryview(self._raw)
        self._wholes = [view[1:end] for end in range(1, _LONGEST + 1)]
        self._payloads = [view[5 : 5 + size] for size in range(LONGEST_PAYLOAD + 1)]
        self.payload = self._payloads[0]

    def reset(self):
        """Forgets a half received frame, as after a change of the baud rate."""
        self._count = 0

    def take(self, byte):
        """True when this byte, a delimiter, completes a good frame."""
        count = self._count
        if byte:
            if count < _LONGEST:
                self._raw[count] = byte
            if count <= _LONGEST:
                self._count = count + 1
            return False
        if count == 0:
            return False
        self._count = 0
        if self._decode(count):
            self.good += 1
            return True
        self.damaged += 1
        return False

    def _decode(self, count):
        if count < _SHORTEST or count > _LONGEST:
            return False
        raw = self._raw
        at = 0
        while at < count:
            code = raw[at]
            raw[at] = 0
            at += code
        if at != count or crc32(self._wholes[count - 1]) != _RESIDUE:
            return False
        self.version = raw[1] >> 5
        self.type = raw[1] & 31
        self.dst = raw[2]
        self.src = raw[3]
        self.seq = raw[4]
        self.size = count - _SHORTEST
        self.payload = self._payloads[self.size]
        return True
