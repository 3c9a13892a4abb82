"""Broken and shorted wires of a button with two contacts; times in milliseconds."""

from pi_controller.hal.debouncer import Debouncer, Pressed, Released, WireBroken, WireMended
from pi_controller.hal.roles import Contacts
from tests.hal.hand import MS, Hand


def test_broken_nc_wire_is_a_fault_and_the_no_contact_still_counts() -> None:
    hand = Hand("nc_no")
    hand.nc(100, closed=False)
    assert hand.until(199.9) == []
    assert hand.until(200) == [WireBroken("nc", 200 * MS)]
    assert hand.debouncer.fault == "nc"
    hand.no(500, closed=True)
    assert hand.until(503.9) == []
    assert hand.until(504) == [Pressed(500 * MS)]
    hand.no(620, closed=False)
    assert hand.until(700) == [Released(620 * MS)]
    hand.nc(900, closed=True)
    assert hand.until(1000) == [WireMended(1000 * MS)]
    assert hand.debouncer.fault is None


def test_no_wire_short_is_a_fault_and_the_nc_contact_still_counts() -> None:
    hand = Hand("nc_no")
    hand.no(100, closed=True)
    assert hand.until(300) == [WireBroken("no", 200 * MS)]
    hand.nc(500, closed=False)
    assert hand.until(503.9) == []
    assert hand.until(504) == [Pressed(500 * MS)]
    hand.nc(620, closed=True)
    assert hand.until(700) == [Released(620 * MS)]


def test_welded_nc_contact_costs_one_press_and_no_more() -> None:
    hand = Hand("nc_no")
    hand.no(100, closed=True)
    hand.no(300, closed=False)
    assert hand.until(400) == [WireBroken("no", 200 * MS), WireMended(400 * MS)]
    hand.no(500, closed=True)
    hand.no(560, closed=False)
    assert hand.until(590) == [Pressed(500 * MS), Released(560 * MS)]


def test_broken_no_wire_shows_as_fault_at_each_press() -> None:
    hand = Hand("nc_no")
    hand.nc(100, closed=False)
    hand.nc(300, closed=True)
    assert hand.until(500) == [WireBroken("nc", 200 * MS), WireMended(400 * MS)]


def test_wire_broken_at_the_start() -> None:
    hand = Hand("nc_no")
    hand = Hand("nc_no", start_ms=0)
    broken = Debouncer(contacts="nc_no", hold_ns=0)
    broken.sample(Contacts(no_closed=False, nc_closed=False), 0)
    assert broken.advance(100 * MS) == (WireBroken("nc", 100 * MS),)
    assert hand.until(100) == []
