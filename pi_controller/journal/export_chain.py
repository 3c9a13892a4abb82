"""Reads the lines of an exported game for the verifier: canonical JSON, hash chain, first line."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, get_args

import msgspec

from pi_controller.game.dice import DiceBook
from pi_controller.game.dice_terms import DiceTerms
from pi_controller.game.rule_sets import CONNECT, RULE_SETS
from pi_controller.game.turn_order import DRAWN, HIGHEST, AfterRobber, AfterSeven, Due, TurnOrder
from pi_controller.sentence import SaidError, Sentence, said_by

NO_LINE = "0" * 64
"""`prev` of the first line."""
BYTES = 256
"""So many values has the byte that a first seat is drawn by."""
MOST_SEALS = 2**32 - 1

DEEPEST = 100
"""Objects and lists inside each other in one line; no journal comes near. Readers differ in theirs."""

HASH = re.compile(r"[0-9a-f]{64}")

encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
"""Canonical JSON: keys sorted, no spaces, letters as they are; a ValueError for NaN and infinity."""


def field_paths(value: object, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The names of all fields in this value, each behind those that it stands in."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield (*before, name)
            yield from field_paths(each, (*before, name))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from field_paths(each, before)


RULES = frozenset(path for rules in RULE_SETS.values() for path in field_paths(msgspec.to_builtins(rules)))
"""What `rules` of line 1 may hold."""


class RefusedError(SaidError):
    """The sentence that says what is wrong with an export."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line whose place in the chain is proved; `number` counts from 1."""

    number: int
    kind: str
    data: dict[str, Any]
    hash: str


@dataclass(frozen=True, slots=True)
class Place:
    """Which seal of its evening a game has. `evening` is the id of the game that the evening began with,
    `before` the hash of line 1 of the game that was armed before, None without one; `hash` that of its own.
    """

    game_id: str
    number: int
    evening: str
    before: str | None
    hash: str
    word: str = ""

    @property
    def sentence(self) -> Sentence:
        before = self.before or Sentence("verify.no_game_before")
        return Sentence(
            "verify.seal_of_the_evening", number=self.number, evening=repr(self.evening), before=before
        )


@dataclass(frozen=True, slots=True)
class Opening:
    """What the first line says about the game and its dice."""

    game_id: str
    terms: DiceTerms
    order: TurnOrder
    commitment: str
    rehearsal: bool
    unknown_rules: list[str]
    place: Place | None

    def book(self, seed: bytes, word: str | None) -> DiceBook:
        """The game's dice; a RefusedError when there can be none."""
        try:
            return DiceBook(seed, self.game_id, self.terms, word)
        except ValueError as error:
            raise RefusedError(Sentence("verify.these_dice_cannot_be", why=said_by(error))) from error


def read_chain(lines: Iterable[bytes]) -> Iterator[Line]:
    """Every line, up to the first that breaks the chain: that one is a RefusedError."""
    before = NO_LINE
    for number, raw in enumerate(lines, start=1):
        line = _read_line(number, raw, before)
        before = line.hash
        yield line


def read_opening(line: Line) -> Opening:
    """What the first line says; a RefusedError when it is not the first line of a game that can be read."""
    data = line.data
    if line.kind != "game":
        raise RefusedError(Sentence("verify.line_1_is_of_kind_not", kind=repr(line.kind)))
    terms = _read_terms(data.get("terms"), _derivation(data))
    named = {"rule_set": terms.rule_set, "rule_set_version": terms.rule_set_version}
    if encode({name: data.get(name) for name in named}) != encode(named):
        raise RefusedError(Sentence("verify.line_1_names_another_rule_set"))
    after_robber: Any = data.get("after_robber") if terms.armed is None else terms.armed.after_robber
    if after_robber not in get_args(AfterRobber if terms.armed is None else AfterSeven):
        raise RefusedError(
            Sentence("verify.after_robber_is_neither_due_side", after_robber=repr(after_robber))
        )
    commitment = data.get("commitment")
    if not isinstance(commitment, str) or not HASH.fullmatch(commitment):
        raise RefusedError(Sentence("verify.commitment_is_not_written_as_64"))
    order = TurnOrder(_read_seats(data, terms), after_robber)
    if len(order.seats) > BYTES:
        raise RefusedError(Sentence("verify.line_1_names_too_many_seats", seats=len(order.seats), most=BYTES))
    if terms.first_side not in (*order.seats, DRAWN, HIGHEST):
        seats = ", ".join((*order.seats, DRAWN, HIGHEST))
        raise RefusedError(Sentence("verify.dice_terms_are_wrong_first_side", seats=seats))
    unknown = [".".join(path) for path in field_paths(data.get("rules")) if path not in RULES]
    opening = Opening(
        data.get("game_id", ""),
        terms,
        order,
        commitment,
        rehearsal=data.get("rehearsal") is True,
        unknown_rules=list(dict.fromkeys(unknown)),
        place=None,
    )
    opening.book(bytes(32), None)
    return opening if "seal" not in data else replace(opening, place=_read_place(line))


def _read_place(line: Line) -> Place:
    seal = line.data["seal"]
    parts = [seal.get(name) for name in ("number", "of_evening", "before")] if isinstance(seal, dict) else []
    match parts:
        case [int(number), str(evening), str(before) | (None as before)]:
            follows = before is None or HASH.fullmatch(before)
            if number is not True and 1 <= number <= MOST_SEALS and evening and follows:
                return Place(line.data["game_id"], number, evening, before, line.hash)
    raise RefusedError(Sentence("verify.seal_has_no_place"))


def _derivation(data: dict[str, Any]) -> int:
    """Version of the dice: 1 in format 1, and in format 2 what it names, which is 2."""
    written = encode(data.get("format"))
    if written not in ("1", "2"):
        raise RefusedError(
            Sentence("verify.export_has_format_this_verifier_reads", format=repr(data.get("format")))
        )
    if written == "1":
        return 1
    if encode(data.get("derivation")) != "2":
        raise RefusedError(
            Sentence("verify.line_1_names_derivation_in_format", derivation=repr(data.get("derivation")))
        )
    return 2


def _read_line(number: int, raw: bytes, before: str) -> Line:
    if not raw.endswith(b"\n"):
        raise RefusedError(Sentence("verify.line_has_no_line_end", line=number))
    record = _parse(number, raw[:-1])
    content = {name: value for name, value in record.items() if name != "hash"}
    if encode(record.get("seq")) != str(number - 1):
        raise RefusedError(
            Sentence(
                "verify.line_carries_seq_not", line=number, seq=repr(record.get("seq")), value=number - 1
            )
        )
    if record.get("prev") != before:
        raise RefusedError(Sentence("verify.line_does_not_follow", line=number))
    digest = hashlib.sha256(encode(content).encode()).hexdigest()
    if record.get("hash") != digest:
        raise RefusedError(Sentence("verify.line_was_changed_its_hash", line=number, digest=digest))
    if not isinstance(record.get("kind"), str) or not isinstance(record.get("data"), dict):
        raise RefusedError(Sentence("verify.line_has_no_kind_a_text", line=number))
    return Line(number, record["kind"], record["data"], digest)


def _parse(number: int, raw: bytes) -> dict[str, Any]:
    too_deep = RefusedError(Sentence("verify.line_is_nested_too_deeply", line=number))
    try:
        record = json.loads(raw.decode())
        if _depth(record) > DEEPEST:
            raise too_deep
        canonical = encode(record).encode()
    except ValueError as error:
        raise RefusedError(Sentence("verify.line_is_not_json_in_utf", line=number)) from error
    except RecursionError as error:
        raise too_deep from error
    if not isinstance(record, dict) or canonical != raw:
        raise RefusedError(Sentence("verify.line_is_not_an_object", line=number))
    return record


def _depth(value: Any) -> int:
    """How many objects and lists are inside each other, counted level by level."""
    level = 0
    layer = [value]
    while layer := [each for each in layer if isinstance(each, dict | list)]:
        level += 1
        layer = [inner for each in layer for inner in (each.values() if isinstance(each, dict) else each)]
    return level


def _read_terms(data: Any, version: int) -> DiceTerms:
    if not isinstance(data, dict):
        raise RefusedError(Sentence("verify.line_1_has_no_dice_terms"))
    try:
        return DiceTerms.from_data(data, version)
    except ValueError as error:
        raise RefusedError(Sentence("verify.dice_terms_are_wrong", why=said_by(error))) from error


def _read_seats(data: dict[str, Any], terms: DiceTerms) -> tuple[str, ...]:
    """Who acts, in their order: the two sides of Connect, whose name is committed to. Of any other rule set
    line 1 says it; where it says nothing, they are those of Connect too."""
    rules = data.get("rules")
    sides = rules.get("sides") if isinstance(rules, dict) and terms.rule_set != CONNECT.name else None
    named = [side[0] for side in sides if isinstance(side, list) and side] if isinstance(sides, list) else []
    seats = dict.fromkeys(seat for seat in named if isinstance(seat, str) and seat)
    return tuple(seats) or CONNECT.seats


TURN_FIELDS = ("phase", "round", "due_round", "side", "dice", "draw", "robber_target", "robber_dice")
"""What the seed decides in a `turned` line; its times are covered by the chain only."""


@dataclass(frozen=True, slots=True)
class Turns:
    """How many rolls an export shows, and which of them are of what kind."""

    rolls: int
    robber_phases: int
    again: int
    late: int

    @property
    def sentence(self) -> Sentence:
        return Sentence(
            "verify.rolls_computed_again_of_them_robber",
            rolls=self.rolls,
            robber_phases=self.robber_phases,
            again=self.again,
            late=self.late,
        )


def compare_turns(chain: Iterable[Line], legal: Iterator[dict[str, Any]]) -> Turns:
    """Each turn is the next one, or one that was shown before: an undo may enter it again.

    Another turn is a RefusedError.
    """
    shown: set[str] = set()
    rolls = robber_phases = again = published = late = 0
    due = encode(next(legal))
    for line in chain:
        published += line.kind == "seed"
        if line.kind != "turned":
            continue
        turn = encode({name: line.data[name] for name in TURN_FIELDS if name in line.data})
        if turn == due:
            shown.add(due)
            due = encode(next(legal))
        elif turn in shown:
            again += 1
        else:
            raise RefusedError(
                Sentence("verify.next_the_seed_gives_but_line", due=due, line=line.number, turn=turn)
            )
        rolls += 1
        robber_phases += line.data["phase"] == "robber"
        late += bool(published)
    return Turns(rolls, robber_phases, again, late)


def legal_turns(book: DiceBook, order: TurnOrder) -> Iterator[dict[str, Any]]:
    """Every turn of the game in order, without end, as the TURN_FIELDS of its `turned` line."""
    due = Due(1, 0, book.first_seat(order))
    while True:
        roll = book.round_roll(due.round, due.draw)
        coming = order.next_phase(due, roll.dice, roll.draw)
        target = book.robber_target(due.round, roll.draw) if coming.phase == "robber" else None
        yield {
            "phase": coming.phase,
            "round": coming.round,
            "due_round": due.round,
            "side": coming.seat,
            "dice": roll.dice,
            "draw": roll.draw,
            "robber_target": target and target.target,
            "robber_dice": target and target.dice,
        }
        due = coming.after
