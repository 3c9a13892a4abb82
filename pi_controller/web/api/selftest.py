"""The self-test over HTTP: begin, answer, fix, stop, and what everybody sees of it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from aiohttp import web
from msgspec import Meta, Struct
from msgspec.structs import replace

from pi_controller.bus.values import Uid
from pi_controller.language.words import speaking, words
from pi_controller.protocol import messages
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, Malformed
from pi_controller.protocol.probes import Level, ReportEntry, ReportProbe, ReportsProbe
from pi_controller.protocol.sentences import SentenceView, sentence, view
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
from pi_controller.selftest.session import apply, run_selftest
from pi_controller.selftest.verdicts import CheckResult, Code, Verdict
from pi_controller.sentence import Sentence
from pi_controller.web.http.access import PinFault, PinFile, Tokens
from pi_controller.web.http.routes import (
    LANGUAGE,
    ChangeView,
    Declined,
    Refusal,
    get,
    json_answer,
    language_headers,
    made,
    own_answer,
    post,
    socket,
)
from pi_controller.web.live.broadcaster import Broadcaster, listen

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


# Hosts one self-test at a time as a task of its own; any number of pages see it and answer.
#
# Two who answer at once do not clash: an answer names its question, and the first one counts.


LOOK_S = 0.25
"""So long at most an answer waits while something is watched live."""
END_WITHIN_S = 2.0

RUNS_ALREADY = Sentence("selftest.runs_already")
NOTHING_ASKED = Sentence("selftest.nothing_is_asked")
NONE_RUNS = Sentence("selftest.none_runs")
BROKE_OFF = Sentence("selftest.broke_off")

Run = Callable[[BeginBody, Operator, str], Awaitable[SelfTestReport]]
"""Runs a whole self-test in a language. Raises CannotRun."""


class _Operator:
    """The pages in the role of the operator."""

    def __init__(self, change: Callable[..., None]) -> None:
        self.stopped = False
        self._change = change
        self._reply: asyncio.Future[OperatorReply | None] | None = None
        """Of the newest question; None: it is stopped."""
        self._results: tuple[CheckResult, ...] = ()

    def answer(self, reply: OperatorReply | None) -> None:
        if self._reply is not None and not self._reply.done():
            self._reply.set_result(reply)

    def stop(self) -> None:
        self.stopped = True
        self.answer(None)

    def progress(self, step: Progress) -> None:
        self._change(progress=step)
        self._check_stopped()

    def result(self, result: CheckResult) -> None:
        self._results = (*self._results, result)
        self._change(results=self._results)
        self._check_stopped()

    async def ask(self, question: OperatorQuestion, live: Live | None = None) -> OperatorReply:
        self._check_stopped()
        self._reply = asyncio.get_running_loop().create_future()
        self._change(question=question, live=None)
        while live is not None and not self._reply.done():
            view: LiveView = await live.wait(LOOK_S)
            if view.finished:
                self._change(question=None, live=None)
                return OperatorReply(answer=question.answers[0])
            if not self._reply.done():
                self._change(live=view)
        reply = await self._reply
        if reply is None:
            raise Stopped
        return reply

    def over(self, **fields: Any) -> None:
        """Nothing more comes."""
        self._change(progress=None, question=None, live=None, **fields)

    def _check_stopped(self) -> None:
        if self.stopped:
            raise Stopped


class SelftestApi:
    def __init__(
        self, run: Run, core: AsyncClient, tokens: Tokens, boot_s: Callable[[], float], language: str
    ) -> None:
        """`language`: of the hall, for the titles of the checks as long as nobody has begun."""
        self._run = run
        self._core = core
        self._tokens = tokens
        self.feed = Broadcaster(boot_s)
        self._operator: _Operator | None = None
        """Of the newest session."""
        self._task: asyncio.Task[None] | None = None
        self._may_go_on: Callable[[], bool] = lambda: True
        self.snapshot = SelftestSnapshot(checks=checks_in(language))
        self._publish()

    @get("/api/selftest", "technician")
    async def shown(self, _request: web.Request) -> SelftestSnapshot:
        """The self-test that runs, or ran last."""
        return self.snapshot

    @socket("/api/selftest/feed", "technician")
    async def follow(self, request: web.Request) -> web.StreamResponse:
        """WebSocket: the self-test at once and on each change."""
        return await listen(request, self.feed)

    @post("/api/selftest/begin", "technician", also=(409,))
    async def begin(self, request: web.Request, body: BeginBody) -> None:
        """Begin a self-test; what core has against it comes with the self-test's `sentence`.

        It is ended when the sessions of now are ended all together. 409: another one runs.
        """
        if self.snapshot.standing == "running":
            raise Declined(RUNS_ALREADY)
        language = request[LANGUAGE]
        self._may_go_on = self._tokens.this_generation()
        self.snapshot = SelftestSnapshot(
            session=self.snapshot.session + 1,
            standing="running",
            level=body.level,
            only=body.only,
            operator=body.operator,
            checks=checks_in(language),
        )
        operator = self._operator = _Operator(self._change)
        self._task = asyncio.create_task(self._work(body, operator, language), name="self-test")
        self._task.add_done_callback(_ended)
        self._publish()

    @post("/api/selftest/answer", "technician", also=(409,))
    async def answer(self, _request: web.Request, body: AnswerBody) -> None:
        """Answer the question that stands.

        409: another question stands, or it takes no such answer.
        """
        standing = self.snapshot.question
        if self._operator is None or standing is None or standing.id != body.question:
            raise Declined(NOTHING_ASKED)
        reply = OperatorReply(answer=body.answer, reason=body.reason)
        _check_fits(standing, reply)
        self._operator.answer(reply)
        self._change(question=None, live=None)

    @post("/api/selftest/stop", "technician", also=(409,))
    async def stop(self, _request: web.Request) -> None:
        """End the self-test by hand.

        409: none runs.
        """
        if self._operator is None or self.snapshot.standing != "running":
            raise Declined(NONE_RUNS)
        self._stop(self._operator)

    @post("/api/selftest/mend", "technician", also=(409, 503), answer=ChangeView)
    async def fix(self, request: web.Request, body: FixBody) -> web.StreamResponse:
        """Do what fixes a finding.

        409: refused, or there is nothing to fix.
        """
        results = [result for result in self.snapshot.results if result.code == body.code]
        found = [finding for result in results[:1] for finding in result.findings]
        finding = found[body.finding] if body.finding < len(found) else None
        if finding is None or finding.mended or finding.fix is None:
            raise Declined(Sentence("selftest.nothing_to_mend"))
        reasons = await apply(self._core, finding.fix)
        if not reasons:
            self._mended(body.code, body.finding)
        return own_answer(request[LANGUAGE], *reasons)

    def sweep(self) -> None:
        """End one whose log-in is over; to be called about once a second."""
        operator = self._operator if self.snapshot.standing == "running" else None
        if operator is not None and not operator.stopped and not self._may_go_on():
            self._stop(operator)

    async def close(self) -> None:
        """Stop the one that runs, because the web side ends; it is not waited for long."""
        if self._operator is not None and self._task is not None and not self._task.done():
            self._operator.stop()
            _, late = await asyncio.wait((self._task,), timeout=END_WITHIN_S)
            for task in late:
                task.cancel()
                await asyncio.wait((task,), timeout=END_WITHIN_S)

    def _stop(self, operator: _Operator) -> None:
        operator.stop()
        self._change(question=None, live=None)

    def _mended(self, code: str, finding: int) -> None:
        report = self.snapshot.report
        if report is not None:
            report = replace(report, results=_with_mended(report.results, code, finding))
        self._change(results=_with_mended(self.snapshot.results, code, finding), report=report)

    async def _work(self, plan: BeginBody, operator: _Operator, language: str) -> None:
        end = _failed(BROKE_OFF, language)
        try:
            report = await self._run(plan, operator, language)
            end = {"standing": "ended", "report": report, "results": report.results}
        except CannotRun as problem:
            end = _failed(problem.sentence, language)
        finally:
            operator.over(**end)

    def _change(self, **fields: Any) -> None:
        self.snapshot = replace(self.snapshot, **fields)
        self._publish()

    def _publish(self) -> None:
        self.feed.publish(msgspec.json.encode(self.snapshot))


def _ended(task: asyncio.Task[None]) -> None:
    """A mistake of this program is told to whoever looks after its defects."""
    error = None if task.cancelled() else task.exception()
    if error is not None:
        context = {"message": f"{task.get_name()} broke off", "exception": error, "task": task}
        task.get_loop().call_exception_handler(context)


def _failed(why: Sentence, language: str) -> dict[str, object]:
    return {"standing": "failed", "sentence": words(why, language), "sentence_key": view(why)}


def _check_fits(question: OperatorQuestion, reply: OperatorReply) -> None:
    """Raises Declined where this is no answer to the question."""
    if reply.answer == "skip" and not question.may_skip:
        raise Declined(Sentence("selftest.cannot_be_skipped"))
    if reply.answer == "skip" and not reply.reason.strip():
        raise Declined(Sentence("selftest.skipped_without_a_reason"))
    taken = (*question.answers, "retry", "skip")
    if question.answers and reply.answer not in taken:
        raise Declined(Sentence("selftest.no_such_answer", answer=repr(reply.answer), taken=", ".join(taken)))


def _with_mended(results: tuple[CheckResult, ...], code: str, number: int) -> tuple[CheckResult, ...]:
    return tuple(
        replace(
            result,
            findings=tuple(
                replace(finding, mended=True) if at == number else finding
                for at, finding in enumerate(result.findings)
            ),
        )
        if result.code == code
        else result
        for result in results
    )


def selftest_runner(state_dir: Path, pin: PinFile) -> Run:
    """Runs self-tests of this state folder's core; each raises CannotRun."""

    def pin_matches(text: str) -> bool | None:
        try:
            return pin.matches(text) if pin.is_set() else None
        except PinFault:
            return False  # a damaged one lets nobody in, and the mode of the file is looked at anyway

    async def run(plan: BeginBody, operator: Operator, language: str) -> SelfTestReport:
        return await run_selftest(
            CoreUnderTest(state_dir, pin_matches=pin_matches),
            level=plan.level,
            only=plan.only,
            who=plan.operator,
            operator=operator,
            uid=plan.uid,
            language=language,
        )

    return run


# Reports of earlier self-tests, as core keeps them: the list, and each as JSON and as a printed page.


MOST_READ = 12
"""Of so many, the newest, the list says what stands in them."""


class ReportsApi:
    def __init__(self, core: AsyncClient) -> None:
        self._core = core
        self._read: dict[str, ReportView] = {}
        """A report never changes once it is kept."""

    @get("/api/selftest/reports", "technician", also=(503,), answer=ReportsView)
    async def list(self, request: web.Request) -> web.StreamResponse:
        """The reports that are kept, newest first."""
        answer = await self._core.ask(messages.AskProbe(probe=ReportsProbe()))
        entries = msgspec.convert(answer.result["reports"], list[ReportEntry])
        for entry in entries[:MOST_READ]:
            if entry.name not in self._read:
                self._read[entry.name] = await self._view(entry)
        self._read = {entry.name: self._read[entry.name] for entry in entries if entry.name in self._read}
        language = request[LANGUAGE]
        views = (
            self._read.get(entry.name, ReportView(name=entry.name, level=entry.level)) for entry in entries
        )
        shown = ReportsView(reports=tuple(in_words(one, language) for one in views))
        return json_answer(shown, headers=language_headers(language))

    @get("/api/selftest/reports/{name}", "technician", also=(404, 422, 503), kind="text", media_type="*/*")
    async def report(self, request: web.Request) -> web.StreamResponse:
        """A report: NAME.json as it is kept, NAME.pdf printed."""
        asked = request.match_info["name"]
        stem, dot, kind = asked.rpartition(".")
        if not dot or kind not in {"json", "pdf"}:
            raise Refusal(404, Sentence("web.name_of_a_report"))
        value = await self._value(f"{stem}.json")
        if kind == "json":
            return made(msgspec.json.encode(value) + b"\n", "application/json", name=asked)
        try:
            report = convert(value)
        except BadReport as problem:
            raise Refusal(422, problem.sentence) from problem
        printed = await asyncio.to_thread(_printed, report, request[LANGUAGE])
        return made(printed, "application/pdf", name=asked)

    async def _value(self, name: str) -> Any:
        try:
            answer = await self._core.ask(messages.AskProbe(probe=ReportProbe(name=name)))
        except (CoreTrouble, Malformed) as problem:
            raise Refusal(404, problem.sentence) from problem
        return answer.result["report"]

    async def _view(self, entry: ReportEntry) -> ReportView:
        plain = ReportView(name=entry.name, level=entry.level)
        try:
            report = convert(await self._value(entry.name))
        except (BadReport, Refusal) as problem:
            return replace(plain, sentence_key=view(problem.sentence))
        return replace(plain, when=report.when, operator=report.operator, verdict=report.verdict)


def _printed(report: SelfTestReport, language: str) -> bytes:
    # Imported here: the libraries behind it take their time, and most starts never print.
    from pi_controller.selftest.printed import print_report  # noqa: PLC0415

    with speaking(language):
        return print_report(report)
