"""One table of the classic game: a node has two seats, and its button is the turn's."""

from pathlib import Path

import pytest

from pi_controller.game.game import new_game
from pi_controller.game.rule_sets import CLASSIC, CLASSIC_SEATS, seated
from tests.core.hall import SEED, Hall, accepted
from tests.core.hand import S
from tests.core.hand_bus import TableHall, roster_of

SEATS = 5


@pytest.fixture
def table(tmp_path: Path) -> TableHall:
    """Five seats at three nodes, in the first turn, before its dice."""
    rules = seated(CLASSIC, [(seat, "") for seat, _ in CLASSIC_SEATS[:SEATS]])
    table = TableHall(tmp_path, Hall(game=new_game("g1", rules, SEED)), roster=roster_of(1, 2, 3))
    table.hall.begin()
    assert accepted(table.hall.ask("start"))
    table.hall.move(1)
    for _ in range(2 * SEATS):
        assert accepted(table.hall.ask("turn"))
        table.hall.move(S)
    return table


def press(table: TableHall, place: int, count: int) -> None:
    """The button of the seat at this place among all."""
    table.claim(place // 2 + 1, ("sun", "moon")[place % 2], ago_ms=0, count=count)


def test_each_seat_rolls_and_ends_its_turn_with_its_own_button(table: TableHall) -> None:
    acted = []
    for count in range(1, 1 + SEATS):
        seat = table.hall.picture.seat
        assert seat is not None
        press(table, seat, 2 * count)
        assert table.hall.picture.dice is not None
        acted.append(seat)
        table.hall.move(S)
        press(table, seat, 2 * count + 1)
        table.hall.move(S)
    assert sorted(acted) == list(range(SEATS))
    assert not table.hall.picture.claims


def test_the_button_of_another_seat_only_tells_its_node_to_wait(table: TableHall) -> None:
    seat = table.hall.picture.seat
    assert seat is not None
    press(table, (seat + 1) % SEATS, 1)
    assert table.hall.picture.dice is None
    assert [one.status for one in table.bus.outcomes_told[-1]] == ["wait"]


def test_a_side_where_nobody_sits_does_nothing(table: TableHall) -> None:
    press(table, SEATS, 1)
    assert table.hall.picture.dice is None


def test_a_press_that_was_taken_leaves_the_nodes_lamp_dark(table: TableHall) -> None:
    seat = table.hall.picture.seat
    assert seat is not None
    press(table, seat, 1)
    assert [one.status for one in table.bus.outcomes_told[-1]] == ["withdrawn"]


def test_the_big_button_rolls_and_ends_the_turn(table: TableHall) -> None:
    before = table.hall.picture
    table.hall.press()
    assert table.hall.picture.dice is not None
    assert not table.hall.picture.paused
    table.hall.move(S)
    table.hall.press()
    assert table.hall.picture.side == before.next_side


def test_no_node_takes_the_acting_seat_for_one_of_its_own_sides(table: TableHall) -> None:
    state = table.bus.shown[-1]
    assert [seat.name for seat in state.seats] == ["", "", "Red", "Blue", "White", "Orange", "Green"]
    assert state.seat == (table.hall.picture.seat or 0) + 2
