"""The turns that the seed gives, and how those of an export compare with them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from pi_controller.game.dice import DiceBook, Roll
from pi_controller.journal.export_chain import Line, RefusedError, encode
from pi_controller.vocabulary import Side

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
    def sentence(self) -> str:
        return (
            f"Rolls: {self.rolls} computed again, {self.robber_phases} of them robber phases, "
            f"{self.again} entered again after an undo, {self.late} made after the seed was published."
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
            raise RefusedError(f"Next the seed gives {due}, but line {line.number} shows {turn}.")
        rolls += 1
        robber_phases += line.data["phase"] == "robber"
        late += bool(published)
    return Turns(rolls, robber_phases, again, late)


def legal_turns(book: DiceBook, *, other_side: bool) -> Iterator[dict[str, Any]]:
    """Every turn of the game in order, without end, as the TURN_FIELDS of its `turned` line.

    `other_side`: after a robber phase the other side comes, not the one that was due.
    """
    sides: tuple[Side, Side] = ("sun", "moon") if book.first_side() == "sun" else ("moon", "sun")
    flips = 0
    for due_round in count(1):
        roll = book.round_roll(due_round, 0)
        while roll.sum == 7:
            yield _robber_turn(book, due_round, roll)
            flips += other_side
            roll = book.round_roll(due_round, roll.draw + 1)
        side = sides[(due_round - 1 + flips) % 2]
        yield _turn("round", due_round, due_round=due_round, side=side, roll=roll)


def _robber_turn(book: DiceBook, due_round: int, roll: Roll) -> dict[str, Any]:
    target = book.robber_target(due_round, roll.draw)
    turn = _turn("robber", due_round - 1, due_round=due_round, side=None, roll=roll)
    return {**turn, "robber_target": target.target, "robber_dice": target.dice}


def _turn(phase: str, round_no: int, *, due_round: int, side: Side | None, roll: Roll) -> dict[str, Any]:
    return {
        "phase": phase,
        "round": round_no,
        "due_round": due_round,
        "side": side,
        "dice": roll.dice,
        "draw": roll.draw,
        "robber_target": None,
        "robber_dice": None,
    }
