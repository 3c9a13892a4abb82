"""`pi-controller selftest`: coded checks of panel, tables and computer, with questions on the console."""

import asyncio
import getpass
import os
import select
import sys
import threading
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TextIO, cast, get_args

from pi_controller.cli.typed import plain, unique_id
from pi_controller.cli.usage import ACCEPTED, BAD_USAGE, FAILED, Stop, argument, command, state_dir
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.protocol.probes import Level
from pi_controller.selftest.core import CannotRun, CoreUnderTest
from pi_controller.selftest.operator import Live, OperatorQuestion, OperatorReply, Progress, Stopped
from pi_controller.selftest.report import SelfTestReport, encode
from pi_controller.selftest.verdicts import VERDICTS, CheckResult, Code, Verdict
from pi_controller.sentence import Sentence, as_told, separated
from pi_controller.web.http.access import PinFile

LOOK_S = 0.3
MOST_NAMES = 24
"""Of boards, in a question."""
NOBODY = Sentence("console.nobody")
CLOSED = Sentence("console.closed")
COLOURS: dict[Verdict, str] = {"passed": "32", "failed": "31;1", "warning": "33", "skipped": "33"}
ANSWERS: Mapping[str, Sentence] = {
    "saw": Sentence("console.answer_saw"),
    "not": Sentence("console.answer_not"),
    "skip": Sentence("console.answer_skip"),
    "retry": Sentence("console.answer_retry"),
    "yes": Sentence("console.answer_yes"),
    "no": Sentence("console.answer_no"),
    "mend": Sentence("console.answer_mend"),
    "leave": Sentence("console.answer_leave"),
    "done": Sentence("console.answer_done"),
    "none": Sentence("console.answer_none"),
}
"""What the answers of the checks mean."""
YES, NO = Sentence("console.letter_yes"), Sentence("console.letter_no")
"""Typed for the first and the second of two answers."""
SKIP, RETRY = Sentence("console.letter_skip"), Sentence("console.letter_retry")
CLEAR = "\r\x1b[K"


class TerminalOperator:
    """An `Operator`. Where `stdin` is no terminal every question is skipped, and says so."""

    def __init__(self, stdin: TextIO, stdout: TextIO) -> None:
        self._in = stdin
        self._out = stdout
        self._somebody = stdin.isatty()
        self._terminal = stdout.isatty()

    def progress(self, step: Progress) -> None:
        if self._terminal:
            number, left_s = step.done + 1, step.left_s
            told = Sentence("console.progress", number=number, of=step.of, what=step.text)
            if left_s >= 1:
                told = Sentence("console.progress_with_time", progress=told, left_s=left_s)
            self._say(CLEAR + words(told), end="")

    def result(self, result: CheckResult) -> None:
        clear = CLEAR if self._terminal else ""
        word = self._coloured(f"{words(VERDICTS[result.verdict]):10}", result.verdict)
        self._say(f"{clear}{result.code}  {word}  {result.sentence}")
        for finding in result.findings:
            mend = Sentence("console.swap_or_mend", part=finding.part)
            if finding.where:
                mend = Sentence("console.swap_or_mend_at", part=finding.part, where=finding.where)
            self._say(f"       {words(mend)}")

    async def ask(self, question: OperatorQuestion, live: Live | None = None) -> OperatorReply:
        if not self._somebody:
            return OperatorReply(answer="skip", reason=words(NOBODY))
        clear = CLEAR if self._terminal else ""
        self._say(f"{clear}{question.code}: {question.text}")
        try:
            return await self._answer(question, live)
        except asyncio.CancelledError as pressed:  # by Ctrl-C
            if (session := asyncio.current_task()) is not None:
                session.uncancel()
            raise Stopped from pressed

    def end(self, report: SelfTestReport) -> None:
        """The summary."""
        found = Counter(result.verdict for result in report.results)
        counts = [
            Sentence("console.so_many", number=found[verdict], verdict=word)
            for verdict, word in VERDICTS.items()
            if found[verdict]
        ]
        verdict = self._coloured(words(VERDICTS[report.verdict]), report.verdict)
        told = separated(counts) if counts else as_told("")
        self._say("\n" + words(Sentence("cli.about", name=verdict, told=told)))
        spent = Sentence("console.spent", machine_s=report.seconds, operator_s=report.operator_seconds)
        self._say(words(spent))
        for note in report.notes:
            self._say(note)
        for change in (change for change in report.changes if change.worse):
            since = Sentence(
                "console.changed_since",
                when=report.compared_with or "",
                figure=change.figure,
                board=change.board or change.uid,
                before=str(change.before),
                now=str(change.now),
            )
            self._say(words(since))

    async def _answer(self, question: OperatorQuestion, live: Live | None) -> OperatorReply:
        typed = _typed(question)
        while True:
            self._say(_prompt(question, typed), end="")
            view = await self._watch(live)
            if view is not None:
                return OperatorReply(answer=question.answers[0])
            line = await self._line()
            if line is None:
                return OperatorReply(answer="skip", reason=words(CLOSED))
            if not question.answers and plain(line) not in ("", words(RETRY), words(SKIP)):
                return OperatorReply(answer=line)
            word = typed.get(plain(line) or ("" if len(question.answers) != 1 else question.answers[0][0]))
            if word is not None:
                return await self._with_reason(question, word)
            self._say(words(Sentence("console.none_of_the_answers", line=repr(line))))

    async def _with_reason(self, question: OperatorQuestion, word: str) -> OperatorReply:
        """Skipping needs a reason; "not" may name what was not as it should be."""
        reason = ""
        while word == "skip" and not reason:
            self._say(words(Sentence("console.why_left_out")) + " ", end="")
            reason = await self._line() or ""
        if word == "not" and question.names:
            names = " ".join([*question.names[:MOST_NAMES], *["…"] * (len(question.names) > MOST_NAMES)])
            self._say(words(Sentence("console.which_of", names=names)) + " ", end="")
            reason = await self._line() or ""
        return OperatorReply(answer=word, reason=reason)

    async def _watch(self, live: Live | None) -> object | None:
        """The finished view; None when a line has been typed first, or there is nothing to be watched."""
        told = ""
        while live is not None and not select.select([self._in], [], [], 0)[0]:
            view = await live.wait(LOOK_S)
            if view.text != told and self._terminal:
                told = view.text
                self._say(CLEAR + words(Sentence("console.watching", view=told)) + " ", end="")
            if view.finished:
                self._say("")
                return view
        return None

    async def _line(self) -> str | None:
        """What was typed; None at the end of it."""
        over = threading.Event()

        def read() -> str:
            while not over.is_set():
                if select.select([self._in], [], [], LOOK_S)[0]:
                    return self._in.readline()
            return ""

        try:
            line = await asyncio.to_thread(read)
        finally:
            over.set()  # nobody types any more to end it
        return line.strip() if line else None

    def _coloured(self, text: str, verdict: Verdict) -> str:
        colour = COLOURS.get(verdict)
        return text if colour is None or not self._terminal else f"\x1b[{colour}m{text}\x1b[0m"

    def _say(self, text: str, end: str = "\n") -> None:
        self._out.write(text + end)
        self._out.flush()


def _typed(question: OperatorQuestion) -> dict[str, str]:
    """What may be typed for each answer, as `plain` has it: its letter, itself, or what it is called."""
    typed = {answer: answer for answer in question.answers}
    typed |= {plain(words(ANSWERS[answer])): answer for answer in question.answers if answer in ANSWERS}
    if len(question.answers) == 2:
        typed |= dict(zip((words(YES), words(NO)), question.answers, strict=True))
        typed |= dict(
            zip((plain(words(ANSWERS["yes"])), plain(words(ANSWERS["no"]))), question.answers, strict=True)
        )
    else:
        typed |= {answer[0]: answer for answer in question.answers}
    typed[words(RETRY)] = "retry"
    if question.may_skip:
        typed[words(SKIP)] = "skip"
    return typed


def _prompt(question: OperatorQuestion, typed: dict[str, str]) -> str:
    if not question.answers:
        return f"  {words(Sentence('console.prompt_for_a_name', retry=RETRY, skip=SKIP))} "
    choices = [
        Sentence("console.choice", letter=letter, meaning=ANSWERS.get(word) or as_told(word))
        for letter, word in typed.items()
        if len(letter) == 1
    ]
    return f"  {words(Sentence('console.prompt', choices=separated(choices)))} "


LEVELS: tuple[str, ...] = get_args(Level)


@command(
    "selftest",
    argument("--level", choices=LEVELS, default="field", meaning=Sentence("help.selftest_level")),
    argument(
        "--only",
        nargs="+",
        default=(),
        shown=Sentence("metavar.code"),
        meaning=Sentence("help.selftest_only"),
    ),
    argument("--node", type=unique_id, shown="UID", meaning=Sentence("help.selftest_node")),
    argument("--operator", shown=Sentence("metavar.name"), meaning=Sentence("help.selftest_operator")),
    argument("--json", type=Path, shown="F", meaning=Sentence("help.selftest_json")),
    argument("--pdf", type=Path, shown="F", meaning=Sentence("help.selftest_pdf")),
)
def selftest(arguments: Namespace) -> int:
    """0 when nothing failed, 1 when something did, 2 when it could not run or proved nothing."""
    codes = _codes(arguments.only)
    for file in (arguments.json, arguments.pdf):
        _check_place(file)
    report = _tested(arguments, codes)
    _write(arguments, report)
    if report.verdict == "failed":
        return FAILED
    if report.verdict == "skipped":
        raise _wrong(Sentence("console.nothing_proved"))
    return ACCEPTED


def _user() -> str:
    """Who sits here; a user id without a name stands for itself."""
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):  # KeyError before Python 3.13
        return words(Sentence("console.user_without_name", number=str(os.getuid())))


def _codes(given: list[str]) -> tuple[Code, ...]:
    unknown = [code for code in given if code.upper() not in get_args(Code)]
    if unknown:
        raise _wrong(Sentence("console.no_check", text=repr(unknown[0]), known=", ".join(get_args(Code))))
    return cast("tuple[Code, ...]", tuple(code.upper() for code in given))


def _check_place(file: Path | None) -> None:
    """Before ten minutes of work are done for a file that cannot be written."""
    if file is None:
        return
    folder = file.absolute().parent
    if not folder.is_dir():
        raise _wrong(Sentence("console.no_folder", folder=str(folder)))
    if file.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
        raise _wrong(Sentence("console.cannot_be_written", path=str(file)))


def _tested(arguments: Namespace, codes: tuple[Code, ...]) -> SelfTestReport:
    # Imported here and not above: wrong usage need not load the checks.
    from pi_controller.selftest.session import run_selftest  # noqa: PLC0415

    console = TerminalOperator(sys.stdin, sys.stdout)
    try:
        report = asyncio.run(
            run_selftest(
                CoreUnderTest(state_dir(arguments), pin_matches=_pin_check(state_dir(arguments))),
                level=arguments.level,
                only=codes,
                who=_user() if arguments.operator is None else arguments.operator,
                operator=console,
                uid=arguments.node,
            )
        )
    except CannotRun as error:
        raise _wrong(error.sentence) from error
    console.end(report)
    return report


def _pin_check(folder: Path) -> Callable[[str], bool | None]:
    """Whether a text is the PIN for the pages; None while none is set."""
    pin = PinFile(folder / "web")
    return lambda text: pin.matches(text) if pin.is_set() else None


def _write(arguments: Namespace, report: SelfTestReport) -> None:
    try:
        if arguments.json is not None:
            arguments.json.write_bytes(encode(report))
        if arguments.pdf is not None:
            # Imported here: only who prints needs it.
            from pi_controller.selftest.printed import print_report  # noqa: PLC0415

            arguments.pdf.write_bytes(print_report(report))
    except OSError as error:
        path = str(error.filename)
        raise _wrong(Sentence("console.controller_has_report", path=path, why=why(error))) from error


def _wrong(told: Sentence) -> Stop:
    return Stop(BAD_USAGE, Sentence("cli.about", name="pi-controller selftest", told=told))
