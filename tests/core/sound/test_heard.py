"""The voice says what people have read: every call-out, number, letter and side, in every language, by its phonemes."""

import pytest

from pi_controller.core.sound.voice import wanted
from pi_controller.game.rule_sets import RULE_SETS
from pi_controller.hal.sound.library import Espeak
from pi_controller.language.languages import EVERY
from tests.core.sound import heard


def listed(language: str) -> list[heard.Row]:
    return [row for row in heard.kept() if row.language == language]


@pytest.mark.parametrize("language", EVERY)
def test_the_list_has_what_is_said_and_nothing_else(language: str) -> None:
    said = {
        (one.name, one.text)
        for rules in RULE_SETS.values()
        for one in wanted([language], rules.name, rules.robber_targets)
    }
    rows = [(row.phrase, row.text) for row in listed(language)]
    assert set(rows) == said
    assert len(set(rows)) == len(rows)


def test_each_row_says_what_should_be_heard() -> None:
    assert heard.LIST.read_text(encoding="utf-8").startswith(heard.HEAD)
    assert [row for row in heard.kept() if not row.heard or row.language not in EVERY] == []


@pytest.mark.parametrize("language", EVERY)
def test_the_phonemes_are_those_that_were_read(language: str) -> None:
    version = Espeak().version()
    if f": {heard.VERSION} " not in version:
        pytest.skip(f"the list is of espeak-ng {heard.VERSION}, this is {version}")
    read = [(row.phrase, row.phonemes) for row in listed(language)]
    assert [(row.phrase, row.phonemes) for row in heard.spoken(language)] == read
