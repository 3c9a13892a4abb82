"""What a node remembers over power-off. The flash is a cache: the master is the truth and tells it all again.

Layout (40 bytes): "tn", version, size, epoch u16, address, flags (1 swapped), board 6 ASCII NUL padded,
brightness, zeros, CRC-32 little-endian.
"""

from binascii import crc32
from struct import pack_into, unpack_from

VERSION = 1
SIZE = 40
_MAGIC = b"tn"
_SWAPPED = 1


class Record:
    """The address is of use only while the master still has the epoch in which it was given."""

    def __init__(self):
        self.epoch = 0
        self.address = 0
        self.swapped = False
        self.board = ""
        self.brightness = 128

    def pack(self):
        data = bytearray(SIZE)
        pack_into(
            "<2sBBHBB6sB",
            data,
            0,
            _MAGIC,
            VERSION,
            SIZE,
            self.epoch,
            self.address,
            _SWAPPED if self.swapped else 0,
            self.board.encode(),
            self.brightness,
        )
        pack_into("<I", data, SIZE - 4, crc32(data[: SIZE - 4]))
        return bytes(data)


def unpack(data):
    """The record, or an empty one when there is none, it is torn, or it is of another version."""
    record = Record()
    if data is None or len(data) != SIZE:
        return record
    magic, version, size, epoch, address, flags, board, brightness = unpack_from("<2sBBHBB6sB", data)
    if magic != _MAGIC or version != VERSION or size != SIZE:
        return record
    if unpack_from("<I", data, SIZE - 4)[0] != crc32(data[: SIZE - 4]) or address > 32:
        return record
    record.epoch = epoch
    record.address = address
    record.swapped = bool(flags & _SWAPPED)
    record.board = text(board)
    record.brightness = brightness
    return record


def text(board):
    """A board's name from its bytes; NUL padding and what no display can show are left out."""
    return "".join([chr(byte) for byte in board if 0x20 < byte < 0x7F])
