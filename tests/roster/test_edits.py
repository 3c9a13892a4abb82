import pytest

from pi_controller.language.words import all_words
from pi_controller.roster import model
from pi_controller.roster.model import RosterFault

ONE, TWO = "0" * 16, "1" * 16
ROSTER = model.place(model.new_roster(2, 3), "A1", ONE, swapped=True)


def test_a_new_roster_has_lettered_rows() -> None:
    roster = model.new_roster(2, 3)
    assert [board.name for board in roster.boards] == ["A1", "A2", "A3", "B1", "B2", "B3"]
    assert len(model.new_roster(8, 32).boards) == 256


@pytest.mark.parametrize(("rows", "boards"), [(0, 3), (27, 1), (8, 33), (1, 0)])
def test_a_roster_that_is_too_large_cannot_be_made(rows: int, boards: int) -> None:
    with pytest.raises(RosterFault, match=f"^{rows} rows of {boards} boards cannot be made: 1 to 26 rows"):
        model.new_roster(rows, boards)


def test_a_node_stands_at_one_board() -> None:
    moved = model.place(ROSTER, "B2", ONE)
    assert moved.board("A1") == model.new_roster(1, 1).board("A1")
    assert moved.board_of(ONE) is moved.board("B2")


def test_a_spare_takes_over_the_orientation() -> None:
    board = model.place(ROSTER, "A1", TWO).board("A1")
    assert board is not None
    assert (board.node, board.swapped) == (TWO, True)


def test_swap_and_clear() -> None:
    swapped = model.swap(ROSTER, "A1").board("A1")
    assert swapped is not None
    assert (swapped.node, swapped.swapped) == (ONE, False)
    assert model.clear(ROSTER, "A1") == model.new_roster(2, 3)


def test_a_walk_goes_along_the_row() -> None:
    assert list(model.walk(ROSTER, "B")) == ["B1", "B2", "B3"]
    assert list(model.walk(ROSTER, "B", "B2")) == ["B2", "B3"]


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda: model.swap(ROSTER, "Z1"), "There is no board Z1 in the roster: add it there first."),
        (lambda: model.clear(ROSTER, "Z1"), "There is no board Z1 in the roster: add it there first."),
        (lambda: model.place(ROSTER, "Z1", ONE), "There is no board Z1 in the roster: add it there first."),
        (lambda: model.walk(ROSTER, "C"), "There is no row C; the rows of the roster: A, B."),
        (lambda: model.walk(ROSTER, "B", "A1"), "Board A1 does not stand in row B: name one that does."),
    ],
)
def test_what_is_not_there_is_told(act: object, sentence: str) -> None:
    with pytest.raises(RosterFault) as caught:
        act()  # type: ignore[operator]
    assert all_words(caught.value.problems) == [sentence]
