"""One heartbeat as bytes: the game's time and what the hall sees. Pure: no file, no clock.

Two slots of 256 bytes are written in turn, each in a disk block of its own: a torn write spoils one only, and
a full disk has both already.

    0   4  magic "PCH2"           124  8  lines handed to the journal
    4   8  counter                132  8  lines that are on the disk
    12  8  seq of the picture     140  8  remaining_ns
    20  8  reserved, zero         148  4  round
    28  8  game_ns, signed        152  4  due round of the roll
    36  8  boot_ns, signed        156  4  draw of the roll
    44 36  boot id, ASCII         160 12  active side, ASCII
    80 44  game id, ASCII         172  1  phase, its place in PHASES
                                  173  1  clock, its place in CLOCKS
                                  174 78  reserved, zero
                                  252  4  CRC-32 of the 252 bytes before; all little-endian

Texts are padded with zero bytes. The slots of releases before it have the magic "PCHB" and end after the game
id with the CRC-32 of 124 bytes; they are still read.
"""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

SLOT_BYTES = 256
SLOT_OFFSETS = (0, 4096)

PHASES = ("ready", "founding", "turn", "round", "robber", "collecting", "ended")
"""The phases of the room picture; a new one is added at the end."""
CLOCKS = ("still", "running", "frozen", "counting")

_MAGIC = b"PCH2"
_BODY = struct.Struct("<4sQQQqq36s44sQQQIII12sBB78s")
_OLD_MAGIC = b"PCHB"
_OLD_BODY = struct.Struct("<4sQQQqq36s44s")
_CRC = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Sight:
    """What the hall sees, and how far the journal had come by then.

    `clock` is one of CLOCKS, `phase` one of PHASES; `due_round` and `draw` name the roll on show in the
    derivation of the dice, or how far foundings and turns have come.
    `remaining_ns` is game time, as of the beat. Of the game's lines `lines` had been
    handed to the journal and `saved` were on the disk.
    """

    phase: str
    clock: str
    remaining_ns: int
    round: int
    side: str | None
    due_round: int
    draw: int
    lines: int
    saved: int

    @property
    def position(self) -> tuple[int, int]:
        """Grows with every roll of a game, as `State.position`, and with every founding and turn."""
        return self.due_round, self.draw


@dataclass(frozen=True, slots=True)
class HeartbeatValue:
    """What core knows now: game time `game_ns` at CLOCK_BOOTTIME `boot_ns`, both in nanoseconds."""

    game_id: str
    seq: int
    game_ns: int
    boot_ns: int
    sight: Sight


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The newest beat that was found; `boot_id` says which boot its `boot_ns` counts from.

    `sight` is None in a beat of a release that did not say what the hall saw.
    """

    game_id: str
    seq: int
    game_ns: int
    boot_ns: int
    boot_id: str
    counter: int
    sight: Sight | None = None


def pack_slot(value: HeartbeatValue, *, boot_id: str, counter: int) -> bytes:
    """ValueError when a field does not fit its place."""
    sight = value.sight
    names = [text.encode("ascii") for text in (boot_id, value.game_id, sight.side or "")]
    if any(len(name) > most for name, most in zip(names, (36, 44, 12), strict=True)):
        raise ValueError("a boot id has at most 36, a game id 44 and a side 12 characters")
    body = _BODY.pack(
        _MAGIC,
        counter,
        value.seq,
        0,
        value.game_ns,
        value.boot_ns,
        names[0],
        names[1],
        sight.lines,
        sight.saved,
        sight.remaining_ns,
        sight.round,
        sight.due_round,
        sight.draw,
        names[2],
        PHASES.index(sight.phase),
        CLOCKS.index(sight.clock),
        b"",
    )
    return body + _CRC.pack(zlib.crc32(body))


def unpack_slot(slot: bytes) -> Heartbeat | None:
    """None when the slot is empty, torn or damaged. Reads slots of earlier releases, too."""
    layout = {_MAGIC: _BODY, _OLD_MAGIC: _OLD_BODY}.get(slot[:4])
    if layout is None or slot[layout.size : layout.size + 4] != _CRC.pack(zlib.crc32(slot[: layout.size])):
        return None
    _, counter, seq, _, game_ns, boot_ns, boot_id, game_id, *rest = layout.unpack_from(slot)
    try:
        names = [text.rstrip(b"\0").decode("ascii") for text in (boot_id, game_id)]
        sight = _sight(rest) if rest else None
    except (UnicodeDecodeError, IndexError):
        return None
    return Heartbeat(
        game_id=names[1],
        seq=seq,
        game_ns=game_ns,
        boot_ns=boot_ns,
        boot_id=names[0],
        counter=counter,
        sight=sight,
    )


def _sight(fields: Sequence[Any]) -> Sight:
    """From the fields behind the game id, in their order."""
    lines, saved, remaining_ns, round_, due_round, draw, side, phase, clock, _reserved = fields
    return Sight(
        phase=PHASES[phase],
        clock=CLOCKS[clock],
        remaining_ns=remaining_ns,
        round=round_,
        side=side.rstrip(b"\0").decode("ascii") or None,
        due_round=due_round,
        draw=draw,
        lines=lines,
        saved=saved,
    )
