"""The lines of a journal as changes of the game, and the rolls that were seen."""

import pytest

from pi_controller.core.game_loop.opening import header
from pi_controller.game.game import new_game
from pi_controller.game.rule_sets import CONNECT
from pi_controller.journal.errors import JournalError
from pi_controller.journal.record import FIRST_PREV, Record, encode, seal
from pi_controller.replay.changes import changes_of, games_in
from tests.core.hall import SEED

S = 1_000_000_000
Line = tuple[str, dict[str, object], int, int]


def opening(**changes: object) -> dict[str, object]:
    data = header(new_game("g1", CONNECT, SEED))
    return {**data, "format": 2, "game_id": "g1", **changes}


def chain(*lines: Line, boots: str = "a", walls: tuple[str, ...] = ()) -> list[Record]:
    """Lines as kind, data, game seconds, boot seconds; `boots` has a letter for each, the last for the rest."""
    records: list[Record] = []
    for number, (kind, data, game_s, boot_s) in enumerate(lines):
        records.append(
            seal(
                kind,
                data,
                seq=number,
                game_ns=game_s * S,
                boot_ns=boot_s * S,
                boot_id=boots[min(number, len(boots) - 1)],
                wall=walls[number] if walls else "2026-11-21T19:00:00Z",
                prev=records[-1].hash if records else FIRST_PREV,
            )
        )
    return records


def test_lines_of_one_moment_are_one_change() -> None:
    lines = chain(("game", opening(), 5, 5), ("note", {"a": 1}, 6, 6), ("note", {"b": 1}, 6, 6))
    assert [len(change.records) for change in changes_of(lines)] == [1, 2]


def test_the_speed_of_game_time_is_that_of_its_start() -> None:
    recovery = ("note", {"recovery": {}}, 45, 20)
    lines = chain(("game", opening(), 5, 5), ("note", {}, 45, 9), recovery, ("note", {}, 47, 22))
    assert [change.time.rate for change in changes_of(lines)] == [10.0, 10.0, 1.0, 1.0]


def test_over_a_start_of_the_computer_the_clock_of_the_wall_counts() -> None:
    walls = ("2026-11-21T19:00:00Z", "2026-11-21T19:00:07Z", "2026-11-21T19:03:07Z")
    lines = chain(
        ("game", opening(), 5, 5), ("note", {}, 12, 12), ("note", {}, 12, 3), boots="aab", walls=walls
    )
    assert [change.since_ns // S for change in changes_of(lines)] == [0, 7, 187]


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        ([], "replay.no_journal"),
        ([("note", {}, 1, 1)], "replay.no_journal"),
        ([("game", opening(derivation=99), 1, 1)], "replay.newer_dice"),
        ([("game", opening(rules={}), 1, 1)], "replay.unknown_rules"),
        ([("game", opening(), 1, 1), ("did", {}, 2, 2)], "replay.line_does_not_fit"),
        ([("game", opening(), 1, 1), ("went_on", {"at_ns": "x"}, 2, 2)], "replay.line_does_not_fit"),
    ],
)
def test_what_cannot_be_replayed_is_said(lines: list[Line], key: str) -> None:
    with pytest.raises(JournalError) as error:
        changes_of(chain(*lines))
    assert error.value.sentence.key == key


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
