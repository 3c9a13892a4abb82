"""The person (or machine) that looks, listens and presses while the self-test runs."""

from typing import Literal, Protocol

from msgspec import Struct

from pi_controller.protocol.sentences import SentenceView
from pi_controller.selftest.verdicts import CheckResult, Code

Picture = Literal[
    "", "controller", "sun_lamp", "moon_lamp", "pause_lamp", "buzzer", "pause_button", "display", "tables",
    "walk", "cable", "mains",
]  # fmt: skip
LiveKind = Literal["", "edges", "walk"]
SAW: tuple[str, str] = ("saw", "not")


class Stopped(Exception):  # noqa: N818 - an end, not an error
    """The session was ended by hand."""


class Progress(Struct, frozen=True, kw_only=True):
    """`done` of `of` checks are behind; `left_s` is the machine time that is expected to be left."""

    code: Code
    title: str
    done: int
    of: int
    text: str
    left_s: float
    title_key: SentenceView | None = None


class OperatorQuestion(Struct, frozen=True, kw_only=True):
    """Asked in the middle of a check. `answers` are the words that Reply.answer may be, besides `retry` (the
    check begins anew) and, with `may_skip`, `skip`; empty: any text. `picture` names what to look at.
    `names`: what Reply.reason may name with the answer "not", apart by blanks, such as the boards that did
    not light."""

    id: str
    code: Code
    text: str
    picture: Picture = ""
    answers: tuple[str, ...] = SAW
    may_skip: bool = True
    live: LiveKind = ""
    names: tuple[str, ...] = ()
    text_key: SentenceView | None = None
    """The text before it was put into words."""


class OperatorReply(Struct, frozen=True, kw_only=True):
    """`answer`: one of the question's words, "retry", or "skip" with the reason for it."""

    answer: str
    reason: str = ""


class WalkBoard(Struct, frozen=True, kw_only=True):
    """One board of a walk: which of its buttons were heard, and what is odd about it."""

    board: str
    row: str
    sun: bool = False
    moon: bool = False
    note: str = ""
    note_key: SentenceView | None = None


class LiveView(Struct, frozen=True, kw_only=True):
    """What has happened since the question was asked. `finished`: nothing more is expected, so the question
    answers itself with the first of its words."""

    finished: bool
    text: str
    """Such as "7 of 10 presses"."""
    done: int = 0
    of: int = 0
    closed: tuple[bool, bool | None] | None = None
    """NO and NC contact now, NC None where it is not wired; None when it is not about the button."""
    walk: tuple[WalkBoard, ...] = ()
    text_key: SentenceView | None = None


class Live(Protocol):
    """Watches while a question stands; used by the task that called `ask`."""

    async def wait(self, seconds: float) -> LiveView:
        """The view after the next news, at the latest after so many seconds."""


class Operator(Protocol):
    """The session waits for each answer; all methods may raise Stopped."""

    def progress(self, step: Progress) -> None:
        """A check begins, or goes on."""

    def result(self, result: CheckResult) -> None:
        """A check has ended."""

    async def ask(self, question: OperatorQuestion, live: Live | None = None) -> OperatorReply:
        """The answer. With `live` (question.live says its kind) call `live.wait` again and again, and answer
        with the first of the question's words as soon as a view is finished."""


def names_in(text: str) -> list[str]:
    """Names apart by blanks or commas, each once, in their order."""
    return list(dict.fromkeys(text.replace(",", " ").split()))
