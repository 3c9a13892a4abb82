"""What nodes were told of their claims: the same as core told them while the game was played."""

from pathlib import Path

import pytest

from pi_controller.replay.changes import changes_of
from pi_controller.replay.tables import told_at
from tests.core.disk import DiskHall
from tests.core.hand import S
from tests.core.hand_bus import TableHall, roster_of
from tests.report.played import records_of

LESS = {"settlements": 4, "cities": 1}


@pytest.fixture
def hall(tmp_path: Path) -> TableHall:
    """Ten seconds into round 1, Sun's; nodes 1 and 2 stand at A1 and A2."""
    hall = TableHall(tmp_path, DiskHall(tmp_path), roster=roster_of(1, 2)).play()
    hall.hall.move(10 * S)
    return hall


def again(hall: TableHall) -> dict[tuple[str, str], str]:
    """What is told at the end of the game, by its journal."""
    assert isinstance(hall.hall, DiskHall)
    *_, last = told_at(changes_of(records_of(hall.hall)), hall.keeper.board_of)
    return {place: one.status for place, one in last.items()}


def told(hall: TableHall) -> dict[tuple[str, str], str]:
    """What core tells the nodes now."""
    hall.hall.move(0)
    found = hall.bus.outcomes_told[-1]
    return {(hall.keeper.board_of(one.claim.uid), one.claim.side): one.status for one in found}


def test_open_claims_and_one_that_came_from_the_wrong_side(hall: TableHall) -> None:
    hall.claim(1)
    hall.claim(2, "moon")
    assert told(hall) == {("A1", "sun"): "open", ("A2", "moon"): "wait"}
    assert again(hall) == {("A1", "sun"): "open", ("A2", "moon"): "wait"}


def test_a_judge_comes_in_a_pause_and_the_verdict_is_told(hall: TableHall) -> None:
    hall.claim(1)
    hall.claim(2)
    hall.hall.ask("pause")
    hall.hall.ask("verdict", {"claim": hall.hall.picture.claims[0].id, "sheet": LESS})
    assert told(hall) == {("A1", "sun"): "rejected", ("A2", "sun"): "judge_comes"}
    assert again(hall) == told(hall)


def test_the_newest_claim_of_a_place_counts(hall: TableHall) -> None:
    first = hall.claim(1)
    hall.take_back(first)
    assert told(hall) == {("A1", "sun"): "withdrawn"}
    hall.claim(1, count=2, ago_ms=100)
    assert again(hall) == {("A1", "sun"): "open"}


def test_what_was_never_put_to_the_game_is_taken_back(hall: TableHall) -> None:
    hall.claim(1, ago_ms=60_000)
    assert told(hall) == {("A1", "sun"): "withdrawn"}
    assert again(hall) == {("A1", "sun"): "withdrawn"}


def test_a_claim_of_the_desk_is_told_to_no_node(hall: TableHall) -> None:
    hall.hall.ask("claim", {"board": "A1", "side": "sun"}, key="mine")
    assert again(hall) == {}
