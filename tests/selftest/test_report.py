"""Reports as JSON, on paper, and against the one before."""

import asyncio
import json
from typing import Any

import pytest

from pi_controller.language.words import speaking, words
from pi_controller.selftest.catalogue import CHECKS
from pi_controller.selftest.core import DoesNotAnswer
from pi_controller.selftest.printed import print_report
from pi_controller.selftest.report import BadReport, NodeBaseline, convert, encode, trend
from pi_controller.selftest.session import newest
from pi_controller.sentence import Sentence, as_told
from tests.paper.reading import pages
from tests.selftest.small_hall import SmallHall
from tests.selftest.somebody import run
from tests.told import told

BROKEN = "The list of the reports failed (Input/output error): check the memory card and its space."


def fails(*_asked: Any, **_named: Any) -> Any:
    raise DoesNotAnswer(as_told(BROKEN))


def test_a_report_survives_json() -> None:
    report = run(SmallHall())
    assert convert(json.loads(encode(report))) == report
    assert json.loads(encode(report))["version"] == 1


@pytest.mark.parametrize("value", [None, {}, {"version": 2}, [1]])
def test_what_is_no_report_is_refused(value: object) -> None:
    with pytest.raises(BadReport, match="not a self-test report of version 1"):
        convert(value)


def test_the_trend_names_what_has_become_worse() -> None:
    hall = SmallHall()
    before = run(hall)
    hall.tables_there["A1"].supply_v = 23.6
    for label in ("A2", "A3", "A4"):
        hall.tables_there[label].supply_v = 23.4
    hall.tables_there["B1"].supply_v = 22.8
    hall.tables_there["B2"].firmware = "1.5"
    hall.tables_there["B3"].answers = False
    report = run(hall)
    told = {
        (change.board, change.figure): (change.before, change.now, change.worse) for change in report.changes
    }
    assert told[("A1", "supply")] == (24.0, 23.6, False)
    assert told[("B1", "supply")] == (24.0, 22.8, True)
    assert told[("B2", "firmware")] == ("1.4", "1.5", False)
    assert told[("B3", "answers")] == ("yes", "no", True)
    assert report.compared_with == before.when


def test_a_current_that_is_another_by_a_third_is_a_change_and_less_is_none() -> None:
    hall = SmallHall()
    run(hall)
    hall.tables_there["A2"].display_ma["moon"] = 0.6
    hall.tables_there["A3"].display_ma["moon"] = 0.75
    hall.tables_there["B1"].lamp_ma = [19.0] * 4
    told = {
        (change.board, change.figure): (change.before, change.now, change.worse)
        for change in run(hall).changes
    }
    assert told == {
        ("A2", "current of the Moon display"): (75.0, 45.0, True),
        ("B1", "current of the lamps"): (56.0, 76.0, True),
    }


def test_a_drift_as_large_the_other_way_is_no_change() -> None:
    def drifts(ppm: float) -> dict[str, NodeBaseline]:
        node = NodeBaseline(board="A1", segment="A", firmware="1.4", drift_ppm=ppm)
        return {"7": node}

    assert list(trend(drifts(-12.0), drifts(12.0))) == []
    (told,) = trend(drifts(-45.0), drifts(12.0))
    assert (told.figure, told.before, told.now, told.worse) == ("drift, without its sign", 12.0, 45.0, True)


def test_a_node_that_was_not_measured_has_no_trend() -> None:
    nodes = run(SmallHall()).nodes
    blank = NodeBaseline(board="A1", segment="A", firmware="1.4")
    bare = dict.fromkeys(list(nodes)[:1], blank)
    assert list(trend(bare, bare)) == list(trend(nodes, bare)) == []


def test_the_newest_report_of_the_level_is_compared_with() -> None:
    hall = SmallHall()
    assert asyncio.run(newest(hall, "field")) == (None, None)
    report = run(hall)
    assert asyncio.run(newest(hall, "field")) == (report, None)
    assert asyncio.run(newest(hall, "bench")) == (None, None)


def test_a_report_of_another_version_is_not_compared_with_and_said() -> None:
    hall = SmallHall()
    asyncio.run(hall.keep_report("field", '{"version": 9}'))
    found, note = asyncio.run(newest(hall, "field"))
    assert found is None
    assert told(note).startswith("Nothing is compared with the earlier report 20261121-180000-field.json")


@pytest.mark.parametrize("silent", ["reports", "report"])
def test_a_disk_that_does_not_read_costs_the_comparison_only(
    silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = SmallHall()
    run(hall)
    monkeypatch.setattr(hall, silent, fails)
    found, note = asyncio.run(newest(hall, "field"))
    assert (found, told(note)) == (None, f"Nothing is compared with an earlier report. {BROKEN}")


def test_a_report_that_is_not_kept_is_shown_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = SmallHall()
    monkeypatch.setattr(hall, "keep_report", fails)
    report = run(hall)
    assert report.ended
    assert report.notes[0] == (
        f"This report was not kept on the controller: note down now what you need of it. {BROKEN}"
    )


def test_paper_says_what_to_do() -> None:
    hall = SmallHall()
    run(hall)
    hall.panel.crossed = True
    hall.tables_there["A2"].supply_v = 14.0
    report = run(hall)
    pdf = print_report(report)
    assert pdf == print_report(report)
    text = " ".join(pages(pdf))
    for part in (
        "Self-test, field level",
        "Ada",
        "LMP",
        "swap their wires",
        "Board A2 has only 14.0 V",
    ):
        assert part in text, part
    assert "bounce of the pause button" in text


def test_paper_of_a_small_test_is_short() -> None:
    hall = SmallHall()
    report = run(hall, None, "TMP", level="boot")
    assert "What to do" not in " ".join(pages(print_report(report)))


def test_a_report_is_printed_in_the_language_of_who_reads() -> None:
    hall = SmallHall()
    run(hall)
    hall.tables_there["B1"].supply_v = 22.8
    hall.panel.ports[0].latency_timer_ms = 16
    report = run(hall)
    with speaking("de"):
        printed = " ".join(pages(print_report(report)))
    assert words(CHECKS["FTD"].title, "de") in printed
    for key in ("selftest.below_70_warning_up_to_80", "selftest.no", "selftest.supply"):
        assert words(Sentence.of(key, {}), "de") in printed
        assert words(Sentence.of(key, {}), "en") not in printed.split()
    assert "24,0 V" in printed
    assert "24.0 V" not in printed
