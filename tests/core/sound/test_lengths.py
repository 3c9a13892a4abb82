"""Everything that can be said, in every language and every pair of languages that a hall can have, spoken by the real voice."""

from itertools import permutations

import pytest

from pi_controller.core.sound.slots import GAP_MS, SLOTS_MS, Lengths, spoken, that_fit
from pi_controller.hal.sound.espeak import VOICES
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
        slot_ms, first = SLOTS_MS[callout.kind], []
        for turn in (0, 1):
            chosen = that_fit([callout], pair, lengths, room_ms=60_000, turn=turn)
            assert chosen
            assert sum(one.ms + GAP_MS for one in chosen) - GAP_MS <= slot_ms
            first.append(chosen[0].language)
        assert first == [pair[0], pair[0] if len(chosen) == 2 else pair[1]], callout


def test_only_the_3_2_1_takes_turns(lengths: Lengths) -> None:
    assert [kind for kind in SLOTS_MS if in_turn(kind, lengths)] == ["count"]
