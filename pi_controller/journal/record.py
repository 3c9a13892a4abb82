"""One journal line as a value, and the value as a line. Pure: no file, no clock.

A line is the canonical JSON of all fields, in UTF-8, and a line feed. Canonical: keys sorted, no spaces,
characters not escaped where JSON allows it. `hash` covers the canonical JSON (without line feed) of all other
fields, `prev` is the `hash` of the line before, so that no line can be changed, left out or moved unseen.

Game events as such lines and back stand below. The public word has a kind of its own, for verifiers to find.
"""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any, NoReturn

import msgspec

from pi_controller.game.commands import COMMANDS, NAMES, Command, Contribute, Undo
from pi_controller.game.events import EVENT_KINDS, Action, CommandApplied, Corrected, Event
from pi_controller.journal.errors import DamagedLine, NewerJournal
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence, sentence_of

FORMAT = 2
"""Format version in line 0. All formats keep line 0 canonical, hashed, of kind `game` with `data.format`.
From format 2 on line 0 names the derivation of the dice.
"""

FIRST_PREV = "0" * 64
"""`prev` of line 0."""

_TYPES: dict[str, type] = {
    "seq": int,
    "kind": str,
    "data": dict,
    "game_ns": int,
    "boot_ns": int,
    "boot_id": str,
    "wall": str,
    "prev": str,
    "hash": str,
}


class Record(msgspec.Struct, frozen=True):
    """One line: what happened (`kind`, `data`), when, and its place in the chain.

    `game_ns` is game time and `boot_ns` CLOCK_BOOTTIME of the same moment, that of the change, both in
    nanoseconds; `boot_id` says which boot they count from. `wall` is ISO 8601 in UTC and only a label.
    """

    seq: int
    kind: str
    data: dict[str, Any]
    game_ns: int
    boot_ns: int
    boot_id: str
    wall: str
    prev: str
    hash: str


def wall_time(wall: str) -> datetime | None:
    """The moment that this label names; None where it names none."""
    try:
        found = datetime.fromisoformat(wall)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def canonical(value: object) -> bytes:
    """The one JSON text of this value; ValueError when it has none (NaN, infinity, lone surrogates)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def seal(
    kind: str,
    data: dict[str, object],
    *,
    seq: int,
    game_ns: int,
    boot_ns: int,
    boot_id: str,
    wall: str,
    prev: str,
) -> Record:
    """The next record of a chain. ValueError or TypeError when `data` is not JSON with text keys."""
    fields: dict[str, Any] = {
        "seq": seq,
        "kind": kind,
        "data": data,
        "game_ns": game_ns,
        "boot_ns": boot_ns,
        "boot_id": boot_id,
        "wall": wall,
        "prev": prev,
    }
    return Record(**fields, hash=hashlib.sha256(canonical(fields)).hexdigest())


def encode(record: Record) -> bytes:
    """The record's line with its line feed."""
    return canonical({name: getattr(record, name) for name in _TYPES}) + b"\n"


def decode(line: bytes) -> Record:
    """The record of a whole line, its line feed included.

    Raises DamagedLine when it is not byte for byte what `encode` writes, or its hash is wrong; NewerJournal
    when it is an intact line 0 of a higher format.
    """
    return _plain(line) or _judged(line)


def known(line: bytes) -> Record:
    """The record of a line that `decode` has accepted before."""
    return _KNOWN.decode(line)


def hash_of(line: bytes) -> str:
    """The `hash` of a line that `decode` has accepted before."""
    place = line.rfind(_HASH) + len(_HASH)
    return line[place : place + 64].decode()


def _plain(line: bytes) -> Record | None:
    """The record of an intact line as nearly all are, in a fifth of the time; None leaves it to `_judged`.

    Plain is a line without escapes and without fractions, which other writers of JSON write differently, and
    not the first. No text in it holds a quotation mark, so the last `,"hash":"` is that of the line itself,
    and what was hashed is the line without it.
    """
    if b"\\" in line or not line.endswith(b"}\n"):
        return None
    try:
        record = _READER.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    if record.seq <= 0 or _WRITER.encode(record) != line[:-1]:
        return None
    place = line.rfind(_HASH)
    content = line[:place] + line[place + len(_HASH) + len(record.hash) + 1 : -1]
    return record if hashlib.sha256(content).hexdigest() == record.hash else None


def _no_fractions(_text: str) -> NoReturn:
    raise ValueError("a number with a fraction or an exponent")


_HASH = b',"hash":"'
_KNOWN = msgspec.json.Decoder(Record)
_READER = msgspec.json.Decoder(Record, float_hook=_no_fractions)
_WRITER = msgspec.json.Encoder(order="sorted")


def _judged(line: bytes) -> Record:
    fields = _fields(line)
    _refuse_newer(fields)
    if fields.keys() != _TYPES.keys():
        raise DamagedLine(Sentence("journal.line_with_other_fields"))
    for name, kind in _TYPES.items():
        if type(fields[name]) is not kind:
            raise DamagedLine(Sentence("journal.field_of_the_wrong_type", name=name))
    if fields["seq"] < 0:
        raise DamagedLine(Sentence("journal.seq_is_negative"))
    if fields["seq"] == 0 and not _begins_a_game(fields):
        raise DamagedLine(Sentence("journal.begins_no_game"))
    return Record(**fields)


def _fields(line: bytes) -> dict[str, Any]:
    """The line's JSON object, if it is canonical and its hash is right."""
    if not line.endswith(b"\n"):
        raise DamagedLine(Sentence("journal.line_is_cut_off"))
    try:
        fields = json.loads(line, parse_constant=_refuse_constant)
        again = canonical(fields) + b"\n"
    except (ValueError, RecursionError):
        raise DamagedLine(Sentence("journal.line_is_not_json")) from None
    if again != line:
        raise DamagedLine(Sentence("journal.line_is_not_canonical"))
    if not isinstance(fields, dict):
        raise DamagedLine(Sentence("journal.line_is_no_object"))
    rest = {name: value for name, value in fields.items() if name != "hash"}
    if fields.get("hash") != hashlib.sha256(canonical(rest)).hexdigest():
        raise DamagedLine(Sentence("journal.hash_does_not_fit"))
    return fields


def _refuse_newer(fields: dict[str, Any]) -> None:
    data = fields.get("data")
    written = data.get("format") if isinstance(data, dict) else None
    if fields.get("seq") == 0 and fields.get("kind") == "game" and type(written) is int and written > FORMAT:
        raise NewerJournal(Sentence("journal.newer_format", written=written, newest=FORMAT))


def _begins_a_game(fields: dict[str, Any]) -> bool:
    written = fields["data"].get("format")
    return fields["kind"] == "game" and type(written) is int and 1 <= written <= FORMAT


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_KINDS = {kind: name for name, kind in EVENT_KINDS.items()}


class UnknownEventError(WordedError, ValueError):
    """A record that this version cannot read as an event of the game."""


def encode_event(event: Event) -> tuple[str, dict[str, object]]:
    """Kind and data of the event's journal record."""
    if isinstance(event, CommandApplied) and isinstance(event.action.command, Contribute):
        action = _encode_action(event.action)
        return "contributed", {"text": event.action.command.text, "action": action}
    data: dict[str, object] = msgspec.to_builtins(event)
    if isinstance(event, CommandApplied):
        data["action"] = _encode_action(event.action)
    if isinstance(event, Corrected):
        for name in ("removed", "put"):
            action = getattr(event, name)
            data[name] = None if action is None else _encode_action(action)
    return _KINDS[type(event)], data


CONVERTED = {*EVENT_KINDS.values(), *COMMANDS.values()} - {CommandApplied, Corrected, Undo}
"""What the data of a line become as a whole; the three others hold commands, which are made one by one."""
for _kind in CONVERTED:
    msgspec.json.Decoder(_kind)  # made known before there are threads: docs/decisions/0072


def decode_event(kind: str, data: dict[str, Any]) -> Event | None:
    """The event of a record, or None when records of this kind are no events of the game.

    Raises `UnknownEventError` when the data do not fit the kind.
    """
    try:
        if kind in ("did", "contributed"):
            return CommandApplied(_decode_action(data["action"]))
        if kind == "corrected":
            actions = {
                name: None if data[name] is None else _decode_action(data[name])
                for name in ("removed", "put")
            }
            return Corrected(data["what"], data["index"], at_ns=data["at_ns"], **actions)
        if kind in EVENT_KINDS:
            event: Event = msgspec.convert(data, EVENT_KINDS[kind])
            return event
    except (KeyError, TypeError, msgspec.ValidationError) as fault:
        said = Sentence("journal.event_does_not_fit", kind=kind, why=sentence_of(fault))
        raise UnknownEventError(said) from fault
    return None


def _encode_action(action: Action) -> dict[str, object]:
    data: dict[str, object] = msgspec.to_builtins(action)
    body = msgspec.to_builtins(action.command)
    return {**data, "command": {"name": NAMES[type(action.command)], "body": body}}


def _decode_action(data: dict[str, Any]) -> Action:
    command = data["command"]
    made: Command = msgspec.convert(command["body"], COMMANDS[command["name"]])
    return Action(data["id"], made, data["at_ns"], data["seen_ns"], data["source"])
