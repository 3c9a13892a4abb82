#!/usr/bin/env python3
"""Checks an exported game without the controller:

    python3 verify_game.py FILE [--commitment HEX] [--head HEX] [--word TEXT]
    python3 verify_game.py FILE FILE …

One file, standard library only, Python 3.10 or newer. It computes the hash chain, the commitment and every
roll again, as docs/dice.md describes them, and of several games whether their seals follow from each other.
Exit: 0 passed, 1 refused, not verifiable yet or not covered by the head that was given, 2 bad usage.
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
PARAMETERS = ("set_schedule", "set_claims")
CHANGES = {"did": {"action": ""}, "corrected": {"removed": "takes back ", "put": "puts "}}
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
ONE_SIGN = {0x2018: "'", 0x2019: "'", 0x2BC: "'", 0x2010: "-", 0x2013: "-", 0x2212: "-", 0x130: "i"}
composed = partial(unicodedata.normalize, "NFC")
encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


class RefusedError(Exception):
    """The verdict on a file that does not pass."""


def require(condition: object, sentence: str) -> None:
    if not condition:
        raise RefusedError(f"REFUSED: {sentence}")


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
    name = f"Line {number}"
    require(raw.endswith(b"\n"), f"{name} has no line end: the file is cut off there.")
    try:
        record = json.loads(raw[:-1].decode())
        require(depth(record) <= DEEPEST, f"{name} is nested too deeply.")
        written = encode(record).encode()
    except ValueError as error:
        raise RefusedError(f"REFUSED: {name} is not JSON in UTF-8.") from error
    except RecursionError as error:
        raise RefusedError(f"REFUSED: {name} is nested too deeply.") from error
    require(isinstance(record, dict) and written == raw[:-1], f"{name} is not an object in canonical JSON.")
    seq, carried = record.get("seq"), record.pop("hash", None)
    require(encode(seq) == str(number - 1), f"{name} carries seq {seq!r}, not {number - 1}.")
    require(record.get("prev") == before, f"{name} does not follow from the line before it: `prev` differs.")
    digest = hashlib.sha256(encode(record).encode()).hexdigest()
    require(carried == digest, f"{name} was changed: its hash is {digest}, not the one that it carries.")
    named = isinstance(record.get("kind"), str) and isinstance(record.get("data"), dict)
    require(named, f"{name} has no `kind` (a text) or no `data` (an object).")
    return {**record, "hash": digest, "number": number}


def is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def is_hash(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def is_whole(value: Any, least: int = 0) -> bool:
    return type(value) is int and least <= value < 2**32


def are_targets(value: Any) -> bool:
    known = type(value) is list and all(type(each) in (int, str) and each in TARGETS for each in value)
    return known and 0 < len(value) == len(set(value))


def is_schedule(value: Any) -> bool:
    steps = type(value) is list and all(
        type(step) is list and len(step) == 2 and is_whole(step[0], 1) and is_whole(step[1]) for step in value
    )
    return steps and (not value or value[0][0] == 1) and all(one[0] < two[0] for one, two in pairwise(value))


TERMS: dict[str, Callable[[Any], bool]] = {
    "rule_set": is_text,
    "rule_set_version": lambda value: is_whole(value, 1),
    "rounds_without_seven": is_whole,
    "allow_consecutive_sevens": lambda value: type(value) is bool,
    "robber_targets": are_targets,
    "robber_target_draw": lambda value: value in ("dice", "uniform"),
    "first_side": is_text,
}
TERMS_2: dict[str, Callable[[Any], bool]] = {
    **TERMS,
    "after_robber": lambda value: value in ("due_side", "other_side", "no_phase"),
    "schedule": is_schedule,
    "claims": lambda value: value in ("ask", "pause"),
    **dict.fromkeys(("robber_ms", "start_countdown_ms", "resume_countdown_ms", "target_points"), is_whole),
}


def check_opening(first: dict[str, Any]) -> tuple[int, str]:
    """Version of the dice, and the side after a robber phase."""
    data, terms = first["data"], first["data"].get("terms")
    require(first["kind"] == "game", f"Line 1 is of kind {first['kind']!r}, not 'game'.")
    form, named = encode(data.get("format")), data.get("derivation")
    require(form in ("1", "2"), f"The export has format {data.get('format')!r}; this verifier reads 1 and 2.")
    fits = form == "1" or encode(named) == "2"
    require(fits, f"Line 1 names derivation {named!r}; in format 2 this verifier knows 2.")
    require(isinstance(terms, dict), "Line 1 has no dice terms.")
    checks = TERMS if form == "1" else TERMS_2
    names = ", ".join(sorted(checks))
    require(set(terms) == set(checks), f"The dice terms are wrong: they must have exactly {names}.")
    wrong = ", ".join(name for name, fine in checks.items() if not fine(terms[name]))
    side = data.get("after_robber") if form == "1" else terms["after_robber"]
    timed = form == "1" or terms["schedule"] or side == "no_phase"
    require(timed and not wrong, f"The dice terms are wrong: {wrong or 'schedule'}.")
    same = all(encode(data.get(name)) == encode(terms[name]) for name in ("rule_set", "rule_set_version"))
    require(same, "Line 1 names another rule set than its dice terms.")
    known = side in ("due_side", "other_side") or form == "2"
    require(known, f"after_robber is {side!r}, neither 'due_side' nor 'other_side'.")
    seats = read_seats(data)
    require(len(seats) <= 256, f"Line 1 names {len(seats)} seats; one byte draws from at most 256.")
    require(terms["first_side"] in (*seats, "drawn", "highest"), "The dice terms are wrong: first_side.")
    written = is_hash(data.get("commitment"))
    require(written, "The commitment is not written as 64 lower-case hexadecimal digits.")
    require(is_text(data.get("game_id")), "These dice cannot be: game_id is no text.")
    placed = "seal" not in data or is_place(data["seal"])
    wanted = "a number, the game that its evening began with, and the hash of line 1 of the game before it"
    require(placed, f"The seal of line 1 must name its place: {wanted}.")
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
    for each in value if isinstance(value, list) else ():
        yield from field_paths(each, before)


def part(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def read_seats(data: dict[str, Any]) -> tuple[str, ...]:
    """Who acts, in their order: Connect's sides, or of another rule set those that line 1 names."""
    sides = part(data.get("rules"), "sides") if data["rule_set"] != "connect" else None
    named = [side[0] for side in sides if isinstance(side, list) and side] if isinstance(sides, list) else []
    return tuple(dict.fromkeys(seat for seat in named if is_text(seat))) or ("sun", "moon")


def changes(record: dict[str, Any]) -> Iterator[str]:
    """What this line changes of the parameters that were committed to."""
    for name, deed in CHANGES.get(record["kind"], {}).items():
        command = part(part(record["data"], name), "command")
        if part(command, "name") in PARAMETERS:
            yield f"line {record['number']} {deed}{command['name']} {encode(command.get('body'))}"


def read_word(chain: list[dict[str, Any]]) -> tuple[str, int]:
    """The last word given, empty when there is none (`null` takes one back), and how many lines give one."""
    word: Any = None
    given, rolled = 0, False
    for record in chain:
        rolled = rolled or record["kind"] == "turned"
        if record["kind"] == "contributed":
            name = f"Line {record['number']} gives a public word"
            require(not rolled, f"{name} after the first roll.")
            word = record["data"].get("text", "")
            require(word is None or is_text(word), f"{name} that is no text.")
            given += 1
    return word or "", given


def normalised(text: str) -> str:
    """A word as the controller writes it down from version 2 on."""
    before = None
    while text != before:
        before = text
        text = unicodedata.normalize("NFKC", text.translate(ONE_SIGN)).casefold()
        text = " ".join(unicodedata.normalize("NFKC", text).split())
    return text


def shown(word: str) -> str:
    if word.isascii():
        return repr(word) if word else "none"
    return f"{word!r} ({' '.join(f'U+{ord(sign):04X}' for sign in word)})"


def read_seed(chain: list[dict[str, Any]]) -> bytes | None:
    seeds = [record["data"].get("seed") for record in chain if record["kind"] == "seed"]
    if not seeds:
        return None
    require(is_hash(seeds[0]), "The seed is not written as 64 lower-case hexadecimal digits.")
    require(seeds.count(seeds[0]) == len(seeds), "The file publishes different seeds.")
    return bytes.fromhex(seeds[0])


def check_turns(chain: list[dict[str, Any]], legal: Iterator[str]) -> tuple[int, int, int, int]:
    """Every turn is the next one or one shown before. Counts rolls, robber phases, again, after the seed."""
    seen: set[str] = set()
    rolls = robbers = again = late = published = 0
    due = next(legal)
    for record in chain:
        published += record["kind"] == "seed"
        if record["kind"] != "turned":
            continue
        shows = encode({name: record["data"][name] for name in TURN if name in record["data"]})
        fits = shows == due or shows in seen
        require(fits, f"Next the seed gives {due}, but line {record['number']} shows {shows}.")
        rolls, robbers = rolls + 1, robbers + (record["data"]["phase"] == "robber")
        again, late = again + (shows != due), late + bool(published)
        seen.add(shows)
        due = next(legal) if shows == due else due
    return rolls, robbers, again, late


def told_commitment(carried: str, seen: str | None) -> str:
    fits = seen is None or carried.startswith(seen)
    require(fits, f"The hall saw commitment {seen}, but the file carries {carried}.")
    own = "the file's own. Compare it with what the hall saw, or give that: --commitment."
    return f"Commitment {carried}: " + (f"the hall saw {len(seen)} digits of it." if seen else own)


def told_head(chain: list[dict[str, Any]], seen: str | None) -> str:
    if seen is None:
        own = f"none given, so none of the {len(chain)} lines is compared with what the hall saw."
        return f"Head: {own} Changes outside the rolls, and lines cut away, only show with --head."
    at = next((record["number"] for record in chain if record["hash"].startswith(seen)), 0)
    require(at, f"The hall saw head {seen}, but no line of the file has it.")
    after = f"that of line {at}; the {len(chain) - at} lines after it are not covered."
    strength = f"{len(seen)} digits are {'strong' if len(seen) >= 16 else 'weak'}"
    return f"Head {seen}: {after} {strength}: another file meets them in some 2^{4 * len(seen)} tries."


def told_terms(chain: list[dict[str, Any]], version: int, after_robber: str) -> str:
    if version == 1:
        return f"Not committed to: after_robber {after_robber!r}, times, target points, claims mode."
    changed = "; ".join(change for record in chain[1:] for change in changes(record))
    return f"Changed after the commitment: {changed or 'nothing'}."


def told_word(word: str, given: int, *, heard: str | None, version: int) -> str:
    told = f"Public word: {shown(word)}" + (f" (the last of {given} lines counts)" if given > 1 else "")
    if heard is None:
        return f"{told}; the file's own. Compare it with what the hall heard, or give that: --word."
    same = composed(heard) == composed(word) if version == 1 else normalised(heard) == word
    require(same, f"The hall heard the word {shown(heard)}, but the file has {shown(word)}.")
    return f"{told}; the hall heard it."


def told_place(data: dict[str, Any]) -> str:
    if "seal" not in data:
        return "Seal: without a number, as in games of earlier releases."
    number, evening, before = (data["seal"].get(name) for name in ("number", "of_evening", "before"))
    return f"Seal {number} of the evening of {evening!r}; line 1 of the game before it: {before or 'none'}."


def is_of_the_game(record: dict[str, Any]) -> bool:
    """Whether it tells anything of how the game went, and not only what the screens showed besides."""
    command = part(part(record["data"], "action"), "command") if record["kind"] == "did" else None
    return record["kind"] not in BESIDE and part(command, "name") not in STAGE


def told_covered(chain: list[dict[str, Any]], head: str | None) -> tuple[str, str]:
    """How many lines the head covers, and why it is no plain pass, empty when it is one."""
    lines = len(chain)
    line = next((each["number"] for each in chain if head and each["hash"].startswith(head)), 0)
    if head is None:
        return f"No head was given: 0 of {lines} lines are covered by one.", ""
    covered = f"The head covers {line} of {lines} lines"
    if not any(map(is_of_the_game, chain[line:])):
        return covered + ("; those after it tell nothing of the game." if line < lines else "."), ""
    later = "those after it prove nothing. Only a head of a later moment shows whether they were forged."
    return f"{covered}; {later}", f", ONLY UP TO LINE {line} OF {lines}"


def told_rolls(chain: list[dict[str, Any]], dice: Dice, after_robber: str, head: str | None) -> Iterator[str]:
    given, data = dice.commitment(), chain[0]["data"]
    require(given == data["commitment"], f"The seed gives commitment {given}, not {data['commitment']}.")
    yield "Seed: fits the commitment."
    rolls, robbers, again, late = check_turns(chain, legal_turns(dice, after_robber))
    again_and_late = f"{again} entered again after an undo, {late} made after the seed was published"
    yield f"Rolls: {rolls} computed again, {robbers} of them robber phases, {again_and_late}."
    covered, only = told_covered(chain, head)
    passed = "PASSED, AS A REHEARSAL" if data.get("rehearsal") is True else "PASSED"
    passed += f", WITH {late} OF {rolls} ROLLS AFTER THE SEED" if late else ""
    foreseen = f", but whoever had read it could foresee the last {late}" if late else ""
    verdict = f"{passed}{only}: every roll follows from the committed seed{foreseen}. {covered}"
    if only:
        raise RefusedError(verdict)
    yield verdict


def check(
    lines: Iterable[bytes],
    chain: list[dict[str, Any]],
    *,
    commitment: str | None,
    head: str | None,
    word: str | None,
) -> Iterator[str]:
    """What is found, sentence by sentence, with the verdict at the end; RefusedError is one, too. `chain`
    takes the lines."""
    for number, raw in enumerate(lines, 1):
        chain.append(read_line(number, raw, chain[-1]["hash"] if chain else "0" * 64))
    require(chain, "The file is empty.")
    yield f"Chain: {len(chain)} lines, unbroken, head {chain[-1]['hash']}."
    version, after_robber = check_opening(chain[0])
    for record in chain[1:]:
        require(record["kind"] != "game", f"Line {record['number']} begins another game in the same file.")
    data = chain[0]["data"]
    rules = f"{data['rule_set']!r} version {data['rule_set_version']}"
    yield f"Game {data['game_id']!r}: {rules}, dice of derivation {version}."
    yield told_commitment(data["commitment"], commitment)
    yield told_head(chain, head)
    yield f"Committed to: {encode(data['terms'])}."
    yield told_terms(chain, version, after_robber)
    unknown = [".".join(path) for path in field_paths(data.get("rules")) if path not in KNOWN_RULES]
    if unknown:
        names = encode(list(dict.fromkeys(unknown)))
        yield f"Rules that this verifier does not know: {names}. They were not checked."
    yield told_place(data)
    spoken, given = read_word(chain)
    yield told_word(spoken, given, heard=word, version=version)
    seed = read_seed(chain)
    if seed is None:
        later = f"The seed is published when the game is closed. {told_covered(chain, head)[0]}"
        raise RefusedError(f"NOT YET VERIFIABLE: chain intact, rolls unproved. {later}")
    yield from told_rolls(chain, Dice(version, seed, data, spoken), after_robber, head)


def verify(
    lines: Iterable[bytes],
    *,
    commitment: str | None = None,
    head: str | None = None,
    word: str | None = None,
    chain: list[dict[str, Any]] | None = None,
) -> tuple[bool, list[str]]:
    """Whether the export passes, and what was found, the verdict last. No content raises."""
    said: list[str] = []
    chain = [] if chain is None else chain
    try:
        for sentence in check(lines, chain, commitment=commitment, head=head, word=word):
            said.append(sentence[:1000])  # noqa: PERF401 - a refusal keeps what was said before it
    except RefusedError as refusal:
        return False, [*said, str(refusal)[:1000]]
    return True, said


def verify_evening(chains: Iterable[list[dict[str, Any]]]) -> tuple[bool, list[str]]:
    """Whether the seals of these games follow from each other without a gap, and what was found."""
    evenings: dict[str, dict[str, tuple[int, str, str, Any, str]]] = {}
    for chain in chains:
        data, own = chain[0]["data"], chain[0]["hash"]
        if "seal" in data:
            number, evening, before = (data["seal"][name] for name in ("number", "of_evening", "before"))
            place = (number, data["game_id"], own, before, read_word(chain)[0])
            evenings.setdefault(evening, {})[own] = place
    said, whole = [], True
    for evening, found in sorted(evenings.items()):
        places = sorted(found.values(), key=lambda place: place[:3])
        said.append(f"Evening of {evening!r}: seals {', '.join(str(place[0]) for place in places)}.")
        wrong = [f"Evening of {evening!r}: {sentence}" for sentence in not_in_order(places)]
        said, whole = said + wrong, whole and not wrong
    return whole, [sentence[:1000] for sentence in said]


def not_in_order(places: list[tuple[int, str, str, Any, str]]) -> Iterator[str]:
    words: dict[str, int] = {}
    for (reached, earlier, of_it, *_), (number, game_id, _, before, word) in pairwise(
        [(0, "", "", None, ""), *places]
    ):
        if number > reached + 1:
            gap = str(number - 1) if number == reached + 2 else f"{reached + 1}-{number - 1}"
            yield f"MISSING: seals {gap}. Ask for the exports of these games."
        elif number == reached:
            yield f"WRONG: seal {number} is that of two games, {earlier!r} and {game_id!r}."
        elif reached and before != of_it:
            yield f"WRONG: seal {number} does not follow from seal {reached}: another game came before it."
        if word in words:
            yield f"WRONG: seals {words[word]} and {number} have the same word, {shown(word)}."
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
    whole, chains = True, []
    for file in given.file:
        chain: list[dict[str, Any]] = []
        try:
            with file.open("rb") as lines:
                passed, said = verify(lines, **seen, chain=chain)
        except OSError as error:
            parser.error(f"cannot read {file}: {error.strerror}")
        print(*([f"{file}:"] if len(given.file) > 1 else []), *said, sep="\n")
        refused = said[-1].startswith("REFUSED")
        begun = refused or len(given.file) == 1 or any(each["kind"] == "turned" for each in chain)
        whole = whole and (passed or not begun)
        chains += [] if refused else [chain]
    if len(given.file) > 1:
        in_order, said = verify_evening(chains)
        print(*said, sep="\n")
        whole = whole and in_order
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
