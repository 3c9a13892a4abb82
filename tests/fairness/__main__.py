"""The long fairness run: python -m tests.fairness [--rolls N]; exit status 1 when a p is out of band."""

import argparse
import multiprocessing
import sys
import time

from tests.fairness.chi_square import GREATEST_P, LEAST_P
from tests.fairness.counting import TABLES, Counts, add, chunks, count

CHUNK_ROLLS = 50_000


def main() -> int:
    parser = argparse.ArgumentParser(description="Chi-square tests of the dice from fixed seeds.")
    parser.add_argument("--rolls", type=int, default=10**7, help="rolls of rounds (default 10000000)")
    rolls = parser.parse_args().rolls
    if rolls < CHUNK_ROLLS:
        parser.error(f"--rolls must be {CHUNK_ROLLS} or more, not {rolls}")
    began = time.perf_counter()
    total, done = _count_all(rolls)
    took = time.perf_counter() - began
    print(f"{done} draws in {took:.1f} s, {done / took:.0f} a second")
    return 0 if _print_tables(total) else 1


def _count_all(rolls: int) -> tuple[Counts, int]:
    total: Counts = {}
    work = chunks(rolls, CHUNK_ROLLS)
    with multiprocessing.Pool() as pool:
        for done, counts in enumerate(pool.imap_unordered(count, work), start=1):
            add(total, counts)
            if done % max(1, len(work) // 20) == 0:
                print(f"{done * 100 // len(work):3d} %", file=sys.stderr, flush=True)
    return total, len(work) * CHUNK_ROLLS


def _print_tables(total: Counts) -> bool:
    fair = True
    for name, table in TABLES.items():
        counts = total[name]
        statistic, p = table.line(counts)
        inside = LEAST_P <= p <= GREATEST_P
        fair = fair and inside
        if len(table.cells) <= 11:
            print(f"\n{table.name}: " + "  ".join(f"{cell}: {counts[cell]}" for cell in table.cells))
        else:
            print(f"\n{table.name}: {counts.total()} in {len(table.cells)} cells")
        degrees = len(table.cells) - 1
        verdict = "fair" if inside else f"OUT OF BAND {LEAST_P} to {GREATEST_P}"
        print(f"  chi-square {statistic:.2f}, {degrees} degrees of freedom, p = {p:.4f}: {verdict}")
    return fair


if __name__ == "__main__":
    sys.exit(main())
