"""What every display showed, glass against glass: a game on virtual tables, and what its journal alone gives again."""

from typing import Any

import msgspec
from msgspec.structs import replace

from pi_controller.bus.values import NodeClaimStatus, TableSeat, TableState
from pi_controller.core.tables.state import table_state
from pi_controller.replay.changes import changes_of
from pi_controller.replay.pictures import Replay
from pi_controller.replay.tables import (
    AS_THE_OTHERS,
    NAMELESS,
    NEVER_US,
    OTHERS,
    Pictures,
    Place,
    ReplayedDisplay,
    TableNode,
    ToldClaim,
    halved,
    tables_of,
)
from table_node import words_de
from table_node.view import CONFIRMED, NO_CLAIM, REJECTED, View
from table_node.view import SUN as SUN_SIDE
from tests.core.hand import room
from tests.replay.recorded_tables import BOARDS, Glass, Played, shown
from tools.table_faces import FACES, picture

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


NAMED = ("A1", "B12", "Tisch7", "Wg-123")
READY = [name for name in FACES if "ready" in name or name == "founding"]


def view(name: str, **changes: Any) -> Any:
    seen = View()
    for field, value in (FACES[name] | {"board": ""} | changes).items():
        setattr(seen, field, value)
    return seen


def whole(pictures: Pictures, glass: ReplayedDisplay, board: str = "") -> bytes:
    """The rows as a page puts them together."""
    halves = [pictures.halves[glass.left], pictures.halves[glass.right]]
    if glass.names != NAMELESS and board:
        names = pictures.names[glass.names][board]
        halves = [
            bytes(a ^ b for a, b in zip(half, pictures.halves[name], strict=True))
            for half, name in zip(halves, names, strict=True)
        ]
    return b"".join(half[row * 8 : row * 8 + 8] for row in range(64) for half in halves)


def test_halves_are_left_and_right() -> None:
    rows = bytes(range(16)) * 64
    assert halved(rows) == (bytes(range(8)) * 64, bytes(range(8, 16)) * 64)


def test_a_picture_is_what_the_firmware_draws_from_nothing() -> None:
    pictures = Pictures(())
    for name in FACES:
        expected = picture(FACES[name] | {"board": "", "shift_x": 0}).tobytes()
        assert whole(pictures, pictures.of(view(name))) == expected, name


def test_a_picture_is_kept_once() -> None:
    pictures = Pictures(())
    first = [pictures.of(view("your turn", seconds=seconds)) for seconds in range(30, 36)]
    kept = len(pictures.halves)
    assert [pictures.of(view("your turn", seconds=seconds)) for seconds in range(30, 36)] == first
    assert len(pictures.halves) == kept == 7, "one right half for six countdowns"


def test_names_of_boards_stand_as_the_firmware_writes_them() -> None:
    pictures = Pictures(NAMED)
    for name in READY:
        for changes in ({}, {"words": words_de}):
            found = pictures.of(view(name, **changes))
            for board in NAMED:
                expected = picture(FACES[name] | {"board": board} | changes).tobytes()
                assert whole(pictures, found, board) == expected, (name, board)
    assert pictures.of(view("your turn")).names == NAMELESS


# A node as far as its displays are concerned: what it shows by itself, between two changes of the game.

S = 1_000_000
SUN: Place = (OTHERS, "sun")
CLAIMANT: Place = ("A1", "sun")


def state(**changes: object) -> TableState:
    """A round with 35 s left, as of moment 0."""
    picture = room(running=True, remaining_us=35 * S, remaining_ms=35_000, duration_ms=35_000)
    whole = table_state(picture, offset_us=-picture.as_of_us, brightness=255)
    return replace(whole, **changes)  # type: ignore[arg-type]


def moments(node: TableNode, until_us: int) -> list[int]:
    """When it wants to be looked at, after a look at 0."""
    found = [0]
    while found[-1] < until_us:
        node.look(found[-1])
        found.append(node.next_us(found[-1]))
    return found[:-1]


def test_seconds_flip_when_they_are_over() -> None:
    node = TableNode()
    node.show(state(left_us=3_500_000), {}, 0)
    assert moments(node, 3 * S) == [0, 500_000, 1_500_000, 2_500_000]
    assert [node.look(at)[SUN].seconds for at in (0, 499_999, 500_000, 2_500_000)] == [4, 4, 3, 1]


def test_a_phase_never_ends_by_itself() -> None:
    node = TableNode()
    node.show(state(left_us=S), {}, 0)
    assert node.look(60 * S)[SUN].seconds == 1


def test_while_paused_nothing_moves_on() -> None:
    node = TableNode()
    node.show(state(running=False, paused=True, left_us=20 * S), {}, 0)
    assert {node.look(at)[SUN].seconds for at in (0, 10 * S, 4000 * S)} == {20}
    assert node.next_us(4000 * S) == NEVER_US


def test_seats_of_other_rules_are_called_by_their_names() -> None:
    node = TableNode()
    names = tuple(TableSeat(name=name, sign=None) for name in ("Red", "Blue", "Star"))
    node.show(state(seats=names, seat=2, next_seat=0), {}, 0)
    assert [view.name for view in node.look(0).values()] == ["Star", "Star"]
    node.show(state(seats=names, seat=0, next_seat=1), {}, S)
    assert [(view.name, view.active) for view in node.look(S).values()] == [("Red", SUN_SIDE)] * 2


def test_words_are_those_of_the_language_that_stands() -> None:
    node, said = TableNode(), []
    for second in (False, True, False):
        node.show(state(languages=("de", "pl"), second_language=second), {}, 0)
        said.append(node.look(0)[SUN].words.YOUR_TURN)
    assert said == ["DEIN ZUG", "TY GRASZ", "DEIN ZUG"]


def test_pages_of_a_message_take_turns() -> None:
    node = TableNode()
    node.show(state(running=False, paused=True), {}, 0)
    node.show(state(running=False, paused=True, message="The hall closes at ten. " * 3), {}, S)
    assert [node.look(at)[SUN].page for at in (S, 4 * S - 1, 4 * S, 9 * S)] == [0, 0, 1, 2]
    node.look(S)
    assert node.look(S)[SUN].message.startswith("The hall closes")
    node.show(state(running=False, paused=True), {}, 10 * S)
    assert node.look(10 * S)[SUN].message == ""


def test_the_end_of_a_claim_is_shown_for_a_while_and_a_victory_stays() -> None:
    for status, seen, later in (("rejected", REJECTED, None), ("confirmed", CONFIRMED, CONFIRMED)):
        node = TableNode()
        node.show(state(), told("open"), 0)
        node.show(state(), told(status), S)  # type: ignore[arg-type]
        assert node.look(5 * S - 1)[CLAIMANT].claim == seen
        found = node.look(5 * S).get(CLAIMANT)
        assert (found and found.claim) == later
        assert node.look(5 * S)[SUN].claim == NO_CLAIM


def test_a_look_follows_when_a_claim_is_no_longer_spoken_of() -> None:
    node = TableNode()
    node.show(state(running=False, paused=True), told("open"), 0)
    node.show(state(running=False, paused=True), told("rejected"), 300_000)
    node.look(300_000)
    assert 4_300_000 in moments(node, 5 * S)


def told(status: NodeClaimStatus) -> dict[Place, ToldClaim]:
    return {CLAIMANT: ToldClaim("table/0/1/sun/1", status)}
