#!/usr/bin/env python3
"""Checks an exported game without the controller:

    python3 verify_game.py FILE [--commitment HEX] [--head HEX] [--word TEXT]
    python3 verify_game.py FILE FILE …

One file, standard library only, Python 3.10 or newer. It computes the hash chain, the commitment and every
roll again, as docs/dice.md describes them, and of several games whether their seals follow from each other.
Exit: 0 passed, 1 refused, not verifiable yet or not covered by the head that was given, 2 bad usage.

The controller uses this file, too (`journal/verify.py`), and says its sentences in other languages by their
keys. It shares no code with what rolls the dice and writes journals: a fault there cannot vouch for itself.
"""

import argparse
import hashlib
import hmac
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count, pairwise
from pathlib import Path
from typing import Any

TURN = ("phase", "round", "due_round", "side", "dice", "draw", "robber_target", "robber_dice")
TARGETS = (2, 3, 4, 5, 6, "desert", 8, 9, 10, 11, 12)
AFTER_SEVEN = ("due_side", "other_side", "no_phase")
PARAMETERS = ("set_schedule", "set_claims")
CHANGES = {"did": {"action": "line_says"}, "corrected": {"removed": "line_takes_back", "put": "line_puts"}}
BESIDE = ("seed", "note", "answered")
STAGE = ("say", "cover", "timer")
RULES = """
    name version play claims first_side target_points after_robber allow_consecutive_sevens robber_targets
    robber_target_draw rounds_without_seven robber_ms start_countdown_ms resume_countdown_ms building_ms
    tie_break sides sides.name sides.symbol sides.colour schedule schedule.from_round schedule.seconds
    pieces pieces.settlements pieces.cities pieces.roads points points.settlement points.city
    points.victory_card points.foreign_direction points.largest_army points.longest_route
"""
KNOWN_RULES = {tuple(name.split(".")) for name in RULES.split()}
DEEPEST = 100
LARGEST = 2**32 - 1
LONGEST_SENTENCE, MOST_CHANGES, STRONG_DIGITS = 1000, 100, 16
ONE_SIGN = {0x2018: "'", 0x2019: "'", 0x2BC: "'", 0x2010: "-", 0x2013: "-", 0x2212: "-", 0x130: "i"}
composed = partial(unicodedata.normalize, "NFC")
encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


TEXTS = dict(
    line.split(" ", 1)
    for line in r"""
line_has_no_line_end Line {line} has no line end: the file is cut off there.
line_is_not_json_in_utf Line {line} is not JSON in UTF-8.
line_is_nested_too_deeply Line {line} is nested too deeply.
line_is_not_an_object Line {line} is not an object in canonical JSON.
line_carries_seq_not Line {line} carries seq {seq}, not {value}.
line_does_not_follow Line {line} does not follow from the line before it: `prev` differs.
line_was_changed_its_hash Line {line} was changed: its hash is {digest}, not the one that it carries.
line_has_no_kind_a_text Line {line} has no `kind` (a text) or no `data` (an object).
file_is_empty The file is empty.
line_begins_another_game Line {line} begins another game in the same file.
chain_lines_unbroken_head Chain: {lines} lines, unbroken, head {head}.
line_1_is_of_kind_not Line 1 is of kind {kind}, not 'game'.
export_has_format_this_verifier_reads The export has format {format}; this verifier reads 1 and 2.
line_1_names_derivation_in_format Line 1 names derivation {derivation}; in format 2 this verifier knows 2.
line_1_has_no_dice_terms Line 1 has no dice terms.
dice_terms_are_wrong The dice terms are wrong: {why}.
line_1_names_another_rule_set Line 1 and its dice terms name different rule sets.
after_robber_is_neither_due_side after_robber is {after_robber}, neither 'due_side' nor 'other_side'.
commitment_is_not_written_as_64 The commitment is not written as 64 lower-case hexadecimal digits.
line_1_names_too_many_seats Line 1 names {seats} seats; one byte draws from at most {most}.
dice_terms_are_wrong_first_side The dice terms are wrong: first_side must be one of {seats}.
these_dice_cannot_be These dice cannot be: {why}.
seal_has_no_place The seal of line 1 must name its place: a number, the game that its evening began with, \
and the hash of line 1 of the game before it.
game_version_dice_of_derivation Game {game_id}: {rule_set} version {rule_set_version}, \
dice of derivation {version}.
commitment_of_the_file Commitment {commitment}: the file's own. \
Compare it with what the hall saw, or give that: --commitment.
hall_saw_commitment_but_the_file The hall saw commitment {seen}, but the file carries {carried}.
commitment_the_hall_saw_digits Commitment {commitment}: the hall saw {digits} digits of it.
no_head_given Head: none given, so none of the {count} lines is compared with what the hall saw. \
Changes outside the rolls, and lines cut away, only show with --head.
hall_saw_head_but_no_line The hall saw head {seen}, but no line of the file has it.
head_is_of_line Head {head}: that of line {line}; the {count} lines after it are not covered. {strength}
digits_are_strong {count} digits are strong: another file meets them in some 2^{bits} tries.
digits_are_weak {count} digits are weak: another file meets them in some 2^{bits} tries.
committed_to Committed to: {terms}.
not_committed_to_after_robber_times Not committed to: \
after_robber {after_robber}, times, target points, claims mode.
changed_after_the_commitment Changed after the commitment: {changes}.
nothing_changed nothing
list.semicolon {before}; {next}
line_says line {line} {name} {body}
line_takes_back line {line} takes back {name} {body}
line_puts line {line} puts {name} {body}
unknown_rules Rules that this verifier does not know: {names}. They were not checked.
seal_without_a_number Seal: without a number, as in games of earlier releases.
seal_of_the_evening Seal {number} of the evening of {evening}; line 1 of the game before it: {before}.
no_game_before none
line_gives_a_public_word_after Line {line} gives a public word after the first roll.
line_gives_a_public_word Line {line} gives a public word that is not text.
public_word Public word: {word}
public_word_of_many Public word: {word} (the last of {count} lines counts)
no_word none
files_own_compare_it_with_what {told}; the file's own. \
Compare it with what the hall heard, or give that: --word.
hall_heard_the_word_but The hall heard the word {heard}, but the file has {word}.
hall_heard {told}; the hall heard it.
seed_is_not_written_as_64 The seed is not written as 64 lower-case hexadecimal digits.
file_publishes_different_seeds The file publishes different seeds.
seed_gives_commitment_not The seed gives commitment {commitment}, not {commitment_2}.
seed_fits_the_commitment Seed: fits the commitment.
next_the_seed_gives_but_line Next the seed gives {due}, but line {line} shows {turn}.
rolls_computed_again_of_them_robber Rolls: {rolls} computed again, {robber_phases} of them robber phases, \
{again} entered again after an undo, {late} made after the seed was published.
covers_nothing No head was given: 0 of {lines} lines are covered by one.
covers_all The head covers {lines} of {lines} lines.
covers_the_game The head covers {line} of {lines} lines; those after it tell nothing of the game.
covers_part The head covers {line} of {lines} lines; those after it prove nothing. \
Only a head of a later moment shows whether they were forged.
not_yet_verifiable NOT YET VERIFIABLE: chain intact, rolls unproved. \
The seed is published when the game is closed. {covered}
refused REFUSED: {why}
passed PASSED
passed_but {passed}, {limit}
as_a_rehearsal AS A REHEARSAL
with_rolls_after_the_seed WITH {late} OF {rolls} ROLLS AFTER THE SEED
only_up_to_line ONLY UP TO LINE {line} OF {lines}
every_roll_follows every roll follows from the committed seed
every_roll_follows_but_foreseen every roll follows from the committed seed, \
but whoever had read it could foresee the last {late}
verdict {passed}: {proved}. {covered}
evening_has_seals Evening of {evening}: seals {numbers}.
in_the_evening Evening of {evening}: {wrong}
seals_are_missing MISSING: seals {numbers}. Ask for the exports of these games.
seal_of_two_games WRONG: seal {number} is that of two games, {game_id} and {other}.
seal_does_not_follow WRONG: seal {number} does not follow from seal {before}: another game came before it.
word_of_two_seals WRONG: seals {number} and {other} have the same word, {word}.
""".replace("\\\n", "")
    .strip()
    .splitlines()
)


class Said:
    """A sentence by its key, with what its text names in braces. The controller has it in six languages."""

    def __init__(self, key: str, /, **named: Any) -> None:
        self.key, self.named = key, named

    def __str__(self) -> str:
        """In English, cut where it quotes too much of the file, which may be anything."""
        return TEXTS[self.key].format(**self.named)[:LONGEST_SENTENCE]


class RefusedError(Exception):
    """What is wrong with a file; its one argument is what was Said."""


def require(condition: object, key: str, /, **named: Any) -> None:
    if not condition:
        raise RefusedError(Said(key, **named))


def framed(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part


class Dice:
    """The derivation of one game's rolls; `version` 1 or 2."""

    def __init__(self, version: int, seed: bytes, opening: dict[str, Any], word: str) -> None:
        self.version, self.seed = version, seed
        self.game_id, self.terms, self.seats = opening["game_id"], opening["terms"], read_seats(opening)
        names = (f"pi-controller dice {version}", self.game_id, composed(word) if version == 1 else word)
        self.prefix = b"".join(framed(name.encode()) for name in names)

    def commitment(self) -> str:
        name = f"pi-controller commitment {self.version}".encode()
        parts = (name, self.seed, self.game_id.encode(), encode(self.terms).encode())
        return hashlib.sha256(b"".join(map(framed, parts))).hexdigest()

    def stream(self, kind: bytes, round_no: int, draw: int) -> Iterator[int]:
        for block in count():
            numbers = b"".join(number.to_bytes(4, "big") for number in (round_no, draw, block))
            yield from hmac.new(self.seed, self.prefix + framed(kind) + numbers, hashlib.sha256).digest()

    def pairs(self, kind: bytes, round_no: int, draw: int) -> Iterator[tuple[int, int]]:
        faces = (byte % 6 + 1 for byte in self.stream(kind, round_no, draw) if byte < 252)
        return zip(faces, faces, strict=False)

    def first_seat(self) -> int:
        first, highest = self.terms["first_side"], list(range(len(self.seats)))
        faces = self.pairs(b"first_side", 0, 0)
        while first == "highest" and len(highest) > 1:
            sums = {seat: sum(next(faces)) for seat in highest}
            highest = [seat for seat in sums if sums[seat] == max(sums.values())]
        if first != "drawn":
            return highest[0] if first == "highest" else self.seats.index(first)
        usable = 256 - 256 % len(self.seats)
        return next(byte for byte in self.stream(b"first_side", 0, 0) if byte < usable) % len(self.seats)

    def roll(self, round_no: int, draw: int) -> tuple[tuple[int, int], int]:
        no_seven = round_no <= self.terms["rounds_without_seven"]
        no_seven = no_seven or (draw > 0 and not self.terms["allow_consecutive_sevens"])
        rolls = ((next(self.pairs(b"round", round_no, index)), index) for index in count(draw))
        return next((dice, index) for dice, index in rolls if not (no_seven and sum(dice) == 7))

    def target(self, round_no: int, draw: int) -> tuple[int | str, tuple[int, int] | None]:
        targets = self.terms["robber_targets"]
        if self.terms["robber_target_draw"] == "uniform":
            limit = 256 - 256 % len(targets)
            byte = next(byte for byte in self.stream(b"robber", round_no, draw) if byte < limit)
            return targets[byte % len(targets)], None
        named = (("desert" if sum(d) == 7 else sum(d), d) for d in self.pairs(b"robber", round_no, draw))
        return next((target, dice) for target, dice in named if target in targets)


def turn(*shown: Any) -> str:
    return encode(dict(zip(TURN, shown, strict=True)))


def legal_turns(dice: Dice, after_robber: str) -> Iterator[str]:
    """What the hall must see, turn after turn, without end."""
    seat, phase = dice.first_seat() - 1, "turn" if after_robber == "no_phase" else "round"
    for due in count(1):
        pair, draw = dice.roll(due, 0)
        while sum(pair) == 7 and phase == "round":
            target = dice.target(due, draw)
            yield turn("robber", due - 1, due, None, pair, draw, *target)
            seat += after_robber == "other_side"
            pair, draw = dice.roll(due, draw + 1)
        yield turn(phase, due, due, dice.seats[(seat + due) % len(dice.seats)], pair, draw, None, None)


def depth(value: Any) -> int:
    level, layer = 0, [value]
    while layer := [each for each in layer if isinstance(each, (dict, list))]:
        level += 1
        layer = [inner for each in layer for inner in (each.values() if isinstance(each, dict) else each)]
    return level


def read_line(number: int, raw: bytes, before: str) -> dict[str, Any]:
    """The line's object, its place in the chain proved."""
    require(raw.endswith(b"\n"), "line_has_no_line_end", line=number)
    try:
        record = json.loads(raw[:-1].decode())
        require(depth(record) <= DEEPEST, "line_is_nested_too_deeply", line=number)
        written = encode(record).encode()
    except ValueError as error:
        raise RefusedError(Said("line_is_not_json_in_utf", line=number)) from error
    except RecursionError as error:
        raise RefusedError(Said("line_is_nested_too_deeply", line=number)) from error
    require(isinstance(record, dict) and written == raw[:-1], "line_is_not_an_object", line=number)
    seq, carried = record.get("seq"), record.pop("hash", None)
    require(
        encode(seq) == str(number - 1), "line_carries_seq_not", line=number, seq=repr(seq), value=number - 1
    )
    require(record.get("prev") == before, "line_does_not_follow", line=number)
    digest = hashlib.sha256(encode(record).encode()).hexdigest()
    require(carried == digest, "line_was_changed_its_hash", line=number, digest=digest)
    named = isinstance(record.get("kind"), str) and isinstance(record.get("data"), dict)
    require(named, "line_has_no_kind_a_text", line=number)
    return {**record, "hash": digest, "number": number}


def is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def is_hash(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def is_whole(value: Any, least: int = 0) -> bool:
    return type(value) is int and least <= value <= LARGEST


def are_targets(value: Any) -> bool:
    known = type(value) is list and all(type(each) in (int, str) and each in TARGETS for each in value)
    return known and 0 < len(value) == len(set(value))


def is_schedule(value: Any) -> bool:
    steps = type(value) is list and all(
        type(step) is list and len(step) == 2 and is_whole(step[0], 1) and is_whole(step[1]) for step in value
    )
    return steps and (not value or value[0][0] == 1) and all(one[0] < two[0] for one, two in pairwise(value))


A_TEXT = (is_text, "a text of at least one character that UTF-8 can write")
WHOLE = (is_whole, f"a whole number from 0 to {LARGEST}")
TERMS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "rule_set": A_TEXT,
    "rule_set_version": (lambda value: is_whole(value, 1), f"a whole number from 1 to {LARGEST}"),
    "rounds_without_seven": WHOLE,
    "allow_consecutive_sevens": (lambda value: type(value) is bool, "true or false"),
    "robber_targets": (are_targets, "a list of different ones of 2 to 6, desert and 8 to 12, at least one"),
    "robber_target_draw": (lambda value: value in ("dice", "uniform"), "one of dice, uniform"),
    "first_side": A_TEXT,
}
A_SCHEDULE = "pairs of round and ms that begin with round 1 and ascend"
TERMS_2: dict[str, tuple[Callable[[Any], bool], str]] = {
    **TERMS,
    "after_robber": (lambda value: value in AFTER_SEVEN, f"one of {', '.join(AFTER_SEVEN)}"),
    "schedule": (is_schedule, A_SCHEDULE),
    "claims": (lambda value: value in ("ask", "pause"), "one of ask, pause"),
    **dict.fromkeys(("robber_ms", "start_countdown_ms", "resume_countdown_ms", "target_points"), WHOLE),
}


def read_opening(first: dict[str, Any]) -> tuple[int, str]:
    """Version of the dice, and the side after a robber phase, of a line 1 that can be read."""
    data, terms = first["data"], first["data"].get("terms")
    require(first["kind"] == "game", "line_1_is_of_kind_not", kind=repr(first["kind"]))
    form, named = encode(data.get("format")), data.get("derivation")
    require(form in ("1", "2"), "export_has_format_this_verifier_reads", format=repr(data.get("format")))
    known = form == "1" or encode(named) == "2"
    require(known, "line_1_names_derivation_in_format", derivation=repr(named))
    require(isinstance(terms, dict), "line_1_has_no_dice_terms")
    checks = TERMS if form == "1" else TERMS_2
    exactly = f"dice terms must have exactly the fields {', '.join(sorted(checks))}"
    require(set(terms) == set(checks), "dice_terms_are_wrong", why=exactly)
    for name, (fine, wanted) in checks.items():
        why = f"{name} must be {wanted}, not {terms[name]!r}"
        require(fine(terms[name]), "dice_terms_are_wrong", why=why)
    side = data.get("after_robber") if form == "1" else terms["after_robber"]
    timed = form == "1" or terms["schedule"] or side == "no_phase"
    require(timed, "dice_terms_are_wrong", why=f"schedule must be {A_SCHEDULE}, not []")
    same = all(encode(data.get(name)) == encode(terms[name]) for name in ("rule_set", "rule_set_version"))
    require(same, "line_1_names_another_rule_set")
    known = form == "2" or side in AFTER_SEVEN[:2]
    require(known, "after_robber_is_neither_due_side", after_robber=repr(side))
    require(is_hash(data.get("commitment")), "commitment_is_not_written_as_64")
    seats = read_seats(data)
    require(len(seats) <= 256, "line_1_names_too_many_seats", seats=len(seats), most=256)
    firsts = (*seats, "drawn", "highest")
    require(terms["first_side"] in firsts, "dice_terms_are_wrong_first_side", seats=", ".join(firsts))
    why = f"game_id must be {A_TEXT[1]}, not {data.get('game_id', '')!r}"
    require(is_text(data.get("game_id")), "these_dice_cannot_be", why=why)
    require("seal" not in data or is_place(data["seal"]), "seal_has_no_place")
    return int(form), side


def is_place(seal: Any) -> bool:
    named = is_whole(part(seal, "number"), 1) and is_text(part(seal, "of_evening"))
    return named and (part(seal, "before") is None or is_hash(part(seal, "before")))


def field_paths(value: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The names of all fields, each behind those that it stands in."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield (*before, name)
            yield from field_paths(each, (*before, name))
    for each in value if isinstance(value, (list, tuple)) else ():
        yield from field_paths(each, before)


def part(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def read_seats(data: dict[str, Any]) -> tuple[str, ...]:
    """Who acts, in their order: Connect's sides, or of another rule set those that line 1 names."""
    sides = part(data.get("rules"), "sides") if data["rule_set"] != "connect" else None
    named = [side[0] for side in sides if isinstance(side, list) and side] if isinstance(sides, list) else []
    return tuple(dict.fromkeys(seat for seat in named if is_text(seat))) or ("sun", "moon")


def normalised(text: str) -> str:
    """A word as the controller writes it down from version 2 on."""
    before = None
    while text != before:
        before = text
        text = unicodedata.normalize("NFKC", text.translate(ONE_SIGN)).casefold()
        text = " ".join(unicodedata.normalize("NFKC", text).split())
    return text


def shown(word: str | None) -> "str | Said":
    """The word for people, with its code points where two letters may look alike."""
    if not word or word.isascii():
        return repr(word) if word else Said("no_word")
    return f"{word!r} ({' '.join(f'U+{ord(sign):04X}' for sign in word)})"


def changes(record: dict[str, Any]) -> Iterator[Said]:
    """What this line changes of the parameters that were committed to."""
    for name, key in CHANGES.get(record["kind"], {}).items():
        command = part(part(record["data"], name), "command")
        if part(command, "name") in PARAMETERS:
            body = encode(command.get("body"))
            yield Said(key, line=record["number"], name=command["name"], body=body)


def is_of_the_game(record: dict[str, Any]) -> bool:
    """Whether it tells anything of how the game went, and not only what the screens showed besides."""
    command = part(part(record["data"], "action"), "command") if record["kind"] == "did" else None
    return record["kind"] not in BESIDE and part(command, "name") not in STAGE


class Verification:
    """One check of one export: its `said` are sentences, of which the last is the verdict.

    `proved`: chain intact, and every roll follows from the published seed. `partly`: so it is, but lines of
    the game come after the head that was given. `unproved`: chain intact, but the seed is not published yet.
    `refused`: something is wrong, and the last sentence says what. `chain` are the lines whose place is
    proved; `late` counts the rolls after the seed, `uncovered` the lines after the head that was given.
    """

    def __init__(self) -> None:
        self.verdict = "unproved"
        self.said: list[Said] = []
        self.chain: list[dict[str, Any]] = []
        self.commitment: str | None = None
        self.word: str | None = None
        self.rolls = self.robber_phases = self.again = self.late = 0
        self.uncovered: int | None = None
        self.partly = False

    @property
    def ok(self) -> bool:
        return self.verdict == "proved"

    @property
    def begun(self) -> bool:
        """Whether it has rolls, proved or not."""
        return any(record["kind"] == "turned" for record in self.chain)

    def check(
        self,
        lines: Iterable[bytes],
        *,
        commitment: str | None = None,
        head: str | None = None,
        word: str | None = None,
    ) -> None:
        """These lines with their line ends, against what the hall saw and heard. No content raises."""
        try:
            self.read(lines)
            version, after_robber = read_opening(self.chain[0])
            for record in self.chain[1:]:
                require(record["kind"] != "game", "line_begins_another_game", line=record["number"])
            self.compare_seen(version, commitment, head)
            self.tell_terms(version, after_robber)
            self.read_word(version, word)
            self.roll_again(version, after_robber)
        except RefusedError as refusal:
            self.verdict = "refused"
            self.tell("refused", why=refusal.args[0])

    def tell(self, key: str, /, **named: Any) -> None:
        self.said.append(Said(key, **named))

    def read(self, lines: Iterable[bytes]) -> None:
        for number, raw in enumerate(lines, 1):
            self.chain.append(read_line(number, raw, self.chain[-1]["hash"] if self.chain else "0" * 64))
        require(self.chain, "file_is_empty")
        self.tell("chain_lines_unbroken_head", lines=len(self.chain), head=self.chain[-1]["hash"])

    def compare_seen(self, version: int, commitment: str | None, head: str | None) -> None:
        """The commitment and the head."""
        data = self.chain[0]["data"]
        names = {"game_id": repr(data["game_id"]), "rule_set": repr(data["rule_set"])}
        rules = data["rule_set_version"]
        self.tell("game_version_dice_of_derivation", **names, rule_set_version=rules, version=version)
        carried = self.commitment = data["commitment"]
        if commitment is None:
            self.tell("commitment_of_the_file", commitment=carried)
        else:
            fits = carried.startswith(commitment)
            require(fits, "hall_saw_commitment_but_the_file", seen=commitment, carried=carried)
            self.tell("commitment_the_hall_saw_digits", commitment=carried, digits=len(commitment))
        if head is None:
            self.tell("no_head_given", count=len(self.chain))
            return
        line = next((each["number"] for each in self.chain if each["hash"].startswith(head)), 0)
        require(line, "hall_saw_head_but_no_line", seen=head)
        self.uncovered = len(self.chain) - line
        self.partly = any(map(is_of_the_game, self.chain[line:]))
        key = "digits_are_strong" if len(head) >= STRONG_DIGITS else "digits_are_weak"
        strength = Said(key, count=len(head), bits=4 * len(head))
        self.tell("head_is_of_line", head=head, line=line, count=self.uncovered, strength=strength)

    def tell_terms(self, version: int, after_robber: str) -> None:
        """What was committed to, and what was not; rules that are not known; the seal's place."""
        data = self.chain[0]["data"]
        self.tell("committed_to", terms=encode(data["terms"]))
        if version == 1:
            self.tell("not_committed_to_after_robber_times", after_robber=repr(after_robber))
        else:
            told, *others = [each for record in self.chain[1:] for each in changes(record)] or [
                Said("nothing_changed")
            ]
            for change in others[:MOST_CHANGES]:
                told = Said("list.semicolon", before=told, next=change)
            self.tell("changed_after_the_commitment", changes=told)
        unknown = [".".join(path) for path in field_paths(data.get("rules")) if path not in KNOWN_RULES]
        if unknown:
            self.tell("unknown_rules", names=encode(list(dict.fromkeys(unknown))))
        if "seal" in data:
            evening, before = data["seal"]["of_evening"], data["seal"].get("before") or Said("no_game_before")
            number = data["seal"]["number"]
            self.tell("seal_of_the_evening", number=number, evening=repr(evening), before=before)
        else:
            self.tell("seal_without_a_number")

    def read_word(self, version: int, heard: str | None) -> None:
        """The last word given counts; `null` takes one back."""
        given = rolled = 0
        for record in self.chain:
            rolled += record["kind"] == "turned"
            if record["kind"] == "contributed":
                require(not rolled, "line_gives_a_public_word_after", line=record["number"])
                word = record["data"].get("text", "")
                require(word is None or is_text(word), "line_gives_a_public_word", line=record["number"])
                self.word = word
                given += 1
        told = Said("public_word", word=shown(self.word))
        if given > 1:
            told = Said("public_word_of_many", word=shown(self.word), count=given)
        if heard is None:
            self.tell("files_own_compare_it_with_what", told=told)
            return
        own = self.word or ""
        same = composed(heard) == composed(own) if version == 1 else normalised(heard) == own
        require(same, "hall_heard_the_word_but", heard=shown(heard), word=shown(own))
        self.tell("hall_heard", told=told)

    def roll_again(self, version: int, after_robber: str) -> None:
        """Every roll from the published seed, and the verdict."""
        data = self.chain[0]["data"]
        seeds = [record["data"].get("seed") for record in self.chain if record["kind"] == "seed"]
        if not seeds:
            self.tell("not_yet_verifiable", covered=self.covered())
            return
        require(is_hash(seeds[0]), "seed_is_not_written_as_64")
        require(seeds.count(seeds[0]) == len(seeds), "file_publishes_different_seeds")
        dice = Dice(version, bytes.fromhex(seeds[0]), data, self.word or "")
        given, carried = dice.commitment(), data["commitment"]
        require(given == carried, "seed_gives_commitment_not", commitment=given, commitment_2=carried)
        self.tell("seed_fits_the_commitment")
        self.compare_turns(legal_turns(dice, after_robber))
        counted = {"rolls": self.rolls, "robber_phases": self.robber_phases, "again": self.again}
        self.tell("rolls_computed_again_of_them_robber", **counted, late=self.late)
        passed = Said("passed")
        for limit in self.limits():
            passed = Said("passed_but", passed=passed, limit=limit)
        proved = Said(
            "every_roll_follows_but_foreseen" if self.late else "every_roll_follows", late=self.late
        )
        self.tell("verdict", passed=passed, proved=proved, covered=self.covered())
        self.verdict = "partly" if self.partly else "proved"

    def compare_turns(self, legal: Iterator[str]) -> None:
        """Each turn must be the next one, or one that was shown before: an undo may enter it again."""
        seen: set[str] = set()
        published = 0
        due = next(legal)
        for record in self.chain:
            published += record["kind"] == "seed"
            if record["kind"] != "turned":
                continue
            turn = encode({name: record["data"][name] for name in TURN if name in record["data"]})
            legal_now = turn == due or turn in seen
            require(legal_now, "next_the_seed_gives_but_line", due=due, line=record["number"], turn=turn)
            self.rolls += 1
            self.robber_phases += record["data"]["phase"] == "robber"
            self.again += turn != due
            self.late += bool(published)
            seen.add(turn)
            due = next(legal) if turn == due else due

    def limits(self) -> Iterator[Said]:
        """Why it is no plain pass."""
        if self.chain[0]["data"].get("rehearsal") is True:
            yield Said("as_a_rehearsal")
        if self.late:
            yield Said("with_rolls_after_the_seed", late=self.late, rolls=self.rolls)
        if self.partly:
            yield Said("only_up_to_line", line=self.reach(), lines=len(self.chain))

    def covered(self) -> Said:
        """How many lines the head covers."""
        if self.uncovered is None:
            return Said("covers_nothing", lines=len(self.chain))
        if self.uncovered == 0:
            return Said("covers_all", lines=len(self.chain))
        return Said(
            "covers_part" if self.partly else "covers_the_game", line=self.reach(), lines=len(self.chain)
        )

    def reach(self) -> int:
        """The line whose head was given."""
        return len(self.chain) - (self.uncovered or 0)


Place = tuple[int, str, str, "str | None", str]
"""Number of the seal, id of its game, hash of line 1, that of the game before, public word."""


def check_evening(reports: Iterable[Verification]) -> tuple[bool, list[Said]]:
    """Whether the seals of these games follow from each other without a gap, evening by evening, and what was
    found. Games that are refused, and those whose seal has no number, are left out."""
    evenings: dict[str, dict[str, Place]] = {}
    for report in reports:
        if report.verdict != "refused" and "seal" in report.chain[0]["data"]:
            data, own = report.chain[0]["data"], report.chain[0]["hash"]
            number, evening, before = (data["seal"].get(name) for name in ("number", "of_evening", "before"))
            place = (number, data["game_id"], own, before, report.word or "")
            evenings.setdefault(evening, {})[own] = place
    said = []
    for evening, found in sorted(evenings.items()):
        places = sorted(found.values(), key=lambda place: place[:3])
        numbers = ", ".join(str(place[0]) for place in places)
        said.append(Said("evening_has_seals", evening=repr(evening), numbers=numbers))
        wrong = not_in_order(places)
        said += [Said("in_the_evening", evening=repr(evening), wrong=each) for each in wrong]
    return len(said) == len(evenings), said


def not_in_order(places: list[Place]) -> Iterator[Said]:
    """What is wrong with these seals of one evening, which are sorted by their numbers."""
    words: dict[str, int] = {}
    for (reached, earlier, of_it, *_), (number, game_id, _, before, word) in pairwise(
        [(0, "", "", None, ""), *places]
    ):
        if number > reached + 1:
            gap = str(number - 1) if number == reached + 2 else f"{reached + 1}-{number - 1}"
            yield Said("seals_are_missing", numbers=gap)
        elif number == reached:
            names = {"game_id": repr(earlier), "other": repr(game_id)}
            yield Said("seal_of_two_games", number=number, **names)
        elif reached and before != of_it:
            yield Said("seal_does_not_follow", number=number, before=reached)
        if word in words:
            yield Said("word_of_two_seals", number=words[word], other=number, word=shown(word))
        words = words if word in ("", *words) else {**words, word: number}


def main() -> int:
    parser = argparse.ArgumentParser(description="Compute dice and hash chain of an exported game again.")
    parser.add_argument("file", type=Path, nargs="+", help="several: also whether their seals have gaps")
    parser.add_argument("--commitment", type=str.lower, help="what the hall saw before, 16 digits or more")
    parser.add_argument("--head", type=str.lower, help="a journal head that the hall saw, 8 digits or more")
    parser.add_argument("--word", help="the public word that the hall heard; empty when none was spoken")
    given = parser.parse_args()
    for name, text, size in (("--commitment", given.commitment, "16,64"), ("--head", given.head, "8,64")):
        if text is not None and not re.fullmatch(f"[0-9a-f]{{{size}}}", text):
            parser.error(f"{name} takes {size.replace(',', ' to ')} hexadecimal digits, not {text!r}")
    seen = {"commitment": given.commitment, "head": given.head, "word": given.word}
    if len(given.file) > 1 and any(one is not None for one in seen.values()):
        parser.error("--commitment, --head and --word are those of one game: check it alone")
    reports = []
    for file in given.file:
        report = Verification()
        try:
            with file.open("rb") as lines:
                report.check(lines, **seen)
        except OSError as error:
            parser.error(f"cannot read {file}: {error.strerror}")
        print(*([f"{file}:"] if len(given.file) > 1 else []), *report.said, sep="\n")
        reports.append(report)
    if len(reports) == 1:
        return 0 if reports[0].ok else 1
    in_order, said = check_evening(reports)
    print(*said, sep="\n")
    checked = [
        one for one in reports if one.begun or one.verdict == "refused"
    ]  # others have nothing to prove
    return 0 if in_order and all(one.ok for one in checked) else 1


if __name__ == "__main__":
    sys.exit(main())
