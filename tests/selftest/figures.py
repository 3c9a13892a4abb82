"""The tester's own figures, on the real core and tables that run the real firmware.

    python -m tests.selftest.figures [--healthy N] [--halls N] [--only NAME] [--json F]

Seeded faults: how many were found by the right check, with the right part. False alarms: in so many runs of a healthy
hall. Time of the machine for 40 and for 100 tables.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pi_controller.protocol.probes import Level
from pi_controller.selftest.core import CoreUnderTest
from pi_controller.selftest.report import SelfTestReport
from pi_controller.selftest.session import run_selftest
from tests.selftest.hall_faults import HALL_FAULTS, not_as_told
from tests.selftest.real_faults import FAULTS, RealFault
from tests.selftest.real_hall import RealHall, real_hall
from tests.selftest.small_hall import SmallHall
from tests.selftest.somebody import Somebody, run
from tests.selftest.tolerances import KINDS, electrical_fault, unlike_passed

TABLES = 6
RUNS_OF_A_HALL = 10
LARGE = {40: 90.0, 100: 240.0}
"""Seconds of machine time that a field test of so many tables may take."""
LONG_S = 1.0
"""Checks that take longer are told one by one."""
NO_PASS = ("failed", "warning")


def field_test(hall: RealHall, *, level: Level = "field") -> SelfTestReport:
    """On the bench of the node of A1, where it is there."""
    there = next(node.state for node in hall.client.tables().nodes if node.uid == hall.uids["A1"]) != "lost"
    return asyncio.run(
        run_selftest(
            CoreUnderTest(hall.state_dir, pin_matches=lambda _pin: False),
            level=level,
            who="Ada",
            operator=Somebody(hall, look_until=hall.look_until),
            uid=hall.uids["A1"] if level == "bench" and there else None,
        )
    )


def wrong(fault: RealFault, report: SelfTestReport) -> str | None:
    """Why this fault does not count as found; None: it does. Every other finding accuses what is sound."""
    told = [(result, one) for result in report.results for one in result.findings]
    right = [
        (result, one)
        for result, one in told
        if result.code == fault.code and fault.part in one.part and fault.where == one.where
    ]
    others = [
        f"{result.code} {one.part} at {one.where or 'the panel'}: {one.sentence}"
        for result, one in told
        if (result, one) not in right and one.part not in fault.also
    ]
    if not right or others:
        return f"{'also' if right else 'only'} told: {'; '.join(others) or 'nothing'}"
    if right[0][0].verdict != fault.verdict:
        return f"judged {right[0][0].verdict}: {right[0][0].sentence}"
    return None


def seeded(hall: RealHall, fault: RealFault) -> str | None:
    """Seed it, test as a whole, fix it."""
    fault.seed(hall)
    try:
        report = field_test(hall, level=fault.level)
    finally:
        fault.fix(hall)
        hall.all_well()
    return wrong(fault, report)


@contextmanager
def hall_of(tables: int, *, parts_seed: int = 1) -> Iterator[RealHall]:
    with (
        tempfile.TemporaryDirectory(prefix="selftest-") as folder,
        real_hall(Path(folder), tables, parts_seed=parts_seed) as hall,
    ):
        yield hall


def find_faults(only: list[str], tables: int) -> dict[str, Any]:
    chosen = [
        fault for fault in FAULTS if any(words in f"{fault.code} {fault.name}" for words in only or [""])
    ]
    missed = {}
    with hall_of(tables) as hall:
        field_test(hall)  # for what is compared with the test before
        for fault in chosen:
            began = time.monotonic()
            why = seeded(hall, fault)
            _say(
                f"{fault.code} {fault.name}: {'found' if why is None else why} ({time.monotonic() - began:.0f} s)"
            )
            if why is not None:
                missed[f"{fault.code} {fault.name}"] = why
    part = 1 - len(missed) / len(chosen)
    return {
        "seeded": len(chosen),
        "found": len(chosen) - len(missed),
        "part": round(part, 3),
        "missed": missed,
    }


def false_alarms(runs: int, tables: int, parts_seed: int) -> dict[str, Any]:
    """Every so many runs in a hall of other parts, from this seed on."""
    alarms = {}
    for first in range(1, runs + 1, RUNS_OF_A_HALL):
        seed = parts_seed + first // RUNS_OF_A_HALL
        with hall_of(tables, parts_seed=seed) as hall:
            for number in range(first, min(first + RUNS_OF_A_HALL, runs + 1)):
                report = field_test(hall)
                odd = {
                    result.code: result.sentence
                    for result in report.results
                    if result.verdict not in ("passed", "not_fitted")
                }
                _say(f"healthy run {number}, parts {seed}: {odd or 'passed'} ({report.seconds:.1f} s)")
                if odd:
                    alarms[number] = odd
    return {"runs": runs, "with an alarm": len(alarms), "alarms": alarms}


ROWS = {"A": 20, "B": 20}


def drawn_healthy(seed: int) -> list[tuple[str, str]]:
    """What a field test says against a healthy hall of 40 boards whose parts are drawn from this seed."""
    return unlike_passed(run(SmallHall(ROWS, seed=seed)))


def drawn_faulty(seed: int) -> str | None:
    """The same hall with one electrical fault: why it does not count as found; None: it does."""
    name, code, where, seed_fault = electrical_fault(seed)
    hall = SmallHall(ROWS, seed=seed)
    seed_fault(hall)
    told = {(one.code, found.where) for one in run(hall).results for found in one.findings}
    return None if told == {(code, where)} else f"{seed} {name} at {where}: {sorted(told)}"


def drawn_hall_fault(number: int) -> str | None:
    """The same of the faults of whole halls, in turn, each time with other parts."""
    fault = HALL_FAULTS[number % len(HALL_FAULTS)]
    others, missing = not_as_told(fault, number)
    return f"{number} {fault.name}: told {others}, not told {missing}" if others or missing else None


def tolerances(halls: int, healthy: int) -> dict[str, Any]:
    """Field tests of `healthy` halls whose parts are drawn anew each, and of `halls` with one fault each."""
    with ProcessPoolExecutor() as processes:
        said = dict(enumerate(processes.map(drawn_healthy, range(healthy), chunksize=10)))
        missed = [why for why in processes.map(drawn_faulty, range(halls), chunksize=10) if why is not None]
        whole = [
            why for why in processes.map(drawn_hall_fault, range(halls), chunksize=10) if why is not None
        ]
    alarms = {seed: odd for seed, odd in said.items() if odd}
    found = halls - len(missed)
    _say(
        f"tolerances: {len(alarms)} alarms in {healthy} healthy halls, {found} of {halls} electrical faults and "
        f"{halls - len(whole)} of {halls} of whole halls found"
    )
    return {
        "healthy halls": healthy,
        "with an alarm": len(alarms),
        "alarms": alarms,
        "kinds": len(KINDS),
        "halls with a fault": halls,
        "found": found,
        "part": round(found / halls, 4),
        "missed": missed,
        "faults of whole halls missed": whole,
    }


def times() -> dict[str, Any]:
    found = {}
    for tables, most in LARGE.items():
        with hall_of(tables) as hall:
            report = field_test(hall)
        long = {result.code: result.seconds for result in report.results if result.seconds > LONG_S}
        _say(f"{tables} tables: {report.seconds:.1f} s of {most:g} s, {report.verdict}; {long}")
        found[f"{tables} tables"] = {
            "seconds": report.seconds,
            "most": most,
            "verdict": report.verdict,
            "by check": long,
        }
    return found


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.selftest.figures", description="figures of the self-test"
    )
    parser.add_argument("--healthy", type=int, default=100, metavar="N", help="runs of a healthy hall (100)")
    parser.add_argument(
        "--halls",
        type=int,
        default=600,
        metavar="N",
        help="drawn halls with an electrical fault, and with one of a whole hall (600)",
    )
    parser.add_argument(
        "--healthy-halls", type=int, default=1000, metavar="N", help="drawn healthy halls of 40 boards (1000)"
    )
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="faults with one of these in code or name")
    parser.add_argument(
        "--parts-seed", type=int, default=1, metavar="N", help="of the first healthy hall (1)"
    )
    parser.add_argument("--tables", type=int, default=TABLES, metavar="N", help="in the healthy hall (6)")
    parser.add_argument(
        "--parts",
        nargs="+",
        default=["tolerances", "faults", "healthy", "times"],
        choices=["faults", "healthy", "times", "tolerances"],
    )
    parser.add_argument("--json", type=Path, metavar="F")
    given = parser.parse_args()
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "faults": lambda: find_faults(given.only, TABLES),
        "healthy": lambda: false_alarms(given.healthy, given.tables, given.parts_seed),
        "times": times,
        "tolerances": lambda: tolerances(given.halls, given.healthy_halls),
    }
    figures = {name: parts[name]() for name in given.parts}
    text = json.dumps(figures, indent=2)
    print(text)
    if given.json is not None:
        given.json.write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
