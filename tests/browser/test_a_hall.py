"""A whole game in the hall's own languages: screen, displays, captions and call-outs agree with every picture."""

from pathlib import Path

import pytest

from tests.browser.screen import Screen
from tests.browser.spoken_game import Lengths, played
from tests.browser.spoken_hall import SpokenHall
from tests.matrix import further

pytestmark = pytest.mark.browser
PHASES = {"ready", "round", "robber", "collecting", "ended"}


def seen_and_heard(languages: tuple[str, ...], screen: Screen, folder: Path, *, rounds: int) -> SpokenHall:
    lengths = Lengths(folder, languages)
    told = played(languages, lengths, rounds=rounds)
    hall = SpokenHall(languages, screen, lengths)
    hall.follow(told)
    return hall


@pytest.mark.parametrize("languages", [("pt", "en"), *further((("pl",),))], ids="+".join)
def test_all_that_is_seen_and_heard_agrees_with_the_picture(
    languages: tuple[str, ...], screen: Screen, tmp_path: Path
) -> None:
    hall = seen_and_heard(languages, screen, tmp_path, rounds=12)
    assert {phase for phase, _ in hall.stood} == PHASES
    assert {("round", language) for language in languages} <= hall.stood
    assert hall.said >= 12


@pytest.mark.soak
@pytest.mark.parametrize(
    "languages", [("de",), ("es", "en"), ("pt-BR", "es"), ("pl", "de"), ("en", "pt")], ids="+".join
)
def test_long_games_agree_in_every_language(
    languages: tuple[str, ...], screen: Screen, tmp_path: Path
) -> None:
    hall = seen_and_heard(languages, screen, tmp_path, rounds=60)
    assert {phase for phase, _ in hall.stood} == PHASES
    assert {(phase, language) for phase in ("round", "robber") for language in languages} <= hall.stood
