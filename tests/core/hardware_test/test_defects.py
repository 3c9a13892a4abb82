"""Every probe: a mistake inside, sooner or later, is answered with a sentence and counted, and the same probe works
afterwards. Whoever adds one says here what is inside it."""

from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from pi_controller.bus.values import JobResult, NodeMeasured, PingAsked
from pi_controller.core.hardware_test import parts
from pi_controller.core.hardware_test.parts import Work
from pi_controller.hal.sim.machine import SimFacts
from pi_controller.protocol import probes
from pi_controller.protocol.probes import PROBES
from pi_controller.sentence import as_told
from tests.core.hand import S, settle
from tests.core.hand_bus import uid
from tests.core.hand_threads import HandThreads
from tests.core.hardware_test.hand_testing import CHECKED, ProbeBench
from tests.core.server.test_defects import broken

PROBED: dict[str, tuple[Any, tuple[str, ...]]] = {
    "lamp": (probes.LampProbe(lamp="sun", lit=True), ("hall.outputs.force", "hall.outputs.failure")),
    "buzzer": (probes.BuzzerProbe(ms=100), ("hall.outputs.buzz", "hall.outputs.failure")),
    "display": (probes.DisplayProbe(pattern="white"), ("hall.outputs.force", "hall.display.shows")),
    "inputs": (probes.InputsProbe(), ("button.contacts",)),
    "edges": (probes.EdgesProbe(), ("tap.since",)),
    "journal": (probes.JournalProbe(), ("hall.loop.note", "machine.check_line")),
    "disk": (probes.DiskProbe(), ("machine.check_disk",)),
    "facts": (probes.FactsProbe(), ("machine.facts",)),
    "sound": (probes.SoundProbe(ms=100), ("sound.play_tone",)),
    "panel_current": (probes.PanelCurrentProbe(), ("machine.current.read",)),
    "ports": (probes.PortsProbe(), ("machine.ports",)),
    "settings": (probes.FittedProbe(), ("acts.settings",)),
    "bus": (probes.BusProbe(job=PingAsked(frames=1)), ("bus.snapshot", "bus.measure", "views.SegmentResult")),
    "identify": (probes.IdentifyProbe(uid=uid(1), what="name", seconds=1), ("bus.identify",)),
    "order": (probes.OrderProbe(uid=uid(1), what="restart"), ("bus.order",)),
    "keep_report": (probes.KeepReportProbe(level="boot", text="{}"), ("machine.reports.keep",)),
    "reports": (probes.ReportsProbe(), ("machine.reports.all",)),
    "report": (probes.ReportProbe(name="x"), ("machine.reports.read",)),
}
"""Each probe, and what may break off inside."""


class Current:
    def read(self) -> Any:
        raise OSError("no sensor on this bench")


class Bench(ProbeBench):
    """Its parts by the names above."""

    def __init__(self, folder: Path) -> None:
        inner = {
            "check_line": lambda _game, _token: None,
            "check_disk": lambda _writes, _size: CHECKED,
            "facts": SimFacts(folder).read,
            "ports": list,
            "current": Current(),
        }
        self.inner: dict[str, Any] = dict(inner)
        given = {
            name: part if name == "current" else partial(self._call, name) for name, part in inner.items()
        }
        super().__init__(folder, **given)
        self.machine = self.testing.parts.machine
        self.views = parts

    def _call(self, name: str, *given: Any) -> Any:
        return self.inner[name](*given)

    def spoil(self, patch: pytest.MonkeyPatch, place: str) -> None:
        where, name = place.rsplit(".", 1)
        if where == "machine" and name in self.inner:
            patch.setitem(self.inner, name, broken)
        elif where == "acts":
            patch.setitem(parts.ACTS, PROBES[name], broken)
        else:
            patch.setattr(attrgetter(where)(self), name, broken)

    def finish(self) -> None:
        """The bus has measured, the disk has written, and time has passed."""
        for _, report in self.bus.jobs:
            report(JobResult(segment="A", seconds=1.0))
        self.bus.jobs.clear()
        settle()
        self.hall.save()
        for _ in range(5):
            self.hall.move(S)


def test_no_probe_is_left_out() -> None:
    assert PROBED.keys() == PROBES.keys()


@pytest.mark.parametrize(
    ("do", "place"), [(do, place) for do, (_, found) in PROBED.items() for place in found]
)
def test_every_probe_is_answered_whatever_breaks_off_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, do: str, place: str
) -> None:
    bench, probe = Bench(tmp_path).begin(), PROBED[do][0]
    with monkeypatch.context() as patch:
        bench.spoil(patch, place)
        bench.probe(probe)
        bench.finish()
    (answer,) = [line for line in bench.client.lines if "test" not in line and "lease" not in line]
    assert answer["error_key"]["key"] == "defect.broken_off", answer
    assert bench.hall.loop.metrics.numbers()["defects"] == 1
    assert bench.client.under_way == set()
    holding = bench.testing.holding
    assert holding is not None
    assert holding.busy == 0
    bench.probe(probe)
    bench.finish()
    answer = bench.client.lines[-1]
    assert answer.get("error_key", {}).get("key") not in ("defect.broken_off", "test.before_still_goes_on"), (
        answer
    )


def test_a_calibration_that_cannot_be_applied_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path).begin()
    monkeypatch.setattr(parts, "load", broken)
    bench.probe(PROBED["bus"][0])
    (_, report) = bench.bus.jobs[0]
    measured = NodeMeasured(uid=uid(1), supply_v=20.0, spread_v=0.02)
    report(JobResult(segment="A", seconds=1.0, measured=(measured,)))
    settle()
    assert bench.client.lines[-1]["error_key"]["key"] == "defect.broken_off"


def test_work_that_breaks_off_unheard_does_not_hold_up_the_next(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    work = Work(loop=bench.hall.loop, timers=bench.timers, threads=HandThreads())
    work.do(as_told("it"), broken, limit_s=1)
    assert work.do(as_told("it"), lambda: 2, limit_s=1).result() == 2


def test_a_lease_that_nobody_could_be_told_of_is_nobodys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(bench.testing.parts.watchers, "begin", broken)
        with pytest.raises(Exception, match="a defect"):
            bench.begin()
    assert bench.testing.holding is None
    bench.begin()
