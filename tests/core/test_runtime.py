"""Supervision of parts, and threads beside the loop."""

import asyncio
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from pi_controller.core import runtime as threads
from pi_controller.core.button import ButtonWatch
from pi_controller.core.monitoring import HealthMonitor, PowerOff
from pi_controller.core.runtime import (
    CHECK_NS,
    EXIT_STATUS,
    LoopThreads,
    SupervisedPart,
    Supervisor,
    Watchdog,
)
from pi_controller.hal.debouncer import Debouncer
from pi_controller.hal.system.kernel import Notices, SystemClock
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.heartbeat import HeartbeatValue, HeartbeatWriter
from pi_controller.journal.store import Store
from pi_controller.journal.writer import JournalWriter
from pi_controller.sentence import as_told
from tests.core.hall import Hall, accepted
from tests.core.hand import MS, HandAlarm, S
from tests.core.hand_button import HandButton
from tests.core.hand_threads import HandThreads
from tests.core.hardware_test.hand_testing import HandContacts
from tests.patience import DEADLINE_S


class Ward:
    """A hall with its health monitor, and parts that a test lets die."""

    def __init__(self, hall: Hall | None = None) -> None:
        self.hall = hall or Hall().play()
        self.given_up: list[str] = []
        self.left: list[int] = []
        self.supervisor = Supervisor(lost_part_ns=2 * S, give_up=self.given_up.append)
        self.watchdog = Watchdog(
            timers=self.hall.timers,
            limit_ns=2 * S,
            make_safe=self.hall.outputs.darken,
            leave=self.left.append,
        )
        self.monitor = HealthMonitor(
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
    ward.supervisor.add(
        SupervisedPart("the journal writer", lambda: ward.hall.timers.boot_ns() if alive[0] else None)
    )
    ward.monitor.go()
    ward.pass_time(10 * S)
    assert ward.given_up == []
    alive[0] = False
    ward.pass_time(500 * MS)
    assert ward.given_up == ["the journal writer stopped"]


def test_a_silent_part_is_restarted_with_growing_pauses() -> None:
    ward = Ward()
    beats = [ward.hall.timers.boot_ns()]
    restarts: list[int] = []
    part = SupervisedPart(
        "the local display", lambda: beats[0], lambda: restarts.append(ward.hall.timers.boot_ns())
    )
    ward.supervisor.add(part)
    ward.monitor.go()
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

    ward.supervisor.add(SupervisedPart("the local display", lambda: None, fail))
    ward.monitor.go()
    ward.pass_time(10 * S)
    assert len(tries) == 2
    assert ward.hall.picture.running


def test_a_loop_that_hangs_is_left_with_the_outputs_dark() -> None:
    ward = Ward()
    ward.monitor.go()
    assert ward.hall.sun.lit
    for _ in range(5):
        ward.hall.timers.now_ns += CHECK_NS
        ward.watchdog.look()
    assert ward.left == [EXIT_STATUS]
    assert not ward.hall.sun.lit


def test_a_process_that_was_stopped_as_a_whole_is_no_hanging_loop() -> None:
    ward = Ward()
    ward.monitor.go()
    ward.watchdog.look()
    ward.hall.timers.now_ns += 60 * S
    ward.watchdog.look()
    assert ward.left == []
    for _ in range(5):
        ward.hall.timers.now_ns += CHECK_NS
        ward.watchdog.look()
    assert ward.left == [EXIT_STATUS], "but it must move then"


@pytest.mark.parametrize("beats", [0, 1, 7])
def test_the_watchdog_sleeps_while_the_loop_beats_and_is_no_later_when_it_hangs(beats: int) -> None:
    ward, looks = Ward(), 0
    timers, watchdog = ward.hall.timers, ward.watchdog
    timers.now_ns += 130 * MS
    watchdog.look()
    hangs_ns = timers.now_ns + beats * CHECK_NS
    coming = [timers.now_ns + beat * CHECK_NS for beat in range(beats + 1)]
    while not ward.left:
        timers.now_ns = min([watchdog.look_ns(), *coming])
        if timers.now_ns in coming:
            watchdog.beat()
            coming.remove(timers.now_ns)
        else:
            watchdog.look()
            looks += 1
    assert 2 * S < timers.now_ns - hangs_ns <= 2 * S + CHECK_NS
    assert looks <= 4 + beats // 2


def test_while_nothing_happens_the_loop_wakes_four_times_a_second_and_for_each_second_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hall = Hall()
    hall.move(130 * MS)
    ward = Ward(hall.play())
    watch = ButtonWatch(
        button=HandContacts(),
        qualifier=Debouncer(contacts="nc_no", hold_ns=3 * S),
        loop=hall.loop,
        commands=hall.commands,
        timers=hall.timers,
        threads=HandThreads(),
    )
    power_off = PowerOff(
        HandButton(),
        outputs=hall.outputs,
        loop=hall.loop,
        timers=hall.timers,
        hold_ns=3 * S,
        request=lambda: None,
        free=lambda: True,
    )
    watch.start()
    hall.move(70 * MS)
    power_off.begin()
    hall.move(20 * MS)
    ward.monitor.go()
    hall.move(2 * S)
    woken: set[int] = set()
    fire = hall.timers.fire

    def fired(alarm: HandAlarm) -> None:
        if alarm.action is not None:
            woken.add(hall.timers.now_ns)
        fire(alarm)

    monkeypatch.setattr(hall.timers, "fire", fired)
    hall.move(10 * S)
    assert len(woken) == 50


def test_after_the_whole_process_stood_still_nothing_is_restarted() -> None:
    ward = Ward()
    beats = [ward.hall.timers.boot_ns()]
    restarts: list[None] = []
    ward.supervisor.add(SupervisedPart("the local display", lambda: beats[0], lambda: restarts.append(None)))
    ward.monitor.go()
    ward.hall.timers.jump(60 * S)
    beats[0] = ward.hall.timers.boot_ns()
    ward.hall.move(S)
    assert restarts == []


def test_a_failing_check_stops_the_beat_and_so_ends_the_process() -> None:
    ward = Ward()
    ward.monitor.go()

    def broken() -> int:
        raise ZeroDivisionError

    ward.supervisor.add(SupervisedPart("a defect", broken))
    with pytest.raises(ZeroDivisionError):
        ward.hall.move(CHECK_NS)
    for _ in range(6):
        ward.hall.timers.now_ns += CHECK_NS
        ward.watchdog.look()
    assert EXIT_STATUS in ward.left


def test_a_game_clock_that_no_longer_turns_ends_the_controller() -> None:
    ward = Ward()
    ward.supervisor.add(
        SupervisedPart("the game clock", lambda: ward.hall.timers.boot_ns() - ward.hall.loop.overdue_ns())
    )
    assert ward.hall.loop.overdue_ns() == 0
    ward.hall.timers.now_ns += 37 * S + 1
    assert not ward.supervisor.check(ward.hall.timers.boot_ns())
    assert ward.given_up == ["the game clock stopped"]


def test_a_defect_is_told_and_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall().begin()
    with monkeypatch.context() as broken:
        broken.setattr(hall.loop, "reasons_against", lambda _command: 1 // 0)
        refused = hall.ask("start", key="once")
    assert [(answer.accepted, answer.reasons[0].key) for answer in refused] == [(False, "defect.broken_off")]
    assert accepted(hall.ask("start", key="once")), "what broke off is no answer to keep"
    answers = hall.ask("say", {"text": "hello"})
    assert "Something inside the controller failed (ZeroDivisionError: " in hall.picture.health.messages[0]
    assert hall.picture.message.text == "hello"
    hall.save()
    assert answers[0].accepted
    assert hall.loop.metrics.numbers()["defects"] == 1


def test_the_real_watchdog_thread_leaves_a_loop_that_hangs(capfd: pytest.CaptureFixture[str]) -> None:
    left = threading.Event()
    dark = threading.Event()
    clock = SystemClock()
    watchdog = Watchdog(timers=clock, limit_ns=1, make_safe=dark.set, leave=lambda status: left.set())
    watchdog.start()
    assert left.wait(DEADLINE_S)
    assert dark.is_set()
    watchdog.stop()
    assert "test_the_real_watchdog_thread_leaves_a_loop_that_hangs" in capfd.readouterr().err, (
        "who hangs where"
    )


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_writers_that_die_of_a_defect_are_found(tmp_path: Path) -> None:
    class BrokenFiles(DiskFiles):
        def write(self, fd: int, content: bytes) -> int:
            raise LookupError("a defect, not a failing disk")

    def no_beat() -> HeartbeatValue:
        raise LookupError("a defect")

    clock = SystemClock()
    store = Store(tmp_path, files=BrokenFiles())
    store.prepare()
    writer = JournalWriter(
        store,
        boot_id=clock.boot_id,
        wall=clock.wall,
        now_ns=clock.boot_ns,
        on_saved=lambda tag, head: None,
        on_trouble=lambda trouble: None,
        on_mended=lambda part: None,
    )
    heartbeat = HeartbeatWriter(
        tmp_path / "heartbeat",
        now=no_beat,
        boot_id=clock.boot_id,
        now_ns=clock.boot_ns,
        on_trouble=lambda trouble: None,
        on_mended=lambda part: None,
    )
    heartbeat.start()
    writer.open_game("20261121-180000-0001", bytes(32), {}, game_ns=0, boot_ns=0, tag=1)
    for part in (writer, heartbeat):
        found = threading.Event()
        supervisor = Supervisor(lost_part_ns=2 * S, give_up=lambda sentence, found=found: found.set())
        supervisor.add(
            SupervisedPart("a writer", lambda part=part: clock.boot_ns() if part.alive() else None)
        )
        until = time.monotonic() + DEADLINE_S
        while not found.is_set() and time.monotonic() < until:
            supervisor.check(clock.boot_ns())
        assert found.is_set()
    writer.close()
    with pytest.raises(LookupError):
        heartbeat.stop()


def test_lateness_is_measured_and_told_for_a_while() -> None:
    ward = Ward()
    ward.monitor.go()
    ward.hall.timers.jump(CHECK_NS + 150 * MS)
    assert ward.hall.picture.health.messages == [
        "The controller was 150 ms late: something else is keeping this computer busy."
    ]
    ward.pass_time(31 * S)
    assert ward.hall.picture.health.messages == []
    lag = ward.hall.loop.metrics.numbers()["loop_lag_seconds"]
    assert isinstance(lag, dict)
    assert lag["max"] == 0.15


def test_what_display_and_lamps_say_is_shown() -> None:
    ward = Ward()
    ward.monitor.go()
    ward.hall.display.said = as_told("The local display does not answer: check its cable.")
    ward.hall.moon.error = OSError("no chip")
    ward.pass_time(40 * S)
    assert sorted(ward.hall.picture.health.messages) == [
        "The local display does not answer: check its cable.",
        "The moon lamp does not answer (no chip); check its wiring.",
    ]
    assert ward.hall.picture.running


def test_the_watchdog_thread_starts_and_ends() -> None:
    ward = Ward()
    ward.watchdog.start()
    assert ward.watchdog.alive()
    ward.watchdog.stop()
    assert not ward.watchdog.alive()


# Threads beside the loop: bounded in number, and none of them costs the others anything.


class Held:
    """Work that hangs until it is let go."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.loose = threading.Event()

    def act(self) -> None:
        self.begun.release()
        self.loose.wait(DEADLINE_S)


class Beside:
    """Threads beside the running loop, which tell it what they have done."""

    def __init__(self, most: int) -> None:
        self.threads = LoopThreads(asyncio.get_running_loop(), most=most)
        self.told: asyncio.Queue[str] = asyncio.Queue()

    def tell(self, what: str) -> None:
        self.threads.call_on_loop(lambda: self.told.put_nowait(what))


def test_what_a_thread_has_done_is_told_on_the_loop_under_its_name() -> None:
    async def play() -> None:
        beside = Beside(2)
        beside.threads.run_in_thread(lambda: beside.tell(threading.current_thread().name), "looks")
        assert await asyncio.wait_for(beside.told.get(), DEADLINE_S) == "looks"

    asyncio.run(play())


def test_no_more_threads_than_the_most_and_the_rest_in_the_order_of_asking() -> None:
    async def play() -> None:
        beside, held = Beside(3), [Held() for _ in range(3)]
        for one in held:
            beside.threads.run_in_thread(one.act, "hangs")
        for name in "abcdefgh":
            beside.threads.run_in_thread(partial(beside.tell, name), f"tells {name}")
        for one in held:
            assert await asyncio.to_thread(one.begun.acquire, timeout=DEADLINE_S)
        assert [thread.name for thread in threading.enumerate()].count("hangs") == 3
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("tells")]
        assert beside.told.empty()
        held[0].loose.set()
        assert [await asyncio.wait_for(beside.told.get(), DEADLINE_S) for _ in range(8)] == list("abcdefgh")
        for one in held:
            one.loose.set()

    asyncio.run(play())


def test_what_raises_is_told_and_keeps_nothing_else_from_its_turn() -> None:
    told: list[str] = []

    async def play() -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, context: told.append(repr(context["exception"]))
        )
        beside = Beside(1)
        beside.threads.run_in_thread(lambda: 1 / 0, "fails")  # type: ignore[arg-type, return-value]
        beside.threads.run_in_thread(partial(beside.tell, "done"), "works")
        assert await asyncio.wait_for(beside.told.get(), DEADLINE_S) == "done"

    asyncio.run(play())
    assert told == ["ZeroDivisionError('division by zero')"]


def test_where_the_system_gives_no_thread_the_work_waits_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    start, refused = threading.Thread.start, [RuntimeError("can't start new thread")]

    def scarce(thread: threading.Thread) -> None:
        if refused:
            raise refused.pop()
        start(thread)

    async def play() -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, context: told.append(repr(context["exception"]))
        )
        beside = Beside(1)
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", scarce)
            patch.setattr(threads, "AGAIN_S", 0.0)
            beside.threads.run_in_thread(partial(beside.tell, "done"), "works")
            assert await asyncio.wait_for(beside.told.get(), DEADLINE_S) == "done"

    asyncio.run(play())
    assert told == ['RuntimeError("can\'t start new thread")']


def test_after_the_end_of_the_loop_nobody_is_called() -> None:
    events = asyncio.new_event_loop()
    beside = LoopThreads(events)
    events.close()
    beside.call_on_loop(lambda: pytest.fail("nobody is there"))
