"""What the wire carries of a game's seats."""

import pytest

from pi_controller.bus.values import LONGEST_SEAT
from pi_controller.core.tables.state import table_state
from pi_controller.game.game import new_game
from pi_controller.game.rule_sets import CLASSIC, seated
from pi_controller.protocol.commands import LONGEST_SEAT as LONGEST_NAME
from tests.core.hall import SEED, Hall, accepted


@pytest.mark.parametrize(
    ("name", "carried"),
    [
        ("", "Blue"),
        ("Ann", "Ann"),
        ("Zoë Šťastná", "Zoe Stastn"),
        ("Maximilian Carl", "Maximilian"),
        ("Grandmama Rosa", "Grandmama"),
        ("Σίσυφος", "Blue"),
        ("李小龙 Li", "Li"),
    ],
)
def test_a_name_is_cut_to_the_letters_that_a_display_has(name: str, carried: str) -> None:
    assert len(name) <= LONGEST_NAME
    rules = seated(CLASSIC, [("red", ""), ("blue", name), ("white", "")])
    hall = Hall(game=new_game("g1", rules, SEED))
    hall.begin()
    assert accepted(hall.ask("start"))
    hall.move(1)
    seats = table_state(hall.picture, offset_us=0, brightness=255).seats
    assert [seat.name for seat in seats] == ["", "", "Red", carried, "White"]
    assert len(carried) <= LONGEST_SEAT
