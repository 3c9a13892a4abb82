"""Claims name boards of the roster, where there is one."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.core.game_loop.picture import Boards, NoSuchBoard
from pi_controller.game.claims import board_key
from pi_controller.game.commands import Claim
from pi_controller.language.words import words
from pi_controller.roster import model
from pi_controller.roster.model import Board, Roster, Row
from pi_controller.sentence import Parameter, Sentence
from tests.core.hall import Hall, accepted
from tests.core.hand import S


@pytest.fixture
def hall() -> Hall:
    """Ten seconds into round 1, Sun's; boards A1 to A12 and a single B7."""
    hall = Hall().play()
    hall.move(10 * S)
    rows = (*model.new_roster(1, 12).rows, Row(name="B", boards=(Board(name="B7"),)))
    hall.loop.boards.take(Roster(rows=rows))
    return hall


@pytest.mark.parametrize("name", ["a5", "A05", "a 5", "A5"])
def test_a_board_gets_the_spelling_of_the_roster(hall: Hall, name: str) -> None:
    assert accepted(hall.ask("claim", {"board": "A5", "side": "sun"}))
    assert accepted(hall.ask("claim", {"board": name, "side": "sun"}))
    assert [claim.board for claim in hall.picture.claims] == ["A5"]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("claim", {"board": "A99", "side": "sun"}),
        ("verdict", {"claim": "c2", "confirmed": True, "board": "A99", "side": "sun"}),
        ("undo", {"replace": {"name": "claim", "body": {"board": "A99", "side": "sun"}}}),
    ],
)
def test_a_board_that_is_not_there_is_refused_with_those_that_are(
    hall: Hall, name: str, body: object
) -> None:
    hall.loop.press(hall.timers.boot_ns())
    [answer] = hall.ask(name, body)
    assert [words(reason) for reason in answer.reasons] == [
        "There is no board A99 in this hall. Its boards: A1 to A12, B7."
    ]
    assert [claim.board for claim in hall.picture.claims] == [None]


def test_a_verdict_names_the_board_as_the_roster_spells_it(hall: Hall) -> None:
    hall.loop.press(hall.timers.boot_ns())
    claim = hall.picture.claims[0].id
    body = {"claim": claim, "confirmed": True, "board": "b07", "side": "sun"}
    assert accepted(hall.ask("verdict", body))
    assert [(winner.board, winner.side) for winner in hall.picture.winners] == [("B7", "sun")]


def test_without_a_roster_any_name_is_taken_and_the_first_spelling_stays(hall: Hall) -> None:
    hall.loop.boards.take(Roster())
    for name in ("The window", "the  WINDOW", "A99"):
        assert accepted(hall.ask("claim", {"board": name, "side": "sun"}))
    assert [claim.board for claim in hall.picture.claims] == ["The window", "A99"]


def offered(said: Parameter) -> Iterator[str]:
    """Every board that a person reads out of this part of a sentence."""
    if isinstance(said, tuple):
        for one in said:
            yield from offered(one)
        return
    assert isinstance(said, Sentence)
    params = dict(said.params)
    if said.key == "claim.boards_of_row":
        first, last = str(params["first"]), str(params["last"])
        row = first.rstrip("0123456789")
        yield from (f"{row}{number}" for number in range(int(first[len(row) :]), int(last[len(row) :]) + 1))
    elif said.key == "told.as_it_is":
        yield str(params["text"])
    else:
        for _, part in said.params:
            yield from offered(part)


rows = st.lists(st.lists(st.integers(1, 14), min_size=1, unique=True), min_size=1, max_size=3)


@given(rows=rows, in_order=st.booleans(), asked=st.tuples(st.integers(0, 3), st.integers(0, 16)))
def test_what_is_refused_is_never_offered(
    rows: list[list[int]], in_order: bool, asked: tuple[int, int]
) -> None:
    """Also where a row has gaps, or its boards stand in another order than their numbers."""
    named = [
        Row(
            name="ABC"[place],
            boards=tuple(Board(name=f"{'ABC'[place]}{n}") for n in (sorted(row) if in_order else row)),
        )
        for place, row in enumerate(rows)
    ]
    boards, there = Boards(), {board.name for row in named for board in row.boards}
    boards.take(Roster(rows=tuple(named)))
    name = f"{'ABCD'[asked[0]]}{asked[1]}"
    if name in there:
        assert boards.spelled(Claim(name, "sun")) == Claim(name, "sun")
        return
    with pytest.raises(NoSuchBoard) as refused:
        boards.spelled(Claim(name, "sun"))
    told = set(offered(dict(refused.value.sentence.params)["boards"]))
    assert board_key(name) not in {board_key(one) for one in told}
    assert told == there


def test_a_row_with_gaps_names_its_stretches(hall: Hall) -> None:
    row = Row(name="A", boards=tuple(Board(name=f"A{n}") for n in (1, 2, 4, 5, 6, 9)))
    hall.loop.boards.take(Roster(rows=(row,)))
    [answer] = hall.ask("claim", {"board": "A3", "side": "sun"})
    assert [words(reason) for reason in answer.reasons] == [
        "There is no board A3 in this hall. Its boards: A1, A2, A4 to A6, A9."
    ]
