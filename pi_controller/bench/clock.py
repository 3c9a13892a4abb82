"""Many pauses in many rounds, against an account of its own in CLOCK_BOOTTIME."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from pi_controller.bench.figures import Figure, Say, in_ms, limits
from pi_controller.bench.live_core import LiveCore, settings_with, with_live_core
from pi_controller.bench.processes import BenchError, boot_ns
from pi_controller.game.commands import Pause, Resume
from pi_controller.game.state import Frozen, Running

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
