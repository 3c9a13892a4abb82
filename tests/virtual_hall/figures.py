"""The figures of the whole firmware on the virtual cable: `python -m tests.virtual_hall.figures` (two minutes).
Each is measured as a whole."""

import sys

from tests.bus.figures import Figure, Reached, print_rows
from tests.bus.hall import percentile
from tests.virtual_hall import measure

TABLES = 32


def skew(_share: float) -> Reached:
    apart_ms = [apart for seed in (1, 2, 3) for apart in measure.flips_ms(TABLES, seconds=20, seed=seed)]
    p50, p99 = percentile(apart_ms, 0.5), percentile(apart_ms, 0.99)
    return Reached(f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, max {max(apart_ms):.1f} ms", p99 <= 20)


def no_link(_share: float) -> Reached:
    silences = [measure.silence(TABLES, left_us=left_us) for left_us in (1_200_000, 20_000_000)]
    waits_s = [wait_s for silence in silences for wait_s in silence.no_link_s]
    fewest = min(silence.fewest_seconds for silence in silences)
    good = min(waits_s) >= 1.8 and max(waits_s) <= 2.2 and fewest >= 1
    return Reached(f"{min(waits_s):.2f} to {max(waits_s):.2f} s; fewest seconds shown {fewest}", good)


def _age(loss: float, most_ms: float) -> Reached:
    ages_ms = measure.ages_ms(TABLES, loss=loss, seconds=60)
    p50, p99 = percentile(ages_ms, 0.5), percentile(ages_ms, 0.99)
    return Reached(f"p50 {p50:.0f} ms, p99 {p99:.0f} ms, max {max(ages_ms):.0f} ms", p99 < most_ms)


def loss_20(_share: float) -> Reached:
    return _age(0.2, 1000)


def loss_50(_share: float) -> Reached:
    return _age(0.5, 3000)


def boots(_share: float) -> Reached:
    waits_s = measure.right_after_boot_s(8, boots=20)
    return Reached(f"p50 {percentile(waits_s, 0.5):.2f} s, max {max(waits_s):.2f} s", max(waits_s) <= 1)


def hang(_share: float) -> Reached:
    bitten_s, back_s = measure.back_after_hang_s()
    return Reached(f"reset after {bitten_s:.2f} s, right {back_s:.2f} s later", bitten_s + back_s <= 3)


def _held(*, stuck: bool) -> Reached:
    told_s, right_s = measure.told_of_held_line_s(8, stuck=stuck)
    return Reached(f"told after {told_s:.2f} s; all right {right_s:.2f} s after it is free", told_s <= 2)


def babble(_share: float) -> Reached:
    return _held(stuck=False)


def stuck(_share: float) -> Reached:
    return _held(stuck=True)


FIGURES = (
    Figure("a second changes on any two of 64 displays, crystals ± 50 ppm", "p99 ≤ 20 ms", skew),
    Figure("no STATE until no link, 32 tables", "2.0 ± 0.2 s, never 0 s shown", no_link),
    Figure("age of what is shown, 20 % of frames lost", "p99 < 1 s", loss_20),
    Figure("age of what is shown, 50 % of frames lost", "p99 < 3 s", loss_50),
    Figure("a table that reboots every 2 s: start to right picture", "≤ 1 s", boots),
    Figure("firmware hangs", "back ≤ 3 s", hang),
    Figure("a node babbles", "told ≤ 2 s", babble),
    Figure("a node holds the line low", "told ≤ 2 s", stuck),
)


if __name__ == "__main__":
    sys.exit(print_rows(FIGURES))
