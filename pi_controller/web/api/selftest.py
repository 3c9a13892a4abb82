"""The self-test over HTTP: begin, answer, fix, stop, and what everybody sees of it."""

import asyncio
import queue
import threading
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal, assert_never

import msgspec
from aiohttp import web
from msgspec import Meta, Struct
from msgspec.structs import replace

from pi_controller.bus.values import Uid
from pi_controller.language.words import speaking, words
from pi_controller.protocol import messages
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, Malformed
from pi_controller.protocol.messages import ChangeAnswer
from pi_controller.protocol.probes import Level, ReportEntry, ReportProbe, ReportsProbe
from pi_controller.protocol.sentences import SentenceView, sentence, told, view
from pi_controller.protocol.tables import TableAction
from pi_controller.selftest.catalogue import CHECKS
from pi_controller.selftest.core import CannotRun, CoreUnderTest
from pi_controller.selftest.operator import (
    Live,
    LiveView,
    Operator,
    OperatorQuestion,
    OperatorReply,
    Progress,
    Stopped,
)
from pi_controller.selftest.report import BadReport, SelfTestReport, convert
from pi_controller.selftest.session import exchange, run_selftest
from pi_controller.selftest.verdicts import CheckResult, Code, Fix, Verdict
from pi_controller.sentence import Sentence
from pi_controller.web.http.access import PinFault, PinFile, Tokens
from pi_controller.web.http.routes import (
    LANGUAGE,
    ChangeView,
    Refusal,
    get,
    json_answer,
    language_headers,
    own_answer,
    post,
    socket,
)
from pi_controller.web.live.broadcaster import Broadcaster, listen
from pi_controller.web.live.core_link import CoreLink

# What the pages are told of the self-test that runs, or ran last, and what they may send.


Standing = Literal["idle", "running", "ended", "failed"]
"""Nothing yet; under way; there is a report; it could not be run, and `sentence` says why."""

Name = Annotated[str, Meta(min_length=1, max_length=40)]


class CheckView(Struct, frozen=True, kw_only=True):
    """A check that can be chosen."""

    code: Code
    title: str
    title_key: SentenceView
    levels: tuple[Level, ...]
    guided: bool


class SelftestSnapshot(Struct, frozen=True, kw_only=True):
    """The same for everybody who looks, in the operator's language. `session` counts the self-tests since the
    web side's start; `results` are those so far, and `report` is the whole at the end."""

    version: Literal[1] = 1
    session: int = 0
    standing: Standing = "idle"
    level: Level = "field"
    only: tuple[Code, ...] = ()
    operator: str = ""
    progress: Progress | None = None
    question: OperatorQuestion | None = None
    live: LiveView | None = None
    results: tuple[CheckResult, ...] = ()
    report: SelfTestReport | None = None
    sentence: str | None = None
    sentence_key: SentenceView | None = None
    checks: tuple[CheckView, ...] = ()


def checks_in(language: str) -> tuple[CheckView, ...]:
    """All that can be chosen, with their titles in this language."""
    return tuple(
        CheckView(
            code=code,
            title=words(check.title, language),
            title_key=view(check.title),
            levels=check.levels,
            guided=check.guided,
        )
        for code, check in CHECKS.items()
    )


class BeginBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """`only` empty: all checks of the level. `uid`: the bench level's node, None: the only one there is."""

    level: Level
    operator: Name
    only: tuple[Code, ...] = ()
    uid: Uid | None = None


class AnswerBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """`question`: the id of the one that is answered, so that two who answer at once do not answer two."""

    question: str
    answer: Annotated[str, Meta(min_length=1, max_length=200)]
    reason: Annotated[str, Meta(max_length=400)] = ""


class FixBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """The finding's place in the result of this code, from 0."""

    code: Code
    finding: Annotated[int, Meta(ge=0)]


class ReportView(Struct, frozen=True, kw_only=True):
    """A report that is kept. What stands in it is read of the newest only; None: not read."""

    name: str
    level: str
    when: str | None = None
    operator: str | None = None
    verdict: Verdict | None = None
    sentence_key: SentenceView | None = None
    """Why it cannot be read; `sentence` is the same in the language of who asks."""
    sentence: str | None = None


def in_words(report: ReportView, language: str) -> ReportView:
    """With its sentence, where it has one, in this language."""
    key = report.sentence_key
    return report if key is None else replace(report, sentence=words(sentence(key), language))


class ReportsView(Struct, frozen=True, kw_only=True):
    """Newest first."""

    reports: tuple[ReportView, ...]


# Hosts one self-test at a time on a thread of its own; any number of pages see it and answer.
#
# Two who answer at once do not clash: an answer names its question, and the first one counts.


LOOK_S = 0.25
"""So long at most an answer waits while something is watched live."""
END_WITHIN_S = 2.0

RUNS_ALREADY = Sentence("selftest.runs_already")
NOTHING_ASKED = Sentence("selftest.nothing_is_asked")
NONE_RUNS = Sentence("selftest.none_runs")
BROKE_OFF = Sentence("selftest.broke_off")

Run = Callable[[BeginBody, Operator, str], SelfTestReport]
"""Runs a whole self-test on the calling thread, in a language. Raises CannotRun."""


class _Operator:
    """The pages in the role of the operator. `answer` and `stop` are for the web side's loop, all else for
    the session's thread."""

    def __init__(self, change: Callable[..., None]) -> None:
        self.stopped = False
        self._change = change
        self._came: queue.Queue[OperatorReply | None] = queue.Queue()
        """None: it is stopped."""
        self._results: tuple[CheckResult, ...] = ()

    def answer(self, reply: OperatorReply) -> None:
        self._came.put(reply)

    def stop(self) -> None:
        self.stopped = True
        self._came.put(None)

    def progress(self, step: Progress) -> None:
        self._change(progress=step)
        self._check_stopped()

    def result(self, result: CheckResult) -> None:
        self._results = (*self._results, result)
        self._change(results=self._results)
        self._check_stopped()

    def ask(self, question: OperatorQuestion, live: Live | None = None) -> OperatorReply:
        while not self._came.empty():  # for a question that has answered itself
            self._came.get()
        self._check_stopped()
        self._change(question=question, live=None)
        while live is not None and self._came.empty():
            view: LiveView = live.wait(LOOK_S)
            if view.finished:
                self._change(question=None, live=None)
                return OperatorReply(answer=question.answers[0])
            self._change(live=view)
        reply = None if self.stopped else self._came.get()
        if reply is None:
            raise Stopped
        return reply

    def over(self, **fields: Any) -> None:
        """Nothing more comes."""
        self._change(progress=None, question=None, live=None, **fields)

    def _check_stopped(self) -> None:
        if self.stopped:
            raise Stopped


class SelftestHost:
    """Used on the web side's loop only; the session's thread comes in through `call_soon_threadsafe`."""

    def __init__(self, run: Run, broadcaster: Broadcaster, language: str) -> None:
        """`language`: of the hall, for the titles of the checks as long as nobody has begun."""
        self._run = run
        self._broadcaster = broadcaster
        self._operator: _Operator | None = None
        """Of the newest session."""
        self._thread: threading.Thread | None = None
        self._may_go_on: Callable[[], bool] = lambda: True
        self.snapshot = SelftestSnapshot(checks=checks_in(language))
        self._publish()

    def begin(self, plan: BeginBody, may_go_on: Callable[[], bool], language: str) -> Sentence | None:
        """Start one in this language; the reason why not. What core has against it comes with the snapshot.
        It is ended when whoever began it `may_go_on` no more."""
        if self.snapshot.standing == "running":
            return RUNS_ALREADY
        self._may_go_on = may_go_on
        self.snapshot = SelftestSnapshot(
            session=self.snapshot.session + 1,
            standing="running",
            level=plan.level,
            only=plan.only,
            operator=plan.operator,
            checks=checks_in(language),
        )
        operator = self._operator = _Operator(self._changer())
        self._thread = threading.Thread(
            target=self._work, args=(plan, operator, language), name="self-test", daemon=True
        )
        self._thread.start()
        self._publish()
        return None

    def answer(self, question: str, reply: OperatorReply) -> Sentence | None:
        """Answer the question that stands; the reason why not."""
        standing = self.snapshot.question
        if self._operator is None or standing is None or standing.id != question:
            return NOTHING_ASKED
        if (problem := _unfit(standing, reply)) is not None:
            return problem
        self._operator.answer(reply)
        self._change(question=None, live=None)
        return None

    def stop(self) -> Sentence | None:
        """End it by hand; the reason why not."""
        if self._operator is None or self.snapshot.standing != "running":
            return NONE_RUNS
        self._operator.stop()
        self._change(question=None, live=None)
        return None

    def sweep(self) -> None:
        """End one whose log-in is over; to be called about once a second."""
        operator = self._operator if self.snapshot.standing == "running" else None
        if operator is not None and not operator.stopped and not self._may_go_on():
            self.stop()

    def mended(self, code: str, finding: int) -> None:
        """Show this finding as mended."""
        report = self.snapshot.report
        if report is not None:
            report = msgspec.structs.replace(report, results=_with_mended(report.results, code, finding))
        self._change(results=_with_mended(self.snapshot.results, code, finding), report=report)

    async def close(self) -> None:
        """Stop the one that runs, because the web side ends; it is not waited for long."""
        if self._operator is not None and self._thread is not None and self._thread.is_alive():
            self._operator.stop()
            await asyncio.to_thread(self._thread.join, END_WITHIN_S)

    def _work(self, plan: BeginBody, operator: _Operator, language: str) -> None:
        """On the session's thread."""
        end = _failed(BROKE_OFF, language)
        try:
            report = self._run(plan, operator, language)
            end = {"standing": "ended", "report": report, "results": report.results}
        except CannotRun as problem:
            end = _failed(problem.sentence, language)
        finally:
            operator.over(**end)

    def _changer(self) -> Callable[..., None]:
        """Changes the snapshot from another thread, as long as its session is the one that is shown."""
        loop, session = asyncio.get_running_loop(), self.snapshot.session

        def change(fields: dict[str, object]) -> None:
            if self.snapshot.session == session:
                self._change(**fields)

        return lambda **fields: _call(loop, change, fields)

    def _change(self, **fields: Any) -> None:
        self.snapshot = msgspec.structs.replace(self.snapshot, **fields)
        self._publish()

    def _publish(self) -> None:
        self._broadcaster.publish(msgspec.json.encode(self.snapshot))


def _failed(why: Sentence, language: str) -> dict[str, object]:
    return {"standing": "failed", "sentence": words(why, language), "sentence_key": view(why)}


def _unfit(question: OperatorQuestion, reply: OperatorReply) -> Sentence | None:
    """Why this is no answer to the question."""
    if reply.answer == "skip" and not question.may_skip:
        return Sentence("selftest.cannot_be_skipped")
    if reply.answer == "skip" and not reply.reason.strip():
        return Sentence("selftest.skipped_without_a_reason")
    taken = (*question.answers, "retry", "skip")
    if question.answers and reply.answer not in taken:
        return Sentence("selftest.no_such_answer", answer=repr(reply.answer), taken=", ".join(taken))
    return None


def _with_mended(results: tuple[CheckResult, ...], code: str, number: int) -> tuple[CheckResult, ...]:
    return tuple(
        msgspec.structs.replace(
            result,
            findings=tuple(
                msgspec.structs.replace(finding, mended=True) if at == number else finding
                for at, finding in enumerate(result.findings)
            ),
        )
        if result.code == code
        else result
        for result in results
    )


def _call(
    loop: asyncio.AbstractEventLoop, act: Callable[[dict[str, object]], None], fields: dict[str, object]
) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(act, fields)


class SelftestApi:
    def __init__(self, host: SelftestHost, link: CoreLink, broadcaster: Broadcaster, tokens: Tokens) -> None:
        self._host = host
        self._tokens = tokens
        self._link = link
        self._broadcaster = broadcaster

    @get("/api/selftest", "technician", summary="The self-test that runs, or ran last")
    async def snapshot(self, _request: web.Request) -> SelftestSnapshot:
        return self._host.snapshot

    @socket("/api/selftest/feed", "technician", summary="WebSocket: the self-test at once and on each change")
    async def follow(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/selftest/feed`: the snapshot at once and on each change."""
        return await listen(request, self._broadcaster)

    @post(
        "/api/selftest/begin",
        "technician",
        summary="Begin a self-test; what core has against it comes with the self-test's `sentence`",
        also=(409,),
        answer=ChangeView,
    )
    async def begin(self, request: web.Request, body: BeginBody) -> web.StreamResponse:
        """`POST /api/selftest/begin`: 200 it has begun, 409 another one runs. What core has against it,
        such as a game that runs, comes with the snapshot."""
        language = request[LANGUAGE]
        return _answer(request, self._host.begin(body, self._tokens.this_generation(), language))

    @post(
        "/api/selftest/answer",
        "technician",
        summary="Answer the question that stands",
        also=(409,),
        answer=ChangeView,
    )
    async def answer(self, request: web.Request, body: AnswerBody) -> web.StreamResponse:
        """`POST /api/selftest/answer`: 200 taken, 409 another question stands, or it takes no such answer."""
        return _answer(
            request, self._host.answer(body.question, OperatorReply(answer=body.answer, reason=body.reason))
        )

    @post(
        "/api/selftest/stop",
        "technician",
        summary="End the self-test by hand",
        also=(409,),
        answer=ChangeView,
    )
    async def stop(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/selftest/stop`: 200 it ends, 409 none runs."""
        return _answer(request, self._host.stop())

    @post(
        "/api/selftest/mend",
        "technician",
        summary="Do what fixes a finding",
        also=(409, 503),
        answer=ChangeView,
    )
    async def fix(self, request: web.Request, body: FixBody) -> web.StreamResponse:
        """`POST /api/selftest/mend`: 200 done, 409 refused, or nothing to fix there."""
        language = request[LANGUAGE]
        fix = self._fix(body)
        if fix is None:
            return own_answer(language, Sentence("selftest.nothing_to_mend"))
        reasons = await _apply(self._link.client, fix)
        if not reasons:
            self._host.mended(body.code, body.finding)
        return own_answer(language, *reasons)

    def _fix(self, body: FixBody) -> Fix | None:
        """What fixes this finding, as long as it is not mended."""
        for result in self._host.snapshot.results:
            if result.code == body.code and body.finding < len(result.findings):
                finding = result.findings[body.finding]
                return None if finding.mended else finding.fix
        return None


def selftest_runner(state_dir: Path, pin: PinFile) -> Run:
    """Runs self-tests of this state folder's core, on the calling thread; each raises CannotRun."""

    def pin_matches(text: str) -> bool | None:
        try:
            return pin.matches(text) if pin.is_set() else None
        except PinFault:
            return False  # a damaged one lets nobody in, and the mode of the file is looked at anyway

    def run(plan: BeginBody, operator: Operator, language: str) -> SelfTestReport:
        return run_selftest(
            CoreUnderTest(state_dir, pin_matches=pin_matches),
            level=plan.level,
            only=plan.only,
            who=plan.operator,
            operator=operator,
            uid=plan.uid,
            language=language,
        )

    return run


def _answer(request: web.Request, reason: Sentence | None) -> web.Response:
    return own_answer(request[LANGUAGE], *([] if reason is None else [reason]))


async def _apply(client: AsyncClient, fix: Fix) -> list[Sentence]:
    """Fix a finding by what core offers for tables and the roster anyway; the reasons why it was not done,
    empty: done."""
    match fix.do:
        case "swap_sides":
            answer = await client.table(TableAction(do="swap", board=fix.board))
        case "place":
            answer = await client.table(TableAction(do="replace", board=fix.board, uid=fix.uid))
        case "exchange_boards":
            return await _exchange(client, fix.board, fix.other)
        case _ as never:
            assert_never(never)
    return _reasons(answer)


async def _exchange(client: AsyncClient, one: str, other: str) -> list[Sentence]:
    """Let the nodes of these two boards change places."""
    roster = await client.roster()
    if roster.board(one) is None or roster.board(other) is None:
        return [Sentence("selftest.boards_not_in_the_roster", one=one, other=other)]
    return _reasons(await client.set_roster(msgspec.to_builtins(exchange(roster, one, other))))


def _reasons(answer: ChangeAnswer) -> list[Sentence]:
    if answer.accepted:
        return []
    return [told(text, key) for text, key in zip_longest(answer.reasons, answer.reason_keys)]


# Reports of earlier self-tests, as core keeps them: the list, and each as JSON and as a printed page.


MOST_READ = 12
"""Of so many, the newest, the list says what stands in them."""


class ReportsApi:
    def __init__(self, link: CoreLink) -> None:
        self._link = link
        self._read: dict[str, ReportView] = {}
        """A report never changes once it is kept."""

    @get(
        "/api/selftest/reports",
        "technician",
        summary="The reports that are kept, newest first",
        also=(503,),
        answer=ReportsView,
    )
    async def list(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/selftest/reports`."""
        entries = await _entries(self._link.client)
        for entry in entries[:MOST_READ]:
            if entry.name not in self._read:
                self._read[entry.name] = await self._view(entry)
        self._read = {entry.name: self._read[entry.name] for entry in entries if entry.name in self._read}
        views = tuple(
            self._read.get(entry.name, ReportView(name=entry.name, level=entry.level)) for entry in entries
        )
        language = request[LANGUAGE]
        shown = ReportsView(reports=tuple(in_words(one, language) for one in views))
        return json_answer(shown, headers=language_headers(language))

    @get(
        "/api/selftest/reports/{name}",
        "technician",
        summary="A report: NAME.json as it is kept, NAME.pdf printed",
        also=(404, 422, 503),
        kind="text",
        media_type="*/*",
    )
    async def report(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/selftest/reports/{name}`: NAME.json as it is kept, NAME.pdf printed."""
        asked = request.match_info["name"]
        stem, dot, kind = asked.rpartition(".")
        if not dot or kind not in {"json", "pdf"}:
            raise Refusal(404, Sentence("web.name_of_a_report"))
        value = await self._value(f"{stem}.json")
        if kind == "json":
            return _download(msgspec.json.encode(value) + b"\n", asked, "application/json")
        try:
            report = convert(value)
        except BadReport as problem:
            raise Refusal(422, problem.sentence) from problem
        return _download(
            await asyncio.to_thread(_printed, report, request[LANGUAGE]), asked, "application/pdf"
        )

    async def _value(self, name: str) -> Any:
        asked = messages.AskProbe(probe=ReportProbe(name=name))
        try:
            answer = await self._link.client.ask(asked)
        except (CoreTrouble, Malformed) as problem:
            raise Refusal(404, problem.sentence) from problem
        return answer.result["report"]

    async def _view(self, entry: ReportEntry) -> ReportView:
        plain = ReportView(name=entry.name, level=entry.level)
        try:
            report = convert(await self._value(entry.name))
        except BadReport as problem:
            return msgspec.structs.replace(plain, sentence_key=view(problem.sentence))
        except Refusal as problem:
            return msgspec.structs.replace(plain, sentence_key=view(problem.sentence))
        return msgspec.structs.replace(
            plain, when=report.when, operator=report.operator, verdict=report.verdict
        )


async def _entries(client: AsyncClient) -> list[ReportEntry]:
    """The reports that core has, newest first."""
    answer = await client.ask(messages.AskProbe(probe=ReportsProbe()))
    return msgspec.convert(answer.result["reports"], list[ReportEntry])


def _printed(report: SelfTestReport, language: str) -> bytes:
    # Imported here: the libraries behind it take their time, and most starts never print.
    from pi_controller.selftest.printed import print_report  # noqa: PLC0415

    with speaking(language):
        return print_report(report)


def _download(body: bytes, name: str, media_type: str) -> web.Response:
    headers = {
        "Content-Type": media_type,
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "no-store",
    }
    return web.Response(body=body, headers=headers)
