"""A computer's clocks for all programs of one hall: a wall clock that is set wrong and can be set anew while they run, and
crystals that run a little too fast or too slow.

Python runs this file at the start of a program that has HALL_CLOCK in its environment
(`tests/slow_disk/sitecustomize.py`). What Python reads of CLOCK_REALTIME, CLOCK_MONOTONIC and CLOCK_BOOTTIME runs faster by
the rate since `ZERO_NS`, which all halls of a run have in common; the time of day stands apart besides. Not reached: what C
reads by itself (OpenSSL checks certificates by the real time of day), how long the kernel waits, and clocks of processor time.
"""

import datetime as dt
import functools
import mmap
import os
import random
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VARIABLE = "HALL_CLOCK"
NS_PER_S = 1_000_000_000
YEAR_S = 365 * 86_400
LARGEST_PPM = 100.0
WRITTEN = struct.Struct("=qqqqqq")
"""The offset of the time of day, the rate in ppb, and the zeros of the four clocks, all else in nanoseconds."""
OFFSET = struct.Struct("=q")
CLOCKS = (time.CLOCK_REALTIME, time.CLOCK_MONOTONIC, time.CLOCK_MONOTONIC_RAW, time.CLOCK_BOOTTIME)
SAME_ZERO = {5: time.CLOCK_REALTIME, 6: time.CLOCK_MONOTONIC}
"""The coarse ones, which Python has no names for."""
ZERO_NS = tuple(time.clock_gettime_ns(clock) for clock in CLOCKS)


@dataclass(frozen=True, slots=True)
class Rate:
    """Of one clock: nanoseconds since `zero_ns` by it, and by a right one."""

    zero_ns: int
    ppb: int

    def here_ns(self, right_ns: int) -> int:
        passed_ns = right_ns - self.zero_ns
        return self.zero_ns + passed_ns + passed_ns * self.ppb // NS_PER_S

    def right_ns(self, here_ns: int) -> int:
        return self.zero_ns + (here_ns - self.zero_ns) * NS_PER_S // (NS_PER_S + self.ppb)


class HallClock:
    """Of one hall, kept in `file`."""

    def __init__(self, file: Path, *, offset_s: float = 0.0, rate_ppm: float = 0.0) -> None:
        self.rate_ppm = rate_ppm
        self.offset_s = offset_s
        self._file = file
        self._boot = Rate(ZERO_NS[CLOCKS.index(time.CLOCK_BOOTTIME)], round(rate_ppm * 1_000))
        file.write_bytes(WRITTEN.pack(round(offset_s * NS_PER_S), self._boot.ppb, *ZERO_NS))

    @classmethod
    def drawn(cls, file: Path, seed: str) -> "HallClock":
        """Up to a year and 100 ppm off, both ways."""
        chance = random.Random(seed)
        offset_s, rate_ppm = (chance.uniform(-most, most) for most in (YEAR_S, LARGEST_PPM))
        return cls(file, offset_s=offset_s, rate_ppm=rate_ppm)

    @property
    def environment(self) -> dict[str, str]:
        """Of the hall's programs."""
        return {VARIABLE: str(self._file)}

    def step(self, seconds: float) -> None:
        """Somebody, or a time server, sets the time of day: running programs see it with their next look."""
        self.offset_s += seconds
        with self._file.open("r+b") as file:
            file.write(OFFSET.pack(round(self.offset_s * NS_PER_S)))

    def now_us(self) -> int:
        """Its CLOCK_BOOTTIME."""
        return self._boot.here_ns(time.clock_gettime_ns(time.CLOCK_BOOTTIME)) // 1_000

    def right_us(self, here_us: int) -> int:
        """When it was so late by its CLOCK_BOOTTIME, by this computer's own."""
        return self._boot.right_ns(here_us * 1_000) // 1_000

    def __str__(self) -> str:
        return f"{self.offset_s / 86_400:+.1f} days, {self.rate_ppm:+.1f} ppm"


class _Injected:
    """The clocks of this process, from now on."""

    def __init__(self, file: str) -> None:
        handle = os.open(file, os.O_RDONLY)
        self._map = mmap.mmap(handle, WRITTEN.size, prot=mmap.PROT_READ)
        os.close(handle)
        _, ppb, *zeros = WRITTEN.unpack_from(self._map)
        self._rates = {clock: Rate(zero_ns, ppb) for clock, zero_ns in zip(CLOCKS, zeros, strict=True)}
        self._rates |= {clock: self._rates[same] for clock, same in SAME_ZERO.items()}
        self._real_ns = time.clock_gettime_ns

    def clock_gettime_ns(self, clock: int) -> int:
        right_ns, rate = self._real_ns(clock), self._rates.get(clock)
        if rate is None:
            return right_ns
        here_ns = rate.here_ns(right_ns)
        return here_ns + OFFSET.unpack_from(self._map)[0] if rate is self._rates[0] else here_ns

    def clock_gettime(self, clock: int) -> float:
        return self.clock_gettime_ns(clock) / NS_PER_S

    def install(self) -> None:
        """As functions of C, none of these becomes a method of a class that keeps it."""
        kept = functools.partial
        now_s = kept(self.clock_gettime, time.CLOCK_REALTIME)
        given: dict[str, Callable[..., Any]] = {
            "clock_gettime_ns": kept(self.clock_gettime_ns),
            "clock_gettime": kept(self.clock_gettime),
            "time": now_s,
            "time_ns": kept(self.clock_gettime_ns, time.CLOCK_REALTIME),
        }
        for name in ("monotonic", "perf_counter"):
            given[name] = kept(self.clock_gettime, time.CLOCK_MONOTONIC)
            given[f"{name}_ns"] = kept(self.clock_gettime_ns, time.CLOCK_MONOTONIC)
        for name in ("localtime", "gmtime", "ctime"):
            given[name] = kept(_of_now, getattr(time, name), now_s)
        taken = {getattr(time, name): new for name, new in given.items()}
        for module in list(
            sys.modules.values()
        ):  # some have taken a function of `time` for themselves already
            for name, value in list(vars(module).items()):
                if type(value) is type(time.sleep) and value in taken:
                    setattr(module, name, taken[value])
        dt.datetime = _datetime(now_s)  # type: ignore[misc]


def _of_now(real: Callable[..., Any], now_s: Callable[[], float], seconds: float | None = None) -> Any:
    """The moment that it has from itself otherwise."""
    return real(now_s() if seconds is None else seconds)


def _datetime(now_s: Callable[[], float]) -> type[dt.datetime]:
    """Makes real ones, of which each is one of it, too."""
    real = dt.datetime

    class Kind(type):
        def __instancecheck__(cls, one: object) -> bool:
            return isinstance(one, real)

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, real)

    class Datetime(real, metaclass=Kind):
        def __new__(cls, *args: Any, **named: Any) -> Any:
            return real(*args, **named)

        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Any:
            return real.fromtimestamp(now_s(), tz)

        @classmethod
        def today(cls) -> Any:
            return real.fromtimestamp(now_s())

    return Datetime


def install() -> None:
    """For the rest of the process, where its environment says so."""
    if file := os.environ.get(VARIABLE):
        _Injected(file).install()
