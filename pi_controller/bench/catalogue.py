"""The benchmarks of the product by name, each with its size in a whole and in a quick run; and those of the
clock, of the journal and of a start."""

import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

import pi_controller
from pi_controller.bench import feed, press, tables
from pi_controller.bench.figures import Figure, Say, in_ms, limits, summary
from pi_controller.bench.live_core import LiveCore, settings_with, with_live_core
from pi_controller.bench.processes import (
    ANSWER_WITHIN_S,
    BenchError,
    answers,
    ask,
    boot_ns,
    compiled,
    page,
    port_of,
    product,
)
from pi_controller.game.commands import Pause, Resume
from pi_controller.game.state import Frozen, Running
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.journal.errors import Trouble
from pi_controller.journal.store import Store, segment_name
from pi_controller.journal.writer import JournalWriter
from pi_controller.protocol.client import Client
from pi_controller.protocol.paths import socket_path

PACKAGE = Path(pi_controller.__file__).parent


@dataclass(frozen=True, slots=True)
class Bench:
    """`whole` and `quick` measure in these sizes; they take an empty `folder` and `say`."""

    summary: str
    whole: Callable[..., list[Figure]]
    quick: Callable[..., list[Figure]]
    long: bool = False
    """Takes so long that it is measured only when it is named."""

    def figures(self, *, quick: bool, folder: Path | None, say: Say, **changes: float) -> list[Figure]:
        """Measure on the disk of `folder` (default: where temporary files lie) and leave nothing there.

        `changes` stand in for values of the size. Raises BenchError.
        """
        run = self.quick if quick else self.whole
        with compiled(PACKAGE), tempfile.TemporaryDirectory(prefix="bench-", dir=folder) as name:
            return run(folder=Path(name), say=say, **changes)


# Many pauses in many rounds, against an account of its own in CLOCK_BOOTTIME.

MARGIN_NS = 5_000_000
"""No pause so near to the end of a round that it would depend on the machine which of the two comes first."""

LOOK_EVERY = 100
"""After so many pauses the error is told."""

LONG_ROUNDS_FROM_S = 600.0

FIRST_AND_LAST = 10
"""So many turns of the lamps at either end of the run tell whether the lamps drift from the account."""


@dataclass
class Account:
    """When rounds must end: nothing but additions of stamps. All times in CLOCK_BOOTTIME nanoseconds."""

    round_ns: int
    began_ns: int
    turns_ns: list[int] = field(default_factory=list)
    left_ns: int | None = None

    @property
    def deadline_ns(self) -> int:
        """Of the round that runs."""
        return self.began_ns + self.round_ns

    def advance(self, now_ns: int) -> None:
        while self.deadline_ns <= now_ns:
            self.turns_ns.append(self.deadline_ns)
            self.began_ns = self.deadline_ns

    def pause(self, at_ns: int) -> int:
        """What is left of the round."""
        self.advance(at_ns)
        self.left_ns = self.deadline_ns - at_ns
        return self.left_ns

    def resume(self, at_ns: int) -> None:
        """From here the round lasts for what was left of it."""
        if self.left_ns is None:
            raise ValueError("nothing was paused")
        self.began_ns, self.left_ns = at_ns + self.left_ns - self.round_ns, None


@dataclass
class _Pauses:
    """The script's notes."""

    account: Account
    left_errors: list[int] = field(default_factory=list)
    outside: list[int] = field(default_factory=list)
    lamp_turns_ns: list[int] = field(default_factory=list)
    lasted_ns: int = 0


class _LampWatch:
    """Stamps each change of side at the lamps' pins."""

    def __init__(self, core: LiveCore) -> None:
        self.turns_ns: list[int] = []
        self._core = core
        self._side = self._lit()
        self._before = core.pins.watch(self._changed)

    def _lit(self) -> str | None:
        level, at = self._core.pins.level, self._core.settings.pins
        lit = (level(at.sun_lamp), level(at.moon_lamp))
        return {(True, False): "sun", (False, True): "moon"}.get(lit)

    def _changed(self) -> None:
        now_ns, side = boot_ns(), self._lit()
        if side is not None and self._side is not None and side != self._side:
            self.turns_ns.append(now_ns)
        self._side = side or self._side
        if self._before is not None:
            self._before()


def clock(*, pauses: int, seconds: float, folder: Path, say: Say) -> list[Figure]:
    """So many pauses within about so many seconds, and more until a round has turned."""
    round_s = 35.0 if seconds >= LONG_ROUNDS_FROM_S else 1.0
    say(f"clock: {pauses} pauses in about {seconds:g} s of rounds of {round_s:g} s")
    found = with_live_core(
        lambda core: _pause_many(core, pauses, seconds / pauses, say),
        settings_with(round_seconds=round_s),
        folder=folder,
    )
    return _figures(found)


def _pause_many(core: LiveCore, pauses: int, cycle_s: float, say: Say) -> _Pauses:
    chance = random.Random(7)  # noqa: S311 - moments of pauses
    watch = _LampWatch(core)
    core.new_round()
    began_ns = core.on_loop(lambda: core.loop.time.boot_ns(core.loop.game.state.began_ns))
    notes = _Pauses(Account(round(core.settings.game.schedule[0].seconds * 1e9), began_ns))
    while len(notes.left_errors) < pauses or not watch.turns_ns:
        time.sleep(cycle_s * chance.uniform(0.2, 0.8))
        if not core.on_loop(lambda: _pause(core, notes)):
            continue
        time.sleep(cycle_s * chance.uniform(0.2, 0.8))
        core.on_loop(lambda: _resume(core, notes))
        done = len(notes.left_errors)
        if done % LOOK_EVERY == 0:
            say(f"clock: after {done} pauses the remaining time is off by {notes.left_errors[-1]} ns")
    notes.lamp_turns_ns, notes.lasted_ns = watch.turns_ns, boot_ns() - began_ns
    core.on_loop(lambda: notes.account.advance(boot_ns()))  # the lamps may have turned since the last pause
    return notes


def _pause(core: LiveCore, notes: _Pauses) -> bool:
    """On the loop: pause now, unless the round ends in a moment."""
    now_ns = boot_ns()
    notes.account.advance(now_ns)
    if notes.account.deadline_ns - now_ns < MARGIN_NS:
        return False
    _do(core, Pause(), now_ns)
    clock = core.loop.game.state.clock
    if not isinstance(clock, Frozen):
        raise BenchError("A pause was asked for, but the game did not pause.")
    notes.left_errors.append(clock.remaining_ns - notes.account.pause(now_ns))
    return True


def _do(core: LiveCore, command: Pause | Resume, at_ns: int) -> None:
    """On the loop: at once, without a turn and without an answer."""
    decision = core.loop.decide(command, at_ns=at_ns, source="bench")
    core.loop.commit(decision.events, after=decision.game)


def _resume(core: LiveCore, notes: _Pauses) -> None:
    """On the loop: play on, and take the moment of it over when it lies between two stamps of our own."""
    before_ns = boot_ns()
    _do(core, Resume(), before_ns)
    core.loop.tick()
    after_ns = boot_ns()
    clock = core.loop.game.state.clock
    if not isinstance(clock, Running):
        raise BenchError("The game was resumed, but it did not go on.")
    moment_ns = core.loop.time.boot_ns(clock.since_ns)
    notes.outside.append(max(0, before_ns - moment_ns, moment_ns - after_ns))
    notes.account.resume(min(max(moment_ns, before_ns), after_ns))


def _figures(found: _Pauses) -> list[Figure]:
    late = [seen - due for seen, due in zip(found.lamp_turns_ns, found.account.turns_ns, strict=False)]
    at_an_end = max(1, min(FIRST_AND_LAST, len(late) // 2))
    errors = [abs(error) for error in found.left_errors]
    every = [f"{error / 1e6:g}" for error in found.left_errors[LOOK_EVERY - 1 :: LOOK_EVERY]]
    return [
        Figure(
            name="clock.error",
            what="remaining time at each pause against sums of stamps",
            unit="ms",
            measured=in_ms(errors),
            limits=limits(max=1.0),
            note=f"after each {LOOK_EVERY} pauses: {', '.join(every) or 'fewer were made'} ms",
        ),
        Figure(
            name="clock.resume",
            what="moment of each resume outside the stamps before and after it",
            unit="ms",
            measured=in_ms(found.outside),
            limits=limits(max=1.0),
        ),
        Figure(
            name="clock.turn",
            what="change of the side's lamps against the account: each is late by itself, it does not add up",
            unit="ms",
            measured=in_ms([abs(each) for each in late]),
            note=f"of the last {len(late[-10:])}: {', '.join(f'{each / 1e6:.3f}' for each in late[-10:])} ms",
        ),
        Figure(
            name="clock.drift",
            what=f"from {at_an_end} first to {at_an_end} last of {len(late)} turns of the lamps, by medians",
            unit="ms",
            measured=in_ms([abs(drift_ns(late, at_an_end))]),
            limits=limits(max=1.0),
            note=f"at the last pause, {found.lasted_ns / 60e9:.1f} minutes in, the remaining time is off by"
            f" {found.left_errors[-1] / 1e6:g} ms",
        ),
    ]


def drift_ns(late: Sequence[int], at_an_end: int) -> int:
    """How much later the lamps were at the end than at the beginning; 0 when lateness does not add up."""
    return round(median(late[-at_an_end:]) - median(late[:at_an_end]))


# How long a line of the journal takes to the disk.

DATA: dict[str, object] = {
    "action": {"id": 7, "command": {"name": "pause", "reason": "button"}, "at_ns": 1, "source": "button"}
}
"""About the size of the line that a press leaves."""

News = queue.SimpleQueue[tuple[int, int] | Trouble]
"""From the writer: a tag that is saved and the moment at which that was told, or what is wrong."""


def line(*, appends: int, folder: Path, say: Say) -> list[Figure]:
    """Appends one by one, each beside a bare write and fdatasync of as many bytes."""
    store = Store(folder)
    store.prepare()
    news: News = queue.SimpleQueue()
    clock = SystemClock()
    writer = JournalWriter(
        store,
        boot_id=clock.boot_id,
        wall=clock.wall,
        now_ns=clock.boot_ns,
        on_saved=lambda tag, _head: news.put((tag, boot_ns())),
        on_trouble=news.put,
        on_mended=lambda _part: None,
    )
    try:
        say(f"journal.line: {appends} lines, one by one, each beside a bare append")
        took, floor = _appends(writer, news, store, appends)
    finally:
        writer.close()
    return [
        Figure(
            name="journal.saved",
            what="a line handed over to told saved",
            unit="ms",
            measured=in_ms(took),
            floor=in_ms(floor),
            floor_is="write and fdatasync of as many bytes on the same disk",
        )
    ]


def _appends(writer: JournalWriter, news: News, store: Store, count: int) -> tuple[list[int], list[int]]:
    """Nanoseconds of each line, and of each bare append."""
    game_id = store.new_game_id(SystemClock().wall())
    writer.open_game(game_id, bytes(32), {}, game_ns=0, boot_ns=boot_ns(), tag=0)
    _saved_at_ns(news, 0)
    took, floor, size = [], [], 0
    bare = os.open(store.state_dir / "bare", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        for tag in range(1, count + 1):
            begun_ns = boot_ns()
            writer.append("did", DATA, game_ns=begun_ns, boot_ns=begun_ns, tag=tag)
            took.append(_saved_at_ns(news, tag) - begun_ns)
            if not size:
                segment = store.folder(game_id) / segment_name(1)
                size = len(segment.read_bytes().splitlines(keepends=True)[-1])
            begun_ns = boot_ns()
            os.write(bare, bytes(size))
            os.fdatasync(bare)
            floor.append(boot_ns() - begun_ns)
    finally:
        os.close(bare)
    return took, floor


def _saved_at_ns(news: News, tag: int) -> int:
    """The moment at which the line with this tag was told saved."""
    while True:
        try:
            told = news.get(timeout=ANSWER_WITHIN_S)
        except queue.Empty:
            raise BenchError("A line of the journal was never told saved.") from None
        if isinstance(told, Trouble):
            raise BenchError(told.sentence)
        if told[0] >= tag:
            return told[1]


# How long a start takes, with an empty state folder and with a game to come back to.

FAST = 500
"""So many times as fast is the game whose journal a start reads back: 40 rounds in 4 s."""


@dataclass(frozen=True)
class _Kind:
    """What is started, and what it is compared with."""

    name: str
    what: str
    statement: str
    at_most_s: float
    measure: Callable[[Path], float]


def start(*, starts: int, rounds: int, folder: Path, say: Say) -> list[Figure]:
    """Core alone to its first answer, and `run` to the first page; each with an empty state folder and with
    the journal of so many rounds."""
    kinds = (
        _Kind("core", "`core` to its first answer", "import asyncio, msgspec", 0.25, _core_start_s),
        _Kind("page", "`run` to the first page", "import asyncio, msgspec, aiohttp.web", 0.6, _page_start_s),
    )
    figures, played = [], folder / "played"
    say(f"start: plays {rounds} rounds for a journal to come back to")
    play(played, rounds)
    _page_start_s(folder / "first")  # what is no part of the package may be compiled by it
    for kind in kinds:
        for state, before in (("fresh", None), ("recovery", played)):
            say(f"start: {starts} starts, {kind.what}, {state}")
            figures.append(_figure(kind, state, folder, starts=starts, before=before))
    return figures


def play(state_dir: Path, rounds: int) -> None:
    """Leave the journal of a game that was ended, as by a power switch, after so many rounds."""
    with product("core", state_dir, f"--speed={FAST}") as core:
        answers(state_dir, core)
        client = Client(socket_path(state_dir))
        ask(client, "start")
        for news in client.watch():
            if news.picture is not None and news.picture.round > rounds:
                return


def _figure(kind: _Kind, state: str, place: Path, *, starts: int, before: Path | None) -> Figure:
    took, floor = [], []
    subprocess.run([sys.executable, "-c", kind.statement], check=True)
    for number in range(starts):
        state_dir = place / f"{kind.name}-{state}-{number}"
        if before is not None:
            shutil.copytree(before, state_dir)
        took.append(kind.measure(state_dir))
        shutil.rmtree(state_dir)
        begun = time.monotonic()
        subprocess.run([sys.executable, "-c", kind.statement], check=True)
        floor.append(time.monotonic() - begun)
    return Figure(
        name=f"start.{kind.name}.{state}",
        what=f"from the start of {kind.what}; best {min(took):.3f} s",
        unit="s",
        measured=summary(took),
        floor=summary(floor),
        floor_is=f'python -c "{kind.statement}"',
        limits=limits(p50=kind.at_most_s),
    )


def _core_start_s(state_dir: Path) -> float:
    begun = time.monotonic()
    with product("core", state_dir) as core:
        answers(state_dir, core)
        return time.monotonic() - begun


def _page_start_s(state_dir: Path) -> float:
    begun = time.monotonic()
    with product("run", state_dir, "--port=0") as run:
        page(port_of(run))
        return time.monotonic() - begun


BENCHES = {
    "press.edge": Bench(
        "edge at a pin to frozen outputs, isolated and back to back, beside busy and idle cores",
        partial(press.edge, presses=60, in_blocks=500),
        partial(press.edge, presses=6, in_blocks=50),
    ),
    "clock": Bench(
        "rounds with 1,000 pauses against an account of their own",
        partial(clock, pauses=1000, seconds=60.0),
        partial(clock, pauses=200, seconds=12.0),
    ),
    "start": Bench(
        "core to its first answer, run to the first page; with and without a game to come back to",
        partial(start, starts=10, rounds=40),
        partial(start, starts=3, rounds=10),
    ),
    "journal.line": Bench("a line to the disk", partial(line, appends=1000), partial(line, appends=100)),
    "feed.pause": Bench(
        "a pause over HTTP to the last of 1, 50 and 200 listeners, isolated and back to back",
        partial(feed.pause, counts=(1, 50, 200), pauses=60, in_blocks=200),
        partial(feed.pause, counts=(1, 50), pauses=6, in_blocks=20),
    ),
    "feed.phones": Bench(
        "the same to 1,000 phones",
        partial(feed.phones, counts=(1000,), pauses=30, in_blocks=200),
        partial(feed.phones, counts=(50,), pauses=3, in_blocks=20),
    ),
    "feed.processor": Bench(
        "processor of an isolated pause to 1 and 200 listeners",
        partial(feed.processor, counts=(1, 200), pauses=20),
        partial(feed.processor, counts=(1, 50), pauses=2),
    ),
    "feed.bytes": Bench(
        "bytes of a pause and of a resume to a page and to a phone",
        partial(feed.sizes, pauses=5),
        partial(feed.sizes, pauses=1),
    ),
    "tables": Bench(
        "a pause to the end of its frame behind a segment's polling, and 8 segments of 32 nodes",
        partial(tables.tables, shows=500, segments=8, nodes=32, seconds=30.0),
        partial(tables.tables, shows=50, segments=8, nodes=32, seconds=5.0),
    ),
}

OF_A_CHECKOUT = (
    "press.stalled",
    "press.many",
    "memory",
    "journal.long",
    "connections",
    "feed.command",
    "hall.traffic",
    "hall.processor",
    "hall.memory",
    "hall.growth",
    "hall.stalled",
    "hall.idle",
    "links.pause",
    "links.fan_out",
    "links.scale",
    "hobby",
    "sound.start",
    "sound.tone",
)
"""Further ones, which only a checkout of the sources has: they measure the design, not a machine."""


def chosen(name: str, benches: Mapping[str, Bench]) -> list[str]:
    """Those that a name stands for: one, or `press` for all whose name begins with `press.` but those that
    take long. None when there is no such name."""
    of_a_group = [each for each, bench in benches.items() if each.startswith(f"{name}.") and not bench.long]
    return [name] if name in benches else of_a_group
