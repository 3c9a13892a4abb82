"""The room's words that the rules share with what knows nothing of them. Nothing else."""

from typing import Literal

RuleSetName = Literal["connect", "classic"]
FEWEST_SEATS, MOST_SEATS = 3, 6
"""At one table (rule K1)."""
Side = Literal["sun", "moon"]
SIDES: tuple[Side, Side] = ("sun", "moon")
ButtonState = Literal["well", "faulty"]
"""Of the button at a table with which a claim was made."""
RolledPhase = Literal["round", "robber"]
"""A phase with a countdown, which began with a roll."""
SeatPhase = Literal["founding", "turn"]
"""A phase that belongs to one seat, which ends it by its button: the classic game's."""
ConnectPhase = Literal["ready", RolledPhase, "collecting", "ended"]
"""`collecting`: the announced last round is over, and sheets are entered for the ranking."""
Phase = Literal[ConnectPhase, SeatPhase]
RollKind = Literal[RolledPhase, "turn"]
"""What a roll of two dice belongs to."""
Desert = Literal["desert"]
Target = int | Desert
"""What a robber phase names: a number, or for a 7 the desert (rule C11)."""
HoldReason = Literal["director", "fault", "recovery"]
PauseReason = Literal["button", "claim", HoldReason]

Nothing = Literal["none"]
"""Where something may be left out."""
