"""What every display showed, glass against glass: a game on virtual tables, and what its journal alone gives again."""

import msgspec

from pi_controller.replay.changes import changes_of
from pi_controller.replay.pictures import Replay
from pi_controller.replay.tables import AS_THE_OTHERS, tables_of
from tests.replay.recorded_tables import BOARDS, Glass, Played, shown

WHOLE_HALL = [f"{row}{number}" for row in "ABCDEFGH" for number in range(1, 33)]


def test_every_display_shows_again_what_stood_on_it(played: Played) -> None:
    again = Glass(shown(played.records))
    others = [(at_ms, place) for at_ms, place, rows in played.seen if rows not in again.around(at_ms, place)]
    assert others == []
    assert len(played.seen) > 500
    assert len({rows for _, _, rows in played.seen}) > 80


def test_hardly_any_moment_is_late(played: Played) -> None:
    """A node is told within some hundredths of a second, of a claim with its next poll."""
    again = Glass(shown(played.records))
    exact = [rows in again.around(at_ms, place, late_ms=0) for at_ms, place, rows in played.seen]
    assert sum(exact) / len(exact) > 0.95


def test_only_places_with_claims_have_pictures_of_their_own(played: Played) -> None:
    again = shown(played.records)
    assert again.boards == list(BOARDS)
    assert {(one.board, one.side) for one in again.places} == {
        ("", "sun"),
        ("", "moon"),
        ("A1", "sun"),
        ("B12", "sun"),
    }
    ends = {place.board: place.shown[-1][1] for place in again.places if place.board}
    assert ends["A1"] == AS_THE_OTHERS, "its claim was rejected"
    assert ends["B12"] >= 0, "it has won"
    assert all(place.shown == sorted(place.shown) for place in again.places)


def test_a_whole_hall_takes_little_more_than_one_board(played: Played) -> None:
    replay = Replay(changes_of(played.records), ("en", "pl"))
    sizes = [
        len(msgspec.json.encode(tables_of(replay, boards=boards, board_of=lambda _: "A1")))
        for boards in (WHOLE_HALL[:1], WHOLE_HALL)
    ]
    assert sizes[1] - sizes[0] < 4 * 1024 * len(WHOLE_HALL)
    assert sizes[1] < 1024 * 1024


def test_without_a_roster_the_boards_of_claims_are_known(played: Played) -> None:
    again = tables_of(Replay(changes_of(played.records)), board_of=lambda uid: uid)
    assert again.boards == ["A1", "B12"]
