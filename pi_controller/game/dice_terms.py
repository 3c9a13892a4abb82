"""The terms that a game's dice are committed to: checked, and as JSON."""

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import get_args

from pi_controller.game.commands import ClaimsMode
from pi_controller.game.rule_sets import TargetDraw
from pi_controller.game.turn_order import AfterSeven
from pi_controller.vocabulary import Target

TARGETS: tuple[Target, ...] = (2, 3, 4, 5, 6, "desert", 8, 9, 10, 11, 12)
"""Everything that two dice can select in a robber phase; 7 is the desert (rule C11)."""

LARGEST_NUMBER = 2**32 - 1
"""Round, draw and block are written as unsigned 32-bit numbers."""

NEWEST = 2
"""Version of the derivation that new games get."""


@dataclass(frozen=True, slots=True)
class ArmedTerms:
    """What version 2 commits to in addition: everything that a setting may change of sides, times and the
    goal.

    `schedule` is (from round, ms) as armed, empty for turns without a limit. Times are milliseconds of game
    time. Raises ValueError for wrong values.
    """

    after_robber: AfterSeven
    schedule: tuple[tuple[int, int], ...]
    robber_ms: int
    start_countdown_ms: int
    resume_countdown_ms: int
    target_points: int
    claims: ClaimsMode

    def __post_init__(self) -> None:
        _check_choice("after_robber", self.after_robber, get_args(AfterSeven))
        if self.schedule or self.after_robber != "no_phase":
            _check_schedule(self.schedule)
        for name in ("robber_ms", "start_countdown_ms", "resume_countdown_ms", "target_points"):
            check_whole(name, getattr(self, name), least=0)
        _check_choice("claims", self.claims, get_args(ClaimsMode))


@dataclass(frozen=True, slots=True)
class DiceTerms:
    """Every parameter of the derivation; all are committed to. Raises ValueError for wrong values.

    Games of version 1 have nothing `armed`.
    """

    rule_set: str
    rule_set_version: int
    rounds_without_seven: int
    allow_consecutive_sevens: bool
    robber_targets: tuple[Target, ...]
    robber_target_draw: TargetDraw
    first_side: str
    armed: ArmedTerms | None = None

    def __post_init__(self) -> None:
        check_text("rule_set", self.rule_set)
        check_whole("rule_set_version", self.rule_set_version, least=1)
        check_whole("rounds_without_seven", self.rounds_without_seven, least=0)
        if type(self.allow_consecutive_sevens) is not bool:
            raise ValueError(
                f"allow_consecutive_sevens must be true or false, not {self.allow_consecutive_sevens!r}"
            )
        _check_targets(self.robber_targets)
        _check_choice("robber_target_draw", self.robber_target_draw, get_args(TargetDraw))
        check_text("first_side", self.first_side)

    @property
    def version(self) -> int:
        """Version of the derivation."""
        return 1 if self.armed is None else 2

    def as_data(self) -> dict[str, object]:
        """The terms as one JSON object, as the journal's first line keeps them."""
        data = {**asdict(self), "robber_targets": list(self.robber_targets)}
        del data["armed"]
        if self.armed is None:
            return data
        return {**data, **asdict(self.armed), "schedule": [list(step) for step in self.armed.schedule]}


def check_text(name: str, text: str) -> None:
    if not isinstance(text, str) or not text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ValueError(
            f"{name} must be a text of at least one character that UTF-8 can write, not {text!r}"
        )


def check_whole(name: str, number: int, *, least: int) -> None:
    if type(number) is not int or not least <= number <= LARGEST_NUMBER:
        raise ValueError(f"{name} must be a whole number from {least} to {LARGEST_NUMBER}, not {number!r}")


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def _check_targets(targets: tuple[Target, ...]) -> None:
    known = all(type(target) in (int, str) and target in TARGETS for target in targets)
    if not targets or not known or len(set(targets)) != len(targets):
        raise ValueError(
            "robber_targets must list different ones of 2 to 6, desert and 8 to 12, at least one,"
            f" not {list(targets)!r}"
        )


def _check_schedule(schedule: tuple[tuple[int, int], ...]) -> None:
    if any(len(step) != 2 for step in schedule):
        raise ValueError(f"schedule must list pairs of round and ms, not {schedule!r}")
    for from_round, ms in schedule:
        check_whole("schedule", from_round, least=1)
        check_whole("schedule", ms, least=0)
    rounds = [from_round for from_round, _ in schedule]
    if rounds[:1] != [1] or any(after <= before for before, after in pairwise(rounds)):
        raise ValueError(f"schedule must begin with round 1 and ascend, not {schedule!r}")
