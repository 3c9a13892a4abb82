"""The reports that core keeps: listed with what stands in them, and handed out as JSON and PDF."""

import json
from pathlib import Path
from typing import Any

import msgspec

from pi_controller.selftest.verdicts import CheckResult
from tests.web.api.selftest.test_running import report
from tests.web.hall import Answer, Hall, served

NAMES = [f"2026112{number}-064000-field.json" for number in range(9)]
SUPPLY = CheckResult(code="PWR", title="supply", verdict="passed", sentence="It holds.")
VALUE = json.loads(msgspec.json.encode(report(SUPPLY)))


async def get(hall: Hall, path: str) -> Answer:
    return await hall.get(f"/api/selftest/reports{path}", headers=hall.director)


def keep(hall: Hall, reports: dict[str, Any]) -> None:
    """Let core have these, newest first."""
    entries = [{"name": name, "level": "field", "bytes": 100} for name in reports]
    hall.core.probed["reports"] = {"result": {"reports": entries}}
    for name, value in reports.items():
        hall.core.probed[name] = {"result": {"name": name, "report": value}}


async def test_the_list_says_what_stands_in_the_newest(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("pi_controller.web.api.selftest.MOST_READ", 2)
    async with served(tmp_path) as hall:
        assert (await get(hall, "")).json == {"reports": []}
        keep(hall, {NAMES[2]: VALUE, NAMES[1]: {"version": 9}, NAMES[0]: VALUE})
        reports = (await get(hall, "")).json["reports"]
        assert [each["name"] for each in reports] == [NAMES[2], NAMES[1], NAMES[0]]
        assert (reports[0]["operator"], reports[0]["verdict"], reports[0]["sentence"]) == (
            "Ann",
            "failed",
            None,
        )
        assert reports[0]["when"] == VALUE["when"]
        assert reports[1]["verdict"] is None
        assert reports[1]["sentence"].endswith(".")
        assert (reports[2]["when"], reports[2]["sentence"]) == (None, None)
        count = len(hall.core.asked("probe"))
        await get(hall, "")
        assert len(hall.core.asked("probe")) == count + 1, "what was read once is known"


async def test_one_that_vanishes_meanwhile_is_named(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        keep(hall, {NAMES[0]: VALUE})
        hall.core.probed[NAMES[0]] = {"error": f"There is no report {NAMES[0]}."}
        [only] = (await get(hall, "")).json["reports"]
        assert only["sentence"] == f"There is no report {NAMES[0]}."


async def test_a_report_as_json_and_on_paper(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        keep(hall, {NAMES[0]: VALUE})
        data = await get(hall, f"/{NAMES[0]}")
        assert (data.status, data.json) == (200, VALUE)
        assert f'filename="{NAMES[0]}"' in data.headers["Content-Disposition"]
        paper = await get(hall, f"/{NAMES[0].replace('.json', '.pdf')}")
        assert (paper.headers["Content-Type"], paper.body[:5]) == ("application/pdf", b"%PDF-")


async def test_what_is_no_report(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        keep(hall, {NAMES[0]: {"version": 9}})
        assert (await get(hall, "/notes.txt")).status == 404
        hall.core.probed["other.json"] = {"error": "There is no report other.json: list them."}
        missing = await get(hall, "/other.json")
        assert (missing.status, missing.json["error"]) == (404, "There is no report other.json: list them.")
        assert (await get(hall, f"/{NAMES[0].replace('.json', '.pdf')}")).status == 422


async def test_without_core_there_are_none(tmp_path: Path) -> None:
    async with served(tmp_path, core_there=False) as hall:
        for path in ("", f"/{NAMES[0]}"):
            assert (await get(hall, path)).status == 503
