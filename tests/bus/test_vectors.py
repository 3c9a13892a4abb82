"""The golden vectors: packed by hand, by the generator, and by the master's side, in both directions."""

import json
from typing import Any

import pytest

from pi_controller.bus.frame import Receiver, encode
from pi_controller.bus.messages import FURTHER, MESSAGES, OLDEST, BadMessage, from_frame, layout_of, to_frame
from tests.bus import vectors

FILE: dict[str, Any] = json.loads(vectors.FILE.read_text(encoding="ascii"))

# Written down by hand from PROTOCOL.md; the last four bytes before the delimiter are gzip's CRC of the body.


def test_the_file_is_what_the_generator_makes() -> None:
    assert vectors.FILE.read_text(encoding="ascii") == vectors.text(), "run python -m tests.bus.vectors"


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


HEX = ("4s", "8s", "16s", "24s")


def unpadded(name: bytes) -> str:
    return name.rstrip(b"\0").decode()


def said(text: bytes) -> str:
    return "".join(chr(byte) if byte < 0x80 else FURTHER[byte - 0x80] for byte in text.rstrip(b"\0"))


def plain(fields: Any, values: Any) -> dict[str, Any]:
    """Values as in the file: bytes as hex or text."""
    as_text = {**dict.fromkeys(HEX, bytes.hex), "6s": unpadded, "10s": unpadded, "20s": said}
    return {
        name: as_text[letter](value) if letter in as_text else value
        for (name, letter), value in zip(fields, values, strict=True)
    }


def raw(fields: Any, values: dict[str, Any]) -> list[Any]:
    """The other way round."""
    as_bytes = {
        **dict.fromkeys(HEX, bytes.fromhex),
        "6s": lambda board: board.encode().ljust(6, b"\0"),
        "10s": lambda name: name.encode().ljust(10, b"\0"),
        "20s": lambda text: vectors.field_bytes(text, 20),
    }
    return [as_bytes[letter](values[name]) if letter in as_bytes else values[name] for name, letter in fields]
