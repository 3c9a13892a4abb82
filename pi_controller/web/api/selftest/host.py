"""Hosts one self-test at a time on a thread of its own; any number of pages see it and answer.

Two who answer at once do not clash: an answer names its question, and the first one counts.
"""

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Any

import msgspec

from pi_controller.language.words import words
from pi_controller.protocol.sentences import view
from pi_controller.selftest.operator import Live, LiveView, Progress, Question, Reply, Stopped
from pi_controller.selftest.operator import Operator as OperatorRole
from pi_controller.selftest.probes import CannotRun
from pi_controller.selftest.report import Report
from pi_controller.selftest.verdicts import Result
from pi_controller.sentence import Sentence
from pi_controller.web.api.selftest.views import BeginBody, SelftestSnapshot, checks_in
from pi_controller.web.live.broadcaster import Broadcaster

LOOK_S = 0.25
"""So long at most an answer waits while something is watched live."""
END_WITHIN_S = 2.0

RUNS_ALREADY = Sentence("selftest.runs_already")
NOTHING_ASKED = Sentence("selftest.nothing_is_asked")
NONE_RUNS = Sentence("selftest.none_runs")
BROKE_OFF = Sentence("selftest.broke_off")

Run = Callable[[BeginBody, OperatorRole, str], Report]
"""Runs a whole self-test on the calling thread, in a language. Raises CannotRun."""


class _Answers:
    """What comes from the pages to the session's thread."""

    def __init__(self) -> None:
        self._came: queue.Queue[Reply | None] = queue.Queue()
        self.stopped = False

    def put(self, reply: Reply) -> None:
        self._came.put(reply)

    def stop(self) -> None:
        self.stopped = True
        self._came.put(None)

    def forget(self) -> None:
        """What came for a question that has answered itself is for nobody."""
        while not self._came.empty():
            self._came.get()

    @property
    def waiting(self) -> bool:
        return not self._came.empty()

    def take(self) -> Reply:
        """The next one, however long it takes. Raises Stopped."""
        reply = None if self.stopped else self._came.get()
        if reply is None:
            raise Stopped
        return reply


class SelftestHost:
    """Used on the web side's loop only; the session's thread comes in through `call_soon_threadsafe`."""

    def __init__(self, run: Run, broadcaster: Broadcaster, language: str) -> None:
        """`language`: of the hall, for the titles of the checks as long as nobody has begun."""
        self._run = run
        self._broadcaster = broadcaster
        self._answers = _Answers()
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
        self._answers = _Answers()
        self.snapshot = SelftestSnapshot(
            session=self.snapshot.session + 1,
            standing="running",
            level=plan.level,
            only=plan.only,
            operator=plan.operator,
            checks=checks_in(language),
        )
        operator = _Operator(self._answers, self._changer())
        self._thread = threading.Thread(
            target=self._work, args=(plan, operator, language), name="self-test", daemon=True
        )
        self._thread.start()
        self._publish()
        return None

    def answer(self, question: str, reply: Reply) -> Sentence | None:
        """Answer the question that stands; the reason why not."""
        standing = self.snapshot.question
        if standing is None or standing.id != question:
            return NOTHING_ASKED
        if (problem := _unfit(standing, reply)) is not None:
            return problem
        self._answers.put(reply)
        self._change(question=None, live=None)
        return None

    def stop(self) -> Sentence | None:
        """End it by hand; the reason why not."""
        if self.snapshot.standing != "running":
            return NONE_RUNS
        self._answers.stop()
        self._change(question=None, live=None)
        return None

    def sweep(self) -> None:
        """End one whose log-in is over; to be called about once a second."""
        if self.snapshot.standing == "running" and not self._answers.stopped and not self._may_go_on():
            self.stop()

    def mended(self, code: str, finding: int) -> None:
        """Show this finding as mended."""
        report = self.snapshot.report
        if report is not None:
            report = msgspec.structs.replace(report, results=_with_mended(report.results, code, finding))
        self._change(results=_with_mended(self.snapshot.results, code, finding), report=report)

    async def close(self) -> None:
        """Stop the one that runs, because the web side ends; it is not waited for long."""
        if self._thread is not None and self._thread.is_alive():
            self._answers.stop()
            await asyncio.to_thread(self._thread.join, END_WITHIN_S)

    def _work(self, plan: BeginBody, operator: "_Operator", language: str) -> None:
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


class _Operator:
    """The pages in the role of the operator; used on the session's thread."""

    def __init__(self, answers: _Answers, change: Callable[..., None]) -> None:
        self._answers = answers
        self._change = change
        self._results: tuple[Result, ...] = ()

    def progress(self, step: Progress) -> None:
        self._change(progress=step)
        self._check_stopped()

    def result(self, result: Result) -> None:
        self._results = (*self._results, result)
        self._change(results=self._results)
        self._check_stopped()

    def ask(self, question: Question, live: Live | None = None) -> Reply:
        self._answers.forget()
        self._check_stopped()
        self._change(question=question, live=None)
        while live is not None and not self._answers.waiting:
            view: LiveView = live.wait(LOOK_S)
            if view.finished:
                self._change(question=None, live=None)
                return Reply(answer=question.answers[0])
            self._change(live=view)
        return self._answers.take()

    def over(self, **fields: Any) -> None:
        """Nothing more comes."""
        self._change(progress=None, question=None, live=None, **fields)

    def _check_stopped(self) -> None:
        if self._answers.stopped:
            raise Stopped


def _failed(why: Sentence, language: str) -> dict[str, object]:
    return {"standing": "failed", "sentence": words(why, language), "sentence_key": view(why)}


def _unfit(question: Question, reply: Reply) -> Sentence | None:
    """Why this is no answer to the question."""
    if reply.answer == "skip" and not question.may_skip:
        return Sentence("selftest.cannot_be_skipped")
    if reply.answer == "skip" and not reply.reason.strip():
        return Sentence("selftest.skipped_without_a_reason")
    taken = (*question.answers, "retry", "skip")
    if question.answers and reply.answer not in taken:
        return Sentence("selftest.no_such_answer", answer=repr(reply.answer), taken=", ".join(taken))
    return None


def _with_mended(results: tuple[Result, ...], code: str, number: int) -> tuple[Result, ...]:
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
