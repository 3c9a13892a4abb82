"""For every test: no test uses the state folder or the language of the person who runs it, and nothing is left out silently."""

import gc
import os
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import speak

IN_CI = os.environ.get("CI") == "true"

# No test passes or fails by how fast the machine is; in CI the examples are the same each time.
settings.register_profile(
    "suite", deadline=None, derandomize=IN_CI, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")

os.environ["TESTS_STAND_BESIDE"] = "1"  # to programs under test (`tests/slow_disk/sitecustomize.py`)

left_out: Counter[str] = Counter()
left_out_in_collection: Counter[str] = Counter()
set_aside: Counter[str] = Counter()


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shell of whoever runs the tests may speak another language."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    speak(ENGLISH)


@pytest.fixture(autouse=True)
def own_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp() / "state"
    monkeypatch.setenv("PI_CONTROLLER_STATE_DIR", str(folder / "given"))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What the collection makes stays until the end: looking through it again and again for garbage, meanwhile and
    while the tests run, would take a quarter of the collection's time and some of each test's."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        note_left_out(report.nodeid, report.longrepr)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        note_left_out(report.nodeid, report.longrepr)
        left_out_in_collection.update(left_out)


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        marks = sorted({mark.name for mark in item.iter_markers()} & {"on_pi", "soak", "matrix", "uinput"})
        set_aside[" ".join(marks) or "not chosen"] += 1


def note_left_out(nodeid: str, why: object) -> None:
    reason = why[2] if isinstance(why, tuple) else str(why)
    left_out[f"{nodeid.split('::', maxsplit=1)[0]}: {reason.removeprefix('Skipped: ')}"] += 1


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """One of several processes that share the tests has ended; each has collected all of them."""
    told = getattr(node, "workeroutput", {})
    for counts, name in ((set_aside, "set_aside"), (left_out, "left_out_in_collection")):
        for line, count in told.get(name, {}).items():
            counts[line] = max(counts[line], count)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        told = {"set_aside": dict(set_aside), "left_out_in_collection": dict(left_out_in_collection)}
        session.config.workeroutput.update(told)
        return
    if IN_CI and left_out and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for mark, count in sorted(set_aside.items()):
        terminalreporter.write_line(f"in a run of its own: {count} tests ({mark})")
    if left_out:
        terminalreporter.section("LEFT OUT" + (" (a failure in CI)" if IN_CI else ""))
    for line, count in sorted(left_out.items()):
        terminalreporter.write_line(f"{count} in {line}")
