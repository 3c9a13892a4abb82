"""What everything else in a core runs on: timers and coroutines, threads and their supervision, health and
metrics."""

import asyncio
import contextlib
import faulthandler
import logging
import os
import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from pi_controller.defects import run_catching
from pi_controller.hal.roles import Clock
from pi_controller.hal.system import logs
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import words
from pi_controller.protocol.picture import HealthItem, HealthLevel, HealthView
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence

# Calls at moments of CLOCK_BOOTTIME, and coroutines: the only place where asyncio's clock and CLOCK_BOOTTIME
# meet.


LONGEST_WAIT_S = 60.0
"""Waits are split into pieces of this length, so that after a suspend a call is late by one piece at most."""


class Alarm(Protocol):
    def cancel(self) -> None:
        """Cancel the call. May be called twice."""


class Timers(Protocol):
    def boot_ns(self) -> int: ...

    def call_at(self, boot_ns: int, action: Callable[[], None]) -> Alarm:
        """Call once, not before this CLOCK_BOOTTIME; soon if that is past."""

    def future(self) -> asyncio.Future[Any]:
        """A future of this loop."""


def next_turn(now_ns: int, every_ns: int) -> int:
    """The next moment that what is looked at every `every_ns` shares: less than that away. Looks whose
    intervals divide each other wake the processor once and not once each."""
    return (now_ns // every_ns + 1) * every_ns


class LoopTimers:
    """Timers of a running asyncio loop. asyncio's clock stops in suspend, CLOCK_BOOTTIME does not; each
    wake-up checks the latter."""

    def __init__(self, loop: asyncio.AbstractEventLoop, clock: Clock) -> None:
        self._loop = loop
        self._clock = clock

    def boot_ns(self) -> int:
        return self._clock.boot_ns()

    def call_at(self, boot_ns: int, action: Callable[[], None]) -> Alarm:
        return _LoopAlarm(self._loop, self._clock, boot_ns=boot_ns, action=action)

    def future(self) -> asyncio.Future[Any]:
        return self._loop.create_future()


class _LoopAlarm:
    def __init__(
        self, loop: asyncio.AbstractEventLoop, clock: Clock, *, boot_ns: int, action: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._clock = clock
        self._boot_ns = boot_ns
        self._action = action
        self._handle = self._arm()

    def cancel(self) -> None:
        self._handle.cancel()

    def _arm(self) -> asyncio.Handle:
        wait_s = (self._boot_ns - self._clock.boot_ns()) / 1e9
        if wait_s <= 0:
            return self._loop.call_soon(self._action)
        return self._loop.call_later(min(wait_s, LONGEST_WAIT_S), self._wake)

    def _wake(self) -> None:
        if self._clock.boot_ns() >= self._boot_ns:
            self._action()
        else:
            self._handle = self._arm()


class Tasks:
    """Coroutines running on a loop. Each is referenced until it ends; exceptions go to the loop's exception
    handler."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._under_way: set[asyncio.Task[None]] = set()

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Start a coroutine, after those started before it."""
        task = self._loop.create_task(coroutine)
        self._under_way.add(task)
        task.add_done_callback(self._ended)

    async def stop(self) -> None:
        """Cancel what is still running."""
        for task in self._under_way:
            task.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._loop.call_exception_handler({"message": f"{task} failed", "exception": error, "task": task})


# Threads for work that may block.


MOST_THREADS = 16
"""More than there are uses. Each use waits for its own work before it begins more, so one that hangs keeps
one thread."""


AGAIN_S = 1.0
"""If the system gives no thread, another attempt is made after this time; the work waits."""


class Threads(Protocol):
    """From the loop to a thread and back. Both methods return at once and may be called from any thread."""

    def run_in_thread(self, act: Callable[[], None], name: str) -> None:
        """Run `act`, which may block, on a thread as soon as one is free, in order of asking. `name` is the
        thread's name meanwhile."""

    def call_on_loop(self, act: Callable[[], None]) -> None:
        """Run `act` on the loop, in order of asking."""


ResultT = TypeVar("ResultT")
BrokenT = TypeVar("BrokenT")


def by_thread(
    threads: Threads,
    work: Callable[[], ResultT],
    then: Callable[[ResultT | BrokenT], None],
    *,
    broken: BrokenT,
    name: str,
) -> None:
    """Do `work`, which may block, on a thread of this name, `then` the rest on the loop, with what it came
    to: `broken` when it raised, which the thread tells."""

    def run() -> None:
        found: ResultT | BrokenT = broken
        try:
            found = work()
        finally:
            threads.call_on_loop(lambda: then(found))

    threads.run_in_thread(run, name)


class LoopThreads:
    """Daemon threads beside this asyncio loop: none delays the end of the process."""

    def __init__(self, events: asyncio.AbstractEventLoop, *, most: int = MOST_THREADS) -> None:
        self._events = events
        self._most = most
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Callable[[], None], str]] = deque()
        self._running = 0

    def run_in_thread(self, act: Callable[[], None], name: str) -> None:
        with self._lock:
            self._waiting.append((act, name))
            self._begin()

    def call_on_loop(self, act: Callable[[], None]) -> None:
        """Does nothing after the loop's end."""
        with contextlib.suppress(RuntimeError):
            self._events.call_soon_threadsafe(act)

    def _begin(self) -> None:
        """Start one more thread if there is work for it."""
        if self._waiting and self._running < self._most:
            self._running += 1
            error = run_catching(threading.Thread(target=self._work, daemon=True).start)
            if error is not None:
                self._running -= 1
                self._tell(error, "no thread could be started")
                self.call_on_loop(self._wait)

    def _wait(self) -> None:
        self._events.call_later(AGAIN_S, self._begin_again)

    def _begin_again(self) -> None:
        with self._lock:
            self._begin()

    def _work(self) -> None:
        """Work until nothing is left. Exceptions go to the loop's exception handler and do not affect other
        work."""
        while (next_one := self._next()) is not None:
            act, threading.current_thread().name = next_one
            if (error := run_catching(act)) is not None:
                self._tell(error, f"the thread that {next_one[1]} broke off")
        with self._lock:
            self._running -= 1
            self._begin()

    def _tell(self, error: Exception, what: str) -> None:
        context: dict[str, Any] = {"message": what, "exception": error}
        self.call_on_loop(partial(self._events.call_exception_handler, context))

    def _next(self) -> tuple[Callable[[], None], str] | None:
        with self._lock:
            return self._waiting.popleft() if self._waiting else None


# Supervision: notices threads and tasks that died or fell silent; restarts them, or ends the process with
# safe outputs.


log = logging.getLogger(__name__)

CHECK_NS = 500_000_000
"""Interval of the loop's checks of all parts."""

EXIT_STATUS = 1
MAKE_SAFE_S = 0.3
"""How long the watchdog waits for `make_safe`, and again for its output to be written."""

LONGEST_PAUSE = 5
"""Each restart of a part waits twice as long as the one before, at most 2**5 times its limit: about a
minute."""


@dataclass(frozen=True, slots=True)
class SupervisedPart:
    """A supervised part. `beat_ns` is the CLOCK_BOOTTIME of its last sign of life; None: it is known to be
    dead.

    A part without `restart` is indispensable.
    """

    name: str
    beat_ns: Callable[[], int | None]
    restart: Callable[[], None] | None = None


class Supervisor:
    """Checks all parts; calls `give_up` if an indispensable one is gone."""

    def __init__(self, *, lost_part_ns: int, give_up: Callable[[str], None]) -> None:
        self._lost_part_ns = lost_part_ns
        self._give_up = give_up
        self._parts: list[SupervisedPart] = []
        self._restarts: dict[str, int] = {}
        self._next_try_ns: dict[str, int] = {}

    def add(self, part: SupervisedPart) -> None:
        self._parts.append(part)

    def check(self, now_ns: int) -> bool:
        """Returns True if all indispensable parts have fresh signs of life. Call from the loop each
        CHECK_NS."""
        healthy = True
        for part in self._parts:
            beat_ns = part.beat_ns()
            if beat_ns is not None and now_ns - beat_ns <= self._lost_part_ns:
                continue
            if part.restart is None:
                healthy = False
                self._give_up(f"{part.name} stopped")
            elif now_ns >= self._next_try_ns.get(part.name, 0):
                self._restart(part.name, part.restart, now_ns)
        return healthy

    def restarts(self) -> int:
        return sum(self._restarts.values())

    def _restart(self, name: str, restart: Callable[[], None], now_ns: int) -> None:
        log.warning("%s stopped; starting it again", name)
        done = self._restarts[name] = self._restarts.get(name, 0) + 1
        self._next_try_ns[name] = now_ns + self._lost_part_ns * 2 ** min(done, LONGEST_PAUSE)
        error = run_catching(restart)
        if error is not None:
            log.error("%s could not be started again", name, exc_info=error)


class Watchdog:
    """A thread that ends the process if the loop has not moved for too long.

    A process that was stopped as a whole (SIGSTOP, suspend) is not a hanging loop: if this thread itself woke
    late, the loop gets its full time again. It waits for nothing in which the loop may hang, such as a log
    that nobody reads: `make_safe` and the writing run on threads of their own.
    """

    def __init__(
        self,
        *,
        timers: Timers,
        limit_ns: int,
        make_safe: Callable[[], None],
        leave: Callable[[int], None] = os._exit,
    ) -> None:
        self._timers = timers
        self._limit_ns = limit_ns
        self._make_safe = make_safe
        self._leave = leave
        self._beat_ns = self._look_ns = timers.boot_ns()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="loop-watchdog", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def beat(self) -> None:
        """Record a sign of life of the loop."""
        self._beat_ns = self._timers.boot_ns()

    def alive(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=1.0)

    def look_ns(self) -> int:
        """CLOCK_BOOTTIME of the next look: while signs of life come, CHECK_NS before the last one is too old,
        then every CHECK_NS."""
        return self._look_ns

    def look(self) -> None:
        """Check the loop's last sign of life; ends the process if it is too old."""
        now_ns = self._timers.boot_ns()
        late_ns = now_ns - self._look_ns
        if late_ns > CHECK_NS:
            self._beat_ns = max(self._beat_ns, now_ns)
        self._look_ns = max(now_ns + CHECK_NS, self._beat_ns + self._limit_ns - CHECK_NS)
        if now_ns - self._beat_ns <= self._limit_ns:
            return
        try:
            _within_limit(self._make_safe)
            _within_limit(self._tell)
        finally:
            self._leave(EXIT_STATUS)

    def _tell(self) -> None:
        """Write the stack of each thread, which explains a hang afterwards. Gathered into memory first: no
        other thread runs meanwhile, and nobody may be reading the log."""
        log.critical("the game loop has not moved for %.1f s; outputs were made safe", self._limit_ns / 1e9)
        traces = os.memfd_create("traces")
        faulthandler.dump_traceback(file=traces, all_threads=True)
        logs.complain(os.pread(traces, os.fstat(traces).st_size, 0).decode(errors="replace"))
        logs.end(MAKE_SAFE_S)

    def _watch(self) -> None:
        while not self._stop.wait((self.look_ns() - self._timers.boot_ns()) / 1e9):
            self.look()


def _within_limit(act: Callable[[], None]) -> None:
    """Run it on a thread; after MAKE_SAFE_S it is left behind."""
    thread = threading.Thread(target=act, name="make-safe", daemon=True)
    thread.start()
    thread.join(timeout=MAKE_SAFE_S)


# Health: sentences about what is not in order, by part. Pure.


LOST, UNSAVED = "lost", "unsaved"
"""Parts that report which commands a restart could not restore."""

OF_ONE_GAME = (LOST, UNSAVED, "files")
"""Parts whose sentences are dropped when another game takes over."""


class Health:
    """The newest sentence of each part. `picture` is prepared in advance, because a press must not wait for
    it."""

    def __init__(self, language: str = ENGLISH) -> None:
        """`language` of the picture's words: the hall's."""
        self.language = language
        self._sentences: dict[str, tuple[HealthLevel, Sentence]] = {}
        self.picture = HealthView(level="ok", messages=[], items=[])

    def report(self, part: str, level: HealthLevel, sentence: Sentence | None) -> bool:
        """Set or, with None, clear a part's sentence. Returns True if anything changed."""
        before = self._sentences.get(part)
        if sentence is None:
            self._sentences.pop(part, None)
        else:
            self._sentences[part] = (level, sentence)
        if self._sentences.get(part) == before:
            return False
        self._tell()
        return True

    def speak(self, language: str) -> None:
        """Put the picture's words into this language from now on."""
        self.language = language
        self._tell()

    def _tell(self) -> None:
        worst_first = sorted(self._sentences.values(), key=lambda said: said[0] != "fault")
        items = [self._item(level, sentence) for level, sentence in worst_first]
        self.picture = HealthView(
            level=worst_first[0][0] if worst_first else "ok",
            messages=[item.text for item in items],
            items=items,
            lost=LOST in self._sentences or UNSAVED in self._sentences,
        )

    def _item(self, level: HealthLevel, sentence: Sentence) -> HealthItem:
        seen = view(sentence)
        text = words(sentence, self.language)
        return HealthItem(key=seen.key, params=seen.params, level=level, text=text)

    def next_game(self) -> None:
        """Drop sentences about the previous game."""
        for part in OF_ONE_GAME:
            self.report(part, "warning", None)


# Metrics: latencies in fixed buckets, counters, gauges. Pure.


Numbers = dict[str, float | dict[str, float]]

BUCKETS_S = (0.0001, 0.0003, 0.001, 0.002, 0.005, 0.007, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 3.0)
"""Upper bounds in s; 0.3, 2, 5 and 7 ms are the project's promised limits."""


class Latency:
    """A histogram of seconds with fixed buckets."""

    def __init__(self) -> None:
        self.count = 0
        self.sum_s = 0.0
        self.longest_s = 0.0
        self._buckets = [0] * (len(BUCKETS_S) + 1)

    def add_ns(self, duration_ns: int) -> None:
        seconds = max(0, duration_ns) / 1e9
        self.count += 1
        self.sum_s += seconds
        self.longest_s = max(self.longest_s, seconds)
        self._buckets[bisect_left(BUCKETS_S, seconds)] += 1

    def numbers(self) -> dict[str, float]:
        """Cumulative buckets as `le="0.001"`, then `count`, `sum` and `max`."""
        numbers: dict[str, float] = {}
        below = 0
        for bound, inside in zip((*map(str, BUCKETS_S), "+Inf"), self._buckets, strict=True):
            below += inside
            numbers[f'le="{bound}"'] = below
        return numbers | {"count": self.count, "sum": self.sum_s, "max": self.longest_s}


class Metrics:
    """All metrics of one core. Gauges are read on request."""

    def __init__(self) -> None:
        self.press_to_freeze = Latency()
        self.press_to_saved = Latency()
        self.qualified_to_freeze = Latency()
        self.loop_lag = Latency()
        self._counters = {"defects": 0}
        self._families: list[Callable[[], Numbers]] = []

    def count(self, name: str) -> None:
        self._counters[name] = self._counters.get(name, 0) + 1

    def gauge(self, name: str, read: Callable[[], float]) -> None:
        self.family(lambda: {name: read()})

    def family(self, read: Callable[[], Numbers]) -> None:
        """Add metrics of a part that names them itself, some with labels."""
        self._families.append(read)

    def numbers(self) -> Numbers:
        numbers: Numbers = {
            "press_to_freeze_seconds": self.press_to_freeze.numbers(),
            "press_to_saved_seconds": self.press_to_saved.numbers(),
            "qualified_to_freeze_seconds": self.qualified_to_freeze.numbers(),
            "loop_lag_seconds": self.loop_lag.numbers(),
        }
        numbers.update(self._counters)
        for read in self._families:
            numbers.update(read())
        return numbers
