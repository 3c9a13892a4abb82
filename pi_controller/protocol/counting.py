"""Which fields of the picture count for a command: it is refused when one of them has changed since the
picture that its sender saw (`if_seq`)."""

from typing import Literal, get_args

CountingField = Literal[
    "game_id",
    "phase",
    "round",
    "paused",
    "pause_reasons",
    "claims",
    "schedule",
    "claims_mode",
    "last_round",
    "message",
    "timer",
    "public_word",
    "actions",
]
"""Fields of the picture; of `claims` how many there are, and of those that are not rejected `id`, `board`,
`side`, `status`, `passed` and what stands in the sheet. `actions` is what `undo` and `redo` would act
on, which no picture holds."""
COUNTING_FIELDS: tuple[CountingField, ...] = get_args(CountingField)

COUNTING: dict[str, tuple[CountingField, ...]] = {
    "arm": ("game_id", "phase"),
    "contribute": ("game_id", "public_word"),
    "start": ("game_id", "paused"),
    "pause": (),
    "resume": ("game_id", "paused", "pause_reasons", "claims"),
    "add_time": ("game_id", "phase", "round"),
    "set_schedule": ("game_id", "schedule"),
    "set_claims": ("game_id", "claims_mode"),
    "skip": ("game_id", "phase", "round", "paused"),
    "turn": ("game_id", "phase", "round", "paused", "actions"),
    "undo": ("game_id", "actions"),
    "redo": ("game_id", "actions"),
    "claim": ("game_id",),
    "withdraw": ("game_id", "claims"),
    "verdict": ("game_id", "claims"),
    "last_rounds": ("game_id", "phase", "round", "last_round"),
    "end": ("game_id", "phase", "paused", "claims"),
    "close": ("game_id", "phase", "claims"),
    "say": ("message",),
    "cover": (),
    "timer": ("timer",),
    "identify": (),
}
"""By command. What adds up in any order does not count: two who add time have both meant theirs."""
