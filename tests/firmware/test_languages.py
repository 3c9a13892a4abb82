"""A node speaks the hall's languages: it hears LANGUAGES, loads their words, and shows the one that stands."""

import sys

import pytest

from table_node import messages as m
from table_node import view as v
from table_node import words_en
from table_node.frame import EVERYBODY
from tests.firmware.hall import Hall, playing

SECOND = 1_000_000


def speak(hall: Hall, first: str, second: str = "", *, epoch: int | None = None, version: int = 3) -> None:
    """A LANGUAGES, between two STATEs."""
    tags = first.encode().ljust(6, b"\0") + second.encode().ljust(6, b"\0")
    number = hall.game.epoch if epoch is None else epoch
    hall.ask(m.LANGUAGES, number.to_bytes(2, "little") + tags, dst=EVERYBODY, version=version)


def turn(hall: Hall, flags: int = 0) -> None:
    hall.game.begin(hall.board.now_us, flags=m.SUN_ACTIVE | flags)
    hall.run(300_000)


def spoken(hall: Hall) -> list[str]:
    """What each side is told when it plays."""
    return [view.words.YOUR_TURN for view in hall.node.views]


def wordless(hall: Hall) -> bool:
    return bool(hall.poll()["flags"] & m.WORDLESS)


def test_a_node_speaks_english_until_it_hears_another_language() -> None:
    hall = playing()
    assert spoken(hall) == ["YOUR TURN"] * 2
    speak(hall, "pl")
    hall.run(300_000)
    assert spoken(hall) == ["TY GRASZ"] * 2
    assert not wordless(hall)


def test_of_two_languages_the_state_says_which_one_stands_on_both_sides() -> None:
    hall = playing()
    speak(hall, "pt-BR", "de")
    turn(hall)
    assert spoken(hall) == ["SUA VEZ"] * 2
    turn(hall, m.SECOND_LANGUAGE)
    assert spoken(hall) == ["DEIN ZUG"] * 2
    speak(hall, "pt-BR", "de")
    hall.run(300_000)
    assert spoken(hall) == ["DEIN ZUG"] * 2


def test_with_the_first_frame_of_a_phase_its_words_are_there() -> None:
    hall = playing()
    speak(hall, "es", "pl")
    turn(hall)
    hall.game.begin(hall.board.now_us, flags=m.MOON_ACTIVE | m.SECOND_LANGUAGE)
    hall.tell()
    hall.run(30_000)
    assert [view.active for view in hall.node.views] == [v.MOON] * 2
    assert spoken(hall) == ["TY GRASZ"] * 2


@pytest.mark.parametrize(
    ("languages", "said"), [(("nl", "pl"), "TY GRASZ"), (("de", "xx-XX"), "DEIN ZUG"), (("nl", ""), "")]
)
def test_a_language_without_words_is_told(languages: tuple[str, str], said: str) -> None:
    """The other one stands in its place; without either there are symbols and numbers."""
    hall = playing()
    speak(hall, *languages)
    for flags in (0, m.SECOND_LANGUAGE):
        turn(hall, flags)
        assert spoken(hall) == [said] * 2
    assert wordless(hall)
    speak(hall, "de")
    hall.run(300_000)
    assert not wordless(hall)


def test_another_masters_languages_and_other_versions_are_not_taken() -> None:
    hall = playing()
    speak(hall, "pl", epoch=hall.game.epoch + 1)
    speak(hall, "pl", version=2)
    speak(hall, "pl", version=4)
    hall.run(300_000)
    assert spoken(hall) == ["YOUR TURN"] * 2


def test_a_new_master_has_two_seconds_to_say_its_languages() -> None:
    hall = playing()
    speak(hall, "pl")
    hall.run(300_000)
    hall.game.epoch += 1
    hall.run(2 * SECOND)
    assert spoken(hall) == ["TY GRASZ"] * 2
    speak(hall, "pl")
    hall.run(4 * SECOND)
    assert spoken(hall) == ["TY GRASZ"] * 2
    hall.game.epoch += 1
    hall.run(5 * SECOND)
    assert spoken(hall) == ["YOUR TURN"] * 2


def test_only_the_halls_languages_and_english_are_in_memory() -> None:
    hall = playing()
    for first, second in (("de", "es"), ("pl", "pt"), ("pt-BR", "")):
        speak(hall, first, second)
        hall.run(300_000)
    loaded = {name for name in sys.modules if name.startswith("table_node.words_")}
    assert loaded == {"table_node.words_en", "table_node.words_pt_br"}
    speak(hall, "en")
    hall.run(300_000)
    assert {view.words for view in hall.node.views} == {words_en}
