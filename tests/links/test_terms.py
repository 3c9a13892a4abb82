"""Who leads."""

import msgspec

from pi_controller.links.payloads import Status
from pi_controller.links.terms import another_leader, leader_of, namesake

MAIN = Status(state="online", hall="main", role="leader", term=1, since_ms=1_000, id="m")
EAST = Status(state="online", hall="east", role="leader", term=1, since_ms=2_000, id="e")
WEST = Status(state="online", hall="west", role="follower", term=1, since_ms=10, id="w")


def changed(status: Status, **fields: object) -> Status:
    return msgspec.structs.replace(status, **fields)


def test_the_later_of_two_leaders_gives_way() -> None:
    assert another_leader(EAST, [MAIN, WEST]) == MAIN
    assert another_leader(MAIN, [EAST, WEST]) is None


def test_a_higher_term_leads_whoever_was_there_first() -> None:
    newer = changed(EAST, term=2)
    assert another_leader(MAIN, [newer]) == newer
    assert another_leader(newer, [MAIN]) is None
    assert leader_of([MAIN, newer, WEST]) == newer


def test_who_is_offline_leads_nobody() -> None:
    assert another_leader(EAST, [changed(MAIN, state="offline")]) is None
    assert leader_of([changed(MAIN, state="offline"), WEST]) is None


def test_two_of_the_same_moment_agree_who_leads() -> None:
    twin = changed(EAST, since_ms=MAIN.since_ms)
    assert (another_leader(MAIN, [twin]) is None) != (another_leader(twin, [MAIN]) is None)


def test_two_of_the_same_name_are_told_apart_by_their_runs() -> None:
    before = changed(WEST, id="another", since_ms=WEST.since_ms - 1)
    assert namesake(WEST, [before]) == before
    assert namesake(before, [WEST]) is None
    assert namesake(WEST, [changed(before, state="offline")]) is None
    assert namesake(WEST, [WEST, MAIN]) is None
