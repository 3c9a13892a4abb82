"""The system's clocks."""

import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pi_controller.hal.system.clock import SystemClock


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
