"""The first line of a game's journal: the rules it is played by, complete, so that it stays readable for
ever."""

from dataclasses import replace
from typing import Any

import msgspec

from pi_controller import __version__
from pi_controller.game.game import Game
from pi_controller.game.rule_sets import RULE_SETS, RuleSet
from pi_controller.settings.sections import Game as GameSettings


def rules_from(settings: GameSettings, rule_set: str | None = None, **changes: Any) -> RuleSet:
    """The rule set of the settings, or the known one that an `arm` command names; `changes` are its fields.

    What else the settings say of the game belongs to their own rule set; another one is as its book says.
    """
    if rule_set is not None and rule_set != settings.rule_set:
        return replace(RULE_SETS[rule_set], **changes)
    base = RULE_SETS[settings.rule_set]
    own = replace(
        base,
        first_side=settings.first_side,
        schedule=settings.schedule,
        robber_ms=round(settings.robber_seconds * 1000),
        rounds_without_seven=settings.rounds_without_seven,
        after_robber=settings.after_robber,
        allow_consecutive_sevens=settings.allow_consecutive_sevens,
        robber_targets=settings.robber_targets,
        robber_target_draw=settings.robber_target_draw,
        target_points=settings.target_points,
        start_countdown_ms=settings.start_countdown_seconds * 1000,
        resume_countdown_ms=settings.resume_countdown_seconds * 1000,
        claims=settings.claims,
    )
    return replace(own, **changes)


def header(game: Game) -> dict[str, object]:
    """Data of line 0 of a new game; the journal adds its format and the game's id."""
    terms = game.dice.terms
    data: dict[str, object] = {
        "derivation": terms.version,
        "rule_set": game.rules.name,
        "rule_set_version": game.rules.version,
        "rules": msgspec.to_builtins(game.rules),
        "terms": terms.as_data(),
        "commitment": game.dice.commitment,
        "software": __version__,
    }
    return data | {"rehearsal": True} if game.rehearsal else data


def read_rules(data: dict[str, Any]) -> RuleSet:
    """The rule set of a header. ValueError when this version cannot read it."""
    return msgspec.convert(data, RuleSet)
