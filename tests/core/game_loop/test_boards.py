"""Claims name boards of the roster, where there is one."""

import pytest

from pi_controller.language.words import words
from pi_controller.roster import edits
from pi_controller.roster.model import Board, Roster, Row
from tests.core.hall import Hall, accepted
from tests.core.hand import S


@pytest.fixture
def hall() -> Hall:
    """Ten seconds into round 1, Sun's; boards A1 to A12 and a single B7."""
    hall = Hall().play()
    hall.move(10 * S)
    rows = (*edits.new_roster(1, 12).rows, Row(name="B", boards=(Board(name="B7"),)))
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
