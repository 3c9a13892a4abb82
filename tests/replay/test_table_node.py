"""A node as far as its displays are concerned: what it shows by itself, between two changes of the game."""

from msgspec.structs import replace

from pi_controller.bus.values import NodeClaimStatus, TableSeat, TableState
from pi_controller.core.tables.state import table_state
from pi_controller.replay.node_claims import Place, ToldClaim
from pi_controller.replay.table_node import NEVER_US, OTHERS, TableNode
from table_node.view import CONFIRMED, NO_CLAIM, REJECTED
from table_node.view import SUN as SUN_SIDE
from tests.core.hand import room

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
    assert said == ["IHR ZUG", "TY GRASZ", "IHR ZUG"]


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
    for status, shown, later in (("rejected", REJECTED, None), ("confirmed", CONFIRMED, CONFIRMED)):
        node = TableNode()
        node.show(state(), told("open"), 0)
        node.show(state(), told(status), S)  # type: ignore[arg-type]
        assert node.look(5 * S - 1)[CLAIMANT].claim == shown
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
