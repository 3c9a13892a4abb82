"""The operator of a self-test at a terminal: questions, answers, a line of progress."""

import select
from typing import TextIO

from pi_controller.selftest.operator import Live, Progress, Question, Reply, Stopped
from pi_controller.selftest.report import Report
from pi_controller.selftest.verdicts import Result, Verdict

LOOK_S = 0.3
NOBODY = "nobody sits at the console"
CLOSED = "the console was closed"
WORDS: dict[Verdict, str] = {
    "passed": "passed",
    "failed": "FAILED",
    "warning": "warning",
    "not_fitted": "not fitted",
    "skipped": "left out",
}
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
        word = self._coloured(f"{WORDS[result.verdict]:10}", result.verdict)
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
            word: sum(result.verdict == verdict for result in report.results)
            for verdict, word in WORDS.items()
        }
        told = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        self._say(f"\n{self._coloured(WORDS[report.verdict], report.verdict)}: {told}")
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
