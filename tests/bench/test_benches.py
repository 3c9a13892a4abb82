"""Each benchmark in a tiny size, on the real thing: it ends, and its figures are possible. Never how fast.

With `make test-all` each of them, in the default run one of each kind."""

import contextlib
import functools
import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import connections, hall
from benchmarks import press as hard_presses
from benchmarks.accounts import wake_ups
from benchmarks.catalogue import BENCHES
from pi_controller.bench import catalogue, feed, press, tables
from pi_controller.bench.figures import Figure, limits
from pi_controller.bench.live_core import LiveCore, settings_with, with_live_core
from pi_controller.bench.processes import (
    REALTIME,
    BenchError,
    busy_cores,
    compiled,
    family,
    load,
    processor_ns,
    realtime_allowed,
)
from pi_controller.web.http.connections import text_frame
from tests.matrix import further


def run(name: str, folder: Path, **size: Any) -> dict[str, Figure]:
    said: list[str] = []
    found = BENCHES[name].figures(quick=True, folder=folder, say=said.append, **size)
    assert said, "progress is told"
    assert list(folder.iterdir()) == [], "nothing is left behind"
    figures = {figure.name: figure for figure in found}
    assert len(figures) == len(found)
    for figure in found:
        assert figure.measured.count > 0
        assert 0 <= figure.measured.p50 <= figure.measured.p99 <= figure.measured.max
    return figures


@pytest.mark.usefixtures("no_quiet")
def test_press(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside: list[str] = []

    @contextlib.contextmanager
    def noted() -> Iterator[None]:
        """In place of processes that keep every processor busy (they have a test of their own)."""
        beside.append("begun")
        yield
        beside.append("ended")

    monkeypatch.setattr(press, "busy_cores", noted)
    monkeypatch.setattr(press, "realtime_allowed", lambda: False)
    monkeypatch.setattr(press, "FLOOR_SAMPLES", 2)
    monkeypatch.setattr(press, "NODES", 2)
    monkeypatch.setattr(press, "_press_beside", functools.cache(press._press_beside))
    figures = run("press.edge", tmp_path, presses=2, in_blocks=2)
    assert set(figures) == {
        f"press.{beside}.{contacts}{what}{pace}"
        for beside, pace in (("idle", ""), ("busy", ".hot"), ("idle", ".hot"))
        for contacts in ("no", "nc_no")
        for what in ("", ".after", ".bus", ".written", ".stamp")
        if (what, pace) != (".bus", "")
    }
    assert beside == ["begun", "ended"] * 2, "once for each kind of button"
    for contacts, qualification_ms in (("no", 4), ("nc_no", 1)):
        figure = figures[f"press.idle.{contacts}"]
        assert figure.measured.count == 2
        assert figure.measured.p50 >= qualification_ms
        assert figure.floor is not None
        assert figure.floor.p50 >= qualification_ms


@pytest.mark.matrix
def test_press_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hard_presses, "realtime_allowed", lambda: True)
    monkeypatch.setattr(hard_presses, "REALTIME", 0)
    figures = run("press.many", tmp_path, presses=2)
    assert figures["press.many.after"].measured.count == 2
    assert figures["press.many.silence"].measured.p50 >= 10
    monkeypatch.setattr(hard_presses, "realtime_allowed", lambda: False)
    with pytest.raises(BenchError, match="gives no real-time priority"):
        run("press.many", tmp_path, presses=2)


@pytest.mark.skipif(not realtime_allowed(), reason="this system gives no real-time priority")
def test_no_thread_of_core_is_behind_its_real_time_priority(tmp_path: Path) -> None:
    """One at ordinary priority could hold the interpreter while a full machine gives it no processor."""

    def threads() -> set[int]:
        return {int(task.name) for task in Path("/proc/self/task").iterdir()}

    def schedulers(_core: LiveCore) -> list[int]:
        return [os.sched_getscheduler(thread) for thread in threads() - before]

    before = threads()
    found = with_live_core(schedulers, settings_with(realtime_priority=REALTIME), folder=tmp_path)
    assert len(found) > 3
    assert set(found) == {os.SCHED_FIFO}


@pytest.mark.matrix
def test_stalled(tmp_path: Path) -> None:
    figures = run("press.stalled", tmp_path, presses=1, stall_s=0.05)
    assert figures["press.stalled.saved"].measured.p50 >= 50
    assert figures["press.stalled.freeze"].measured.p50 >= 4


def test_clock(tmp_path: Path) -> None:
    figures = run("clock", tmp_path, pauses=20, seconds=2.0)
    assert figures["clock.error"].measured.count >= 20
    assert figures["clock.error"].met, "exact, however slow the machine is"
    assert figures["clock.resume"].met
    assert figures["clock.drift"].measured.count == 1


@pytest.mark.parametrize("pages", [1, *further(3)])
def test_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: int) -> None:
    really, shown = catalogue._page_start_s, itertools.count(1)

    def page_start_s(state: Path) -> float:
        if next(shown) <= pages:
            return really(state)
        state.mkdir(exist_ok=True)
        return 1.0

    monkeypatch.setattr(catalogue, "_page_start_s", page_start_s)
    figures = run("start", tmp_path, starts=1, rounds=1)
    assert set(figures) == {
        f"start.{what}.{state}" for what in ("core", "page") for state in ("fresh", "recovery")
    }


def test_programs_find_modules_compiled_and_keep_what_they_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    package, other = tmp_path / "package", tmp_path / "other"
    for folder in (package, other):
        folder.mkdir()
        (folder / f"of_{folder.name}.py").touch()
    with compiled(package):
        assert [path.name.split(".")[0] for path in package.rglob("*.pyc")] == ["of_package"]
        subprocess.run([sys.executable, "-S", "-c", "import of_other"], check=True, cwd=other)
    assert [path.name.split(".")[0] for path in other.rglob("*.pyc")] == ["of_other"]
    assert os.environ["PYTHONDONTWRITEBYTECODE"] == "1"


def test_modules_that_cannot_be_compiled_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("(")
    with pytest.raises(BenchError, match=r"^The modules in .* cannot be compiled"), compiled(tmp_path):
        pass


ALL_KINDS = tuple(connections.KINDS)


@pytest.mark.parametrize("kinds", [("half_hello", "seat"), *further((ALL_KINDS,))])
def test_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kinds: tuple[str, ...]) -> None:
    """The one benchmark whose targets are held here: memory does not depend on how busy the machine is, but on pages of
    4 KiB, which few connections would not show."""
    monkeypatch.setattr(connections, "KINDS", {name: connections.KINDS[name] for name in kinds})
    figures = run("connections", tmp_path, count=200, phones=10, seats=10)
    assert list(figures) == [f"connections.{name}" for name in (*kinds, "hall")]
    missed = {name: figure.measured.max for name, figure in figures.items() if figure.met is False}
    assert not missed


@pytest.mark.parametrize(
    ("name", "size", "figures"),
    [
        (
            "journal.long",
            {"lines": (60, 120), "restores": 1, "actions": 40, "undos": 2},
            {"journal.long.restore.60", "journal.long.restore.120", "journal.long.undo"},
        ),
        ("journal.line", {"appends": 3}, {"journal.saved"}),
        *further(
            ("memory", {"seconds": 0.2}, {"memory.core", "memory.both"}),
            (
                "feed.command",
                {"counts": (1, 3), "commands": 2, "in_blocks": 2},
                {"feed.1", "feed.3", "feed.1.hot", "feed.3.hot"},
            ),
            ("hall.processor", {"listeners": 1, "nodes": 0, "seconds": 0.2}, {"hall.processor.web"}),
            ("hall.memory", {"listeners": 1, "nodes": 0, "seconds": 0.1}, {"hall.memory"}),
            ("hall.growth", {"listeners": 1, "nodes": 0, "hours": 0.1, "speed": 1000.0}, {"hall.growth"}),
            (
                "hall.stalled",
                {"listeners": 2, "pauses": 1, "in_blocks": 1},
                {"hall.stalled.newest", "hall.stalled.newest.hot"},
            ),
        ),
    ],
)
@pytest.mark.usefixtures("no_quiet")
def test_a_bench(tmp_path: Path, name: str, size: dict[str, Any], figures: set[str]) -> None:
    assert figures <= set(run(name, tmp_path, **size))


@pytest.mark.usefixtures("no_quiet")
@pytest.mark.parametrize("name", ["feed.pause", *further("feed.phones")])
def test_pauses_over_http(tmp_path: Path, name: str) -> None:
    figures = run(name, tmp_path, counts=(1, 2), pauses=1, in_blocks=2)
    assert {figure: found.measured.count for figure, found in figures.items()} == {
        f"{name}.{what}{pace}": 1 if what == "more" else events
        for what in ("1", "1.desk", "1.one", "2", "2.desk", "2.one", "more")
        for pace, events in (("", 1), (".hot", 2))
    }
    isolated = figures[f"{name}.1"]
    assert isolated.floor is not None
    assert "two processes of bare asyncio" in isolated.floor_is
    assert isolated.limits == limits(p50=round(1.6 * isolated.floor.p50, 3))


@pytest.mark.usefixtures("no_quiet")
def test_processor_of_a_pause(tmp_path: Path) -> None:
    figures = run("feed.processor", tmp_path, counts=(1, 2), pauses=1)
    assert set(figures) == {"feed.processor.1", "feed.processor.2"}
    assert figures["feed.processor.1"].limits == limits(p50=2.5)


@pytest.mark.usefixtures("no_quiet")
def test_bytes_of_a_pause_and_of_a_resume(tmp_path: Path) -> None:
    figures = run("feed.bytes", tmp_path, pauses=2)
    page, phone = "feed.bytes.pause", "feed.bytes.pause.phone"
    assert set(figures) == {page, phone, "feed.bytes.resume", "feed.bytes.resume.phone"}
    for figure in figures.values():
        assert figure.measured.p50 > len(feed.PAUSED)
    assert figures[page].measured.p50 > figures[phone].measured.p50


def test_a_beat_is_no_change() -> None:
    listener = feed.FeedListener("/api/feed")
    beat, change = text_frame(b'{"beat":1}'), text_frame(b'{"paused":true}'.ljust(200))
    listener._rest = beat + change + beat[:3]
    assert listener._whole() == beat + change
    assert listener._rest == beat[:3]
    assert (listener.received, listener.in_changes, listener.changes) == (12 + 204, 204, 1)
    listener.close()


@pytest.mark.usefixtures("no_quiet")
def test_a_hall_in_which_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hall, "SETTLED_S", 0.0)
    monkeypatch.setattr(hall, "IDLE_LOOK_S", 0.0)
    figures = run("hall.idle", tmp_path, counts=(0, 1), looks=2)
    assert set(figures) == {
        f"hall.idle.{what}.{count}" for what in ("wakeups", "core", "web") for count in (0, 1)
    }
    assert figures["hall.idle.wakeups.0"].limits == limits(p50=25)
    assert figures["hall.idle.core.0"].limits == limits(p50=0.8)


def test_the_clock_of_a_process_counts_what_it_takes() -> None:
    before_ns = time.process_time_ns()
    own_ns = processor_ns(os.getpid())
    assert before_ns <= own_ns <= time.process_time_ns()
    assert family(os.getpid())[0] == os.getpid()
    assert wake_ups(os.getpid())[threading.get_native_id()] >= 0


def test_the_cost_of_one_more_is_the_slope() -> None:
    assert feed.slope_us({1: 1.0, 51: 1.5, 201: 3.0}) == pytest.approx(10)
    assert feed.slope_us({1: 1.0, 200: 2.99}) == pytest.approx(10), "of two it is their difference"


def test_traffic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hall, "SETTLED_S", 0.0)
    figures = run("hall.traffic", tmp_path, listeners=2, nodes=1, seconds=1.5)
    traffic = figures["hall.traffic"]
    assert traffic.measured.count == 2
    assert 0 < traffic.measured.p50 <= figures["hall.traffic.all"].measured.p50
    assert traffic.met, "one beat a second, however slow the machine is"


@pytest.mark.parametrize("is_realtime", [True, *further(False)])
def test_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_realtime: bool) -> None:
    monkeypatch.setattr(tables, "realtime_allowed", lambda: is_realtime)
    monkeypatch.setattr(tables, "realtime", lambda _: contextlib.nullcontext())
    figures = run("tables", tmp_path, shows=2, segments=2, nodes=2, seconds=0.1)
    realtime = {"tables.pause.realtime"} if is_realtime else set()
    assert set(figures) == {"tables.pause", "tables.processor", "tables.age"} | realtime
    assert figures["tables.pause"].measured.count == 2
    assert figures["tables.pause"].floor is not None
    assert figures["tables.age"].measured.count == 4


def test_busy_processes_end_with_who_wanted_them() -> None:
    with busy_cores() as pids:
        assert len(pids) == len(os.sched_getaffinity(0))
        for pid, core in zip(pids, sorted(os.sched_getaffinity(0)), strict=True):
            assert os.sched_getaffinity(pid) == {core}
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert len(load().split()) == 3
