"""Each benchmark in a tiny size, on the real thing: it ends, and its figures are possible. Never how fast.

With `make test-all` each of them, in the default run one of each kind."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import hall
from benchmarks import press as hard_presses
from benchmarks.catalogue import BENCHES
from pi_controller.bench import catalogue, press, tables
from pi_controller.bench.feed import slope_us
from pi_controller.bench.figures import Figure
from pi_controller.bench.live_core import LiveCore, settings_with, with_live_core
from pi_controller.bench.processes import REALTIME, BenchError, busy_cores, load, realtime_allowed


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
    figures = run("press.edge", tmp_path, presses=2)
    assert set(figures) == {
        f"press.{beside}.{contacts}{what}"
        for beside in ("busy", "idle")
        for contacts in ("no", "nc_no")
        for what in ("", ".after", ".bus", ".written", ".stamp")
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


def test_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # To compile all of it anew takes longer than the starts.
    monkeypatch.setattr(catalogue, "compiled", lambda _folder: contextlib.nullcontext())
    figures = run("start", tmp_path, starts=1, rounds=1)
    assert set(figures) == {
        f"start.{what}.{state}" for what in ("core", "page") for state in ("fresh", "recovery")
    }


def test_programs_keep_their_compiled_modules_in_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    with catalogue.compiled(tmp_path):
        subprocess.run([sys.executable, "-S", "-c", "import colorsys"], check=True)
    assert [path.name.split(".")[0] for path in tmp_path.rglob("colorsys*.pyc")] == ["colorsys"]
    assert os.environ["PYTHONDONTWRITEBYTECODE"] == "1"
    assert "PYTHONPYCACHEPREFIX" not in os.environ


def test_memory(tmp_path: Path) -> None:
    figures = run("memory", tmp_path, seconds=0.2)
    core, both = figures["memory.core"].measured.max, figures["memory.both"].measured.max
    assert 5 < core < both < 1000


def test_connections(tmp_path: Path) -> None:
    """The one benchmark whose targets are held here: memory does not depend on how busy the machine is."""
    figures = run("connections", tmp_path, count=100, phones=100, seats=60)
    names = ("silent", "half_hello", "shaking", "asked", "phone", "seat", "plain", "hall")
    assert list(figures) == [f"connections.{name}" for name in names]
    missed = {name: figure.measured.max for name, figure in figures.items() if figure.met is False}
    assert not missed


def test_long(tmp_path: Path) -> None:
    figures = run("journal.long", tmp_path, lines=(60, 120), restores=1, actions=40, undos=2)
    assert set(figures) == {"journal.long.restore.60", "journal.long.restore.120", "journal.long.undo"}


def test_journal(tmp_path: Path) -> None:
    figures = run("journal.line", tmp_path, appends=3)
    assert figures["journal.saved"].measured.count == 3


def test_feed(tmp_path: Path) -> None:
    figures = run("feed.command", tmp_path, counts=(1, 3), commands=2)
    assert set(figures) == {"feed.1", "feed.3"}


def test_pauses_over_http(tmp_path: Path) -> None:
    figures = run("feed.pause", tmp_path, counts=(1, 2), pauses=1)
    floors = {"feed.pause.1", "feed.pause.2"}
    assert set(figures) == floors | {f"{name}.two" for name in floors} | {"feed.pause.more"}
    assert "of bare asyncio" in figures["feed.pause.more"].floor_is
    figures = run("feed.phones", tmp_path, counts=(2,), pauses=1)
    assert set(figures) == {"feed.phones.2", "feed.phones.2.two"}


def test_the_cost_of_one_more_is_the_slope() -> None:
    assert slope_us({1: 1.0, 51: 1.5, 201: 3.0}) == pytest.approx(10)
    assert slope_us({1: 1.0, 200: 2.99}) == pytest.approx(10), "of two it is their difference"


def test_traffic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hall, "SETTLED_S", 0.0)
    figures = run("hall.traffic", tmp_path, listeners=2, nodes=1, seconds=1.5)
    traffic = figures["hall.traffic"]
    assert traffic.measured.count == 2
    assert 0 < traffic.measured.p50 <= figures["hall.traffic.all"].measured.p50
    assert traffic.met, "one beat a second, however slow the machine is"


@pytest.mark.matrix
def test_processor(tmp_path: Path) -> None:
    figures = run("hall.processor", tmp_path, listeners=1, nodes=0, seconds=0.2)
    assert figures["hall.processor.web"].measured.p50 <= figures["hall.processor"].measured.p50


@pytest.mark.matrix
def test_memory_of_a_hall(tmp_path: Path) -> None:
    figures = run("hall.memory", tmp_path, listeners=1, nodes=0, seconds=0.1)
    assert 10 < figures["hall.memory"].measured.p50 < 1000
    figures = run("hall.growth", tmp_path, listeners=1, nodes=0, hours=0.1, speed=1000.0)
    assert figures["hall.growth"].measured.count == 1


@pytest.mark.matrix
def test_a_stalled_listener(tmp_path: Path) -> None:
    figures = run("hall.stalled", tmp_path, listeners=2, pauses=1, blocks=1)
    assert figures["hall.stalled"].floor is not None
    assert figures["hall.stalled.newest"].measured.count == 1


@pytest.mark.parametrize("is_realtime", [True, False])
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
