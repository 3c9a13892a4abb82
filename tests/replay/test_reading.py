import pytest

from pi_controller.journal.errors import JournalError
from pi_controller.journal.record import encode
from pi_controller.replay.changes import games_in
from tests.replay.test_changes import chain, opening

GAME = [encode(record) for record in chain(("game", opening(), 5, 5), ("note", {}, 6, 6))]


def test_several_games_may_follow_each_other() -> None:
    assert [[record.seq for record in game] for game in games_in([*GAME, *GAME])] == [[0, 1], [0, 1]]


@pytest.mark.parametrize(
    ("lines", "line", "why"),
    [
        ([], 1, "journal.begins_no_game"),
        ([b"{}\n"], 1, "journal.hash_does_not_fit"),
        (GAME[1:], 1, "journal.line_does_not_continue"),
        ([*GAME, GAME[1]], 3, "journal.line_does_not_continue"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(lines: list[bytes], line: int, why: str) -> None:
    with pytest.raises(JournalError) as error:
        games_in(lines)
    params = dict(error.value.sentence.params)
    assert params["line"] == line
    assert getattr(params["why"], "key", None) == why
