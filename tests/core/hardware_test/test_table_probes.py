"""The tables under test: presses are news, jobs are gathered from all segments."""

from pathlib import Path

from msgspec.structs import replace

from pi_controller.bus.jobs import CannotMeasure
from pi_controller.bus.values import (
    ButtonHeard,
    ClaimHeard,
    JobResult,
    MeasureAsked,
    NodeClaim,
    NodeMeasured,
    NodePing,
    PingAsked,
    WithdrawalHeard,
)
from pi_controller.core.hardware_test.parts import BUSY, MOST_WHITE, NO_RESULT
from pi_controller.language.words import words
from pi_controller.protocol import messages
from pi_controller.protocol.probes import (
    BusProbe,
    BusResult,
    IdentifyProbe,
    OrderProbe,
    ProbeDone,
    SegmentResult,
)
from pi_controller.roster import model
from pi_controller.roster.store import CALIBRATION_FILE, Calibration, save
from pi_controller.sentence import as_told
from tests.core.hand import MS, S, settle
from tests.core.hand_bus import SEGMENT, node, roster_of, uid
from tests.core.hardware_test.hand_testing import HandClient, ProbeBench

PING = BusProbe(job=PingAsked(frames=10))


def two_segments(folder: Path) -> ProbeBench:
    bench = ProbeBench(folder)
    bench.bus.segments = [replace(SEGMENT, nodes=(node(1),)), replace(SEGMENT, name="B", nodes=(node(2),))]
    return bench.begin()


def watched(bench: ProbeBench) -> HandClient:
    watcher = HandClient()
    bench.ask(messages.AskWatchTest(lease=bench.lease), watcher)
    return watcher


def claim_now(bench: ProbeBench, number: int = 1, *, ago_ms: int = 0) -> ClaimHeard:
    claim = NodeClaim(uid=uid(number), boots=1, side="sun", number=1)
    return ClaimHeard(claim=claim, board=None, at_us=(bench.timers.boot_ns() - ago_ms * MS) // 1000)


def test_a_press_at_a_table_is_news_and_no_claim(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path)
    bench.tables.keeper.roster = model.place(roster_of(0, 0), "A2", uid(1))
    bench.begin()
    watcher = watched(bench)
    bench.hall.move(100 * MS)
    pressed_ms = bench.timers.boot_ns() / 1e6
    heard = claim_now(bench)
    bench.hall.move(30 * MS)
    bench.tables.tables.heard(heard)
    bench.tables.tables.heard(heard)
    assert [news["pressed"] for news in watcher.news[1:]] == [
        {"uid": uid(1), "board": "A2", "side": "sun", "at_ms": pressed_ms, "acknowledged_ms": pressed_ms + 30}
    ], "told once, however often it is heard"
    assert bench.tables.claims == []
    assert "answered" not in bench.hall.log.kinds()


def test_a_short_touch_is_news_too_and_still_enrols(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    watcher = watched(bench)
    bench.tables.tables.heard(ButtonHeard(uid=uid(2), side="moon"))
    assert watcher.news[-1]["pressed"] == {
        "uid": uid(2),
        "side": "moon",
        "board": None,
        "at_ms": bench.timers.boot_ns() / 1e6,
        "acknowledged_ms": None,
    }


def test_what_was_claimed_in_a_test_never_comes_to_the_game(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.hall.move(1 * S)
    heard = claim_now(bench)
    bench.tables.tables.heard(heard)
    bench.client.hang_up()
    bench.hall.move(0)
    assert bench.tables.status(heard.claim) == "withdrawn"
    bench.hall.play()
    bench.tables.tables.heard(heard)
    bench.tables.tables.heard(WithdrawalHeard(claim=heard.claim, board=None))
    assert bench.tables.claims == []
    assert bench.tables.status(heard.claim) == "withdrawn"


def test_what_was_claimed_before_the_test_is_the_games(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    watcher = watched(bench)
    bench.tables.tables.heard(claim_now(bench, ago_ms=5))
    bench.hall.move(0)
    assert not any("pressed" in news for news in watcher.news)
    assert "answered" in bench.hall.log.kinds()


def test_tables_show_that_they_are_worked_on_during_a_hardware_test_only(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin(purpose="selftest")
    assert not bench.bus.shown[-1].maintenance
    bench.begin(purpose="hardware_test", take=True)
    assert bench.bus.shown[-1].maintenance
    bench.client.hang_up()
    assert not bench.bus.shown[-1].maintenance


def test_what_nodes_show_for_a_test_ends_with_it(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    assert bench.probe(IdentifyProbe(what="walk", seconds=200, number=1)) == ProbeDone()
    assert bench.probe(IdentifyProbe(uid=uid(1), what="pattern", seconds=5, number=2)) == ProbeDone()
    bench.client.hang_up()
    assert bench.bus.identified == [(None, "walk", 1), (uid(1), "pattern", 2), (None, "off", 0)]
    bench.begin(client=HandClient())
    bench.testing.end(as_told("tired"))
    assert len(bench.bus.identified) == 3, "nothing was shown in this one"


def test_orders_go_to_nodes_that_are_known(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    assert bench.probe(OrderProbe(uid=uid(2), what="hang")) == ProbeDone()
    assert bench.bus.ordered == [(uid(2), "hang")]
    sentence = f"Node {uid(9)} is not on any segment: plug it in first, or check its unique id."
    assert bench.probe(OrderProbe(uid=uid(9), what="reboot")) == sentence
    assert bench.probe(IdentifyProbe(uid=uid(9), what="name", seconds=5)) == sentence


def test_a_job_is_answered_when_all_segments_have_reported(tmp_path: Path) -> None:
    bench = two_segments(tmp_path)
    assert bench.probe(PING) is None
    ((job, report),) = bench.bus.jobs
    assert job == PingAsked(frames=10)
    first = JobResult(segment="B", seconds=0.5, nodes=(NodePing(uid=uid(2), sent=10, answered=10),))
    report(first)
    assert len(bench.client.lines) == 1, "not yet"
    second = JobResult(segment="A", seconds=0.7, nodes=(NodePing(uid=uid(1), sent=10, answered=9),))
    report(second)
    assert [found.result() for found in bench.later(PING).results] == [second, first]


def test_one_job_at_a_time(tmp_path: Path) -> None:
    bench = two_segments(tmp_path)
    bench.probe(PING)
    assert bench.probe(PING) == words(BUSY)
    for name in "AB":
        bench.bus.jobs[0][1](JobResult(segment=name, seconds=1))
    settle()
    assert bench.probe(PING) is None


def test_a_segment_that_does_not_report_is_named_at_the_deadline(tmp_path: Path) -> None:
    bench = two_segments(tmp_path)
    bench.probe(PING)
    done = JobResult(segment="A", seconds=1)
    bench.bus.jobs[0][1](done)
    bench.hall.move(120 * S)
    late = JobResult(segment="B", seconds=120, sentence=NO_RESULT)
    found = bench.later(PING).results
    assert [one.result() for one in found] == [done, late]
    assert found[1].sentence == words(NO_RESULT)
    bench.bus.jobs[0][1](JobResult(segment="B", seconds=121))
    assert bench.testing.holding is not None, "a test does not run out while its job goes on"


def test_without_segments_there_is_nothing_to_measure(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path)
    bench.bus.segments = []
    assert bench.begin().probe(PING) == BusResult(results=[])
    assert bench.bus.jobs == []


def test_a_job_that_the_bus_refuses_is_a_sentence(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()

    def refuse(_job: object, _report: object) -> None:
        raise CannotMeasure(as_told("Only 500,000 Bd can be measured."))

    bench.bus.measure = refuse  # type: ignore[method-assign]
    assert bench.probe(PING) == "Only 500,000 Bd can be measured."
    del bench.bus.measure  # type: ignore[method-assign]
    assert bench.probe(PING) is None, "and the next one is taken"


MEASURE = BusProbe(job=MeasureAsked())


def measured_at(bench: ProbeBench) -> list[SegmentResult]:
    bench.probe(MEASURE)
    ((job, report),) = bench.bus.jobs
    assert job == MEASURE.job
    for name, number in (("A", 1), ("B", 2)):
        read = NodeMeasured(uid=uid(number), supply_v=20.0, spread_v=0.02)
        report(JobResult(segment=name, seconds=1.0, measured=(read,)))
    results: list[SegmentResult] = bench.later(MEASURE).results
    return results


def test_readings_are_corrected_by_what_is_known_of_each_node(tmp_path: Path) -> None:
    save(Calibration(gains={uid(2): 1.02}), tmp_path)
    one, other = measured_at(two_segments(tmp_path))
    assert (one.measured[0].supply_v, one.measured[0].calibrated) == (20.0, False)
    assert (other.measured[0].supply_v, other.measured[0].calibrated) == (20.4, True)


def test_a_calibration_that_cannot_be_read_is_told_beside_the_readings(tmp_path: Path) -> None:
    (tmp_path / CALIBRATION_FILE).write_text("broken")
    for result in measured_at(two_segments(tmp_path)):
        assert result.measured[0].supply_v == 20.0
        assert result.sentence is not None
        assert "holds no calibration of table nodes" in result.sentence


def test_no_more_tables_of_a_row_are_white_all_over_than_their_fuse_carries(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    white, black = (IdentifyProbe(what="pattern", seconds=30, number=number) for number in (0, 1))
    nodes = tuple(node(number) for number in range(1, MOST_WHITE + 2))
    bench.bus.segments = [replace(SEGMENT, nodes=nodes[:-1])]
    assert bench.probe(white) == ProbeDone()
    bench.bus.segments = [replace(SEGMENT, nodes=nodes)]
    assert bench.probe(white) == (
        "A row of 13 tables with all-white displays takes more current than its fuse carries:"
        " choose one table, or another picture."
    )
    assert bench.probe(black) == ProbeDone()
    assert bench.probe(replace(white, uid=nodes[0].uid)) == ProbeDone()
