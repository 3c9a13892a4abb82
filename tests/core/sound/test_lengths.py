"""Everything that can be said, in every language and every pair of languages that a hall can have, spoken by the real voice."""

from itertools import permutations

import pytest

from pi_controller.core.sound.phrases import GAP_MS, SLOTS_MS, Lengths, spoken, that_fit
from pi_controller.language.languages import LANGUAGES as VOICES
from tests.core.sound.lengths import callouts, in_turn, lengths_of

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def lengths(tmp_path_factory: pytest.TempPathFactory) -> Lengths:
    return lengths_of(tmp_path_factory.mktemp("voice"), tuple(VOICES))


def test_nothing_is_longer_than_its_slot_in_one_language(lengths: Lengths) -> None:
    every = [
        (callout, spoken(callout, language, lengths)) for callout in callouts(lengths) for language in VOICES
    ]
    assert len(every) > 50 * len(VOICES)
    assert [one for callout, one in every if one is None or one.ms > SLOTS_MS[callout.kind]] == []


@pytest.mark.parametrize("pair", tuple(permutations(VOICES, 2)), ids="+".join)
def test_nothing_is_longer_than_its_slot_in_two_languages(lengths: Lengths, pair: tuple[str, str]) -> None:
    """Where both have no room, each has its turn."""
    for callout in callouts(lengths):
        for standing in pair:
            chosen = that_fit([callout], pair, lengths, room_ms=60_000, standing=standing)
            assert sum(one.ms + GAP_MS for one in chosen) - GAP_MS <= SLOTS_MS[callout.kind]
            assert [one.language for one in chosen] in (list(pair), [standing]), callout


def test_only_the_3_2_1_takes_turns_and_the_longest_colour_beside_polish(lengths: Lengths) -> None:
    assert [kind for kind in SLOTS_MS if in_turn(kind, lengths)] == ["next_side", "count"]
    assert all("pl" in pair for pair in in_turn("next_side", lengths))
