#!/usr/bin/env python3
"""Checks an exported game without the controller: python3 verify_game.py FILE [--commitment HEX] [--head HEX]

One file, standard library only, Python 3.10 or newer. It computes the hash chain, the commitment and every
roll again, as docs/dice.md describes them. Exit: 0 passed, 1 refused or not verifiable yet, 2 bad usage.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

TURN = ("phase", "round", "due_round", "side", "dice", "draw", "robber_target", "robber_dice")
TARGETS = (2, 3, 4, 5, 6, "desert", 8, 9, 10, 11, 12)
OTHER = {"sun": "moon", "moon": "sun"}
canonical = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode


class RefusedError(Exception):
    """What is wrong with the file."""


def require(condition: object, sentence: str) -> None:
    if not condition:
        raise RefusedError(sentence[:1000])


def framed(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part


class Dice:
    """The derivation of one game's rolls."""

    def __init__(self, seed: bytes, game_id: str, terms: dict[str, Any], word: str | None) -> None:
        self.seed, self.game_id, self.terms = seed, game_id, terms
        spoken = unicodedata.normalize("NFC", word or "").encode()
        self.prefix = framed(b"pi-controller dice 1") + framed(game_id.encode()) + framed(spoken)

    def commitment(self) -> str:
        terms = canonical(self.terms).encode()
        parts = (b"pi-controller commitment 1", self.seed, self.game_id.encode(), terms)
        return hashlib.sha256(b"".join(map(framed, parts))).hexdigest()

    def stream(self, kind: bytes, round_no: int, draw: int) -> Iterator[int]:
        for block in count():
            numbers = b"".join(number.to_bytes(4, "big") for number in (round_no, draw, block))
            yield from hmac.new(self.seed, self.prefix + framed(kind) + numbers, hashlib.sha256).digest()

    def pairs(self, kind: bytes, round_no: int, draw: int) -> Iterator[tuple[int, int]]:
        faces = (byte % 6 + 1 for byte in self.stream(kind, round_no, draw) if byte < 252)
        return zip(faces, faces, strict=False)

    def first_side(self) -> str:
        drawn = ("sun", "moon")[next(self.stream(b"first_side", 0, 0)) % 2]
        return drawn if self.terms["first_side"] == "drawn" else str(self.terms["first_side"])

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
    return canonical(dict(zip(TURN, shown, strict=True)))


def legal_turns(dice: Dice, after_robber: str) -> Iterator[str]:
    """What the hall must see, turn after turn, without end."""
    side = dice.first_side()
    for due_round in count(1):
        pair, draw = dice.roll(due_round, 0)
        while sum(pair) == 7:
            target = dice.target(due_round, draw)
            yield turn("robber", due_round - 1, due_round, None, pair, draw, *target)
            side = OTHER[side] if after_robber == "other_side" else side
            pair, draw = dice.roll(due_round, draw + 1)
        yield turn("round", due_round, due_round, side, pair, draw, None, None)
        side = OTHER[side]


def read_chain(lines: Iterable[bytes]) -> list[dict[str, Any]]:
    chain: list[dict[str, Any]] = []
    before = "0" * 64
    for number, raw in enumerate(lines):
        name = f"Line {number + 1}"
        try:
            record = json.loads(raw.decode())
            written = canonical(record).encode() + b"\n"
        except ValueError as error:
            raise RefusedError(f"{name} is not JSON in UTF-8.") from error
        require(isinstance(record, dict) and raw == written, f"{name} is not an object in canonical JSON.")
        carried = record.pop("hash", None)
        digest = hashlib.sha256(canonical(record).encode()).hexdigest()
        require(carried == digest, f"{name} was changed: its hash is {digest}, not the one that it carries.")
        follows = canonical(record.get("seq")) == str(number) and record.get("prev") == before
        require(follows, f"{name} does not follow from the line before it.")
        named = isinstance(record.get("kind"), str) and isinstance(record.get("data"), dict)
        require(named, f"{name} has no kind or no data.")
        first = record["kind"] == "game"
        require(first == (number == 0), f"{name}: a file begins with its one game.")
        before = record["hash"] = digest
        chain.append(record)
    require(chain, "The file is empty.")
    return chain


def is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def is_hash(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def are_targets(value: Any) -> bool:
    known = type(value) is list and all(type(each) in (int, str) and each in TARGETS for each in value)
    return known and 0 < len(value) == len(set(value))


TERMS: dict[str, Callable[[Any], bool]] = {
    "rule_set": is_text,
    "rule_set_version": lambda value: type(value) is int and 1 <= value < 2**32,
    "rounds_without_seven": lambda value: type(value) is int and 0 <= value < 2**32,
    "allow_consecutive_sevens": lambda value: type(value) is bool,
    "robber_targets": are_targets,
    "robber_target_draw": lambda value: value in ("dice", "uniform"),
    "first_side": lambda value: value in ("sun", "moon", "drawn"),
}
OPENING: dict[str, Callable[[Any], bool]] = {
    "format": lambda value: canonical(value) == "1",
    "game_id": is_text,
    "commitment": is_hash,
    "after_robber": lambda value: value in ("due_side", "other_side"),
    "terms": lambda value: isinstance(value, dict) and set(value) == set(TERMS),
}


def check_opening(data: dict[str, Any]) -> None:
    wrong = [name for name, fine in OPENING.items() if not fine(data.get(name))]
    wrong = wrong or [name for name, fine in TERMS.items() if not fine(data["terms"][name])]
    require(not wrong, f"Line 1 is wrong in {', '.join(wrong)}.")
    both = ("rule_set", "rule_set_version")
    same = all(canonical(data.get(name)) == canonical(data["terms"][name]) for name in both)
    require(same, "Line 1 names another rule set than its terms.")


def read_word(chain: list[dict[str, Any]]) -> str | None:
    """The last word given; `null` takes one back."""
    word: str | None = None
    rolled = False
    for record in chain:
        rolled = rolled or record["kind"] == "turned"
        if record["kind"] == "contributed":
            require(not rolled, "A public word was given after the first roll.")
            word = record["data"].get("text", "")
            require(word is None or is_text(word), "A public word is not a text.")
    return word


def check_turns(chain: list[dict[str, Any]], legal: Iterator[str]) -> int:
    """Every turn is the next one or, after an undo, one that was shown before."""
    shown: set[str] = set()
    due = next(legal)
    rolls = 0
    for record in (record for record in chain if record["kind"] == "turned"):
        seen = canonical({name: record["data"][name] for name in TURN if name in record["data"]})
        fits = seen == due or seen in shown
        require(fits, f"Next the seed gives {due}, but line {record['seq'] + 1} shows {seen!r}.")
        shown.add(seen)
        due = next(legal) if seen == due else due
        rolls += 1
    return rolls


def check(chain: list[dict[str, Any]], commitment: str | None, head: str | None) -> tuple[bool, str]:
    opening = chain[0]["data"]
    check_opening(opening)
    require(commitment in (None, opening["commitment"]), "The hall saw another commitment than the file's.")
    seen = head is None or any(record["hash"].startswith(head) for record in chain)
    require(seen, "No line of the file has the head that the hall saw.")
    word = read_word(chain)
    seeds = [record["data"].get("seed") for record in chain if record["kind"] == "seed"]
    if not seeds:
        return False, "NOT YET VERIFIABLE: chain intact, rolls unproved. The seed comes with the game's end."
    require(is_hash(seeds[0]) and seeds.count(seeds[0]) == len(seeds), "The seeds are wrong or differ.")
    dice = Dice(bytes.fromhex(seeds[0]), opening["game_id"], opening["terms"], word)
    require(dice.commitment() == opening["commitment"], "The seed does not fit the commitment.")
    rolls = check_turns(chain, legal_turns(dice, opening["after_robber"]))
    warning = "" if commitment else "The commitment is the file's own: compare it with what the hall saw.\n"
    warning += "" if head else "Changes outside the rolls only show with a head that the hall saw (--head).\n"
    return True, f"{warning}PASSED: {rolls} rolls follow from the seed; the public word is {word!r}."


def verify(lines: Iterable[bytes], commitment: str | None, head: str | None) -> tuple[bool, str]:
    """Whether the export passes, and what was found. No content raises."""
    try:
        chain = read_chain(lines)
        passed, found = check(chain, commitment, head)
    except RefusedError as refusal:
        return False, f"REFUSED: {refusal}"
    except RecursionError:
        return False, "REFUSED: A line of the file is nested too deeply."
    carried = chain[0]["data"]["commitment"]
    return passed, f"{len(chain)} lines, head {chain[-1]['hash'][:8]}, commitment {carried}\n{found}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Compute dice and hash chain of an exported game again.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--commitment", type=str.lower, help="what the hall saw before the game")
    parser.add_argument("--head", type=str.lower, help="a journal head that the hall saw")
    given = parser.parse_args()
    for name, text, size in (("--commitment", given.commitment, "64"), ("--head", given.head, "8,64")):
        if text is not None and not re.fullmatch(f"[0-9a-f]{{{size}}}", text):
            parser.error(f"{name} takes {size.replace(',', ' to ')} hexadecimal digits, not {text!r}")
    try:
        with given.file.open("rb") as lines:
            passed, found = verify(lines, given.commitment, given.head)
    except OSError as error:
        parser.error(f"cannot read {given.file}: {error.strerror}")
    print(found)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
