"""Messages of protocols 1 to 7 as a node needs them: it reads what the master sends, packs what it answers.

Numbers are as on the wire (PROTOCOL.md). `read` says False for what must be treated as never received.
"""

from binascii import crc32
from struct import pack_into, unpack_from

from table_node.frame import FIRST_NODE, LAST_NODE

OLDEST = 1
NEWEST = 7

STATE = 1
POLL = 2
HEALTH = 3
DISCOVER = 4
INFO = 5
ASSIGN = 6
IDENTIFY = 7
ORDER = 8
PING = 9
PONG = 10
SEAT = 11
LANGUAGES = 12
SAY = 13
PAUSE = 14
MEASURE = 15
MEASURED = 16
_PROGRESS = 20  # the last of those of new firmware (update.py); MicroPython keeps each name for ever
SIZES = (0, 28, 6, 23, 4, 14, 17, 4, 2, 24, 28, 14, 14, 24, 9, 1, 9, 12, 28, 3, 21)
"""Payload bytes by type, of the version in which it first was."""
_SINCE = (0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 7)
_FROZEN = (STATE, DISCOVER, INFO, ASSIGN)

READY, ROUND, ROBBER, ENDED, FOUNDING, TURN = range(6)

RUNNING = 1
PAUSED = 2
COUNTING_IN = 4
SUN_ACTIVE = 8
MOON_ACTIVE = 16
NEXT_SUN = 32
NEXT_MOON = 64
ROBBER_POSSIBLE = 128
CLAIMS_PAUSE = 256
MAINTENANCE = 512
LAST_ROUND = 1024
SECOND_LANGUAGE = 2048

MOST_SEATS = 8
NO_SEAT = 15
SIDES_ALONE = -1
"""STATE names no seats, so that both halves of `acting` are NO_SEAT: the flags say which side acts."""

BUTTON, DIRECTOR, CLAIM, FAULT, RECOVERY = 1, 2, 4, 8, 16
NO_RESUME = 0xFFFF
DESERT = 7

NONE_KNOWN, RECEIVED, OPEN, JUDGE_COMES, REJECTED, WITHDRAWN, CONFIRMED, WAIT = range(8)

SUN_BUTTON = 1
MOON_BUTTON = 2
SUN_WITHDRAWS = 4
MOON_WITHDRAWS = 8
SUN_DISPLAY = 16
MOON_DISPLAY = 32
SAFE_MODE = 64
SWAPPED = 128
TIME_UNCERTAIN = 256
SUN_STUCK = 512
MOON_STUCK = 1024
WORDLESS = 2048

RESET_POWER, RESET_WATCHDOG, RESET_SOFT, RESET_OTHER = range(4)
IDENTIFY_OFF, IDENTIFY_NAME, IDENTIFY_ENROL, IDENTIFY_PATTERN, IDENTIFY_LAMPS, IDENTIFY_WALK = range(6)
WHITE, BLACK, CHECKER, BORDER, DIGITS = range(5)
PATTERN = 255  # of the number of IDENTIFY 3; above it, from protocol 6 on:
HALF_CONTRAST = 256
DARK_SUN = 512
DARK_MOON = 1024
FORGET, SWAP, BLANK, REBOOT, LEAVE_SAFE_MODE, HANG, RATE = range(1, 8)
ASSIGN_SWAP = 1


def fits(version, kind, size):
    """True for a type, version and length that can be read here; False: drop the frame."""
    if kind < STATE or kind > _PROGRESS:
        return False
    if version > OLDEST and kind in _FROZEN:
        return size > SIZES[kind] if kind == STATE else size >= SIZES[kind]
    return version == _SINCE[kind] and size == SIZES[kind]


def slot(uid, salt, slots):
    """In which slot a node answers DISCOVER, counted from 0. `slots` is at least 1."""
    return crc32(bytes((salt & 255, salt >> 8)), crc32(uid)) % slots


class State:
    """The newest STATE; `flags` and `reasons` are bits of the constants above."""

    def __init__(self):
        self.epoch = 0
        self.state_seq = 0
        self.master_us = 0
        self.phase = READY
        self.flags = 0
        self.left_us = 0
        self.duration = 0
        self.resume_in = NO_RESUME
        self.rate = 256
        self.round = 0
        self.dice = 0
        self.target = 0
        self.last = 0
        self.reasons = 0
        self.brightness = 128
        self.acting = SIDES_ALONE  # the acting seat in the lower four bits, the next one in the upper four

    def read(self, payload):
        """`payload` is at least 28 bytes long; in version 1 it is no longer. Nothing is changed when it says
        False."""
        dice = payload[23]
        if payload[8] > TURN or not _are_dice(dice >> 4, dice & 15):
            return False
        if payload[24] == 1 or payload[24] > 12 or payload[25] == 1 or payload[25] > 12:
            return False
        acting = SIDES_ALONE
        if len(payload) > 28:
            acting = payload[28]
            if not (_is_seat(acting & 15) and _is_seat(acting >> 4)):
                return False
        self.acting = acting
        (
            self.epoch,
            self.state_seq,
            self.master_us,
            self.phase,
            self.flags,
            self.left_us,
            self.duration,
            self.resume_in,
            self.rate,
            self.round,
            self.dice,
            self.target,
            self.last,
            self.reasons,
            self.brightness,
        ) = unpack_from("<HHIBHIHHHHBBBBB", payload)
        return True

    def freeze(self, pause):
        """As the STATE behind this PAUSE says it; of a STATE its time stays."""
        self.state_seq = pause.state_seq
        self.flags = self.flags & ~(RUNNING | COUNTING_IN) | PAUSED
        self.left_us = pause.left_us
        self.resume_in = NO_RESUME
        self.reasons = pause.reasons


class Pause:
    """The picture before this one, frozen with this number; the STATE behind it says the same."""

    def __init__(self):
        self.epoch = 0
        self.state_seq = 0
        self.left_us = 0
        self.reasons = 0

    def read(self, payload):
        self.epoch, self.state_seq, self.left_us, self.reasons = unpack_from("<HHIB", payload)
        return True


def _is_seat(number):
    return number < MOST_SEATS or number == NO_SEAT


def _are_dice(first, second):
    return first == second == 0 or (0 < first < 7 and 0 < second < 7)


class Poll:
    """`claim` and `status` of Sun (0) and Moon (1)."""

    def __init__(self):
        self.epoch = 0
        self.claim = bytearray(2)
        self.status = bytearray(2)

    def read(self, payload):
        if payload[3] > WAIT or payload[5] > WAIT:
            return False
        self.epoch = payload[0] | payload[1] << 8
        self.claim[0] = payload[2]
        self.status[0] = payload[3]
        self.claim[1] = payload[4]
        self.status[1] = payload[5]
        return True


class Health:
    """What `pack_health` sends; `claim` and `at_us` of Sun (0) and Moon (1)."""

    def __init__(self):
        self.epoch = 0
        self.state_seq = 0
        self.claim = [0, 0]
        self.at_us = [0, 0]
        self.flags = 0
        self.vbus = 0
        self.temperature = 0
        self.reset = RESET_POWER
        self.crc_errors = 0
        self.missed = 0
        self.uptime = 0


def pack_health(into, health):
    """Writes the payload to the beginning of `into`; returns its size. Each value is cut to its field:
    counters run on, supply, temperature and uptime stay at the field's ends."""
    pack_into(
        "<HHBIBIHBbBBBH",
        into,
        0,
        health.epoch,
        health.state_seq,
        health.claim[0],
        health.at_us[0],
        health.claim[1],
        health.at_us[1],
        health.flags,
        min(health.vbus, 255),
        max(-128, min(health.temperature, 127)),
        health.reset,
        health.crc_errors & 255,
        health.missed & 255,
        min(health.uptime, 0xFFFF),
    )
    return SIZES[HEALTH]


class Discover:
    def __init__(self):
        self.salt = 0
        self.slots = 1
        self.slot_ms = 0

    def read(self, payload):
        if payload[2] == 0:
            return False
        self.salt = payload[0] | payload[1] << 8
        self.slots = payload[2]
        self.slot_ms = payload[3]
        return True


class Info:
    """What `pack_info` sends; `uid` is the chip's eight bytes, `firmware` major << 8 | minor."""

    def __init__(self, uid, hardware, firmware):
        self.uid = uid
        self.hardware = hardware
        self.firmware = firmware
        self.proto_min = OLDEST
        self.proto_max = NEWEST
        self.boots = 0


def pack_info(into, info):
    """Writes the payload to the beginning of `into`; returns its size. `boots` runs on after 255."""
    pack_into(
        "<8sBHBBB",
        into,
        0,
        info.uid,
        info.hardware,
        info.firmware,
        info.proto_min,
        info.proto_max,
        info.boots & 255,
    )
    return SIZES[INFO]


class Assign:
    """`uid` is eight bytes, `board` at most six, without the padding; `flags` has ASSIGN_SWAP."""

    def __init__(self):
        self.uid = b""
        self.address = 0
        self.flags = 0
        self.board = b""
        self.brightness = 128

    def read(self, payload):
        address = payload[8]
        if address < FIRST_NODE or address > LAST_NODE:
            return False
        board = bytes(payload[10:16]).rstrip(b"\0")
        for character in board:
            if character < 0x21 or character > 0x7E:
                return False
        self.uid = bytes(payload[0:8])
        self.address = address
        self.flags = payload[9]
        self.board = board
        self.brightness = payload[16]
        return True


class Identify:
    def __init__(self):
        self.what = IDENTIFY_OFF
        self.seconds = 0
        self.number = 0

    def read(self, payload):
        if payload[0] > IDENTIFY_WALK:
            return False
        self.what = payload[0]
        self.seconds = payload[1]
        self.number = payload[2] | payload[3] << 8
        return True


class Order:
    def __init__(self):
        self.what = 0
        self.argument = 0

    def read(self, payload):
        if payload[0] < FORGET or payload[0] > RATE:
            return False
        self.what = payload[0]
        self.argument = payload[1]
        return True


class Seat:
    """Who a seat is: `name` without the padding, `sign` 0 a hexagon, 1 Sun's, 2 Moon's."""

    def __init__(self):
        self.epoch = 0
        self.index = 0
        self.sign = 0
        self.name = b""

    def read(self, payload):
        if payload[2] >= MOST_SEATS:
            return False
        name = bytes(payload[4:14]).rstrip(b"\0")
        for character in name:
            if character < 0x20 or character > 0x7E:
                return False
        self.epoch = payload[0] | payload[1] << 8
        self.index = payload[2]
        self.sign = payload[3]
        self.name = name
        return True


class Languages:
    """The hall's languages: tags without the padding, the second one may be empty."""

    def __init__(self):
        self.epoch = 0
        self.first = b""
        self.second = b""

    def read(self, payload):
        tags = bytes(payload[2:8]).rstrip(b"\0"), bytes(payload[8:14]).rstrip(b"\0")
        for tag in tags:
            for character in tag:
                if character < 0x21 or character > 0x7E:
                    return False
        self.epoch = payload[0] | payload[1] << 8
        self.first, self.second = tags
        return True


class Ping:
    def __init__(self):
        self.data = bytearray(SIZES[PING])

    def read(self, payload):
        self.data[:] = payload
        return True


def pack_pong(into, data, master_us):
    """Writes the payload to the beginning of `into`; returns its size. `master_us` 0: not known."""
    size = SIZES[PING]
    into[:size] = data
    pack_into("<I", into, size, master_us)
    return SIZES[PONG]
