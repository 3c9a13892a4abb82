"""The sections agree with the rule sets they set up."""

from typing import get_args, get_type_hints

import msgspec

from pi_controller.game.rule_sets import CONNECT, RULE_SETS
from pi_controller.language.words import words
from pi_controller.settings.load import SECTION_TEXTS, rows
from pi_controller.settings.sections import GameSettings, Settings


def test_every_rule_set_can_be_chosen() -> None:
    assert set(get_args(get_type_hints(GameSettings)["rule_set"])) == RULE_SETS.keys()
    assert GameSettings().rule_set == CONNECT.name


def test_the_game_as_set_by_default_is_the_rule_set() -> None:
    game, shared = GameSettings(), set(GameSettings.__struct_fields__) & set(type(CONNECT).__slots__)
    assert len(shared) >= 9
    assert {name: getattr(game, name) for name in shared} == {name: getattr(CONNECT, name) for name in shared}
    assert game.robber_seconds * 1000 == CONNECT.robber_ms
    assert game.start_countdown_seconds * 1000 == CONNECT.start_countdown_ms
    assert game.resume_countdown_seconds * 1000 == CONNECT.resume_countdown_ms


def test_every_section_says_what_it_is_about() -> None:
    assert tuple(SECTION_TEXTS) == Settings.__struct_fields__


def test_every_default_is_within_its_own_range() -> None:
    for row in rows():
        assert words(row.meaning)
        assert words(row.allowed)
    msgspec.convert(msgspec.to_builtins(GameSettings()), GameSettings)
