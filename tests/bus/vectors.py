"""Writes tests/vectors/bus.json: python -m tests.bus.vectors

It packs by tables and loops of its own and knows nothing of the two implementations that must agree with it:
the CRC goes bit by bit, COBS byte by byte.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "vectors" / "bus.json"
UID = "e660583883724a31"

# Field, bytes on the wire, values at which it is tried (the first one is in all other vectors).
U8, U16, U32 = (0, 1, 255), (0, 1, 256, 65535), (0, 1, 2**16, 2**31, 2**32 - 1)
DATA = ("00112233445566778899aabbccddeeff0f1e2d3c4b5a6978", "00" * 24, "00" * 23 + "01", "ff" * 24)
Table = list[tuple[str, int, tuple[Any, ...]]]
MESSAGES: dict[str, tuple[int, int, int, Table]] = {  # type, dst, src, fields; of protocol 1 but for those in SINCE
    "STATE": (1, 0xFF, 0x00, [
        ("epoch", 2, (0x1234, *U16)),
        ("state_seq", 2, (258, *U16)),
        ("master_us", 4, (1_000_000_000, *U32)),
        ("phase", 1, (1, 0, 2, 3, 4, 5)),
        ("flags", 2, (0b100_1001, *(1 << bit for bit in range(12)), 0xFFF)),
        ("left_us", 4, (34_200_000, *U32)),
        ("duration", 2, (350, *U16)),
        ("resume_in", 2, (0xFFFF, 0, 3000, 65534)),
        ("rate", 2, (256, 0, 1, 65535)),
        ("round", 2, (7, *U16)),
        ("dice", 1, (0x34, 0x00, 0x11, 0x16, 0x61, 0x66)),
        ("target", 1, (0, *range(2, 13))),
        ("last", 1, (8, 0, 2, 12)),
        ("reasons", 1, (0, 1, 2, 4, 8, 16, 31)),
        ("brightness", 1, (200, *U8)),
    ]),
    "POLL": (2, 0x05, 0x00, [
        ("epoch", 2, (0x1234, *U16)),
        ("sun_claim", 1, (3, *U8)),
        ("sun_status", 1, (2, 0, 1, 3, 4, 5, 6, 7)),
        ("moon_claim", 1, (0, *U8)),
        ("moon_status", 1, (0, 1, 2, 3, 4, 5, 6, 7)),
    ]),
    "HEALTH": (3, 0x00, 0x05, [
        ("epoch", 2, (0x1234, *U16)),
        ("state_seq", 2, (258, *U16)),
        ("sun_claim", 1, (3, *U8)),
        ("sun_at_us", 4, (999_123_456, *U32)),
        ("moon_claim", 1, (0, *U8)),
        ("moon_at_us", 4, (0, *U32)),
        ("flags", 2, (0b11_0001, *(1 << bit for bit in range(12)), 0xFFF)),
        ("vbus", 1, (120, *U8)),
        ("temperature", 1, (31, 0, -128, -1, 1, 127)),
        ("reset", 1, (0, 1, 2, 3)),
        ("crc_errors", 1, (2, *U8)),
        ("missed", 1, (9, *U8)),
        ("uptime", 2, (75, *U16)),
    ]),
    "DISCOVER": (4, 0xF0, 0x00, [
        ("salt", 2, (0xBEEF, *U16)),
        ("slots", 1, (16, 1, 255)),
        ("slot_ms", 1, (3, *U8)),
    ]),
    "INFO": (5, 0x00, 0xF0, [
        ("uid", 8, (UID, "0000000000000000", "0000000000000001", "ffffffffffffffff")),
        ("hardware", 1, (1, *U8)),
        ("firmware", 2, (0x0102, *U16)),
        ("proto_min", 1, (1,)),
        ("proto_max", 1, (1, 2, 255)),
        ("boots", 1, (17, *U8)),
    ]),
    "ASSIGN": (6, 0xF0, 0x00, [
        ("uid", 8, (UID, "0000000000000000", "0000000000000001", "ffffffffffffffff")),
        ("address", 1, (5, 1, 32)),
        ("flags", 1, (0, 1)),
        ("board", 6, ("A5", "", "7", "ABC-12", "~!")),
        ("brightness", 1, (200, *U8)),
    ]),
    "IDENTIFY": (7, 0x05, 0x00, [
        ("what", 1, (1, 0, 2, 3, 4, 5)),
        ("seconds", 1, (10, *U8)),
        ("number", 2, (12, *U16)),
    ]),
    "ORDER": (8, 0x05, 0x00, [
        ("what", 1, (1, 2, 3, 4, 5, 6, 7)),
        ("argument", 1, (0, 1, 255)),
    ]),
    "PING": (9, 0x05, 0x00, [
        ("data", 24, DATA),
    ]),
    "PONG": (10, 0x00, 0x05, [
        ("data", 24, DATA),
        ("master_us", 4, (1_000_000_000, *U32)),
    ]),
    "SEAT": (11, 0xFF, 0x00, [
        ("epoch", 2, (0x1234, *U16)),
        ("index", 1, (2, *range(8))),
        ("sign", 1, (0, 1, 2, 3, 255)),
        ("name", 10, ("Star", "", "A", "Los Astros", "~ !")),
    ]),
    "LANGUAGES": (12, 0xFF, 0x00, [
        ("epoch", 2, (0x1234, *U16)),
        ("first", 6, ("pl", "pt-BR", "en", "", "!~abcd")),
        ("second", 6, ("en", "", "pt-BR", "abcdef")),
    ]),
    "SAY": (13, 0xFF, 0x00, [
        ("epoch", 2, (0x1234, *U16)),
        ("number", 1, (3, *U8)),
        ("parts", 1, (0x20, 0x00, 0x21, 0xF0, 0xFE)),
        ("text", 20, ("Grüße an Tisch A12", "", "A", "~ !\"#$%&'()*+,-./:;<", "¡ÀÁÂÃÄÇÉÊÍÑÓÔÕÖÚÜĄĆĘ", "¿àçßŻżźśńłęćąüúöõôóñ")),
    ]),
    "PAUSE": (14, 0xFF, 0x00, [
        ("epoch", 2, (0x1234, *U16)),
        ("state_seq", 2, (259, *U16)),
        ("left_us", 4, (34_123_456, *U32)),
        ("reasons", 1, (1, 0, 2, 4, 8, 16, 31)),
    ]),
    "MEASURE": (15, 0x05, 0x00, [
        ("what", 1, (0,)),
    ]),
    "MEASURED": (16, 0x00, 0x05, [
        ("supply_mv", 2, (23_456, *U16)),
        ("spread_mv", 2, (27, *U16)),
        ("lamps", 2, (1_862, *U16)),
        ("displays", 2, (418, *U16)),
        ("loop", 1, (1, 0, 255)),
    ]),
    "OFFER": (17, 0x05, 0x00, [
        ("offer", 2, (0xBEEF, 1, 256, 65535)),
        ("size", 4, (87_654, 1, 2**16, 262_144)),
        ("firmware", 2, (0x0107, *U16)),
        ("key", 4, ("5f1d07c2", "00000000", "ffffffff")),
    ]),
    "BLOCK": (18, 0xFF, 0x00, [
        ("offer", 2, (0xBEEF, 1, 256, 65535)),
        ("part", 1, (28, *U8)),
        ("block", 1, (67, 0, 1, 127)),
        ("data", 24, DATA),
    ]),
    "STEP": (19, 0x05, 0x00, [
        ("offer", 2, (0xBEEF, 1, 256, 65535)),
        ("what", 1, (0, 1, 2, 3)),
    ]),
    "PROGRESS": (20, 0x00, 0x05, [
        ("offer", 2, (0xBEEF, *U16)),
        ("state", 1, (1, 0, *range(2, 8))),
        ("why", 1, (0, *range(1, 10))),
        ("part", 1, (28, *U8)),
        ("missing", 16, ("00000010" + "00" * 12, "00" * 16, "01" + "00" * 15, "00" * 15 + "80", "ff" * 16)),
    ]),
}  # fmt: skip
LONGER = "STATE of protocol 2"
SEATS = (0, 1, 7, 15)
MESSAGES[LONGER] = (
    *MESSAGES["STATE"][:3],
    [
        *MESSAGES["STATE"][3],
        ("acting", 1, (0x02, *(seat | following << 4 for seat in SEATS for following in SEATS))),
    ],
)
SINCE = {
    "SEAT": 2,
    LONGER: 2,
    "LANGUAGES": 3,
    "SAY": 4,
    "PAUSE": 5,
    "MEASURE": 6,
    "MEASURED": 6,
    **dict.fromkeys(("OFFER", "BLOCK", "STEP", "PROGRESS"), 7),
}
FURTHER = "ÀÁÂÃÄÇÉÊÍÑÓÔÕÖÚÜĄĆĘŁŃŚŹŻàáâãäçéêíñóôõöúüąćęłńśźżß¿¡"
"""Letters of SAY from 0x80 on."""
"""The version of what is not of protocol 1."""


def crc32(data: bytes) -> int:
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder ^= byte
        for _ in range(8):
            remainder = (remainder >> 1) ^ (0xEDB88320 if remainder & 1 else 0)
    return remainder ^ 0xFFFFFFFF


def cobs(data: bytes) -> bytes:
    done = bytearray()
    block = bytearray()
    for byte in data:
        if byte == 0:
            done += bytes([len(block) + 1]) + block
            block.clear()
        else:
            block.append(byte)
    return bytes(done + bytes([len(block) + 1]) + block)


def field_bytes(value: Any, size: int) -> bytes:
    if size in (8, 16, 24) or (size == 4 and isinstance(value, str)):
        return bytes(int(value[at : at + 2], 16) for at in range(0, 2 * size, 2))
    if size == 20:
        return bytes(
            [
                *(ord(one) if one < "\x7f" else 0x80 + FURTHER.index(one) for one in value),
                *[0] * (size - len(value)),
            ]
        )
    if size in (6, 10):
        return bytes([*map(ord, value), *[0] * (size - len(value))])
    rest, done = value % 256**size, []
    for _ in range(size):
        rest, low = divmod(rest, 256)
        done.append(low)
    return bytes(done)


def wire(version: int, header: tuple[int, int, int, int], payload: bytes) -> bytes:
    """`header` is type, dst, src, seq."""
    kind, *addresses = header
    body = bytes([version * 32 + kind, *addresses]) + payload
    return b"\0" + cobs(body + field_bytes(crc32(body), 4)) + b"\0"


def vector(name: str, values: dict[str, Any], *, why: str, seq: int) -> dict[str, Any]:
    kind, dst, src, table = MESSAGES[name]
    payload = b"".join(field_bytes(values[field], size) for field, size, _ in table)
    version = SINCE.get(name, 1)
    return {
        "name": f"{name}, {why}", "version": version, "type": kind, "dst": dst, "src": src, "seq": seq,
        "fields": values, "payload": payload.hex(), "frame": wire(version, (kind, dst, src, seq), payload).hex(),
    }  # fmt: skip


def messages() -> Iterator[dict[str, Any]]:
    """Each message as usual, then each field at each of its edges."""
    for name, (_, _, _, table) in MESSAGES.items():
        usual = {field: values[0] for field, _, values in table}
        yield vector(name, usual, why="as usual", seq=42)
        for field, _, values in table:
            for seq, value in enumerate(values[1:], start=253):
                yield vector(name, {**usual, field: value}, why=f"{field} {value!r}", seq=seq % 256)
        for which, at in (("least", min), ("greatest", max)):
            ends = {field: at(values) for field, _, values in table}
            yield vector(name, ends, why=f"all fields at their {which}", seq=0)


def newer() -> list[dict[str, Any]]:
    """Frames of later versions that are read by their beginning, and what is read."""
    found = []
    for name in (LONGER, "DISCOVER", "INFO", "ASSIGN"):
        kind, dst, src, table = MESSAGES[name]
        usual = {field: values[0] for field, _, values in table}
        payload = b"".join(field_bytes(usual[field], size) for field, size, _ in table)
        first = 3 if name == LONGER else 2
        room = 29 - len(payload)
        for version, more in ((first, b"\x07" if room else b""), (7, b""), (first, bytes(room))):
            frame = wire(version, (kind, dst, src, 42), payload + more)
            why = f"{name}, in protocol {version}, {len(more)} bytes longer"
            found.append({"name": why, "type": kind, "fields": usual, "frame": frame.hex()})
    return found


def damaged() -> list[dict[str, Any]]:
    """What lies between delimiters and is no frame."""
    good = bytes.fromhex(next(messages())["frame"])
    poll = wire(1, (2, 5, 0, 42), bytes(6))
    cases = {
        "nothing but a delimiter is no damage": (b"\0", 0),
        "delimiters in a row are no damage": (b"\0\0\0\0", 0),
        "one byte": (b"\0\x01\0", 1),
        "shorter than header and CRC": (b"\0" + cobs(bytes(7)) + b"\0", 1),
        "one bit of the CRC": (good[:-2] + bytes([good[-2] ^ 1]) + b"\0", 1),
        "one bit of the payload": (good[:10] + bytes([good[10] ^ 0x80]) + good[11:], 1),
        "CRC with its bytes the other way round": (
            b"\0" + cobs(bytes([34, 5, 0, 42]) + crc32(bytes([34, 5, 0, 42])).to_bytes(4, "big")) + b"\0", 1),
        "COBS that points beyond the end": (b"\0" + bytes([poll[1] + 40]) + poll[2:], 1),
        "COBS code 255": (b"\0\xff" + bytes(range(1, 30)) + b"\0", 1),
        "30 bytes of payload": (wire(1, (1, 255, 0, 42), bytes(range(1, 31))), 1),
        "300 bytes without delimiter": (b"\0" + b"\x55" * 300 + b"\0", 1),
        "a break and line noise": (b"\xff\xff\x00\xfe\x00", 2),
        "two frames without a delimiter between": (poll[:-1] + poll[1:], 1),
        "half a frame": (poll[:7] + b"\0", 1),
    }  # fmt: skip
    return [{"name": name, "frame": data.hex(), "damaged": count} for name, (data, count) in cases.items()]


def refused() -> list[dict[str, Any]]:
    """Good frames that carry no message of protocols 1 to 6: drop them."""
    state = bytes.fromhex(next(messages())["payload"])
    seat = b"\x34\x12\x02\0Star" + bytes(6)
    info = bytes.fromhex(UID) + bytes([1, 2, 1])
    assign = bytes.fromhex(UID)

    def changed(at: int, byte: int) -> bytes:
        return state[:at] + bytes([byte]) + state[at + 1 :]

    cases: dict[str, tuple[int, int, bytes]] = {
        "type 0": (1, 0, b""),
        "type 21": (1, 21, bytes(4)),
        "type 31": (1, 31, bytes(4)),
        "STATE of protocol 0": (0, 1, state),
        **{f"POLL of protocol {version}": (version, 2, bytes(6)) for version in range(2, 7)},
        "ORDER of protocol 7": (7, 8, b"\x01\0"),
        "STATE a byte short": (1, 1, state[:-1]),
        "STATE a byte longer": (1, 1, state + b"\0"),
        "STATE of protocol 2 a byte short": (2, 1, state),
        "STATE of protocol 2, seat 8 acts": (2, 1, state + b"\xf8"),
        "STATE of protocol 2, seat 14 is next": (2, 1, state + b"\xe0"),
        "POLL without payload": (1, 2, b""),
        "HEALTH a byte longer": (1, 3, bytes(24)),
        "STATE, phase 6": (1, 1, changed(8, 6)),
        "STATE, one die": (1, 1, changed(23, 0x30)),
        "STATE, a die with seven": (1, 1, changed(23, 0x17)),
        "STATE, target 1": (1, 1, changed(24, 1)),
        "STATE, target 13": (1, 1, changed(24, 13)),
        "STATE, last 1": (1, 1, changed(25, 1)),
        "STATE, last 13": (1, 1, changed(25, 13)),
        "POLL, status 8": (1, 2, b"\x34\x12\x03\x08\0\0"),
        "HEALTH, reset 4": (1, 3, bytes(18) + b"\x04" + bytes(4)),
        "DISCOVER without slots": (1, 4, b"\xef\xbe\0\x03"),
        "INFO, protocols from 0": (1, 5, info + b"\0\x01\0"),
        "INFO, protocols 2 to 1": (1, 5, info + b"\x02\x01\0"),
        "ASSIGN, address 0": (1, 6, assign + b"\0\0A5\0\0\0\0\xc8"),
        "ASSIGN, address 33": (1, 6, assign + b"\x21\0A5\0\0\0\0\xc8"),
        "ASSIGN, a space in the board's name": (1, 6, assign + b"\x05\0A 5\0\0\0\xc8"),
        "ASSIGN, NUL in the board's name": (1, 6, assign + b"\x05\0A\x005\0\0\0\xc8"),
        "IDENTIFY 6": (1, 7, b"\x06\x0a\0\0"),
        "ORDER 0": (1, 8, b"\0\0"),
        "ORDER 8": (1, 8, b"\x08\0"),
        "PING of protocol 2": (2, 9, bytes(24)),
        "PING a byte short": (1, 9, bytes(23)),
        "PONG a byte longer": (1, 10, bytes(29)),
        "SEAT of protocol 1": (1, 11, seat),
        **{f"SEAT of protocol {version}": (version, 11, seat) for version in range(3, 7)},
        "SEAT a byte short": (2, 11, seat[:-1]),
        "SEAT 8": (2, 11, b"\x34\x12\x08" + seat[3:]),
        "SEAT, NUL in its name": (2, 11, seat[:5] + b"\0" + seat[6:]),
        "SEAT, a letter beyond ASCII in its name": (2, 11, seat[:5] + b"\xe9" + seat[6:]),
    }
    return [
        {"name": name, "type": kind, "frame": wire(version, (kind, 5, 0, 42), payload).hex()}
        for name, (version, kind, payload) in {
            **cases, **refused_languages(), **refused_say(), **refused_pause(), **refused_measure(),
            **refused_update(),
        }.items()
    ]  # fmt: skip


def refused_languages() -> dict[str, tuple[int, int, bytes]]:
    spoken = b"\x34\x12pl\0\0\0\0en\0\0\0\0"
    return {
        "LANGUAGES of protocol 2": (2, 12, spoken),
        "LANGUAGES of protocol 4": (4, 12, spoken),
        "LANGUAGES a byte short": (3, 12, spoken[:-1]),
        "LANGUAGES, a space in a tag": (3, 12, spoken[:3] + b" " + spoken[4:]),
        "LANGUAGES, NUL in a tag": (3, 12, spoken[:9] + b"\0n" + spoken[11:]),
    }


def refused_say() -> dict[str, tuple[int, int, bytes]]:
    said = b"\x34\x12\x03\x20Sit down" + bytes(12)
    return {
        "SAY of protocol 3": (3, 13, said),
        "SAY of protocol 5": (5, 13, said),
        "SAY a byte short": (4, 13, said[:-1]),
        "SAY, part 2 of 2": (4, 13, said[:3] + b"\x22" + said[4:]),
        "SAY, part 1 of none": (4, 13, said[:3] + b"\x01" + said[4:]),
        "SAY, NUL in its text": (4, 13, said[:5] + b"\0" + said[6:]),
        "SAY, a line break in its text": (4, 13, said[:5] + b"\n" + said[6:]),
        "SAY, byte 127 in its text": (4, 13, said[:5] + b"\x7f" + said[6:]),
        "SAY, a byte beyond its letters": (4, 13, said[:5] + bytes([0x80 + len(FURTHER)]) + said[6:]),
    }


def refused_pause() -> dict[str, tuple[int, int, bytes]]:
    paused = b"\x34\x12\x03\x01\0\xca\x9a\x3b\x01"
    return {
        "PAUSE of protocol 4": (4, 14, paused),
        "PAUSE of protocol 6": (6, 14, paused),
        "PAUSE a byte short": (5, 14, paused[:-1]),
        "PAUSE a byte longer": (5, 14, paused + b"\0"),
    }


def refused_measure() -> dict[str, tuple[int, int, bytes]]:
    return {
        "MEASURE of protocol 5": (5, 15, b"\0"),
        "MEASURE of protocol 7": (7, 15, b"\0"),
        "MEASURE without payload": (6, 15, b""),
        "MEASURE 1": (6, 15, b"\x01"),
        "MEASURED a byte short": (6, 16, bytes(8)),
        "MEASURED, loop 2": (6, 16, bytes(8) + b"\x02"),
    }


def refused_update() -> dict[str, tuple[int, int, bytes]]:
    offer = b"\xef\xbe" + field_bytes(87_654, 4) + b"\x07\x01key!"
    block = b"\xef\xbe\x1c\x43" + bytes(24)
    progress = b"\xef\xbe\x01\0\x1c" + bytes(16)
    return {
        **{f"OFFER of protocol {version}": (version, 17, offer) for version in (1, 6)},
        "OFFER a byte short": (7, 17, offer[:-1]),
        "OFFER a byte longer": (7, 17, offer + b"\0"),
        "OFFER 0": (7, 17, b"\0\0" + offer[2:]),
        "OFFER, an empty image": (7, 17, offer[:2] + bytes(4) + offer[6:]),
        "OFFER, an image that is too large": (7, 17, offer[:2] + field_bytes(262_145, 4) + offer[6:]),
        "BLOCK of protocol 6": (6, 18, block),
        "BLOCK a byte short": (7, 18, block[:-1]),
        "BLOCK of offer 0": (7, 18, b"\0\0" + block[2:]),
        "BLOCK 128": (7, 18, block[:3] + b"\x80" + block[4:]),
        "STEP of protocol 6": (6, 19, b"\xef\xbe\0"),
        "STEP a byte longer": (7, 19, b"\xef\xbe\0\0"),
        "STEP of offer 0": (7, 19, bytes(3)),
        "STEP 4": (7, 19, b"\xef\xbe\x04"),
        "PROGRESS of protocol 6": (6, 20, progress),
        "PROGRESS a byte longer": (7, 20, progress + b"\0"),
        "PROGRESS, state 8": (7, 20, progress[:2] + b"\x08" + progress[3:]),
        "PROGRESS, why 10": (7, 20, progress[:3] + b"\x0a" + progress[4:]),
    }


def slots() -> list[dict[str, Any]]:
    """Slots in which these nodes answer DISCOVER."""
    return [
        {"uid": uid, "salt": salt, "slots": count,
         "slot": crc32(field_bytes(uid, 8) + field_bytes(salt, 2)) % count}
        for uid in (UID, "0000000000000000", "ffffffffffffffff")
        for salt in (0, 1, 0xBEEF, 0xFFFF)
        for count in (1, 16, 255)
    ]  # fmt: skip


def text() -> str:
    """The whole file, a vector a line."""
    parts = {
        "messages": list(messages()), "newer": newer(), "damaged": damaged(), "refused": refused(),
        "slots": slots(),
    }  # fmt: skip
    lists = (
        f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]"
        for name, rows in parts.items()
    )
    return '{"protocols": [1, 2, 3, 4, 5, 6, 7],\n' + ",\n".join(lists) + "}\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="ascii")
