"""Rosters are read, changed, and refused in sentences."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.language.words import all_words
from pi_controller.roster import model
from pi_controller.roster.model import MOST_PROBLEMS, Board, Roster, RosterFault, Row, read

NODE = "e6614103e7452a2f"
GOOD = {
    "version": 1,
    "rows": [
        {"name": "A", "boards": [{"name": "A1", "node": NODE, "swapped": True}, {"name": "A2"}]},
        {"name": "ring", "shape": "ring", "boards": [{"name": "R-1", "node": None}]},
        {"name": "C", "shape": "angled", "angle": 30, "boards": []},
    ],
}


def problems(value: object) -> tuple[str, ...]:
    with pytest.raises(RosterFault) as caught:
        read(value)
    return tuple(all_words(caught.value.problems))


def test_a_roster_is_read() -> None:
    roster = read(GOOD)
    assert roster.boards == (Board(name="A1", node=NODE, swapped=True), Board(name="A2"), Board(name="R-1"))
    assert roster.rows[2] == Row(name="C", shape="angled", angle=30)
    assert roster.board_of(NODE) is roster.board("A1")
    assert roster.board("A9") is None
    assert roster.row("ring") is roster.rows[1]
    assert read({}) == Roster()


def row(**changes: Any) -> dict[str, Any]:
    return {"rows": [{"name": "A", "boards": [{"name": "A1"}]} | changes]}


def board(**changes: Any) -> dict[str, Any]:
    return row(boards=[{"name": "A1"} | changes])


RULE = "a name is 1 to 6 letters A-Z and a-z, digits and hyphens"
MISTAKES = [
    ([], "A roster is an object with `version` and `rows`, not a list."),
    ({"version": 2}, "Version 2 of the roster is not known here; this is version 1."),
    ({"version": True}, "Version true of the roster is not known here; this is version 1."),
    ({"version": 1.0}, "Version 1.0 of the roster is not known here; this is version 1."),
    ({"hall": "x"}, 'The roster: "hall" is not known; known here: version, rows.'),
    ({"rows": "A"}, '`rows` must be a list of rows, not "A".'),
    ({"rows": [7]}, "Row 1 must be an object with `name` and `boards`, not 7."),
    ({"rows": [{}]}, f"Row 1 has no name; {RULE}."),
    (row(name="Long row"), f'Row 1: "Long row" cannot be its name; {RULE}.'),
    (row(shape="bent"), 'Row A: shape "bent" is not one of straight, angled, ring.'),
    (row(shape=["ring"]), "Row A: shape a list is not one of straight, angled, ring."),
    (row(angle=91), "Row A: angle 91 must be a whole number of degrees from 0 to 90."),
    (row(angle=True), "Row A: angle true must be a whole number of degrees from 0 to 90."),
    (row(boards={}), "Row A: `boards` must be a list of boards, not an object."),
    (row(boards=["A1"]), 'Row A, board 1: a board is an object with `name`, not "A1".'),
    (row(boards=[{}]), f"Row A, board 1 has no name; {RULE}."),
    (board(name="A 1"), f'Row A, board 1: "A 1" cannot be its name; {RULE}.'),
    (
        board(node="E66"),
        'Board A1: node "E66" must be the 16 digits 0-9 and a-f of a node\'s unique id, or null.',
    ),
    (board(swapped=1), "Board A1: swapped 1 must be true or false."),
    (board(side="sun"), 'Board A1: "side" is not known; known here: name, node, swapped.'),
]


@pytest.mark.parametrize(("value", "sentence"), MISTAKES)
def test_a_mistake_is_one_sentence(value: object, sentence: str) -> None:
    assert problems(value) == (sentence,)


def test_what_stands_twice_is_told() -> None:
    rows = [
        {"name": "A", "boards": [{"name": "A1", "node": NODE}, {"name": "A1"}]},
        {"name": "A", "boards": [{"name": "B1", "node": NODE}]},
    ]
    assert problems({"rows": rows}) == (
        "Row A occurs twice: give each row its own name.",
        "Board A1 occurs twice: give each board in the hall its own name.",
        f"Node {NODE} is at boards A1 and B1: a node can be at one board only.",
    )


def test_a_hall_has_at_most_256_boards() -> None:
    boards = [{"name": f"{number}"} for number in range(257)]
    assert problems(row(boards=boards)) == ("The roster has 257 boards; one controller serves at most 256.",)
    assert len(read(row(boards=boards[:256])).boards) == 256


def test_all_mistakes_come_at_once_but_no_more_than_anybody_reads() -> None:
    assert len(problems(row(shape="bent", angle=-1, boards=[{}, {"name": "x", "node": 3}]))) == 4
    many = problems({"rows": [{} for _ in range(MOST_PROBLEMS + 5)]})
    assert len(many) == MOST_PROBLEMS + 1
    assert many[-1] == "There are 5 more mistakes; correct these first."


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["version", "rows", "name", "boards", "node", "swapped", "shape", "angle", "x"]),
            inner,
        )
    ),
)


@given(JSON)
def test_any_value_is_read_or_told(value: object) -> None:
    told: tuple[str, ...] = ()
    try:
        assert isinstance(read(value), Roster)
    except RosterFault as fault:
        told = tuple(all_words(fault.problems))
    assert all(problem.endswith(".") for problem in told)
    assert json.dumps(told)


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
        (lambda: model.walk(ROSTER, "B", "A1"), "Board A1 is not in row B: name one that is."),
    ],
)
def test_what_is_not_there_is_told(act: object, sentence: str) -> None:
    with pytest.raises(RosterFault) as caught:
        act()  # type: ignore[operator]
    assert all_words(caught.value.problems) == [sentence]
