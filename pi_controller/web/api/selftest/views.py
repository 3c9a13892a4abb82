"""What the pages are told of the self-test that runs, or ran last, and what they may send."""

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from pi_controller.bus.values import Uid
from pi_controller.language.words import words
from pi_controller.protocol.probes import Level
from pi_controller.protocol.sentences import SentenceView, sentence, view
from pi_controller.selftest.catalogue import CHECKS
from pi_controller.selftest.operator import LiveView, Progress, Question
from pi_controller.selftest.report import Report
from pi_controller.selftest.verdicts import Code, Result, Verdict

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
    question: Question | None = None
    live: LiveView | None = None
    results: tuple[Result, ...] = ()
    report: Report | None = None
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
