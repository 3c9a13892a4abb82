import pytest

from pi_controller.core.rounds import Rounds
from pi_controller.core.supervise import CHECK_NS, EXIT_STATUS, Part, Supervisor, Watchdog
from pi_controller.core.systemd import Notices
from tests.core.hall import Hall
from tests.core.hand import MS, S


class Ward:
    """A hall with its rounds, and parts that a test lets die."""

    def __init__(self) -> None:
        self.hall = Hall().play()
        self.given_up: list[str] = []
        self.left: list[int] = []
        self.supervisor = Supervisor(lost_part_ns=2 * S, give_up=self.given_up.append)
        self.watchdog = Watchdog(
            boot_ns=self.hall.timers.boot_ns,
            limit_ns=2 * S,
            make_safe=self.hall.outputs.darken,
            leave=self.left.append,
        )
        self.rounds = Rounds(
            loop=self.hall.loop,
            outputs=self.hall.outputs,
            supervisor=self.supervisor,
            watchdog=self.watchdog,
            notices=Notices(None, None),
            timers=self.hall.timers,
        )

    def pass_time(self, ns: int) -> None:
        until = self.hall.timers.boot_ns() + ns
        while self.hall.timers.boot_ns() < until:
            self.hall.move(CHECK_NS)
            self.watchdog.look()


def test_a_dead_part_that_cannot_be_restarted_ends_the_controller_within_2_s() -> None:
    ward = Ward()
    alive = [True]
    ward.supervisor.add(Part("the journal writer", lambda: ward.hall.timers.boot_ns() if alive[0] else None))
    ward.rounds.go()
    ward.pass_time(10 * S)
    assert ward.given_up == []
    alive[0] = False
    ward.pass_time(500 * MS)
    assert ward.given_up == ["the journal writer stopped"]


def test_a_silent_part_is_restarted_with_growing_pauses() -> None:
    ward = Ward()
    beats = [ward.hall.timers.boot_ns()]
    restarts: list[int] = []
    part = Part("the local display", lambda: beats[0], lambda: restarts.append(ward.hall.timers.boot_ns()))
    ward.supervisor.add(part)
    ward.rounds.go()
    began = ward.hall.timers.boot_ns()
    ward.pass_time(30 * S)
    assert [(at - began) // S for at in restarts] == [2, 6, 14]
    assert ward.given_up == []
    assert ward.supervisor.restarts() == 3


def test_a_restart_that_fails_is_tried_again() -> None:
    ward = Ward()
    tries: list[None] = []

    def fail() -> None:
        tries.append(None)
        raise LookupError("nothing there")

    ward.supervisor.add(Part("the local display", lambda: None, fail))
    ward.rounds.go()
    ward.pass_time(10 * S)
    assert len(tries) == 2
    assert ward.hall.picture["running"]


def test_a_loop_that_hangs_is_left_with_the_outputs_dark() -> None:
    ward = Ward()
    ward.rounds.go()
    assert ward.hall.sun.lit
    for _ in range(5):
        ward.hall.timers.now_ns += CHECK_NS
        ward.watchdog.look()
    assert ward.left == [EXIT_STATUS]
    assert not ward.hall.sun.lit


def test_a_process_that_was_stopped_as_a_whole_is_no_hanging_loop() -> None:
    ward = Ward()
    ward.rounds.go()
    ward.watchdog.look()
    ward.hall.timers.now_ns += 60 * S
    ward.watchdog.look()
    assert ward.left == []
    for _ in range(5):
        ward.hall.timers.now_ns += CHECK_NS
        ward.watchdog.look()
    assert ward.left == [EXIT_STATUS], "but it must move then"


def test_a_failing_check_stops_the_beat_and_so_ends_the_process() -> None:
    ward = Ward()
    ward.rounds.go()

    def broken() -> int:
        raise ZeroDivisionError

    ward.supervisor.add(Part("a defect", broken))
    with pytest.raises(ZeroDivisionError):
        ward.hall.move(CHECK_NS)
    ward.hall.timers.now_ns += 3 * CHECK_NS
    assert ward.hall.loop.overdue_ns() == 0


def test_lateness_is_measured_and_told_for_a_while() -> None:
    ward = Ward()
    ward.rounds.go()
    ward.hall.timers.jump(CHECK_NS + 150 * MS)
    assert ward.hall.picture["health"]["messages"] == [
        "The controller was late by 150 ms: something else keeps this machine busy."
    ]
    ward.pass_time(31 * S)
    assert ward.hall.picture["health"]["messages"] == []
    lag = ward.hall.loop.metrics.numbers()["loop_lag_seconds"]
    assert isinstance(lag, dict)
    assert lag["max"] == 0.15


def test_what_display_and_lamps_say_is_shown() -> None:
    ward = Ward()
    ward.rounds.go()
    ward.hall.display.said = "The local display does not answer: check its cable."
    ward.hall.moon.error = OSError("no chip")
    ward.pass_time(40 * S)
    assert sorted(ward.hall.picture["health"]["messages"]) == [
        "The local display does not answer: check its cable.",
        "The moon lamp does not answer (no chip); check its wiring.",
    ]
    assert ward.hall.picture["running"]


def test_the_watchdog_thread_starts_and_ends() -> None:
    ward = Ward()
    ward.watchdog.start()
    assert ward.watchdog.alive()
    ward.watchdog.stop()
    assert not ward.watchdog.alive()
