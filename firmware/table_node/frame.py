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
_ZERO = b"\0"
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
    end = size + 6
    into[6:end] = payload if len(payload) == size else payload[:size]
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
    for byte in memoryview(into)[2:end]:
        if not byte:
            into[code] = at - code
            code = at
        at += 1
    into[code] = end - code


class Receiver:
    """Takes the line's bytes as they come; a damage costs the bytes up to the next delimiter.

    Bytes are put into `room()`, `came` says how many, and `next` is True once for each good frame among them:
    version, type, dst, src, seq, payload (a memoryview of exactly `size` bytes) are those of the frame until
    it is called again, and `behind` says how many bytes came after the frame's end. `take` is all of this for
    a single byte.
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
        self.behind = 0
        self._raw = bytearray(2 * _LONGEST)
        view = memoryview(self._raw)
        self._rooms = [view[count : count + _LONGEST] for count in range(_LONGEST + 1)]
        self._wholes = [view[1:end] for end in range(1, _LONGEST + 1)]
        self._payloads = [view[5 : 5 + size] for size in range(LONGEST_PAYLOAD + 1)]
        self.payload = self._payloads[0]
        self.reset()

    def reset(self):
        """Forgets a half received frame, as after a change of the baud rate."""
        self._count = 0  # bytes of the frame that is coming in
        self._too_long = False
        self._start = self._end = 0  # of what has come and was not looked at

    def room(self):
        """Where the next bytes go, once `next` has said False: 38 bytes."""
        return self._rooms[self._count]

    def came(self, size):
        """So many bytes, 38 at most, stand in `room()`."""
        self._start = 0
        self._end = self._count + size

    def take(self, byte):
        """True when this byte, a delimiter, completes a good frame."""
        self._raw[self._count] = byte
        self.came(1)
        return self.next()

    def next(self):
        """True for each good frame; False when all that came has been looked at."""
        raw, end = self._raw, self._end
        while True:
            start = self._start
            zero = raw.find(_ZERO, start + self._count, end)
            if start and zero != start:
                # What follows the frame before goes to the front. In a loop, since a slice would be garbage.
                at = 0
                while start + at < end:
                    raw[at] = raw[start + at]
                    at += 1
                if zero >= 0:
                    zero -= start
                end = self._end = at
                start = self._start = 0
            if zero < 0:
                self._keep(end)
                return False
            count = zero - start
            self._start = zero + 1
            self._count = 0
            if self._too_long:
                self._too_long = False
                self.damaged += 1
            elif count:
                if self._decode(count):
                    self.good += 1
                    self.behind = end - zero - 1
                    return True
                self.damaged += 1

    def _keep(self, count):
        """The beginning of a frame whose end has not come; of one that is too long only that it is so."""
        if count > _LONGEST:
            self._too_long = True
            count = _LONGEST
        self._count = count

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
