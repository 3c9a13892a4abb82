"""The room's words that the rules and the table bus share, though neither knows the other. Nothing else."""

from typing import Literal

Side = Literal["sun", "moon"]
SIDES: tuple[Side, Side] = ("sun", "moon")
RolledPhase = Literal["round", "robber"]
"""A phase with a countdown, which began with a roll."""
ConnectPhase = Literal["ready", RolledPhase, "collecting", "ended"]
"""`collecting`: the announced last round is over, and sheets are entered for the ranking."""
Phase = Literal[ConnectPhase, "founding", "turn"]
"""With those of the classic game."""
Desert = Literal["desert"]
Target = int | Desert
"""What a robber phase names: a number, or for a 7 the desert (rule C11)."""
HoldReason = Literal["director", "fault", "recovery"]
PauseReason = Literal["button", "claim", HoldReason]
