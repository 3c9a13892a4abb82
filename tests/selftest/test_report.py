"""Reports as JSON, on paper, and against the one before."""

import json
from typing import Any

import msgspec
import pytest

from pi_controller.language.words import speaking, words
from pi_controller.selftest.catalogue import CHECKS
from pi_controller.selftest.core import DoesNotAnswer
from pi_controller.selftest.printed import print_report
from pi_controller.selftest.report import BadReport, NodeBaseline, SelfTestReport, decode, encode, trend
from pi_controller.selftest.session import newest, run_session
from pi_controller.sentence import Sentence, as_told
from tests.paper.reading import pages
from tests.selftest.small_hall import SmallHall
from tests.selftest.somebody import Somebody
from tests.told import told

BROKEN = "The list of the reports failed (Input/output error): check the memory card and its space."


def fails(*_asked: Any, **_named: Any) -> Any:
    raise DoesNotAnswer(as_told(BROKEN))


def whole(hall: SmallHall, previous: SelfTestReport | None = None) -> SelfTestReport:
    return run_session(
        level="field", who="Zoë Łukasz", core=hall, operator=Somebody(hall), previous=previous,
        now=hall.now, seconds=hall.clock, pause=hall.pause,
    )  # fmt: skip


def test_a_report_survives_json() -> None:
    report = whole(SmallHall())
    assert decode(encode(report)) == report
    assert json.loads(encode(report))["version"] == 1


@pytest.mark.parametrize("text", [b"", b"{}", b'{"version":2}', b"[1]"])
def test_what_is_no_report_is_refused(text: bytes) -> None:
    with pytest.raises(BadReport, match="no self-test report of version 1"):
        decode(text)


def test_the_trend_names_what_has_become_worse() -> None:
    hall = SmallHall()
    before = whole(hall)
    hall.tables_there["A1"].supply_v = 23.6
    for label in ("A2", "A3", "A4"):
        hall.tables_there[label].supply_v = 23.4
    hall.tables_there["B1"].supply_v = 22.8
    hall.tables_there["B2"].firmware = "1.5"
    hall.tables_there["B3"].answers = False
    report = whole(hall, before)
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
    before = whole(hall)
    hall.tables_there["A2"].display_ma["moon"] = 0.6
    hall.tables_there["A3"].display_ma["moon"] = 0.75
    hall.tables_there["B1"].lamp_ma = [19.0] * 4
    told = {
        (change.board, change.figure): (change.before, change.now, change.worse)
        for change in whole(hall, before).changes
    }
    assert told == {
        ("A2", "current of the Moon display"): (75.0, 45.0, True),
        ("B1", "current of the lamps"): (56.0, 76.0, True),
    }


def test_a_drift_as_large_the_other_way_is_no_change() -> None:
    report = whole(SmallHall())

    def drifts(ppm: float) -> SelfTestReport:
        node = NodeBaseline(board="A1", segment="A", firmware="1.4", drift_ppm=ppm)
        return msgspec.structs.replace(report, nodes={"7": node})

    assert trend(drifts(-12.0), drifts(12.0)) == ()
    (told,) = trend(drifts(-45.0), drifts(12.0))
    assert (told.figure, told.before, told.now, told.worse) == ("drift, without its sign", 12.0, 45.0, True)


def test_a_node_that_was_not_measured_has_no_trend() -> None:
    report = whole(SmallHall())
    blank = NodeBaseline(board="A1", segment="A", firmware="1.4")
    bare = msgspec.structs.replace(report, nodes=dict.fromkeys(list(report.nodes)[:1], blank))
    assert trend(bare, bare) == ()
    assert [change.figure for change in trend(report, bare)] == []


def test_the_newest_report_of_the_level_is_compared_with() -> None:
    hall = SmallHall()
    assert newest(hall, "field") == (None, None)
    report = whole(hall)
    assert newest(hall, "field") == (report, None)
    assert newest(hall, "bench") == (None, None)


def test_a_report_of_another_version_is_not_compared_with_and_said() -> None:
    hall = SmallHall()
    hall.keep_report("field", '{"version": 9}')
    found, note = newest(hall, "field")
    assert found is None
    assert told(note).startswith("Nothing is compared with the earlier report 20261121-180000-field.json")


@pytest.mark.parametrize("silent", ["reports", "report"])
def test_a_disk_that_does_not_read_costs_the_comparison_only(
    silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = SmallHall()
    whole(hall)
    monkeypatch.setattr(hall, silent, fails)
    found, note = newest(hall, "field")
    assert (found, told(note)) == (None, f"Nothing is compared with an earlier report. {BROKEN}")


def test_a_report_that_is_not_kept_is_shown_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = SmallHall()
    monkeypatch.setattr(hall, "keep_report", fails)
    report = whole(hall)
    assert report.ended
    assert report.notes[0] == (
        f"This report was not kept on the controller: note down now what you need of it. {BROKEN}"
    )


def test_paper_says_what_to_do() -> None:
    hall = SmallHall()
    before = whole(hall)
    hall.panel.crossed = True
    hall.tables_there["A2"].supply_v = 14.0
    report = whole(hall, before)
    pdf = print_report(report)
    assert pdf == print_report(report)
    text = " ".join(pages(pdf))
    for part in (
        "Self-test, field level",
        "Zoë Łukasz",
        "LMP",
        "exchange their wires",
        "Board A2 has only 14.0 V",
    ):
        assert part in text, part
    assert "bounce of the pause button" in text


def test_paper_of_a_small_test_is_short() -> None:
    hall = SmallHall()
    report = run_session(
        level="boot", only=("TMP",), who="x", core=hall, operator=Somebody(hall),
        now=hall.now, seconds=hall.clock, pause=hall.pause,
    )  # fmt: skip
    assert "What to do" not in " ".join(pages(print_report(report)))


def test_a_report_is_printed_in_the_language_of_who_reads() -> None:
    hall = SmallHall()
    before = whole(hall)
    hall.tables_there["B1"].supply_v = 22.8
    hall.panel.ports[0].latency_timer_ms = 16
    report = decode(encode(whole(hall, before)))
    with speaking("de"):
        printed = " ".join(pages(print_report(report)))
    assert words(CHECKS["FTD"].title, "de") in printed
    for key in ("selftest.below_70_warning_up_to_80", "selftest.no", "selftest.supply"):
        assert words(Sentence.of(key, {}), "de") in printed
        assert words(Sentence.of(key, {}), "en") not in printed.split()
    assert "24,0 V" in printed
    assert "24.0 V" not in printed
