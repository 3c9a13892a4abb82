import itertools

import pytest

from pi_controller.core.button import (
    BROKEN,
    CLOSE_NS,
    LEANED_ON,
    LOOK_NS,
    POLL_NS,
    STUCK,
    UNTRUSTED,
    ButtonWatch,
)
from pi_controller.hal.debouncer import Debouncer
from pi_controller.hal.gpio import GpioPauseButton, open_pins
from pi_controller.hal.roles import ContactChange, Contacts, PinUnusable
from pi_controller.language.words import words
from pi_controller.sentence import as_told
from tests.core.hall import Hall
from tests.core.hand import MS, S
from tests.core.hand_threads import HandThreads


class HandButton:
    """Two contacts that a test moves; edges reach the watch unless they are lost."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.pressed = False
        self.nc_broken = False
        self.error: PinUnusable | None = None
        self.watch: ButtonWatch | None = None
        self.lost = False
        self.trusted = True
        self.looks = 0

    def listen(self, report: object) -> None: ...

    def contacts(self) -> Contacts:
        self.looks += 1
        if self.error is not None:
            raise self.error
        return Contacts(no_closed=self.pressed, nc_closed=not self.pressed and not self.nc_broken)

    def close(self) -> None: ...

    def set(self, *, pressed: bool) -> None:
        self.pressed = pressed
        if self.lost or self.watch is None:
            return
        at_ns = self.hall.timers.boot_ns()
        self.watch.report(ContactChange("nc", not pressed, at_ns, self.trusted))
        self.watch.report(ContactChange("no", pressed, at_ns, self.trusted))


class Bench:
    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.button = HandButton(hall)
        self.watch = ButtonWatch(
            button=self.button,
            qualifier=Debouncer(contacts="nc_no", hold_ns=3 * S),
            loop=hall.loop,
            commands=hall.commands,
            timers=hall.timers,
            threads=HandThreads(),
        )
        self.button.watch = self.watch

    def start(self) -> "Bench":
        self.watch.start()
        return self

    def looks_in(self, ns: int) -> int:
        """How often the levels are read in this time."""
        before = self.button.looks
        self.hall.move(ns)
        return self.button.looks - before

    def messages(self) -> list[str]:
        messages: list[str] = self.hall.picture.health.messages
        return messages


def resume(at: Bench) -> None:
    at.hall.ask("resume", {"override": True})
    at.hall.move(4 * S)


def bench() -> Bench:
    return Bench(Hall().play()).start()


def test_a_bouncing_contact_is_one_press() -> None:
    at = bench()
    for _ in range(250):
        at.button.set(pressed=True)
        at.hall.move(100_000)
        at.button.set(pressed=False)
        at.hall.move(100_000)
    at.button.set(pressed=True)
    at.hall.move(10 * MS)
    assert at.hall.picture.remaining_ms == 35_000
    assert len(at.hall.picture.claims) == 1


def test_a_press_without_edges_counts_at_the_next_look() -> None:
    at = bench()
    at.button.lost = True
    at.hall.move(10 * S + 10 * MS)
    at.button.set(pressed=True)
    at.hall.move(LOOK_NS)
    assert at.hall.picture.paused
    assert at.hall.picture.remaining_ms == 35_000 - 10_250


def test_after_a_change_without_an_edge_the_levels_are_looked_at_closely_until_one_comes() -> None:
    at = bench()
    at.button.lost = True
    at.button.set(pressed=True)
    at.hall.move(5 * S)
    at.button.set(pressed=False)
    at.hall.move(S)
    assert at.looks_in(S) == S // POLL_NS
    resume(at)
    at.button.set(pressed=True)
    at.hall.move(30 * MS)
    assert at.hall.picture.paused
    at.button.lost = False
    at.button.set(pressed=False)
    at.hall.move(S)
    assert at.looks_in(S) == S // LOOK_NS


def test_while_nothing_happens_the_levels_are_looked_at_seldom() -> None:
    at = bench()
    at.hall.move(S)
    assert at.looks_in(10 * S) == 10 * S // LOOK_NS


def test_after_an_edge_the_levels_are_looked_at_closely_for_a_while() -> None:
    at = bench()
    at.hall.move(10 * S + 10 * MS)
    at.button.set(pressed=True)
    at.hall.move(S)
    at.button.set(pressed=False)
    assert at.looks_in(CLOSE_NS) >= CLOSE_NS // POLL_NS
    at.hall.move(LOOK_NS)
    assert at.looks_in(S) == S // LOOK_NS


def test_the_last_edge_of_a_bounce_that_is_lost_is_made_up_for_by_the_poll() -> None:
    at = bench()
    at.hall.move(10 * S + 10 * MS)
    at.button.set(pressed=True)
    at.button.set(pressed=False)
    at.button.lost = True
    at.button.set(pressed=True)
    at.hall.move(30 * MS)
    assert at.hall.picture.paused
    assert at.hall.picture.remaining_ms == 35_000 - 10_010 - 20


def test_holding_while_paused_goes_on_though_a_claim_is_open() -> None:
    at = bench()
    at.hall.move(10 * S)
    at.button.set(pressed=True)
    at.hall.move(10 * MS)
    assert at.hall.picture.claims[0].status == "open"
    at.hall.move(5 * S)
    assert at.hall.picture.paused, "the press that paused does not resume, however long it is held"
    assert at.hall.picture.resume_in_ms is None
    at.button.set(pressed=False)
    at.hall.move(S)
    at.button.set(pressed=True)
    at.hall.move(3 * S)
    assert at.hall.picture.resume_in_ms == 3000


def test_a_broken_wire_is_a_fault_and_no_press() -> None:
    at = bench()
    at.button.nc_broken = True
    at.hall.move(S)
    assert at.messages() == [words(BROKEN["nc"])]
    assert at.hall.picture.running
    assert at.hall.loop.obstacles.against(disk=None)["start"].reasons == (BROKEN["nc"],)
    at.button.nc_broken = False
    at.hall.move(S)
    assert at.messages() == []


def test_a_button_that_stays_pressed_is_reported() -> None:
    at = bench()
    at.button.set(pressed=True)
    at.hall.move(31 * S)
    assert words(STUCK) in at.messages()
    at.button.set(pressed=False)
    at.hall.move(S)
    assert words(STUCK) not in at.messages()


def test_what_leans_on_the_button_since_the_start_is_told_and_ignored() -> None:
    at = Bench(Hall().play())
    at.button.pressed = True
    at.start()
    at.hall.move(5 * S)
    assert at.messages() == [words(LEANED_ON)]
    assert at.hall.picture.running


def test_a_press_during_the_start_is_not_lost() -> None:
    at = Bench(Hall().play())
    at.button.pressed = True
    at.start()
    at.hall.move(300 * MS)
    at.button.set(pressed=False)
    at.hall.move(100 * MS)
    assert at.hall.picture.pause_reasons == ["button"]
    assert at.hall.picture.remaining_ms == 35_000


def test_edges_without_a_usable_time_are_reported() -> None:
    at = bench()
    at.button.trusted = False
    at.button.set(pressed=True)
    assert words(UNTRUSTED) in at.messages()


def test_a_pin_that_cannot_be_read_is_a_fault_until_it_can() -> None:
    at = bench()
    at.button.error = PinUnusable(as_told("The pin is gone: plug it in."))
    at.hall.move(S)
    assert at.messages() == ["The pin is gone: plug it in."]
    at.button.error = None
    at.hall.move(S)
    assert at.messages() == []


def test_setting_the_polling_going_again_does_not_double_it() -> None:
    at = bench()
    waiting = at.hall.timers.waiting()
    at.watch.poll()
    at.watch.poll()
    assert at.hall.timers.waiting() == waiting


def test_after_the_stop_nothing_happens_any_more() -> None:
    at = bench()
    at.watch.stop()
    at.button.set(pressed=True)
    at.hall.move(S)
    assert at.hall.picture.running
    assert at.watch.beat_ns() < at.hall.timers.boot_ns()


@pytest.mark.parametrize("spoilt", [False, True])
def test_the_real_driver_freezes_the_hall_also_after_a_failing_callback(
    spoilt: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = Hall().play()
    failures: list[Exception] = []
    with (
        open_pins("mock") as pins,
        GpioPauseButton(pins, no_pin=6, nc_pin=5, clock=hall.timers, on_error=failures.append) as button,
    ):
        # the time that the library's own clock takes between an edge and its report is not the hall's
        monkeypatch.setattr(pins.factory, "ticks_diff", lambda _later, _earlier: 0.0)
        broken = itertools.chain([spoilt], itertools.repeat(False))

        def on_loop(act: object) -> None:
            if next(broken):
                raise RuntimeError("the loop is not there")
            act()  # type: ignore[operator]

        watch = ButtonWatch(
            button=button,
            qualifier=Debouncer(contacts="nc_no", hold_ns=0),
            loop=hall.loop,
            commands=hall.commands,
            timers=hall.timers,
            threads=HandThreads(on_loop),
        )
        pins.simulated.drive(6, high=True)
        pins.simulated.drive(5, high=False)
        watch.start()
        hall.move(10 * S)
        pins.simulated.drive(5, high=True)
        pins.simulated.drive(6, high=False)
        hall.move(50 * MS)
        watch.stop()
    assert hall.picture.pause_reasons == ["button"]
    assert 24_970 <= hall.picture.remaining_ms <= 25_001
    assert len(failures) == spoilt


class HandTap:
    """A test of the hardware, under way or not."""

    def __init__(self, *, on: bool) -> None:
        self.on = on
        self.edges: list[ContactChange] = []
        self.presses: list[int] = []

    def edge(self, change: ContactChange) -> None:
        self.edges.append(change)

    def press(self, at_ns: int) -> None:
        self.presses.append(at_ns)


@pytest.mark.parametrize("on", [True, False])
def test_a_test_of_the_hardware_sees_edges_and_takes_presses(on: bool) -> None:
    at, tap = bench(), HandTap(on=on)
    at.watch._tap = tap
    at.hall.move(10 * S)
    pressed_ns = at.hall.timers.boot_ns()
    at.button.set(pressed=True)
    at.hall.move(4 * S)
    assert tap.presses == [pressed_ns] * on
    assert [(edge.contact, edge.closed) for edge in tap.edges] == [("nc", False), ("no", True)] * on
    assert at.hall.picture.paused is not on
