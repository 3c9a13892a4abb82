"""Frames on the wire: 00, COBS of header, payload and CRC-32, 00 (firmware/PROTOCOL.md)."""

import zlib
from dataclasses import dataclass

DELIMITER = 0
HEADER = 4
CRC = 4
LONGEST_PAYLOAD = 29
"""Bytes; with the header 33 under the CRC, within which every damage of one to five bits is found."""
LONGEST_ENCODED = HEADER + LONGEST_PAYLOAD + CRC + 1
SHORTEST_ENCODED = HEADER + CRC + 1
OVERHEAD = HEADER + CRC + 3
"""Bytes on the wire besides the payload: header, CRC, one of COBS, two delimiters."""

MASTER = 0x00
FIRST_NODE = 0x01
LAST_NODE = 0x20
MOST_NODES = LAST_NODE - FIRST_NODE + 1
"""Nodes of one segment (EIA-485 unit loads; PROTOCOL.md)."""
MOST_SEGMENTS = 8
"""Of one controller."""
UNASSIGNED = 0xF0
EVERYBODY = 0xFF


class BadFrame(ValueError):  # noqa: N818 - named after what is wrong, like BadMessage
    """What was to be sent fits into no frame; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Frame:
    """`version` 0 to 7, `type` 0 to 31, `dst`, `src` and `seq` one byte each, at most 29 bytes of payload."""

    version: int
    type: int
    dst: int
    src: int
    seq: int
    payload: bytes


def encode(frame: Frame) -> bytes:
    """The bytes on the wire, both delimiters included: 11 more than the payload. Raises BadFrame."""
    for name, most in (("version", 7), ("type", 31), ("dst", 255), ("src", 255), ("seq", 255)):
        value = getattr(frame, name)
        if not 0 <= value <= most:
            raise BadFrame(f"{name} of a frame is {value}; it must lie between 0 and {most}")
    if len(frame.payload) > LONGEST_PAYLOAD:
        raise BadFrame(f"a frame carries at most {LONGEST_PAYLOAD} bytes, not {len(frame.payload)}")
    body = bytes((frame.version << 5 | frame.type, frame.dst, frame.src, frame.seq)) + frame.payload
    return b"\0" + stuff(body + zlib.crc32(body).to_bytes(CRC, "little")) + b"\0"


def decode(encoded: bytes) -> Frame | None:
    """The frame of the bytes between two delimiters; None when they are damaged."""
    if not SHORTEST_ENCODED <= len(encoded) <= LONGEST_ENCODED:
        return None
    whole = unstuff(encoded)
    if whole is None:
        return None
    body = whole[:-CRC]
    if zlib.crc32(body) != int.from_bytes(whole[-CRC:], "little"):
        return None
    return Frame(body[0] >> 5, body[0] & 31, body[1], body[2], body[3], body[HEADER:])


def stuff(data: bytes) -> bytes:
    """COBS of at most 253 bytes: no zero in it, one byte longer."""
    return b"".join(bytes((len(part) + 1,)) + part for part in data.split(b"\0"))


def unstuff(encoded: bytes) -> bytes | None:
    """What `stuff` was given; None when it can have made no such bytes. `encoded` holds no zero."""
    parts = []
    at = 0
    while at < len(encoded):
        following = at + encoded[at]
        parts.append(encoded[at + 1 : following])
        at = following
    return b"\0".join(parts) if parts and at == len(encoded) else None


class Receiver:
    """Finds frames in a stream of bytes that may begin, end and be damaged anywhere.

    `good` and `damaged` count frames since it was made; a damage swallows the bytes up to the next delimiter.
    """

    def __init__(self) -> None:
        self.good = 0
        self.damaged = 0
        self._pending = b""

    @property
    def midway(self) -> bool:
        """Bytes of a frame are here whose closing delimiter is not."""
        return bool(self._pending)

    def feed(self, data: bytes) -> list[Frame]:
        """The good frames that end in these bytes, in order."""
        *ended, pending = (self._pending + data).split(b"\0")
        # One byte more than the longest shows that it was too long; more need not be kept.
        self._pending = pending[: LONGEST_ENCODED + 1]
        return [frame for part in ended if part and (frame := self._judge(part)) is not None]

    def reset(self) -> None:
        """Forgets a half received frame, for a line that was opened again; the counters stay."""
        self._pending = b""

    def _judge(self, encoded: bytes) -> Frame | None:
        frame = decode(encoded)
        if frame is None:
            self.damaged += 1
        else:
            self.good += 1
        return frame


BITS_A_BYTE = 10
"""Start bit, eight data bits, stop bit."""
AHEAD_US = 1_000_000
"""A node may take the time to be later than it is, by less than this."""
_WRAP = 1 << 32


def wire_us(wire_bytes: int, baud: int) -> int:
    """Microseconds, rounded, from the first start bit to the end of the last stop bit, without gaps."""
    return (wire_bytes * BITS_A_BYTE * 1_000_000 + baud // 2) // baud


def to_u32(us: int) -> int:
    """Master time as messages carry it: mod 2^32, which wraps every 71.6 minutes."""
    return us % _WRAP


def near(u32: int, now_us: int) -> int:
    """The time, in whole microseconds, that `to_u32` maps to `u32` and that is nearest to `now_us`: from
    35.8 minutes before it (which wins a tie) until just under that after it. Below zero only for moments
    before a clock that has just begun."""
    return now_us + (u32 - now_us + _WRAP // 2) % _WRAP - _WRAP // 2


def past(u32: int, now_us: int) -> int:
    """The moment that a node means by `u32`: up to 71.6 minutes back, never later than now and never below
    zero."""
    ahead_us = now_us + AHEAD_US
    return max(0, min(now_us, ahead_us - (ahead_us - u32) % _WRAP))
