"""The golden vectors: packed by hand, by the generator, and by the master's side, in both directions."""

import json
from typing import Any

import pytest

from pi_controller.bus.frame import Receiver, encode
from pi_controller.bus.messages import FURTHER, MESSAGES, OLDEST, BadMessage, from_frame, layout_of, to_frame
from tests.bus import vectors

FILE: dict[str, Any] = json.loads(vectors.FILE.read_text(encoding="ascii"))

# Written down by hand from PROTOCOL.md; the last four bytes before the delimiter are gzip's CRC of the body.
BY_HAND = {
    "STATE": (
        "3412 0201 00ca9a3b 01 4900 c0d90902 5e01 ffff 0001 0700 34 00 08 00 c8",
        "00 03 21ff 06 2a34120201 06 ca9a3b0149 09 c0d909025e01ffff 03 0107 02 34 02 08 06 c8 21d5b159 00",
    ),
    "POLL": ("3412 03 02 00 00", "00 03 2205 06 2a34120302 01 05 df62821d 00"),
    "HEALTH": (
        "3412 0201 03 006a8d3b 00 00000000 3100 78 1f 00 02 09 4b00",
        "00 02 23 08 052a3412020103 04 6a8d3b 01 01 01 01 02 31 03 781f 04 02094b 05 7c567dbc 00",
    ),
    "DISCOVER": ("efbe 10 03", "00 03 24f0 0a 2aefbe1003267f0665 00"),
    "INFO": ("e660583883724a31 01 0201 01 01 11", "00 02 25 15 f02ae660583883724a31010201010111 c1c9d0fd 00"),
    "ASSIGN": (
        "e660583883724a31 05 00 413500000000 c8",
        "00 03 26f0 0b 2ae660583883724a3105 03 4135 01 01 01 06 c8 a14e664a 00",
    ),
    "IDENTIFY": ("01 0a 0c00", "00 03 2705 05 2a010a0c 05 9b014656 00"),
    "ORDER": ("01 00", "00 03 2805 03 2a01 05 ff5b1cbe 00"),
    "PING": (
        "00112233445566778899aabbccddeeff0f1e2d3c4b5a6978",
        "00 03 2905 02 2a 1c 112233445566778899aabbccddeeff0f1e2d3c4b5a6978 ecc59c1c 00",
    ),
    "STATE of protocol 2": (
        "3412 0201 00ca9a3b 01 4900 c0d90902 5e01 ffff 0001 0700 34 00 08 00 c8 02",
        "00 03 41ff 06 2a34120201 06 ca9a3b0149 09 c0d909025e01ffff 03 0107 02 34 02 08 07 c802 452c15c9 00",
    ),
    "SEAT": (
        "3412 02 00 53746172000000000000",
        "00 03 4bff 05 2a341202 05 53746172 01 01 01 01 01 05 9131f1c5 00",
    ),
    "LANGUAGES": (
        "3412 706c00000000 656e00000000",
        "00 03 6cff 06 2a3412706c 01 01 01 03 656e 01 01 01 05 2101c70d 00",
    ),
    "SAY": (
        "3412 03 20 4772a7b06520616e20546973636820413132 0000",
        "00 03 8dff 18 2a34120320 4772a7b06520616e20546973636820413132 01 05 eb2ee180 00",
    ),
    "PAUSE": (
        "3412 0301 c0ae0802 01",
        "00 03 aeff 0f 2a34120301c0ae080201 5d2d9430 00",
    ),
    "MEASURE": ("00", "00 03 cf05 02 2a 05 0db4d2f5 00"),
    "MEASURED": (
        "a05b 1b00 4607 a201 01",
        "00 02 d0 06 052aa05b1b 0a 4607a20101 7ed309f8 00",
    ),
    "PONG": (
        "00112233445566778899aabbccddeeff0f1e2d3c4b5a6978 00ca9a3b",
        "00 02 2a 03 052a 18 112233445566778899aabbccddeeff0f1e2d3c4b5a6978 08 ca9a3b 4e586574 00",
    ),
}


def test_the_file_is_what_the_generator_makes() -> None:
    assert vectors.FILE.read_text(encoding="ascii") == vectors.text(), "run python -m tests.bus.vectors"


@pytest.mark.parametrize("name", BY_HAND)
def test_the_generator_agrees_with_bytes_written_by_hand(name: str) -> None:
    (usual,) = [row for row in FILE["messages"] if row["name"] == f"{name}, as usual"]
    assert (usual["payload"], usual["frame"]) == tuple(part.replace(" ", "") for part in BY_HAND[name])


@pytest.mark.parametrize("row", FILE["messages"], ids=lambda row: row["name"])
def test_a_message_is_packed_and_read(row: dict[str, Any]) -> None:
    kind = MESSAGES[row["type"]]
    wire = bytes.fromhex(row["frame"])
    (frame,) = Receiver().feed(wire)
    assert (frame.version, frame.type, frame.dst, frame.src, frame.seq, frame.payload.hex()) == tuple(
        row[key] for key in ("version", "type", "dst", "src", "seq", "payload")
    )
    message = from_frame(frame)
    layout = layout_of(message)
    assert layout.version == frame.version
    assert plain(layout.fields, message.values()) == row["fields"]
    again = kind.of(raw(layout.fields, row["fields"]))
    assert again == message
    assert encode(to_frame(again, dst=row["dst"], src=row["src"], seq=row["seq"])) == wire


@pytest.mark.parametrize("row", FILE["newer"], ids=lambda row: row["name"])
def test_a_longer_layout_of_a_later_version_is_read_by_its_beginning(row: dict[str, Any]) -> None:
    """B18."""
    (frame,) = Receiver().feed(bytes.fromhex(row["frame"]))
    assert frame.version > OLDEST
    message = from_frame(frame)
    assert plain(layout_of(message).fields, message.values()) == row["fields"]


@pytest.mark.parametrize("row", FILE["damaged"], ids=lambda row: row["name"])
def test_a_damage_is_counted_and_the_next_frame_is_good(row: dict[str, Any]) -> None:
    receiver = Receiver()
    good = bytes.fromhex(FILE["messages"][0]["frame"])
    assert receiver.feed(bytes.fromhex(row["frame"])) == []
    assert receiver.damaged == row["damaged"]
    assert len(receiver.feed(good)) == 1
    assert (receiver.good, receiver.damaged) == (1, row["damaged"])


@pytest.mark.parametrize("row", FILE["refused"], ids=lambda row: row["name"])
def test_a_good_frame_without_a_message_is_refused_with_a_sentence(row: dict[str, Any]) -> None:
    (frame,) = Receiver().feed(bytes.fromhex(row["frame"]))
    with pytest.raises(BadMessage, match=r"^[A-Zt].{10,}[^.]$"):
        from_frame(frame)


def unpadded(name: bytes) -> str:
    return name.rstrip(b"\0").decode()


def said(text: bytes) -> str:
    return "".join(chr(byte) if byte < 0x80 else FURTHER[byte - 0x80] for byte in text.rstrip(b"\0"))


def plain(fields: Any, values: Any) -> dict[str, Any]:
    """Values as in the file: bytes as hex or text."""
    as_text = {"8s": bytes.hex, "24s": bytes.hex, "6s": unpadded, "10s": unpadded, "20s": said}
    return {
        name: as_text[letter](value) if letter in as_text else value
        for (name, letter), value in zip(fields, values, strict=True)
    }


def raw(fields: Any, values: dict[str, Any]) -> list[Any]:
    """The other way round."""
    as_bytes = {
        "8s": bytes.fromhex,
        "24s": bytes.fromhex,
        "6s": lambda board: board.encode().ljust(6, b"\0"),
        "10s": lambda name: name.encode().ljust(10, b"\0"),
        "20s": lambda text: vectors.field_bytes(text, 20),
    }
    return [as_bytes[letter](values[name]) if letter in as_bytes else values[name] for name, letter in fields]
