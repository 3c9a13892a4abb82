"""The dice of a game whose seed is still secret: the rolls that its journal says the hall saw. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pi_controller.game.dice import SEED_BYTES, DiceBook, Roll, Target
from pi_controller.game.dice_terms import DiceTerms
from pi_controller.game.events import PhaseBegan, SeatBegan
from pi_controller.game.turn_order import DRAWN, HIGHEST, Seat, TurnOrder

Rolls = Mapping[tuple[int, int], PhaseBegan]
"""What each roll brought, by the round that it was due for and its draw."""


@dataclass(frozen=True, slots=True)
class RecordedDice(DiceBook):
    """Knows no roll that nobody saw: asking for one is a ValueError."""

    rolls: Rolls = field(default_factory=dict, compare=False)
    first: Seat | None = None
    committed: str = ""

    @classmethod
    def of(
        cls, game_id: str, terms: DiceTerms, *, commitment: str, began: Sequence[PhaseBegan | SeatBegan]
    ) -> "RecordedDice":
        """The dice of a game in which these phases began."""
        phases = [phase for phase in began if isinstance(phase, PhaseBegan)]
        rolls = {(phase.due_round, phase.draw): phase for phase in phases}
        acted = [one.seat for one in began if isinstance(one, SeatBegan)]
        acted += [phase.side for phase in phases if phase.due_round == 1 and phase.side]
        first = next(iter(acted), None)
        return cls(bytes(SEED_BYTES), game_id, terms, rolls=rolls, first=first, committed=commitment)

    @property
    def commitment(self) -> str:
        """As it was published."""
        return self.committed

    def first_seat(self, order: TurnOrder) -> Seat:
        """A drawn one, or one that was rolled for, is who acted first; as long as nobody has, the first in
        order."""
        drawn = self.terms.first_side in (DRAWN, HIGHEST)
        return (self.first or order.seats[0]) if drawn else self.terms.first_side

    def opening_rolls(self, order: TurnOrder) -> list[list[tuple[Seat, tuple[int, int]]]]:  # noqa: ARG002
        """None: they are in no line."""
        return []

    def round_roll(self, round_no: int, draw: int) -> Roll:
        """The first roll of this round from this draw on that the hall saw."""
        draws = [one for due_round, one in self.rolls if due_round == round_no and one >= draw]
        if not draws:
            raise ValueError(f"nobody saw a roll of round {round_no} from draw {draw} on")
        return Roll(self.rolls[round_no, min(draws)].dice, min(draws))

    def robber_target(self, round_no: int, draw: int) -> Target:
        """The target that the hall saw."""
        phase = self.rolls[round_no, draw]
        if phase.robber_target is None:
            raise ValueError(f"nobody saw a robber target in round {round_no}, draw {draw}")
        return Target(phase.robber_target, phase.robber_dice)
