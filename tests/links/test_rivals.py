"""Before whom a leader gives way."""

import msgspec

from pi_controller.links.payloads import Status
from pi_controller.links.rivals import ALIVE_S, Rivals

OWN = Status(state="online", hall="main", role="leader", term=1, since_ms=2_000, id="own")
FIRST = Status(state="online", hall="west", role="leader", term=1, since_ms=1_000, id="first")
TWIN = msgspec.structs.replace(FIRST, hall="main")


def knowing(*others: Status) -> Rivals:
    rivals = Rivals()
    rivals.known |= {one.hall: one for one in others}
    return rivals


def test_alone_it_leads_at_once() -> None:
    assert knowing().verdict(OWN, 0) == "lead"


def test_it_gives_way_to_who_was_there_first_and_is_heard() -> None:
    for other in (FIRST, TWIN):
        rivals = knowing(other)
        assert rivals.verdict(OWN, 0) == "wait"
        rivals.sign(other.hall)
        assert rivals.verdict(OWN, 1) == "give_way"
        assert rivals.before == other


def test_what_the_broker_kept_of_a_dead_one_refuses_nobody() -> None:
    rivals = knowing(FIRST)
    assert [rivals.verdict(OWN, at_s) for at_s in (10, 10 + ALIVE_S - 0.1, 10 + ALIVE_S)] == [
        "wait",
        "wait",
        "lead",
    ]


def test_one_that_was_silent_too_long_still_comes_first_when_it_is_heard() -> None:
    rivals = knowing(FIRST)
    rivals.verdict(OWN, 0)
    assert rivals.verdict(OWN, ALIVE_S) == "lead"
    rivals.sign("west")
    assert rivals.verdict(OWN, ALIVE_S + 1) == "give_way"


def test_once_given_way_it_stays_so_over_connections_too() -> None:
    rivals = knowing(FIRST)
    rivals.sign("west")
    assert rivals.verdict(OWN, 0) == "give_way"
    rivals.begin()
    assert rivals.verdict(OWN, 100) == "give_way"


def test_a_later_or_lower_one_is_none() -> None:
    later = msgspec.structs.replace(FIRST, since_ms=3_000)
    rivals = knowing(later)
    rivals.sign("west")
    assert rivals.verdict(OWN, 0) == "lead"
