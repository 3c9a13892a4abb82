"""Who acts when, and which phase a roll begins; used by clock and verifier. Pure."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from pi_controller.vocabulary import RollKind

Seat = str
"""Who may act, by the id that the rule set gives: a side of all boards, or a player."""
AfterRobber = Literal["due_side", "other_side"]
AfterSeven = Literal[AfterRobber, "no_phase"]
"""Whose round comes after a robber phase; `no_phase`: a 7 begins none (rule K2)."""
DRAWN = "drawn"
HIGHEST = "highest"
"""In place of a first seat. DRAWN: a byte of the seed's stream decides; HIGHEST: every seat rolls two dice
(rule K1)."""
FACES = 252
"""The largest multiple of 6 in a byte: from here on a byte names no face of a die."""


class Due(Struct, frozen=True):
    """What is due next: the round to be rolled for, the draw index from which its roll is searched, and the
    seat."""

    round: int
    draw: int
    seat: Seat


class NextPhase(Struct, frozen=True):
    """The phase that a roll begins; `round` is the number that it shows, `seat` who acts, `after` what is due
    when it is over."""

    phase: RollKind
    round: int
    seat: Seat | None
    after: Due


class TurnOrder(Struct, frozen=True):
    """The seats are active in turn (rule C4); a 7 brings a robber phase, in which nobody is (rule C9)."""

    seats: tuple[Seat, ...]
    after_robber: AfterSeven

    def first(self, first_side: str, drawn: Iterator[int]) -> Seat:
        """The seat of round 1: this one, for `drawn` the one that the first usable byte names, for `highest`
        the one that rolls the most."""
        if first_side == HIGHEST:
            times = self.rolled_for(drawn)
            return times[-1][0][0] if times else self.seats[0]
        if first_side != DRAWN:
            return first_side
        usable = 256 - 256 % len(self.seats)
        return self.seats[next(byte for byte in drawn if byte < usable) % len(self.seats)]

    def rolled_for(self, drawn: Iterator[int]) -> list[list[tuple[Seat, tuple[int, int]]]]:
        """Who rolled what for the first turn: all seats, then those that were equal and highest, until one
        is left; the highest of each time stands first."""
        faces = (byte % 6 + 1 for byte in drawn if byte < FACES)
        times, seats = [], self.seats
        while len(seats) > 1:
            rolls = [(seat, (next(faces), next(faces))) for seat in seats]
            rolls.sort(key=lambda roll: -sum(roll[1]))
            times.append(rolls)
            seats = tuple([seat for seat, dice in rolls if sum(dice) == sum(rolls[0][1])])
        return times

    def after(self, seat: Seat) -> Seat:
        """Whose turn comes after that of this seat."""
        return self.seats[(self.seats.index(seat) + 1) % len(self.seats)]

    def next_phase(self, due: Due, dice: tuple[int, int], draw: int) -> NextPhase:
        """What this roll, found at this draw, begins. A robber phase counts neither as a round nor as a turn
        (rule C12). Where a 7 begins no phase, every roll belongs to a turn."""
        if self.after_robber == "no_phase":
            return NextPhase("turn", due.round, due.seat, Due(due.round + 1, 0, self.after(due.seat)))
        if sum(dice) == 7:
            seat = due.seat if self.after_robber == "due_side" else self.after(due.seat)
            return NextPhase("robber", due.round - 1, None, Due(due.round, draw + 1, seat))
        return NextPhase("round", due.round, due.seat, Due(due.round + 1, 0, self.after(due.seat)))
