"""The table of the bus's figures, in virtual time: `python -m tests.bus.figures` (three minutes)."""

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from pi_controller.bus.messages import PAUSE_SINCE
from pi_controller.bus.values import PingAsked
from tests.bus import firmware, measure
from tests.bus.hall import percentile

PAUSES, SLOW_PAUSES = 800, 400
"""On all segments together, and on each of them, where the last of them is looked for in every pause."""
HALLS = {1: (1, 1), 16: (16, 1), 64: (32, 2), 256: (32, 8)}
"""By tables: how many on a segment, and how many segments."""


class Reached(NamedTuple):
    text: str
    good: bool


class Figure(NamedTuple):
    name: str
    target: str
    measure: Callable[[float], Reached]
    """With this share, 0 < share ≤ 1, of the presses, claims, seconds and seeds of a whole run."""


class Waits(NamedTuple):
    p50: float
    p99: float
    most: float

    def __str__(self) -> str:
        return f"p50 {self.p50:.2f} ms, p99 {self.p99:.2f} ms, max {self.most:.2f} ms"


def _waits(waits: Sequence[float]) -> Waits:
    return Waits(percentile(waits, 0.5), percentile(waits, 0.99), max(waits))


@cache
def _pauses(share: float, *, baud: int, tables: int) -> list[list[float]]:
    """Segment by segment."""
    each, segments = HALLS[tables]
    pauses = PAUSES // segments if baud == 250_000 else SLOW_PAUSES
    return measure.pauses_ms(baud=baud, tables=each, segments=segments, pauses=round(pauses * share))


def _on_a_segment(share: float, *, baud: int, tables: int) -> Waits:
    """To the last table of a segment, whichever it is."""
    return _waits([waited for waits in _pauses(share, baud=baud, tables=tables) for waited in waits])


def _everywhere(share: float, *, baud: int, tables: int) -> Waits:
    """To the last table of the last segment."""
    return _waits([max(waits) for waits in zip(*_pauses(share, baud=baud, tables=tables), strict=True)])


def _reached(found: Waits, *, p50: float, p99: float) -> Reached:
    return Reached(str(found), found.p50 <= p50 and found.p99 <= p99)


def _few_pauses(share: float, *, baud: int = 250_000, pauses: int = 50, **how: Any) -> Waits:
    """On two segments."""
    waits = measure.pauses_ms(baud=baud, tables=32, segments=2, pauses=round(pauses * share), **how)
    return _waits([waited for of_segment in waits for waited in of_segment])


def pause_fast(share: float) -> Reached:
    return _reached(_everywhere(share, baud=250_000, tables=256), p50=2, p99=7)


def pause_during_pings(share: float) -> Reached:
    return _reached(_few_pauses(share, job=PingAsked(frames=1_000_000)), p50=7, p99=7)


def pause_during_messages(share: float) -> Reached:
    return _reached(_few_pauses(share, message="x" * 190), p50=2, p99=7)


def pause_slow(share: float) -> Reached:
    return _reached(_everywhere(share, baud=115_200, tables=256), p50=3, p99=7)


def pause_slow_on_a_segment(share: float) -> Reached:
    return _reached(_on_a_segment(share, baud=115_200, tables=256), p50=3, p99=7)


def pause_of_older_tables(share: float) -> Reached:
    return _reached(_few_pauses(share, baud=115_200, newest=PAUSE_SINCE - 1), p50=7, p99=10)


def end_of_a_pause(share: float) -> Reached:
    return _reached(_few_pauses(share, baud=115_200, ends=True), p50=7, p99=10)


def pause_one_and_many(share: float) -> Reached:
    one, many = (_on_a_segment(share, baud=250_000, tables=tables) for tables in (1, 256))
    return _alike({1: one, 256: many})


def pause_slow_one_and_many(share: float) -> Reached:
    return _alike({tables: _everywhere(share, baud=115_200, tables=tables) for tables in HALLS})


def _alike(halls: dict[int, Waits]) -> Reached:
    one, *more = halls.values()
    apart = max(abs(these[at] / one[at] - 1) for these in more for at in (0, 1))
    texts = [f"{tables}: {w.p50:.2f} / {w.p99:.2f} ms" for tables, w in halls.items()]
    return Reached(f"{'; '.join(texts)}; {100 * apart:.1f} % apart", apart <= 0.05)


def _age(share: float, *, loss: float, most_ms: float) -> Reached:
    ages = measure.ages_ms(loss=loss, seconds=round(60 * share))
    p50, p99 = percentile(ages, 0.5), percentile(ages, 0.99)
    return Reached(f"p50 {p50:.0f} ms, p99 {p99:.0f} ms, max {max(ages):.0f} ms", p99 < most_ms)


def loss_20(share: float) -> Reached:
    return _age(share, loss=0.2, most_ms=1_000)


def loss_50(share: float) -> Reached:
    return _age(share, loss=0.5, most_ms=3_000)


def half_dead(share: float) -> Reached:
    fewest = measure.with_half_dead(seconds=round(20 * share))
    return Reached(f"at least {min(fewest)} in the first seconds, {fewest[-1]} later", min(fewest) >= 1)


def growth(share: float) -> Reached:
    parts = [part for dead in (1, 4, 16) for part in measure.cycle_growth(dead, seeds=round(4 * share))]
    most = max(parts)
    return Reached(f"{100 * most:.1f} % at most while they are given up, none later", most < 0.05)


def scale(share: float) -> Reached:
    polls, states, used = measure.rates(segments=8, seconds=round(20 * share))
    text = f"{polls:.2f} polls/s, {states:.2f} states/s for each; line in use {100 * used:.0f} %"
    return Reached(text, polls >= 1 and states >= 4.99)


def claims(share: float) -> Reached:
    waits = measure.claims_ms(claims=round(200 * share))
    return Reached(
        f"p50 {percentile(waits, 0.5):.0f} ms, p99 {percentile(waits, 0.99):.0f} ms",
        percentile(waits, 0.99) <= 500,
    )


def claims_of_the_firmware(share: float) -> Reached:
    waits, errors = firmware.claims(32, round(4 * share))
    wrong = max(abs(error) for error in errors)
    p50, p99 = percentile(waits, 0.5), percentile(waits, 0.99)
    return Reached(
        f"p50 {p50:.0f} ms, p99 {p99:.0f} ms; time of contact within {wrong:.1f} ms",
        p99 <= 500 and wrong <= 20,
    )


def discovery(share: float) -> Reached:
    waits = measure.joined_ms(seeds=round(30 * share))
    again = measure.again_ms(seeds=round(10 * share))
    return Reached(
        f"p50 {percentile(waits, 0.5):.0f} ms, max {max(waits):.0f} ms; after a restart of the master max {max(again):.0f} ms",
        max(waits) <= 2_000 and max(again) <= 2_000,
    )


def duplicate(share: float) -> Reached:
    waits = measure.parted_ms(seeds=round(10 * share))
    return Reached(f"p50 {percentile(waits, 0.5):.0f} ms, max {max(waits):.0f} ms", max(waits) <= 5_000)


def pings(_share: float) -> Reached:
    """As many as prove a bit error rate below 10⁻⁶ for a row of tables at 95 %: 3,000,000 bits."""
    took = firmware.pings(40, frames=130)
    bits = 40 * 130 * firmware.PING_BITS
    return Reached(
        f"40 tables × 130 frames, {bits / 1e6:.1f} million bits: {took.seconds:.0f} s, {took.lost} lost",
        took.seconds <= 45 and took.lost == 0 and bits >= 3_000_000,
    )


def clocks(_share: float) -> Reached:
    told, after = firmware.clocks(32, silence_s=60)
    return Reached(
        f"told within {told:.0f} µs; after 60 s without STATE off by {after:.0f} µs at most",
        told <= 1_000 and after <= 6_000,
    )


FIGURES = (
    Figure("pause on the wire, 250,000 Bd, 256 tables", "p50 ≤ 2 ms, p99 ≤ 7 ms", pause_fast),
    Figure("the same while tables are pinged", "p99 ≤ 7 ms", pause_during_pings),
    Figure("the same while the director's message changes", "p50 ≤ 2 ms, p99 ≤ 7 ms", pause_during_messages),
    Figure("pause on the wire, 115,200 Bd, 256 tables", "p50 ≤ 3 ms, p99 ≤ 7 ms", pause_slow),
    Figure("the same with 1, 16, 64 and 256 tables", "± 5 %", pause_slow_one_and_many),
    Figure("the same, each segment for itself", "p50 ≤ 3 ms, p99 ≤ 7 ms", pause_slow_on_a_segment),
    Figure("the same with tables of protocol 4", "p99 ≤ 10 ms", pause_of_older_tables),
    Figure("end of a pause on the wire, 115,200 Bd", "p99 ≤ 10 ms", end_of_a_pause),
    Figure("pause on a segment of 1 and of 256 tables, 250,000 Bd", "± 5 %", pause_one_and_many),
    Figure("age of what is shown, 20 % of frames lost", "p99 < 1 s", loss_20),
    Figure("age of what is shown, 50 % of frames lost", "p99 < 3 s", loss_50),
    Figure("polls a second of the living, 16 of 32 dead", "≥ 1", half_dead),
    Figure("growth of the cycle for each dead table", "< 5 %", growth),
    Figure("8 segments of 32 tables", "≥ 1 poll/s, 5 states/s", scale),
    Figure("end of hold to acknowledged, 32 tables", "p99 ≤ 500 ms", claims),
    Figure("the same with the real firmware", "p99 ≤ 500 ms, ± 20 ms", claims_of_the_firmware),
    Figure("32 tables get their addresses", "≤ 2 s", discovery),
    Figure("two tables on one address are parted", "≤ 5 s", duplicate),
)


LONGER = (
    Figure("PINGs of a self-test, with the real firmware", "≤ 45 s, none lost", pings),
    Figure("clocks of 32 tables, ± 50 ppm, with the real firmware", "± 1 ms; 60 s: 6 ms", clocks),
)
"""Not part of the test suite, which tries the same with fewer tables (test_jobs_firmware.py)."""


def print_rows(figures: Sequence[Figure]) -> int:
    """A row for each figure; exit status 1 when one was missed."""
    missed = 0
    for figure in figures:
        reached = figure.measure(1)
        missed += not reached.good
        verdict = "" if reached.good else " (missed)"
        print(f"| {figure.name} | {figure.target} | {reached.text}{verdict} |", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(print_rows((*FIGURES, *LONGER)))
