"""The system's clocks, and the real-time priority."""

import contextlib
import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pi_controller.hal.roles import HardwareError
from pi_controller.hal.system import kernel
from pi_controller.hal.system.kernel import (
    LOWEST_PRIORITY,
    SystemClock,
    give_back_realtime_priority,
    take_lowest_priority,
    take_realtime_priority,
)


def test_boot_time_is_the_kernel_s() -> None:
    clock = SystemClock()
    before_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    assert before_ns <= clock.boot_ns() <= time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def test_boot_id_is_the_kernel_s_and_stays() -> None:
    clock = SystemClock()
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", clock.boot_id)
    assert clock.boot_id == SystemClock().boot_id


def test_wall_is_utc_with_milliseconds() -> None:
    wall = SystemClock().wall()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", wall)
    assert abs((datetime.now(UTC) - datetime.fromisoformat(wall)).total_seconds()) < 60


def test_a_hidden_boot_id_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="boot_id"):
        SystemClock(tmp_path / "boot_id")


def test_none_asked_for_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_setscheduler", lambda *_: pytest.fail("asked"))
    take_realtime_priority(0)


def test_taken_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(
        os, "sched_setscheduler", lambda _pid, policy, at: asked.append((policy, at.sched_priority))
    )
    take_realtime_priority(20)
    give_back_realtime_priority()
    assert asked == [(os.SCHED_FIFO, 20), (os.SCHED_OTHER, 0)]


def test_a_refusal_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    with pytest.raises(HardwareError) as refused:
        take_realtime_priority(20)
    assert str(refused.value) == (
        "The system gives this program no real-time priority 20 (Operation not permitted): set"
        " core.realtime_priority to 0, or allow it with LimitRTPRIO=20 in its unit."
    )


def test_a_program_that_waits_for_all_others() -> None:
    """Also where who starts it goes before them."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(HardwareError):
            take_realtime_priority(1)
        take_lowest_priority()
        lowest = (os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)) == (
            os.SCHED_OTHER,
            LOWEST_PRIORITY,
        )
        os._exit(0 if lowest else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_system_that_forbids_it_leaves_it_as_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As the installed units do: `SystemCallFilter=~@resources`."""
    score, asked = tmp_path / "score", []

    def refuse(*given: object) -> None:
        asked.append(given)
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(kernel, "ENDED_FIRST", (score, "1000"))
    monkeypatch.setattr(os, "nice", refuse)
    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    take_lowest_priority()
    assert score.read_text() == "1000"
    assert asked[-1] == (LOWEST_PRIORITY,)
