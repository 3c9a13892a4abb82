"""Jobs through the segments' threads and real serial ports: each brings one result for each segment."""

import queue
from pathlib import Path

import pytest

from pi_controller.bus.jobs import CannotMeasure
from pi_controller.bus.requests import Tune
from pi_controller.bus.values import JobResult, PingAsked, SegmentPort, SilenceAsked
from pi_controller.hal.serial.bus import SILENT_NS, open_table_bus
from pi_controller.hal.serial.port import PortLost, open_port
from pi_controller.hal.system.kernel import SystemClock
from tests.hal.serial.cable import Adapter, wait_until
from tests.hal.serial.puppet import STATE, stage
from tests.hal.serial.tables import tables
from tests.hal.serial.test_bus import is_open, opened
from tests.patience import DEADLINE_S
from tests.slow_clock import SlowClock
from tests.told import told

JOB = PingAsked(frames=7)


class Results:
    """What was reported, in its order."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[JobResult] = queue.SimpleQueue()
        self.report = self._queue.put

    def next(self) -> JobResult:
        return self._queue.get(timeout=DEADLINE_S)

    def nothing(self) -> bool:
        return self._queue.empty()


def test_tables_answer_their_pings_and_the_game_goes_on(row: Adapter) -> None:
    results = Results()
    # A busy machine may take the processor from the scripted tables for as long as ten answers may take.
    with tables(row, nodes=3) as there, opened(row.segment, clock=SlowClock(10)) as (bus, _):
        bus.show(STATE)
        wait_until(lambda: is_open(bus), "all tables were found")
        bus.measure(PingAsked(frames=10), results.report)
        found = results.next()
        assert (found.segment, found.sentence) == ("A", None)
        assert [node.sent for node in found.nodes] == [10, 10, 10]
        assert all(node.answered > 0 and node.bad == 0 for node in found.nodes)
        assert there.rounds == [STATE.round]


def test_each_segment_reports_and_one_without_port_says_why(row: Adapter, tmp_path: Path) -> None:
    results = Results()
    nowhere = SegmentPort("B", str(tmp_path / "nowhere"))
    with tables(row, nodes=1), opened(row.segment, nowhere) as (bus, _):
        bus.show(STATE)
        wait_until(lambda: bus.snapshot()[0].nodes, "the table was found")
        bus.measure(JOB, results.report)
        found = {result.segment: result for result in (results.next(), results.next())}
        assert found["A"].sentence is None
        assert told(found["B"].sentence) == (
            f"Segment B: the serial port {nowhere.port} is not there: plug the adapter in or correct [tables]."
        )
        assert found["B"].nodes == ()


def test_a_new_job_ends_the_one_before_and_a_pulled_adapter_both(row: Adapter) -> None:
    results = Results()
    with tables(row, nodes=1), opened(row.segment) as (bus, _):
        bus.show(STATE)
        wait_until(lambda: is_open(bus, 1), "the table was found")
        bus.measure(SilenceAsked(seconds=90), results.report)
        bus.measure(SilenceAsked(seconds=80), results.report)
        assert told(results.next().sentence) == "Segment A: another measurement has begun"
        assert results.nothing()
        row.vanish()
        assert told(results.next().sentence).startswith(f"Segment A: the serial port {row.name} ")


def test_a_job_that_cannot_be_is_refused_at_once(row: Adapter) -> None:
    results = Results()
    with opened(row.segment) as (bus, _):
        with pytest.raises(CannotMeasure) as refusal:
            bus.measure(PingAsked(frames=0), results.report)
        assert refusal.value.sentence.key == "bus.frames_out_of_range"
        assert results.nothing()


def test_nothing_is_reported_after_the_end(row: Adapter) -> None:
    results = Results()
    with tables(row, nodes=1), opened(row.segment) as (bus, _):
        bus.measure(SilenceAsked(seconds=90), results.report)
    assert results.nothing()


def test_results_come_to_those_who_asked_in_their_order(row: Adapter) -> None:
    first, second = Results(), Results()
    with stage(row.segment) as it:
        wait_until(lambda: it.puppet.reopenings, "the port is open")
        it.link.measure(JOB, first.report)
        it.link.measure(JOB, second.report)
        wait_until(lambda: len(it.puppet.jobs) == 2, "both jobs have come")
        it.puppet.results = [JobResult(segment="A", seconds=at) for at in (1.0, 2.0)]
        assert (first.next().seconds, second.next().seconds) == (1.0, 2.0)


def test_the_port_follows_the_masters_rate(row: Adapter) -> None:
    with stage(row.segment) as it:
        wait_until(lambda: it.puppet.reopenings, "the port is open")
        it.puppet.tune = Tune(115_200)
        wait_until(lambda: row.baud() == 4098, "the port runs at 115,200 Bd")  # termios.B115200
        it.link.tell(lambda master: master.frames.append(b"still;"))  # type: ignore[attr-defined]
        wait_until(lambda: b"still;" in row.hear(0.1), "and it works")


def test_a_rate_that_a_port_cannot_do_is_a_lost_port(row: Adapter) -> None:
    with open_port(str(row.name), baud=250_000) as port, pytest.raises(PortLost) as refusal:
        port.tune(-1)
    assert str(refusal.value).startswith(f"the serial port {row.name} cannot do -1 bits per second (")


def test_whoever_waits_for_a_segment_that_hangs_is_told_when_it_is_started_afresh(row: Adapter) -> None:
    results = Results()

    class Late(SystemClock):
        ahead_ns = 0

        def boot_ns(self) -> int:
            return super().boot_ns() + self.ahead_ns

    clock = Late()
    with open_table_bus([row.segment], baud=250_000, clock=clock, on_event=lambda _: None) as bus:
        (link,) = bus._links
        link.stop()
        assert link.join(DEADLINE_S)
        link._closing = False
        bus.measure(JOB, results.report)
        clock.ahead_ns = 2 * SILENT_NS
        bus.revive()
        assert told(results.next().sentence) == (
            "Segment A: its driver had stopped responding and was restarted; measure again"
        )
