"""A whole node when things go wrong: no master, resets, hangs, exceptions, versions; and what it remembers."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_node import messages as m
from table_node.record import Record, unpack
from table_node.safe_mode import HOPELESS_RESETS
from tests.firmware.hall import Hall, playing
from tests.firmware.hand_board import HandBoard, Rebooted

SECOND = 1_000_000
WATCHDOG_US = 2 * SECOND
BOOT_US = 500_000


def content(hall: Hall) -> tuple[object, ...]:
    view = hall.view
    return view.kind, view.active, view.seconds, view.dice


@pytest.mark.parametrize("ppm", [-50, 50])
def test_a_silent_master_means_no_link_after_2_s_and_no_number(ppm: int) -> None:
    chance = random.Random(ppm)
    hall = playing(board=HandBoard(ppm=ppm), jitter=lambda: chance.randrange(100, 5000))
    hall.silent = True
    last = hall.next_state - 200_000
    hall.run(10 * SECOND)
    for face in hall.faces:
        at, kind, seconds = face.seen[-1]
        assert (kind, seconds) == ("no_link", -1)
        assert 1_800_000 <= at - last <= 2_200_000
    assert hall.board.lamps[:2] == [0, 0]


@settings(max_examples=12)
@given(st.lists(st.booleans(), min_size=20, max_size=60), st.integers(1, 8))
def test_whatever_is_lost_it_never_counts_to_zero_and_never_starts_a_phase(
    lost: list[bool], left: int
) -> None:
    hall = Hall()
    hall.run(500_000)
    hall.game.begin(hall.board.now_us, seconds=left)
    hall.run(250_000)
    last = hall.board.now_us
    hall.silent = True
    for gone in lost:
        if not gone and hall.game.left(hall.board.now_us) > 0:
            hall.tell()
            last = hall.board.now_us
        hall.run(200_000)
        assert hall.view.seconds != 0
        assert hall.view.kind in {"round", "no_link"}
        age = hall.board.now_us - last
        assert hall.view.kind == ("no_link" if age > 2_100_000 else "round") or 1_900_000 < age <= 2_100_000


def test_zero_is_shown_when_a_state_says_so() -> None:
    hall = playing()
    hall.run(20 * SECOND + 100_000)
    assert hall.game.left(hall.board.now_us) == 0
    assert hall.view.seconds == 0


def test_a_node_that_is_plugged_in_every_2_s_is_right_within_a_second() -> None:
    hall = playing()
    hall.game.dice = 0x35
    hall.game.end_us += 60 * SECOND
    hall.game.changed()
    chance = random.Random(4)
    for _ in range(8):
        hall.board.now_us += BOOT_US + chance.randrange(200_000)
        hall.next_state = max(hall.next_state, hall.board.now_us + chance.randrange(200_000))
        hall.board.line.clear()
        hall.boot()
        hall.run(SECOND)
        left = hall.game.left(hall.board.now_us)
        assert content(hall) == ("round", 0, (left + 999_999) // SECOND, 0x35)
        hall.run(SECOND)


def test_the_boot_picture_gives_way_to_no_link_after_2_s() -> None:
    hall = Hall()
    hall.silent = True
    hall.run(SECOND)
    assert (hall.view.kind, hall.view.version, hall.view.uid) == ("boot", "1.7", "0123456789abcdef")
    hall.run(1_500_000)
    assert hall.view.kind == "no_link"


class Supervised(Hall):
    """With the board's watchdog, and the main program's guard: an exception resets at once."""

    def live(self, us: int) -> None:
        end = self.board.now_us + us
        while self.board.now_us < end:
            try:
                self.run(5000)
            except (ZeroDivisionError, Rebooted) as error:
                self.reset(1 if isinstance(error, ZeroDivisionError) else 2)
            if self.board.now_us - self.board.fed_us >= WATCHDOG_US:
                self.reset(1)

    def reset(self, cause: int) -> None:
        self.board.watchdog_resets += cause == 1
        self.board.reset = cause
        self.board.now_us += BOOT_US
        self.board.line.clear()
        self.next_state = max(self.next_state, self.board.now_us)
        self.board.fed_us = self.board.now_us
        self.boot()


def supervised() -> Supervised:
    hall = Supervised()
    hall.run(500_000)
    hall.assign()
    hall.game.begin(hall.board.now_us)
    hall.live(2 * SECOND)
    return hall


def fail(*_: object, **__: object) -> None:
    raise ZeroDivisionError


FAULTS = {
    "state": lambda node: setattr(node.link, "judge", fail),
    "message": lambda node: setattr(node.answers, "take", fail),
    "answer": lambda node: setattr(node.answers, "build", fail),
    "button": lambda node: setattr(node.points[0], "at_rest", fail),
    "lamp": lambda node: setattr(node.lamps[1], "show", fail),
    "view": lambda node: setattr(node.time, "master", fail),
    "draw": lambda node: setattr(node.stage.faces[1], "draw", fail),
    "flush": lambda node: setattr(node.stage.faces[0].display, "flush", fail),
    "second": lambda node: setattr(node.care, "second", fail),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_exception_anywhere_resets_and_it_is_back_within_3_s(fault: str) -> None:
    hall = supervised()
    FAULTS[fault](hall.node)
    broken = hall.node
    if fault in {"message", "answer"}:
        with pytest.raises(ZeroDivisionError):
            hall.poll()
        hall.reset(1)
    hall.live(3 * SECOND)
    assert hall.node is not broken
    assert hall.view.kind == "round"
    assert hall.node.vitals.reset == 1


def test_a_hang_is_ended_by_the_watchdog_and_it_is_back_within_3_s() -> None:
    hall = supervised()
    hung = hall.node
    hung.step = lambda: 5000
    hall.live(3 * SECOND)
    assert hall.node is not hung
    assert hall.view.kind == "round"


def test_displays_that_never_get_ready_starve_the_watchdog() -> None:
    hall = playing()
    hall.faces[1].display.flush = lambda budget_us: False
    before = hall.board.now_us
    hall.run(3 * SECOND)
    assert hall.board.fed_us - before <= 1_100_000


def test_a_display_that_does_not_answer_is_told_and_stops_nothing() -> None:
    hall = playing()
    display = hall.faces[1].display
    display.ok = False
    display.flush = lambda budget_us: False
    hall.run(3 * SECOND)
    assert hall.board.now_us - hall.board.fed_us < 10_000
    assert hall.poll()["flags"] & (m.SUN_DISPLAY | m.MOON_DISPLAY) == m.SUN_DISPLAY
    display.ok = True
    display.on = False
    hall.run(2 * SECOND)
    assert display.on


def test_safe_mode_after_three_watchdog_resets_only_answers() -> None:
    hall = Hall()
    hall.board.watchdog_resets = 3
    hall.boot()
    hall.run(500_000)
    hall.assign()
    hall.game.begin(hall.board.now_us)
    hall.run(SECOND)
    hall.hold(0)
    answer = hall.poll()
    assert (answer["flags"] & m.SAFE_MODE, answer["sun"], hall.board.lamps) == (m.SAFE_MODE, 0, [0, 0, 0, 0])
    assert (hall.view.kind, hall.faces[0].drawn > 0) == ("safe", True)
    hall.ask(m.ORDER, bytes((m.LEAVE_SAFE_MODE, 0)))
    hall.run(SECOND)
    assert hall.view.kind == "round"
    hall.hold(0)
    assert hall.poll()["sun"] == 1


def test_when_even_safe_mode_does_not_help_nothing_is_drawn() -> None:
    hall = Hall()
    hall.board.watchdog_resets = HOPELESS_RESETS
    hall.boot()
    hall.run(3 * SECOND)
    assert (hall.faces[0].drawn, hall.board.now_us - hall.board.fed_us < 10_000) == (0, True)


def test_the_order_to_reboot() -> None:
    hall = playing()
    with pytest.raises(Rebooted):
        hall.ask(m.ORDER, bytes((m.REBOOT, 0)))


def test_a_later_state_is_read_and_a_poll_answered_in_its_one_version_only() -> None:
    hall = playing()
    hall.silent = True
    longer = hall.game.state(hall.board.now_us, version=3)
    hall.board.bring(longer, hall.board.now_us)
    hall.run(50_000)
    assert hall.view.kind == "round"
    answer = hall.ask(m.POLL, b"\xf4\x01\0\0\0\0")
    assert answer is not None
    assert answer[3] == 1
    assert hall.ask(m.POLL, b"\xf4\x01\0\0\0\0", version=2) is None
    assert not hall.view.update
    assert hall.ask(m.POLL, b"\xf4\x01\0\0\0\0", version=3) is None
    hall.run(50_000)
    assert hall.view.update


def test_a_node_that_is_too_new_shows_the_state_and_update_me() -> None:
    hall = playing(protocols=(2, 2))
    assert (hall.view.kind, hall.view.seconds, hall.view.update) == ("round", 21, True)
    assert hall.poll() is None


def test_a_node_that_is_too_old_shows_the_state_and_update_me() -> None:
    """A newer master seats it with ASSIGN, but can never poll it."""
    hall = Hall(protocols=(1, 1))
    tell = hall.game.state
    hall.game.state = lambda now_us: tell(now_us, version=2)
    hall.run(500_000)
    answer = hall.assign()
    assert answer is not None
    assert answer[4][-3:-1] == b"\x01\x01"
    hall.game.begin(hall.board.now_us)
    hall.run(11 * SECOND)
    assert (hall.view.kind, hall.view.update) == ("round", True)


def test_the_flash_is_written_only_in_maintenance_and_only_what_is_new() -> None:
    hall = playing()
    hall.assign(board=b"C12", swap=1)
    hall.run(3 * SECOND)
    assert hall.board.saves == 0
    hall.game.flags |= m.MAINTENANCE
    hall.game.changed()
    hall.run(3 * SECOND)
    assert hall.board.saves == 1
    saved = unpack(hall.board.flash)
    assert (saved.board, saved.swapped, saved.address, saved.epoch) == ("C12", True, 7, 500)
    hall.run(3 * SECOND)
    assert hall.board.saves == 1


def test_after_power_off_it_knows_its_place_and_in_the_same_epoch_its_address() -> None:
    hall = playing()
    hall.assign(board=b"C12", swap=1)
    hall.game.flags |= m.MAINTENANCE
    hall.game.changed()
    hall.run(3 * SECOND)
    hall.boot()
    hall.run(500_000)
    assert (hall.view.board, hall.view.own_side, hall.view.address) == ("C12", 1, 7)
    assert hall.poll() is not None
    hall.game.epoch = 77
    hall.boot()
    hall.run(SECOND)
    assert (hall.view.board, hall.view.address) == ("C12", 0)


@given(st.binary(max_size=80))
def test_a_record_of_noise_is_an_empty_one(noise: bytes) -> None:
    assert vars(unpack(noise)) == vars(Record())


def test_a_torn_damaged_missing_or_foreign_record_is_an_empty_one() -> None:
    record = Record()
    record.epoch, record.address, record.swapped, record.board = 9, 3, True, "B2"
    good = record.pack()
    assert len(good) <= 64
    assert vars(unpack(good)) == vars(record)
    damaged = [good[:at] + bytes((good[at] ^ 1,)) + good[at + 1 :] for at in range(len(good))]
    older = good[:2] + b"\0" + good[3:]
    for data in [None, b"", good[:20], good + b"\0", older, *damaged]:
        assert vars(unpack(data)) == vars(Record())


def test_counters_supply_temperature_and_uptime_are_told() -> None:
    hall = playing(jitter=lambda: 4000)
    hall.board.bring(b"\x00\x11\x22\x00", hall.board.now_us)
    hall.run(110 * SECOND)
    answer = hall.poll()
    assert (answer["supply"], answer["temperature"], answer["reset"]) == (120, 31, 0)
    assert (answer["damaged"], answer["uptime"]) == (1, 2)
    hall.silent = True
    hall.run(1_100_000)
    hall.silent = False
    hall.run(600_000)
    assert 3 <= hall.poll()["missed"] - answer["missed"] <= 6


def test_the_time_is_called_uncertain_at_first() -> None:
    hall = Hall()
    hall.run(250_000)
    hall.assign()
    hall.run(30_000)
    assert hall.poll()["flags"] & m.TIME_UNCERTAIN
    hall.run(2 * SECOND)
    assert hall.poll()["flags"] & m.TIME_UNCERTAIN == 0
