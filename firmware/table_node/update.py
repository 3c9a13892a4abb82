"""New firmware over the bus, protocol 7 (PROTOCOL.md). Imported when needed: in play its memory is free."""

from struct import pack_into, unpack_from

ASK, TRY, KEEP, LEAVE = range(4)
NOTHING, FETCHING, UNPACKING, WHOLE, TRYING, KEPT, REFUSED, WENT_BACK = range(8)
(
    NO_TROUBLE,
    NO_MAINTENANCE,
    NO_KEY,
    OTHER_KEY,
    NO_ROOM,
    NOT_PROVED,
    NOT_UNPACKED,
    NOT_WRITTEN,
    NOT_KEPT,
    NOT_STARTED,
) = range(10)
LARGEST_IMAGE = 262_144
BLOCK_BYTES = 24
BLOCKS_A_PART = 128
PROGRESS_SIZE = 21


class Offer:
    """`firmware` is major << 8 | minor, `key` the first bytes of the key's SHA-256."""

    def __init__(self):
        self.offer = 0
        self.size = 0
        self.firmware = 0
        self.key = b""

    def read(self, payload):
        offer, size, firmware, key = unpack_from("<HIH4s", payload)
        if not offer or not 0 < size <= LARGEST_IMAGE:
            return False
        self.offer, self.size, self.firmware, self.key = offer, size, firmware, key
        return True


class Block:
    """`data` is that of the payload, which holds until the next frame comes."""

    def __init__(self):
        self.offer = 0
        self.part = 0
        self.block = 0
        self.data = b""

    def read(self, payload):
        offer = payload[0] | payload[1] << 8
        if not offer or payload[3] >= BLOCKS_A_PART:
            return False
        self.offer, self.part, self.block, self.data = offer, payload[2], payload[3], payload[4:]
        return True


class Step:
    def __init__(self):
        self.offer = 0
        self.what = ASK

    def read(self, payload):
        offer = payload[0] | payload[1] << 8
        if not offer or payload[2] > LEAVE:
            return False
        self.offer, self.what = offer, payload[2]
        return True


class Progress:
    """What `pack_progress` sends. Bit k of byte j of `missing`: block 8 j + k of `part` is missing."""

    def __init__(self):
        self.offer = 0
        self.state = NOTHING
        self.why = NO_TROUBLE
        self.part = 0
        self.missing = bytearray(BLOCKS_A_PART // 8)


def pack_progress(into, progress):
    """Writes the payload to the beginning of `into`; returns its size."""
    pack_into("<HBBB", into, 0, progress.offer, progress.state, progress.why, progress.part)
    into[5:PROGRESS_SIZE] = progress.missing
    return PROGRESS_SIZE
