"""`pi-controller selftest`: coded checks of panel, tables and computer, with questions on the console."""

import getpass
import os
import select
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TextIO, cast, get_args

from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    Parser,
    Stop,
    add_state_dir,
    parser_for,
    state_dir,
)
from pi_controller.language.words import words
from pi_controller.protocol.probes import Level
from pi_controller.roster.checks import NODE
from pi_controller.selftest.catalogue import CHECKS
from pi_controller.selftest.operator import Live, Progress, Question, Reply, Stopped
from pi_controller.selftest.probes import CannotRun
from pi_controller.selftest.report import Report, encode
from pi_controller.selftest.verdicts import VERDICTS, Code, Result, Verdict
from pi_controller.web.http.pin import PinFile

LOOK_S = 0.3
NOBODY = "nobody sits at the console"
CLOSED = "the console was closed"
COLOURS: dict[Verdict, str] = {"passed": "32", "failed": "31;1", "warning": "33", "skipped": "33"}
LETTERS = "ynabc"
"""For the words of a question, besides their own first letters: yes and no first."""
CLEAR = "\r\x1b[K"


class Console:
    """An `Operator`. Where `stdin` is no terminal every question is skipped, and says so."""

    def __init__(self, stdin: TextIO, stdout: TextIO) -> None:
        self._in = stdin
        self._out = stdout
        self._somebody = stdin.isatty()
        self._terminal = stdout.isatty()

    def progress(self, step: Progress) -> None:
        if self._terminal:
            left = f", about {step.left_s:.0f} s and your answers" if step.left_s >= 1 else ""
            self._say(f"{CLEAR}[{step.done + 1}/{step.of}] {step.text} …{left}", end="")

    def result(self, result: Result) -> None:
        clear = CLEAR if self._terminal else ""
        word = self._coloured(f"{words(VERDICTS[result.verdict]):10}", result.verdict)
        self._say(f"{clear}{result.code}  {word}  {result.sentence}")
        for finding in result.findings:
            where = f" [{finding.where}]" if finding.where else ""
            self._say(f"       swap or mend: {finding.part}{where}")

    def ask(self, question: Question, live: Live | None = None) -> Reply:
        if not self._somebody:
            return Reply(answer="skip", reason=NOBODY)
        clear = CLEAR if self._terminal else ""
        self._say(f"{clear}{question.code}: {question.text}")
        try:
            return self._answer(question, live)
        except KeyboardInterrupt as pressed:
            raise Stopped from pressed

    def end(self, report: Report) -> None:
        """The summary."""
        counts = {
            words(word): sum(result.verdict == verdict for result in report.results)
            for verdict, word in VERDICTS.items()
        }
        told = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        self._say(f"\n{self._coloured(words(VERDICTS[report.verdict]), report.verdict)}: {told}")
        self._say(f"{report.seconds:.1f} s of the machine, {report.operator_seconds:.0f} s of yours.")
        for note in report.notes:
            self._say(note)
        for change in (change for change in report.changes if change.worse):
            board = change.board or change.uid
            self._say(
                f"Since {report.compared_with}: {change.figure} of {board} {change.before} → {change.now}"
            )

    def _answer(self, question: Question, live: Live | None) -> Reply:
        words = _words(question)
        while True:
            self._say(_prompt(question, words), end="")
            view = self._watch(live)
            if view is not None:
                return Reply(answer=question.answers[0])
            line = self._line()
            if line is None:
                return Reply(answer="skip", reason=CLOSED)
            if not question.answers and line not in ("", "r", "s"):
                return Reply(answer=line)
            word = words.get(line.lower() or ("" if len(question.answers) != 1 else question.answers[0][0]))
            if word is not None:
                return self._with_reason(question, word)
            self._say(f"{line!r} is none of the answers.")

    def _with_reason(self, question: Question, word: str) -> Reply:
        """Skipping needs a reason; "not" may name what was not as it should be."""
        reason = ""
        while word == "skip" and not reason:
            self._say("Why is it left out? ", end="")
            reason = self._line() or ""
        if word == "not" and question.names:
            self._say(
                f"Which? Of {' '.join(question.names[:24])}{' …' * (len(question.names) > 24)}: ", end=""
            )
            reason = self._line() or ""
        return Reply(answer=word, reason=reason)

    def _watch(self, live: Live | None) -> object | None:
        """The finished view; None when a line has been typed first, or there is nothing to be watched."""
        told = ""
        while live is not None and not select.select([self._in], [], [], 0)[0]:
            view = live.wait(LOOK_S)
            if view.text != told and self._terminal:
                told = view.text
                self._say(f"{CLEAR}{told} (Enter when you are through) ", end="")
            if view.finished:
                self._say("")
                return view
        return None

    def _line(self) -> str | None:
        """What was typed; None at the end of it."""
        line = self._in.readline()
        return line.strip() if line else None

    def _coloured(self, text: str, verdict: Verdict) -> str:
        colour = COLOURS.get(verdict)
        return text if colour is None or not self._terminal else f"\x1b[{colour}m{text}\x1b[0m"

    def _say(self, text: str, end: str = "\n") -> None:
        self._out.write(text + end)
        self._out.flush()


def _words(question: Question) -> dict[str, str]:
    """What may be typed for each answer."""
    words = {"r": "retry"}
    if question.may_skip:
        words["s"] = "skip"
    two = len(question.answers) == 2
    for place, answer in enumerate(question.answers):
        words[LETTERS[place] if two else answer[0]] = answer
        words[answer] = answer
    return words


def _prompt(question: Question, words: dict[str, str]) -> str:
    if not question.answers:
        return "  name, r = begin again, s = leave out: "
    meanings = {"saw": "yes, I saw it", "not": "no, I did not", "skip": "leave out", "retry": "begin again"}
    letters = {letter: word for letter, word in words.items() if len(letter) == 1}
    order = sorted(letters, key=lambda letter: letter in "rs")
    return (
        "  "
        + ", ".join(f"{letter} = {meanings.get(letters[letter], letters[letter])}" for letter in order)
        + ": "
    )


LEVELS: tuple[str, ...] = get_args(Level)
NOTHING_PROVED = "Nothing is proved: the self-test was stopped, or all of it was left out."


def run(name: str, given: list[str]) -> int:
    """0 when nothing failed, 1 when something did, 2 when it could not run or proved nothing."""
    parser = parser_for(name)
    _add_arguments(parser)
    arguments = parser.parse_args(given)
    codes = _codes(arguments.only or [])
    if arguments.node is not None and NODE.fullmatch(arguments.node) is None:
        raise Stop(
            BAD_USAGE,
            f"pi-controller selftest: {arguments.node!r} is no node's unique id (16 digits 0-9, a-f)",
        )
    for file in (arguments.json, arguments.pdf):
        _check_place(file)
    report = _tested(arguments, codes)
    _write(arguments, report)
    if report.verdict == "failed":
        return FAILED
    if report.verdict == "skipped":
        raise Stop(BAD_USAGE, f"pi-controller selftest: {NOTHING_PROVED}")
    return ACCEPTED


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--level",
        choices=LEVELS,
        default="field",
        help="boot: silent, 3 s; field: guided, before an event (default); bench: one node, with long"
        " figures",
    )
    parser.add_argument("--only", nargs="+", metavar="CODE", help="these checks, of whichever level")
    parser.add_argument("--node", metavar="UID", help="the node to be tested on the bench level")
    parser.add_argument("--operator", metavar="NAME", default=_user(), help="who tests (default: you)")
    parser.add_argument("--json", type=Path, metavar="F", help="write the report to this file as well")
    parser.add_argument("--pdf", type=Path, metavar="F", help="write the printable report to this file")
    add_state_dir(parser)


def _user() -> str:
    """Who sits here; a user id without a name stands for itself."""
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):  # KeyError before Python 3.13
        return f"user {os.getuid()}"


def _codes(given: list[str]) -> tuple[Code, ...]:
    unknown = [code for code in given if code.upper() not in CHECKS]
    if unknown:
        raise Stop(
            BAD_USAGE,
            f"pi-controller selftest: {unknown[0]!r} is no check; the checks are {', '.join(CHECKS)}",
        )
    return cast("tuple[Code, ...]", tuple(code.upper() for code in given))


def _check_place(file: Path | None) -> None:
    """Before ten minutes of work are done for a file that cannot be written."""
    if file is None:
        return
    folder = file.absolute().parent
    if not folder.is_dir():
        raise Stop(BAD_USAGE, f"pi-controller selftest: {folder} is no folder; make it first")
    if file.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
        raise Stop(BAD_USAGE, f"pi-controller selftest: {file} cannot be written; name another file")


def _tested(arguments: Namespace, codes: tuple[Code, ...]) -> Report:
    # Imported here and not above: wrong usage need not load the checks.
    from pi_controller.selftest.session import run_selftest  # noqa: PLC0415

    console = Console(sys.stdin, sys.stdout)
    try:
        report = run_selftest(
            state_dir(arguments),
            level=arguments.level,
            only=codes,
            who=arguments.operator,
            operator=console,
            uid=arguments.node,
            pin_matches=_pin_check(state_dir(arguments)),
        )
    except CannotRun as error:
        raise Stop(BAD_USAGE, f"pi-controller selftest: {error}") from error
    console.end(report)
    return report


def _pin_check(folder: Path) -> Callable[[str], bool | None]:
    """Whether a text is the PIN for the pages; None while none is set."""
    pin = PinFile(folder / "web")
    return lambda text: pin.matches(text) if pin.is_set() else None


def _write(arguments: Namespace, report: Report) -> None:
    try:
        if arguments.json is not None:
            arguments.json.write_bytes(encode(report))
        if arguments.pdf is not None:
            # Imported here: only who prints needs it.
            from pi_controller.selftest.printed import print_report  # noqa: PLC0415

            arguments.pdf.write_bytes(print_report(report))
    except OSError as error:
        raise Stop(
            BAD_USAGE,
            f"pi-controller selftest: {error.filename}: {error.strerror}; the controller has kept the report",
        ) from error
