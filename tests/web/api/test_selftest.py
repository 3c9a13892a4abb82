"""The self-test over HTTP: one session beside all else, seen and answered by any number of pages, and its reports."""

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_controller.language.words import words
from pi_controller.selftest.core import CannotRun
from pi_controller.selftest.operator import (
    Live,
    LiveView,
    Operator,
    OperatorQuestion,
    OperatorReply,
    Progress,
    Stopped,
)
from pi_controller.selftest.report import SelfTestReport
from pi_controller.selftest.verdicts import CheckResult, Finding, Fix
from pi_controller.sentence import as_told
from pi_controller.web.api.selftest import BROKE_OFF, NONE_RUNS, NOTHING_ASKED, RUNS_ALREADY, BeginBody
from pi_controller.web.http.access import end_all_sessions
from tests.hall_of_tables import uid
from tests.patience import DEADLINE_S
from tests.web.hall import Answer, Hall, served, until

PLAN = {"level": "field", "operator": "Ann"}
STEP = Progress(code="LMP", title="lamps", done=3, of=24, text="LMP lamps", left_s=12.0)
LAMP = OperatorQuestion(id="LMP-1", code="LMP", text="Is it lit?", picture="sun_lamp")
PASSED = CheckResult(code="PWR", title="supply", verdict="passed", sentence="The supply holds.")
WRONG = CheckResult(
    code="CLM",
    title="walk",
    verdict="failed",
    sentence="Two are exchanged.",
    findings=(
        Finding(
            part="nodes",
            where="A3",
            sentence="Two are exchanged.",
            fix=Fix(do="exchange_boards", board="A3", other="A4", label="Exchange A3 and A4"),
        ),
        Finding(
            part="node",
            where="A5",
            sentence="It stands the other way round.",
            fix=Fix(do="swap_sides", board="A5", label="Swap A5"),
        ),
        Finding(
            part="node",
            where="B1",
            sentence="No node.",
            fix=Fix(do="place", board="B1", uid=uid(39), label="Put it at B1"),
        ),
        Finding(part="", where="", sentence="Nothing to fix."),
    ),
)


def report(*results: CheckResult, ended: bool = True) -> SelfTestReport:
    return SelfTestReport(
        when="2026-11-21T06:40:00+00:00", level="field", operator="Ann", host="hall", software="1", simulated=True,
        ended=ended, verdict="failed", seconds=1.0, operator_seconds=2.0, results=results, nodes={},
    )  # fmt: skip


async def asks_for_a_lamp(_plan: BeginBody, operator: Operator, _language: str) -> SelfTestReport:
    """A session as the real one: steps, a question that may be asked again, results; it may be stopped."""
    results: list[CheckResult] = []
    try:
        operator.progress(STEP)
        operator.result(PASSED)
        results.append(PASSED)
        reply = await operator.ask(LAMP)
        while reply.answer == "retry":
            reply = await operator.ask(
                OperatorQuestion(id="LMP-2", code="LMP", text="Once more?", may_skip=False)
            )
        said = CheckResult(
            code="LMP", title="lamps", verdict="passed", sentence=f"{reply.answer}: {reply.reason}"
        )
        operator.result(said)
        results.append(said)
    except Stopped:
        return report(*results, ended=False)
    return report(*results)


async def finds(_plan: BeginBody, operator: Operator, _language: str) -> SelfTestReport:
    operator.result(WRONG)
    return report(WRONG)


async def cannot(_plan: BeginBody, _operator: Operator, _language: str) -> SelfTestReport:
    raise CannotRun(as_told("A game is under way: wait until it has ended."))


class Presses:
    """A live view that a test feeds."""

    def __init__(self) -> None:
        self.views: asyncio.Queue[LiveView] = asyncio.Queue()

    async def wait(self, _seconds: float) -> LiveView:
        return await asyncio.wait_for(self.views.get(), DEADLINE_S)


async def post(hall: Hall, name: str, body: Any = None) -> Answer:
    return await hall.post(f"/api/selftest/{name}", body, headers=hall.director)


async def said(hall: Hall, name: str, body: Any = None) -> tuple[int, list[str]]:
    answer = await post(hall, name, body)
    return answer.status, answer.json["reasons"]


def feed_of(hall: Hall) -> Any:
    return hall.socket("/api/selftest/feed", headers=hall.director)


async def seen(feed: Any, **wanted: Any) -> dict[str, Any]:
    """The next snapshot with these fields."""
    while True:
        snapshot = await feed.receive_json()
        if all(snapshot[name] == value for name, value in wanted.items()):
            return dict(snapshot)


async def asked(feed: Any, question: str) -> dict[str, Any]:
    """The next snapshot in which this is asked."""
    while True:
        snapshot = await feed.receive_json()
        if snapshot["question"] is not None and snapshot["question"]["id"] == question:
            return dict(snapshot)


async def test_before_the_first_there_is_the_choice(hall: Hall) -> None:
    snapshot = (await hall.get("/api/selftest", headers=hall.director)).json
    assert (snapshot["standing"], snapshot["session"], snapshot["results"]) == ("idle", 0, [])
    walk = next(check for check in snapshot["checks"] if check["code"] == "CLM")
    assert (walk["guided"], "field" in walk["levels"], "boot" in walk["levels"]) == (True, True, False)


@pytest.mark.served(selftest=asks_for_a_lamp)
async def test_two_phones_see_the_same_and_the_first_answer_counts(hall: Hall) -> None:
    async with feed_of(hall) as one, feed_of(hall) as other:
        assert await said(hall, "begin", PLAN) == (200, [])
        first, second = await asked(one, "LMP-1"), await asked(other, "LMP-1")
        assert first == second
        assert (first["standing"], first["operator"], first["level"]) == ("running", "Ann", "field")
        assert (first["progress"]["done"], first["progress"]["left_s"]) == (3, 12.0)
        assert [result["code"] for result in first["results"]] == ["PWR"]
        assert await said(hall, "answer", {"question": "LMP-1", "answer": "saw"}) == (200, [])
        late = await said(hall, "answer", {"question": "LMP-1", "answer": "not"})
        assert late == (409, [words(NOTHING_ASKED)])
        end = await seen(other, standing="ended")
        assert end["question"] is None
        assert [result["sentence"] for result in end["report"]["results"]] == ["The supply holds.", "saw: "]


@pytest.mark.served(selftest=asks_for_a_lamp)
async def test_retry_asks_anew_and_skip_needs_a_reason(hall: Hall) -> None:
    async with feed_of(hall) as feed:
        await post(hall, "begin", PLAN)
        await asked(feed, "LMP-1")
        for answer, part in (("maybe", "saw, not, retry, skip"), ("skip", "Say why")):
            status, [reason] = await said(hall, "answer", {"question": "LMP-1", "answer": answer})
            assert (status, part in reason) == (409, True)
        await post(hall, "answer", {"question": "LMP-1", "answer": "retry"})
        await asked(feed, "LMP-2")
        status, [reason] = await said(hall, "answer", {"question": "LMP-2", "answer": "skip", "reason": "no"})
        assert (status, "cannot be skipped" in reason) == (409, True)
        await post(hall, "answer", {"question": "LMP-2", "answer": "not", "reason": "A1 A2"})
        end = await seen(feed, standing="ended")
        assert end["results"][-1]["sentence"] == "not: A1 A2"


@pytest.mark.served(selftest=asks_for_a_lamp)
async def test_only_one_runs_at_a_time_and_it_can_be_stopped(hall: Hall) -> None:
    async with feed_of(hall) as feed:
        assert await said(hall, "stop") == (409, [words(NONE_RUNS)])
        await post(hall, "begin", PLAN)
        await asked(feed, "LMP-1")
        assert await said(hall, "begin", PLAN) == (409, [words(RUNS_ALREADY)])
        assert await said(hall, "stop") == (200, [])
        end = await seen(feed, standing="ended")
        assert (end["report"]["ended"], end["session"]) == (False, 1)
        assert await said(hall, "begin", PLAN | {"only": ["CLM"]}) == (200, [])
        again = await asked(feed, "LMP-1")
        assert (again["session"], again["only"]) == (2, ["CLM"])
        await post(hall, "stop")
        await seen(feed, standing="ended")


async def test_what_is_watched_live_is_shown_and_answers_itself(tmp_path: Path) -> None:
    presses, replies = Presses(), list[OperatorReply]()

    async def watches(_plan: BeginBody, operator: Operator, _language: str) -> SelfTestReport:
        live: Live = presses
        question = OperatorQuestion(id="PSB-1", code="PSB", text="Press.", answers=("done",), live="edges")
        replies.append(await operator.ask(question, live))
        replies.append(await operator.ask(LAMP))
        return report()

    async with served(tmp_path, selftest=watches) as hall, feed_of(hall) as feed:
        await post(hall, "begin", PLAN)
        await asked(feed, "PSB-1")
        presses.views.put_nowait(
            LiveView(finished=False, text="1 of 2 presses", done=1, of=2, closed=(True, False))
        )
        while (view := await feed.receive_json())["live"] is None:
            pass
        assert (view["live"]["text"], view["live"]["closed"]) == ("1 of 2 presses", [True, False])
        presses.views.put_nowait(LiveView(finished=True, text="2 of 2 presses", done=2, of=2))
        after = await asked(feed, "LMP-1")
        assert after["live"] is None
        await post(hall, "answer", {"question": "LMP-1", "answer": "saw"})
        await seen(feed, standing="ended")
    assert [reply.answer for reply in replies] == ["done", "saw"]


async def test_an_answer_ends_the_watching(tmp_path: Path) -> None:
    presses = Presses()

    async def watches(_plan: BeginBody, operator: Operator, _language: str) -> SelfTestReport:
        reply = await operator.ask(
            OperatorQuestion(id="CLM-1", code="CLM", text="Walk.", answers=("done",), live="walk"), presses
        )
        operator.result(CheckResult(code="CLM", title="walk", verdict="passed", sentence=reply.answer))
        return report()

    async with served(tmp_path, selftest=watches) as hall, feed_of(hall) as feed:
        await post(hall, "begin", PLAN)
        await asked(feed, "CLM-1")
        await post(hall, "answer", {"question": "CLM-1", "answer": "done"})
        presses.views.put_nowait(LiveView(finished=False, text="0 of 2"))
        assert (await seen(feed, standing="ended"))["standing"] == "ended"


@pytest.mark.served(selftest=cannot)
async def test_what_core_has_against_it_is_shown_to_all(hall: Hall) -> None:
    async with feed_of(hall) as feed:
        assert await said(hall, "begin", PLAN) == (200, [])
        failed = await seen(feed, standing="failed")
        assert failed["sentence"] == "A game is under way: wait until it has ended."


async def test_a_fault_of_our_own_does_not_leave_it_running(tmp_path: Path) -> None:
    async def breaks(_plan: BeginBody, _operator: Operator, _language: str) -> SelfTestReport:
        raise ZeroDivisionError

    async with served(tmp_path, selftest=breaks) as hall, feed_of(hall) as feed:
        await post(hall, "begin", PLAN)
        assert (await seen(feed, standing="failed"))["sentence"] == words(BROKE_OFF)


async def test_one_that_does_not_stop_ends_with_the_web_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi_controller.web.api.selftest.END_WITHIN_S", 0.01)
    ended: list[bool] = []

    async def waits(_plan: BeginBody, _operator: Operator, _language: str) -> SelfTestReport:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)
        return report()

    async with served(tmp_path, selftest=waits) as hall:
        await post(hall, "begin", PLAN)
    assert ended


@pytest.mark.parametrize(
    ("name", "body", "part"),
    [
        ("begin", {}, "`level` is missing"),
        ("begin", PLAN | {"level": "deep"}, "`level` must be"),
        ("begin", PLAN | {"operator": ""}, "operator"),
        ("begin", PLAN | {"only": ["ABC"]}, "`only[0]`"),
        ("answer", {"question": "LMP-1"}, "`answer` is missing"),
        ("mend", {"code": "CLM", "finding": -1}, "finding"),
    ],
)
async def test_malformed_bodies(hall: Hall, name: str, body: Any, part: str) -> None:
    answer = await post(hall, name, body)
    assert (answer.status, part in answer.json["error"]) == (422, True)


@pytest.mark.served(selftest=finds)
async def test_a_finding_is_mended_once_by_cores_own_deeds(hall: Hall) -> None:
    async with feed_of(hall) as feed:
        await post(hall, "begin", PLAN)
        await seen(feed, standing="ended")
        before = {board["name"]: board for row in hall.core.roster["rows"] for board in row["boards"]}
        assert await said(hall, "mend", {"code": "CLM", "finding": 0}) == (200, [])
        [changed] = hall.core.asked("set_roster")
        after = {board["name"]: board for row in changed["roster"]["rows"] for board in row["boards"]}
        assert after["A3"]["node"] == before["A4"]["node"]
        assert after["A4"]["node"] == before["A3"]["node"]
        assert {name: after[name] for name in after if name not in ("A3", "A4")} == {
            name: before[name] for name in before if name not in ("A3", "A4")
        }
        for finding, action in (
            (1, {"do": "swap", "board": "A5"}),
            (2, {"do": "replace", "board": "B1", "uid": uid(39)}),
        ):
            assert await said(hall, "mend", {"code": "CLM", "finding": finding}) == (200, [])
            told = hall.core.requests[-1]["deed"]
            assert {name: value for name, value in told.items() if value is not None} == action
        mended = (await hall.get("/api/selftest", headers=hall.director)).json
        for results in (mended["results"], mended["report"]["results"]):
            assert [finding["mended"] for finding in results[0]["findings"]] == [True, True, True, False]
        for finding in (0, 3, 4):
            status, [reason] = await said(hall, "mend", {"code": "CLM", "finding": finding})
            assert (status, "nothing left to fix" in reason) == (409, True)
        assert (await said(hall, "mend", {"code": "PWR", "finding": 0}))[0] == 409


@pytest.mark.served(selftest=finds)
async def test_what_cannot_be_mended_says_why(hall: Hall) -> None:
    async with feed_of(hall) as feed:
        await post(hall, "begin", PLAN)
        await seen(feed, standing="ended")
        hall.core.change_answer = {"accepted": False, "reasons": ["There is no board A5."]}
        for finding in (0, 1):
            told = await said(hall, "mend", {"code": "CLM", "finding": finding})
            assert told == (409, ["There is no board A5."])
        hall.core.change_answer = {"malformed": "no"}
        assert (await post(hall, "mend", {"code": "CLM", "finding": 1})).status == 422
        hall.core.roster = {"version": 1, "rows": []}
        answer = await post(hall, "mend", {"code": "CLM", "finding": 0})
        assert (answer.status, "Boards A3 and A4" in answer.json["reasons"][0]) == (409, True)
        assert answer.json["reason_keys"] == [
            {"key": "selftest.boards_not_in_the_roster", "params": {"one": "A3", "other": "A4"}}
        ]


@pytest.mark.served(selftest=asks_for_a_lamp)
async def test_it_ends_when_all_sessions_are_ended(hall: Hall) -> None:
    """Who was logged in must not keep the next game from starting; a log-out alone leaves it to the others."""
    async with hall.socket("/api/selftest/feed", headers=hall.director) as feed:
        assert await said(hall, "begin", PLAN) == (200, [])
        await asked(feed, "LMP-1")
        hall.side.sweep()
        assert hall.side.selftest.snapshot.standing == "running"
        end_all_sessions(hall.folder / "web")
        hall.tokens.look()
        hall.side.sweep()
        await until(lambda: hall.side.selftest.snapshot.standing == "ended")
        last = hall.side.selftest.snapshot.report
        assert last is not None
        assert not last.ended


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


async def test_the_list_says_what_stands_in_the_newest(hall: Hall, monkeypatch: Any) -> None:
    monkeypatch.setattr("pi_controller.web.api.selftest.MOST_READ", 2)
    assert (await get(hall, "")).json == {"reports": []}
    keep(hall, {NAMES[2]: VALUE, NAMES[1]: {"version": 9}, NAMES[0]: VALUE})
    reports = (await get(hall, "")).json["reports"]
    assert [each["name"] for each in reports] == [NAMES[2], NAMES[1], NAMES[0]]
    read = {"operator": "Ann", "verdict": "failed", "sentence": None, "when": VALUE["when"]}
    assert reports[0].items() >= read.items()
    assert reports[1]["verdict"] is None
    assert reports[1]["sentence"].endswith(".")
    assert (reports[2]["when"], reports[2]["sentence"]) == (None, None)
    count = len(hall.core.asked("probe"))
    await get(hall, "")
    assert len(hall.core.asked("probe")) == count + 1, "what was read once is known"


async def test_one_that_vanishes_meanwhile_is_named(hall: Hall) -> None:
    keep(hall, {NAMES[0]: VALUE})
    hall.core.probed[NAMES[0]] = {"error": f"There is no report {NAMES[0]}."}
    [only] = (await get(hall, "")).json["reports"]
    assert only["sentence"] == f"There is no report {NAMES[0]}."


async def test_a_report_as_json_and_on_paper(hall: Hall) -> None:
    keep(hall, {NAMES[0]: VALUE})
    data = await get(hall, f"/{NAMES[0]}")
    assert (data.status, data.json) == (200, VALUE)
    assert f'filename="{NAMES[0]}"' in data.headers["Content-Disposition"]
    paper = await get(hall, f"/{NAMES[0].replace('.json', '.pdf')}")
    assert (paper.headers["Content-Type"], paper.body[:5]) == ("application/pdf", b"%PDF-")


async def test_what_is_no_report(hall: Hall) -> None:
    keep(hall, {NAMES[0]: {"version": 9}})
    assert (await get(hall, "/notes.txt")).status == 404
    hall.core.probed["other.json"] = {"error": "There is no report other.json: list them."}
    missing = await get(hall, "/other.json")
    assert (missing.status, missing.json["error"]) == (404, "There is no report other.json: list them.")
    assert (await get(hall, f"/{NAMES[0].replace('.json', '.pdf')}")).status == 422


@pytest.mark.served(core_there=False)
async def test_without_core_there_are_none(hall: Hall) -> None:
    for path in ("", f"/{NAMES[0]}"):
        assert (await get(hall, path)).status == 503
