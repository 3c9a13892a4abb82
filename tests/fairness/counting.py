"""Counts the rolls of games with fixed seeds, in chunks that several processes can share."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Any

from pi_controller.game.dice import DiceBook
from pi_controller.game.dice_terms import LARGEST_NUMBER, TARGETS, DiceTerms
from tests.fairness.chi_square import PAIR_SUMS, SUMS_WITHOUT_SEVEN, p_value

FACES = range(1, 7)
SUMS = range(2, 13)

Counts = dict[str, Counter[Any]]


@dataclass(frozen=True)
class Chunk:
    """So many rolls (an even number) of one game, whose seed follows from sample and number."""

    sample: str
    number: int
    rolls: int


@dataclass(frozen=True)
class Table:
    """One test: its cells and the number of equally likely ways to each."""

    name: str
    cells: tuple[Any, ...]
    weights: tuple[int, ...]

    def line(self, counts: Counter[Any]) -> tuple[float, float]:
        """Chi-square and p of the counts; a cell that should not be there is a ValueError."""
        if strange := set(counts) - set(self.cells):
            raise ValueError(f"{self.name}: {strange} must not come up")
        return p_value([counts[cell] for cell in self.cells], self.weights)


TABLES = {
    "faces": Table("faces", tuple(FACES), (1,) * 6),
    "pairs": Table("pairs of dice", tuple((a, b) for a in FACES for b in FACES), (1,) * 36),
    "sums": Table("sums", tuple(SUMS), PAIR_SUMS),
    "serial": Table(
        "sums of two rounds in a row",
        tuple((a, b) for a in SUMS for b in SUMS),
        tuple(ways * more for ways in PAIR_SUMS for more in PAIR_SUMS),
    ),
    "no_seven": Table("sums without 7", tuple(at for at in SUMS if at != 7), SUMS_WITHOUT_SEVEN),
    "targets": Table("robber targets by dice", TARGETS, PAIR_SUMS),
    "uniform": Table("robber targets, uniform", TARGETS, (1,) * len(TARGETS)),
}

SAMPLES = {"rounds": 1.0, "no_seven": 0.25, "targets": 0.25, "uniform": 0.25}
"""What is rolled, and how much of it for each roll asked for."""


def book(sample: str, number: int) -> DiceBook:
    """The fixed game of this chunk."""
    terms = DiceTerms(
        rule_set="fairness",
        rule_set_version=1,
        rounds_without_seven=LARGEST_NUMBER if sample == "no_seven" else 0,
        allow_consecutive_sevens=True,
        robber_targets=TARGETS,
        robber_target_draw="uniform" if sample == "uniform" else "dice",
        first_side="sun",
    )
    seed = hashlib.sha256(f"{sample} {number}".encode()).digest()
    return DiceBook(seed, f"fairness-{sample}-{number}", terms)


def count(chunk: Chunk) -> Counts:
    """How often each cell of the chunk's tables came up."""
    dice = book(chunk.sample, chunk.number)
    rounds = range(1, chunk.rolls + 1)
    if chunk.sample in ("targets", "uniform"):
        return {chunk.sample: Counter(dice.robber_target(round_no, 0).target for round_no in rounds)}
    pairs = [dice.round_roll(round_no, 0).dice for round_no in rounds]
    sums = [first + second for first, second in pairs]
    if chunk.sample == "no_seven":
        return {"no_seven": Counter(sums)}
    return {
        "faces": Counter(face for pair in pairs for face in pair),
        "pairs": Counter(pairs),
        "sums": Counter(sums),
        "serial": Counter(zip(sums[::2], sums[1::2], strict=True)),
    }


def chunks(rolls: int, size: int) -> list[Chunk]:
    """Chunks of this even size for each sample, together as many rolls as asked for, rounded up."""
    return [
        Chunk(sample, number, size)
        for sample, share in SAMPLES.items()
        for number in range(-(-int(rolls * share) // size))
    ]


def add(total: Counts, more: Counts) -> None:
    """Add the counts of one chunk to the total."""
    for name, counts in more.items():
        total.setdefault(name, Counter()).update(counts)
