"""Verifiable dice: every roll is a function of a committed seed, never of a counter.

`docs/dice.md` describes the derivation byte by byte. A published version must never change: old games are
verified and continued with it.
"""

import hashlib
import hmac
import json
import struct
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count

import msgspec

from pi_controller.game.dice_terms import DiceTerms, check_text, check_whole
from pi_controller.game.rule_sets import RuleSet
from pi_controller.game.turn_order import HIGHEST, Seat, TurnOrder
from pi_controller.vocabulary import Target as TargetName

DERIVATION = "pi-controller dice {}"
"""First field of every HMAC message, with the version of the derivation."""

COMMITMENT = "pi-controller commitment {}"
"""First field of the committed bytes, with the version: a commitment is never a roll's message."""

SEED_BYTES = 32

FACES = bytes(byte % 6 + 1 for byte in range(256))
DROPPED = bytes(range(252, 256))
"""A byte counts as `FACES[byte]`. Dropped from 252, a multiple of 6, on: 42 bytes are left for each face."""

_NUMBERS = struct.Struct(">III")


@dataclass(frozen=True, slots=True)
class Roll:
    """Two dice and the draw index at which they were found."""

    dice: tuple[int, int]
    draw: int

    @property
    def sum(self) -> int:
        return self.dice[0] + self.dice[1]


@dataclass(frozen=True, slots=True)
class Target:
    """Where the robber goes; `dice` is None when the target was drawn uniformly."""

    target: TargetName
    dice: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class DiceBook:
    """All rolls of one game, each computed when asked for; the seed never appears in its repr.

    `seed` is 32 secret bytes, `word` what the hall added (None before). Wrong values are a ValueError.
    """

    seed: bytes = field(repr=False)
    game_id: str
    terms: DiceTerms
    word: str | None = None
    _prefix: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(self.seed)}")
        check_text("game_id", self.game_id)
        if self.word is not None:
            check_text("word", self.word)
        parts = (DERIVATION.format(self.terms.version), self.game_id, self._mixed_in())
        object.__setattr__(self, "_prefix", b"".join(_framed(part.encode()) for part in parts))

    def _mixed_in(self) -> str:
        """The word as it is hashed: in version 1 normalised to NFC here, from version 2 on unchanged."""
        word = self.word or ""
        return unicodedata.normalize("NFC", word) if self.terms.version == 1 else word

    @property
    def commitment(self) -> str:
        """SHA-256 (64 hex digits) over seed, game id and all terms. The word is not in it, since it comes
        later."""
        return _commitment(self.seed, self.game_id, self.terms)

    def with_word(self, word: str | None) -> "DiceBook":
        """The same game with this public word, or with none."""
        return self if word == self.word else replace(self, word=word)

    def first_seat(self, order: TurnOrder) -> Seat:
        """The seat of round 1. A drawn one depends on the word, so ask again after it was given."""
        return order.first(self.terms.first_side, self._bytes(b"first_side", 0, 0))

    def opening_rolls(self, order: TurnOrder) -> list[list[tuple[Seat, tuple[int, int]]]]:
        """Who rolled what for the first turn."""
        return order.rolled_for(self._bytes(b"first_side", 0, 0))

    def round_roll(self, round_no: int, draw: int) -> Roll:
        """The roll for this round (from 1), looked for from this draw index (from 0) on.

        A 7 is passed over, to the next index, while the round is one without 7 and, unless consecutive sevens
        are allowed, after the robber phase of the same round (`draw` > 0).
        """
        check_whole("round_no", round_no, least=1)
        check_whole("draw", draw, least=0)
        pass_sevens = self.passes_sevens(round_no, draw)
        while True:
            first, second = next(self._pairs(b"round", round_no, draw))
            if first + second != 7 or not pass_sevens:
                return Roll((first, second), draw)
            draw += 1

    def passes_sevens(self, round_no: int, draw: int) -> bool:
        """Whether no 7 comes up for this round from this draw on."""
        terms = self.terms
        return round_no <= terms.rounds_without_seven or (draw > 0 and not terms.allow_consecutive_sevens)

    def robber_target(self, round_no: int, draw: int) -> Target:
        """The target that belongs to the 7 which was rolled for this round at this draw index."""
        check_whole("round_no", round_no, least=1)
        check_whole("draw", draw, least=0)
        targets = self.terms.robber_targets
        if self.terms.robber_target_draw == "uniform":
            limit = 256 - 256 % len(targets)
            byte = next(byte for byte in self._bytes(b"robber", round_no, draw) if byte < limit)
            return Target(targets[byte % len(targets)], None)
        named = ((_target_name(dice), dice) for dice in self._pairs(b"robber", round_no, draw))
        return next(Target(target, dice) for target, dice in named if target in targets)

    def _pairs(self, kind: bytes, round_no: int, draw: int) -> Iterator[tuple[int, int]]:
        blocks = self._blocks(kind, round_no, draw)
        faces = (face for block in blocks for face in block.translate(FACES, DROPPED))
        return zip(faces, faces, strict=False)

    def _bytes(self, kind: bytes, round_no: int, draw: int) -> Iterator[int]:
        return (byte for block in self._blocks(kind, round_no, draw) for byte in block)

    def _blocks(self, kind: bytes, round_no: int, draw: int) -> Iterator[bytes]:
        message = self._prefix + _framed(kind)
        for number in count():
            yield hmac.digest(self.seed, message + _NUMBERS.pack(round_no, draw, number), "sha256")


@lru_cache(maxsize=4)
def _commitment(seed: bytes, game_id: str, terms: DiceTerms) -> str:
    # Every picture carries it, also the one that a press waits for.
    text = json.dumps(terms.as_data(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    parts = (COMMITMENT.format(terms.version).encode(), seed, game_id.encode(), text.encode())
    return hashlib.sha256(b"".join(_framed(part) for part in parts)).hexdigest()


def _target_name(dice: tuple[int, int]) -> TargetName:
    return "desert" if sum(dice) == 7 else sum(dice)


def _framed(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part


class NotSeen(Exception):  # noqa: N818 - where a look ahead ends, not an error
    """The roll at `due`, (round, draw), has not been seen by the hall; `LOT`: the lot for the first seat."""

    def __init__(self, due: tuple[int, int]) -> None:
        super().__init__(due)
        self.due = due


LOT = (0, 0)


class SeenDice(msgspec.Struct, frozen=True):
    """How far the hall has seen a game: `furthest` is the position of the state, `lot` whether the lot has
    been drawn. `assumed` are dice to use where the roll at this (round, draw) has not been seen."""

    furthest: tuple[int, int]
    lot: bool
    assumed: tuple[tuple[int, int], tuple[int, int]] | None = None


class Basis(msgspec.Struct, frozen=True):
    """What a game runs by: rules and dice. The rules ask for rolls only here.

    With `seen`, asking for a roll that the hall has not seen raises `NotSeen`. Play itself runs without.
    """

    rules: RuleSet
    dice: DiceBook
    seen: SeenDice | None = None

    def first_seat(self, word: str | None) -> Seat:
        """The seat of round 1, with this public word."""
        order = self.rules.order
        if self.rules.by_lot and self.seen is not None and not self.seen.lot:
            self._assumed(LOT)
            return order.seats[0]
        return self.dice.with_word(word).first_seat(order)

    def opening_rolls(self, word: str | None) -> list[list[tuple[Seat, tuple[int, int]]]]:
        """Who rolled what for the first turn; empty where it is not rolled for."""
        if self.rules.first_side != HIGHEST or (self.seen is not None and not self.seen.lot):
            return []
        return self.dice.with_word(word).opening_rolls(self.rules.order)

    def roll(self, word: str | None, round_no: int, draw: int) -> Roll:
        """The roll for this round that is looked for from this draw on."""
        if self._hidden(round_no, draw):
            return Roll(self._assumed((round_no, draw)), draw)
        return self.dice.with_word(word).round_roll(round_no, draw)

    def robber_target(self, word: str | None, round_no: int, draw: int) -> Target:
        """The target that belongs to the 7 which was rolled for this round at this draw index."""
        if self._hidden(round_no, draw):
            self._assumed((round_no, draw))
            return Target(self.dice.terms.robber_targets[0], None)
        return self.dice.with_word(word).robber_target(round_no, draw)

    def possible(self, due: tuple[int, int]) -> tuple[tuple[int, int], ...]:
        """Sample dice for each way in which play could continue at this roll."""
        return (NO_SEVEN,) if due == LOT or self.dice.passes_sevens(*due) else (NO_SEVEN, SEVEN)

    def _hidden(self, round_no: int, draw: int) -> bool:
        at = (round_no, 1) if self.rules.play == "turns" else (round_no, draw)
        return self.seen is not None and at > self.seen.furthest

    def _assumed(self, due: tuple[int, int]) -> tuple[int, int]:
        assumed = None if self.seen is None else self.seen.assumed
        if assumed is None or assumed[0] != due:
            raise NotSeen(due)
        return assumed[1]


NO_SEVEN, SEVEN = (1, 1), (3, 4)
