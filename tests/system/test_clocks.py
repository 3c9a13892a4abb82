"""Programs of a hall have its clocks, and no other."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.patience import DEADLINE_S
from tests.system.clocks import YEAR_S, ZERO_NS, HallClock
from tests.system.programs import PYTHON_PATH

TELLS = """
import asyncio, datetime, json, logging, queue, sys, threading, time
class Kept:
    mono = time.monotonic
    mono_ns = time.monotonic_ns
for line in sys.stdin:
    told = {
        "boot": time.clock_gettime(time.CLOCK_BOOTTIME), "boot_ns": time.clock_gettime_ns(time.CLOCK_BOOTTIME) / 1e9,
        "mono": Kept().mono(), "mono_ns": Kept().mono_ns() / 1e9, "counter": time.perf_counter(),
        "loop": asyncio.new_event_loop().time(), "threading": threading._time(), "queue": queue.time(),
        "wall": time.time(), "wall_ns": time.time_ns() / 1e9, "realtime": time.clock_gettime(time.CLOCK_REALTIME),
        "coarse": time.clock_gettime(5), "logged": logging.makeLogRecord({}).created,
        "now": datetime.datetime.now(datetime.UTC).timestamp(), "today": datetime.datetime.today().timestamp(),
        "local": time.mktime(time.localtime()), "cpu": time.process_time(),
    }
    parsed = datetime.datetime.fromisoformat("2026-12-01T20:00:00+00:00")
    assert isinstance(parsed - datetime.timedelta(days=1), datetime.datetime) and type(parsed).__module__ == "datetime"
    print(json.dumps(told), flush=True)
"""
LATE_S = 60.0
"""A busy machine may take so long between this process's look and the other's."""
WALL = ("wall", "wall_ns", "realtime", "logged", "now", "today", "coarse", "local")
BOOT = ("boot", "boot_ns")
MONOTONIC = ("mono", "mono_ns", "counter", "loop", "threading", "queue")


class Child:
    """A program with this clock, which tells what it reads."""

    def __init__(self, clock: HallClock) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", TELLS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": PYTHON_PATH} | clock.environment,
        )

    def tell(self) -> dict[str, float]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("now\n")
        self._process.stdin.flush()
        told: dict[str, float] = json.loads(self._process.stdout.readline())
        return told

    def close(self) -> None:
        self._process.communicate(timeout=DEADLINE_S)
        assert self._process.returncode == 0


def right() -> dict[str, float]:
    return {
        **dict.fromkeys(BOOT, time.clock_gettime(time.CLOCK_BOOTTIME)),
        **dict.fromkeys(MONOTONIC, time.monotonic()),
        **dict.fromkeys(WALL, time.time()),
    }


@pytest.mark.parametrize("rate_ppm", [-100.0, 500_000.0])
def test_a_program_reads_its_halls_clocks(tmp_path: Path, rate_ppm: float) -> None:
    """The largest rate shows that each of the clocks runs so; no hall has it."""
    clock = HallClock(tmp_path / "clock", offset_s=YEAR_S, rate_ppm=rate_ppm)
    zeros = dict(zip(("wall", "mono", "raw", "boot"), (one / 1e9 for one in ZERO_NS), strict=True))
    child = Child(clock)
    for stepped_s in (0, -2 * YEAR_S, 86_400):
        clock.step(stepped_s)
        before = right()
        told = child.tell()
        after = right()
        assert told.keys() - right().keys() == {"cpu"}
        for name in before:
            zero = zeros["wall" if name in WALL else "boot" if name in BOOT else "mono"]
            off_s = clock.offset_s if name in WALL else 0.0
            rounded_s = 1.0 if name in ("local", "coarse") else 1e-4
            soonest, latest = (
                zero + (right_s[name] - zero) * (1 + rate_ppm / 1e6) + off_s for right_s in (before, after)
            )
            assert soonest - rounded_s <= told[name] <= latest + rounded_s, name
    child.close()


def test_its_moments_are_known_by_the_right_clock(tmp_path: Path) -> None:
    clock = HallClock(tmp_path / "clock", rate_ppm=-100.0)
    before_us = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000
    assert -1 <= clock.right_us(clock.now_us()) - before_us <= LATE_S * 1e6
