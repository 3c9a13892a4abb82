"""`pi-controller bench`: its arguments, and a run of one benchmark that is replaced by a small one."""

import json
from functools import partial
from pathlib import Path

import pytest

from benchmarks.catalogue import BENCHES, MORE
from pi_controller.bench import catalogue
from pi_controller.bench.figures import Figure, Say, limits, summary
from pi_controller.bench.processes import BenchError
from pi_controller.cli.bench import measure
from pi_controller.cli.main import main
from pi_controller.cli.usage import Stop
from tests.cli.conftest import Run


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    asked: list[dict] = []

    def measure(*, seconds: float, folder: Path, say: Say) -> list[Figure]:
        asked.append({"seconds": seconds, "folder": folder.parent})
        if seconds > 1000:
            raise BenchError("It cannot be measured.")
        say("measuring")
        row = Figure(name="clock.x", what="it", unit="ms", measured=summary([1.0]), limits=limits(p50=2))
        return [row]

    bench = catalogue.Bench("small", partial(measure, seconds=60.0), partial(measure, seconds=1.0))
    monkeypatch.setitem(catalogue.BENCHES, "clock", bench)
    return asked


def test_the_list_names_all(run: Run) -> None:
    names = [line.split()[0] for line in run("bench", "--list").out.splitlines()]
    assert names == [
        "press.edge",
        "clock",
        "start",
        "journal.line",
        "feed.pause",
        "feed.phones",
        "feed.processor",
        "feed.bytes",
        "tables",
    ]


def test_a_checkout_has_all_and_talks_of_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(MORE) == set(catalogue.OF_A_CHECKOUT)
    measure("python -m benchmarks", ["--list"], BENCHES)
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == list(BENCHES)
    assert len(names) == 27
    with pytest.raises(
        Stop, match=r"^python -m benchmarks: 'speed' is no benchmark; the benchmarks are"
    ) as stop:
        measure("python -m benchmarks", ["speed"], BENCHES)
    assert stop.value.status == 2


def test_a_run_prints_figures_and_writes_them(
    small: list[dict], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "figures.json"
    assert main(["bench", "clock", "clock", "--quick", "--json", str(target), "--folder", str(tmp_path)]) == 0
    assert small == [{"seconds": 1.0, "folder": tmp_path}]
    told = capsys.readouterr()
    assert "clock.x" in told.out
    assert "p50 ≤ 2 ms: met" in told.out
    assert told.err == "measuring\n"
    report = json.loads(target.read_bytes())
    assert [figure["name"] for figure in report["figures"]] == ["clock.x"]
    assert len(report["loads"]) == 2


def test_a_name_stands_for_all_its_parts_and_a_part_for_itself() -> None:
    of_feed = ["feed.pause", "feed.phones", "feed.processor", "feed.bytes"]
    assert catalogue.chosen("feed", catalogue.BENCHES) == of_feed
    assert catalogue.chosen("feed.pause", catalogue.BENCHES) == ["feed.pause"]
    assert catalogue.chosen("fee", catalogue.BENCHES) == []
    assert catalogue.chosen("press", BENCHES) == ["press.edge", "press.stalled"], "many takes long"


def test_the_length_of_the_clock_can_be_told(small: list[dict]) -> None:
    assert main(["bench", "clock", "--minutes", "0.5"]) == 0
    assert small[0]["seconds"] == 30


def test_what_cannot_be_measured_is_a_sentence(small: list[dict], run: Run) -> None:
    said = run("bench", "clock", "--minutes", "50", status=1).err
    assert said == "pi-controller bench: clock could not be measured: It cannot be measured.\n"


def test_a_file_that_cannot_be_written_is_a_sentence(small: list[dict], tmp_path: Path, run: Run) -> None:
    assert (
        f"pi-controller bench: {tmp_path}: Is a directory"
        in run("bench", "clock", "--json", tmp_path, status=1).err
    )
