"""One contact of the pause button by itself; how its edges become presses: test_qualifier.py."""

from pi_controller.hal.contact import Contact

MS = 1_000_000


def test_an_edge_that_comes_late_moves_the_first_one_back_and_never_the_last() -> None:
    contact = Contact(rests_closed=False, settle_ns=4 * MS)
    contact.begin(closed=False, at_ns=0)
    contact.edge(closed=True, at_ns=20 * MS)  # as a look at the levels found it
    contact.edge(closed=True, at_ns=15 * MS)  # the edge itself
    assert (contact.first_closed_ns, contact.last_ns, contact.last_closing_ns) == (15 * MS, 20 * MS, 20 * MS)
