"""The pause button's rules on made-up edges (times in milliseconds), and one contact by itself."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_controller.hal.debouncer import (
    ButtonEvent,
    Contact,
    Debouncer,
    Held,
    HeldSinceBoot,
    Pressed,
    Released,
    StuckPressed,
    WireBroken,
    WireMended,
)
from pi_controller.hal.roles import ContactChange, Contacts
from tests.hal.hand import MS, Hand


def test_single_contact_counts_after_4_ms_at_first_edge() -> None:
    hand = Hand()
    hand.no(100, closed=True)
    assert hand.due == 104
    assert hand.until(103.999) == []
    assert hand.until(104) == [Pressed(100 * MS)]
    assert hand.debouncer.pressed
    hand.no(220, closed=False)
    assert hand.until(239.9) == []
    assert hand.until(240) == [Released(220 * MS)]
    assert hand.due is None
    assert not hand.debouncer.pressed


def test_two_contacts_that_agree_count_after_1_ms() -> None:
    hand = Hand("nc_no")
    hand.nc(100, closed=False)
    hand.no(103, closed=True)
    assert hand.until(103.9) == []
    assert hand.until(104) == [Pressed(103 * MS)]


def test_steady_no_counts_after_4_ms_while_nc_chatters() -> None:
    hand = Hand("nc_no")
    hand.press(100)
    for step in range(1, 10):
        hand.nc(100 + step * 0.5, closed=step % 2 == 1)
    assert hand.until(104.6) == [Pressed(100 * MS)]


@pytest.mark.parametrize("contacts", ["no", "nc_no"])
@pytest.mark.parametrize("bounce_ms", [1, 50])
def test_10_khz_bounce_is_one_press_at_its_first_edge(contacts: str, bounce_ms: int) -> None:
    hand = Hand(contacts)
    events = []
    for edge in range(20 * bounce_ms):
        at = 100 + edge / 20
        if edge % 2 == 0:
            hand.press(at)
        else:
            hand.release(at)
        events += hand.until(at)
    hand.press(100 + bounce_ms)
    assert events == []
    assert hand.until(250) == [Pressed(100 * MS)]
    for edge in range(1000):
        at = 300 + edge / 20
        if edge % 2 == 0:
            hand.release(at)
        else:
            hand.press(at)
        assert hand.until(at) == []
    hand.release(350)
    assert hand.until(500) == [Released(300 * MS)]


def test_bounce_for_5_s_is_one_press_near_its_end() -> None:
    hand = Hand()
    for edge in range(100_000):
        hand.no(100 + edge / 20, closed=edge % 2 == 0)
    hand.no(5100, closed=True)
    (pressed,) = hand.until(5200)
    assert isinstance(pressed, Pressed)
    assert 4990 * MS <= pressed.at_ns <= 5100 * MS


def test_spikes_under_4_ms_are_nothing_and_leave_nothing() -> None:
    hand = Hand()
    change = hand.debouncer.change
    at_ns = 0
    for spike in range(20_000):
        at_ns += 10 * MS
        change(ContactChange("no", True, at_ns))
        change(ContactChange("no", False, at_ns + 1000 + spike * 197 % 3_999_000))
    assert hand.until(at_ns / MS + 100) == []
    assert hand.due is None


def test_spikes_of_one_contact_are_nothing_whatever_their_length() -> None:
    hand = Hand("nc_no")
    hand.nc(100, closed=False)
    hand.nc(199, closed=True)
    hand.no(300, closed=True)
    hand.no(399, closed=False)
    assert hand.until(1000) == []


def test_noise_long_before_does_not_date_a_press_back() -> None:
    hand = Hand()
    for edge in range(2000):
        hand.no(edge * 1.5, closed=edge % 2 == 0)
    hand.no(3000, closed=True)
    (pressed,) = hand.until(3010)
    assert pressed.at_ns >= 2890 * MS


def test_hold_once_a_press() -> None:
    hand = Hand(hold_ms=3000)
    hand.no(100, closed=True)
    assert hand.until(3099) == [Pressed(100 * MS)]
    assert hand.until(9000) == [Held(3100 * MS, 100 * MS)]
    hand.no(9100, closed=False)
    assert hand.until(9200) == [Released(9100 * MS)]
    hand.no(10000, closed=True)
    assert hand.until(13000) == [Pressed(10000 * MS), Held(13000 * MS, 10000 * MS)]


def test_letting_go_before_the_hold_is_no_hold() -> None:
    hand = Hand(hold_ms=3000)
    hand.no(100, closed=True)
    hand.no(3099, closed=False)
    assert hand.until(9000) == [Pressed(100 * MS), Released(3099 * MS)]


def test_a_short_interruption_does_not_end_a_hold() -> None:
    hand = Hand(hold_ms=3000)
    hand.no(100, closed=True)
    hand.no(2000, closed=False)
    hand.no(2015, closed=True)
    assert hand.until(4000) == [Pressed(100 * MS), Held(3100 * MS, 100 * MS)]


def test_stuck_after_30_s() -> None:
    hand = Hand(hold_ms=0)
    hand.no(100, closed=True)
    assert hand.until(30_099) == [Pressed(100 * MS)]
    assert hand.until(90_000) == [StuckPressed(30_100 * MS)]
    assert hand.due is None


@pytest.mark.parametrize("contacts", ["no", "nc_no"])
def test_press_while_the_program_starts_counts_at_the_start(contacts: str) -> None:
    hand = Hand(contacts, start_ms=1000, pressed=True)
    assert hand.until(1290) == []
    hand.release(1300)
    assert hand.until(1400) == [Pressed(1000 * MS), Released(1300 * MS)]
    hand.press(2000)
    assert hand.until(2004) == [Pressed(2000 * MS)]


@pytest.mark.parametrize("contacts", ["no", "nc_no"])
def test_held_since_boot_is_ignored_until_released(contacts: str) -> None:
    hand = Hand(contacts, start_ms=1000, pressed=True, hold_ms=2000)
    assert hand.until(60_000) == [HeldSinceBoot(4000 * MS)]
    assert not hand.debouncer.pressed
    hand.release(61_000)
    assert hand.until(62_000) == [Released(61_000 * MS)]
    hand.press(63_000)
    assert hand.until(63_010) == [Pressed(63_000 * MS)]


def test_closed_for_an_instant_at_the_start_is_nothing() -> None:
    hand = Hand(start_ms=1000, pressed=True)
    hand.no(1003, closed=False)
    assert hand.until(9000) == []


def test_an_edge_before_the_first_sample_is_a_press() -> None:
    debouncer = Debouncer(contacts="no", hold_ns=0)
    debouncer.change(ContactChange("no", True, 100 * MS))
    debouncer.sample(Contacts(no_closed=True, nc_closed=None), 101 * MS)
    assert debouncer.advance(104 * MS) == (Pressed(100 * MS),)


def test_sample_finds_a_press_and_a_release_without_edges() -> None:
    hand = Hand("nc_no")
    hand.sample(120, no=True, nc=False)
    assert hand.until(121) == [Pressed(120 * MS)]
    hand.sample(140, no=True, nc=False)
    hand.sample(420, no=False, nc=True)
    assert hand.until(440) == [Released(420 * MS)]


def test_late_edge_after_a_sample_gives_the_truer_time() -> None:
    hand = Hand()
    hand.sample(120, no=True)
    hand.no(107, closed=True)
    assert hand.until(124) == [Pressed(107 * MS)]


def test_spike_whose_opening_edge_is_late_is_nothing() -> None:
    hand = Hand()
    hand.no(100, closed=True)
    hand.sample(130, no=False)
    assert hand.until(130) == []
    hand.no(102, closed=False)
    assert hand.until(500) == []


def test_press_whose_edges_are_both_late_counts() -> None:
    hand = Hand()
    hand.no(100, closed=True)
    hand.sample(260, no=False)
    assert hand.until(260) == []
    hand.no(220, closed=False)
    assert hand.until(300) == [Pressed(100 * MS), Released(220 * MS)]


def test_late_edges_of_both_contacts_are_a_press_those_of_one_are_not() -> None:
    hand = Hand("nc_no")
    hand.press(100)
    hand.sample(260, no=False, nc=True)
    hand.release(220)
    assert hand.until(300) == [Pressed(100 * MS), Released(220 * MS)]
    hand.no(1000, closed=True)
    hand.sample(1060, no=False, nc=True)
    hand.no(1050, closed=False)
    assert hand.until(2000) == []


def test_nc_edge_that_comes_after_the_no_edge() -> None:
    hand = Hand("nc_no")
    hand.no(100, closed=True)
    assert hand.until(110) == []
    hand.nc(98, closed=False)
    assert hand.until(110) == [Pressed(100 * MS)]


def test_edges_delivered_in_one_batch_count_as_if_in_time() -> None:
    hand = Hand(hold_ms=3000)
    hand.press(100)
    hand.release(220)
    hand.press(500)
    hand.release(4000)
    assert hand.due == 100
    assert hand.until(5000) == [
        Pressed(100 * MS),
        Released(220 * MS),
        Pressed(500 * MS),
        Held(3500 * MS, 500 * MS),
        Released(4000 * MS),
    ]


def test_misuse_is_refused() -> None:
    single = Debouncer(contacts="no", hold_ns=0)
    with pytest.raises(ValueError, match="none is wired"):
        single.change(ContactChange("nc", True, 0))
    pair = Debouncer(contacts="nc_no", hold_ns=0)
    with pytest.raises(ValueError, match="needs both"):
        pair.sample(Contacts(no_closed=False, nc_closed=None), 0)
    with pytest.raises(ValueError, match="must be positive"):
        Debouncer(contacts="no", hold_ns=0, stable_ns=0)
    with pytest.raises(ValueError, match="must be positive"):
        Debouncer(contacts="no", hold_ns=-1)


def _long_closings(edges: list[int]) -> Iterator[int]:
    """Starts of closings of at least 4 ms, from alternating edge times that begin with a closing."""
    for index in range(0, len(edges), 2):
        if index + 1 == len(edges) or edges[index + 1] - edges[index] >= 4 * MS:
            yield edges[index]


@given(st.lists(st.integers(1, 60 * MS), min_size=1, max_size=60))
@settings(max_examples=100, deadline=None)
def test_presses_alternate_with_releases_and_need_a_long_closing(gaps: list[int]) -> None:
    edges = [sum(gaps[: index + 1]) for index in range(len(gaps))]
    hand = Hand()
    events: list[ButtonEvent] = []
    for index, at_ns in enumerate(edges):
        hand.debouncer.change(ContactChange("no", index % 2 == 0, at_ns))
        events += hand.debouncer.advance(at_ns)
    events += hand.debouncer.advance(edges[-1] + 1000 * MS)
    assert [type(event) for event in events] == [Pressed, Released] * (len(events) // 2) + [Pressed] * (
        len(events) % 2
    )
    times = [event.at_ns for event in events]
    assert times == sorted(times)
    assert bool(events) == any(_long_closings(edges))
    starts = [event.at_ns for event in events if isinstance(event, Pressed)]
    assert set(starts) <= set(edges[::2])


@given(st.lists(st.integers(1, 60 * MS), min_size=1, max_size=40), st.data())
@settings(max_examples=100, deadline=None)
def test_when_it_is_asked_makes_no_difference(gaps: list[int], data: st.DataObject) -> None:
    edges = [sum(gaps[: index + 1]) for index in range(len(gaps))]
    asked, batch = Hand("no", hold_ms=30), Hand("no", hold_ms=30)
    events: list[ButtonEvent] = []
    for index, at_ns in enumerate(edges):
        change = ContactChange("no", index % 2 == 0, at_ns)
        asked.debouncer.change(change)
        batch.debouncer.change(change)
        end_ns = edges[index + 1] if index + 1 < len(edges) else at_ns + 1000 * MS
        events += asked.debouncer.advance(data.draw(st.integers(at_ns, end_ns - 1)))
    events += asked.debouncer.advance(edges[-1] + 1000 * MS)
    assert events == list(batch.debouncer.advance(edges[-1] + 1000 * MS))


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(1, 150 * MS)), max_size=60), st.booleans()
)
@settings(max_examples=100, deadline=None)
def test_whatever_two_contacts_do_events_come_in_pairs(
    edges: list[tuple[bool, bool, int]], asked: bool
) -> None:
    hand = Hand("nc_no", hold_ms=200)
    events: list[ButtonEvent] = []
    at_ns = 0
    for is_nc, closed, gap_ns in edges:
        at_ns += gap_ns
        hand.debouncer.change(ContactChange("nc" if is_nc else "no", closed, at_ns))
        if asked:
            events += hand.debouncer.advance(at_ns)
    events += hand.debouncer.advance(at_ns + 60_000 * MS)
    assert hand.debouncer.advance(at_ns + 60_000 * MS) == ()
    hands = [type(event) for event in events if isinstance(event, Pressed | Released)]
    assert hands == [(Pressed, Released)[index % 2] for index in range(len(hands))]
    assert hand.debouncer.pressed == (len(hands) % 2 == 1)
    faults = [event for event in events if isinstance(event, WireBroken | WireMended)]
    last_fault = None
    for event in faults:
        fault = event.contact if isinstance(event, WireBroken) else None
        assert fault != last_fault
        last_fault = fault
    assert hand.debouncer.fault == last_fault
    holds = [event.since_ns for event in events if isinstance(event, Held)]
    assert len(holds) == len(set(holds)) <= hands.count(Pressed)


def test_an_edge_that_comes_late_moves_the_first_one_back_and_never_the_last() -> None:
    contact = Contact(rests_closed=False, settle_ns=4 * MS)
    contact.begin(closed=False, at_ns=0)
    contact.edge(closed=True, at_ns=20 * MS)  # as a look at the levels found it
    contact.edge(closed=True, at_ns=15 * MS)  # the edge itself
    assert (contact.first_closed_ns, contact.last_ns, contact.last_closing_ns) == (15 * MS, 20 * MS, 20 * MS)
