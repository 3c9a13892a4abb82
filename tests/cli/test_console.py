"""The operator at a terminal, with a pseudo-terminal in the place of the keyboard."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pi_controller.cli.console import Console
from pi_controller.selftest.operator import LiveView, Progress, Question, Reply, Stopped
from pi_controller.selftest.verdicts import Finding, Result

SAW = Question(id="LMP-1", code="LMP", text="Is the Sun lamp lit?", names=("nothing", "moon"))
DONE = Question(id="PSB-1", code="PSB", text="Press ten times.", answers=("done",), live="edges")
MEND = Question(id="CLM-1", code="CLM", text="Mend it now?", answers=("mend", "leave"))
FREE = Question(id="CEN-1", code="CEN", text="Which node?", answers=())


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def console(typed: str) -> Iterator[tuple[Console, Screen]]:
    """What was typed lies in the keyboard's buffer already."""
    near, far = os.openpty()
    screen = Screen()
    with os.fdopen(far, encoding="utf-8") as keyboard:
        os.write(near, typed.encode())
        yield Console(keyboard, screen), screen
    os.close(near)


def answer(question: Question, typed: str) -> Reply:
    with console(typed) as (operator, _screen):
        return operator.ask(question)


@pytest.mark.parametrize(
    ("question", "typed", "reply"),
    [
        (SAW, "y\n", Reply(answer="saw")),
        (SAW, "Y\n", Reply(answer="saw")),
        (SAW, "n\nmoon\n", Reply(answer="not", reason="moon")),
        (SAW, "r\n", Reply(answer="retry")),
        (SAW, "s\n\nno ladder\n", Reply(answer="skip", reason="no ladder")),
        (SAW, "what\ny\n", Reply(answer="saw")),
        (MEND, "y\n", Reply(answer="mend")),
        (MEND, "leave\n", Reply(answer="leave")),
        (DONE, "\n", Reply(answer="done")),
        (FREE, "A5\n", Reply(answer="A5")),
        (SAW, "\x04", Reply(answer="skip", reason="the console was closed")),
    ],
)
def test_answers_are_letters(question: Question, typed: str, reply: Reply) -> None:
    assert answer(question, typed) == reply


def test_nobody_is_there_without_a_terminal() -> None:
    operator = Console(io.StringIO("y\n"), io.StringIO())
    assert operator.ask(SAW) == Reply(answer="skip", reason="nobody sits at the console")


class Pressed:
    def __init__(self, wanted: int) -> None:
        self.looks = 0
        self.wanted = wanted

    def wait(self, seconds: float) -> LiveView:
        self.looks += 1
        return LiveView(finished=self.looks == self.wanted, text=f"{self.looks} of {self.wanted} presses")


def test_what_happens_answers_by_itself() -> None:
    with console("") as (operator, screen):
        assert operator.ask(DONE, Pressed(3)) == Reply(answer="done")
    assert "2 of 3 presses" in screen.getvalue()


def test_a_key_ends_what_is_watched() -> None:
    with console("\n") as (operator, _screen):
        live = Pressed(10**6)
        assert operator.ask(DONE, live) == Reply(answer="done")
        assert live.looks < 10


def test_ctrl_c_stops_the_session() -> None:
    class Interrupted:
        def wait(self, seconds: float) -> LiveView:
            raise KeyboardInterrupt

    with console("") as (operator, _screen), pytest.raises(Stopped):
        operator.ask(DONE, Interrupted())


def test_progress_is_a_line_that_is_written_over() -> None:
    step = Progress(code="BER", title="error rate", done=2, of=9, text="BER error rate", left_s=41.0)
    with console("") as (operator, screen):
        operator.progress(step)
        operator.result(
            Result(
                code="BER",
                title="error rate",
                verdict="failed",
                sentence="Lost.",
                findings=(Finding(part="node", where="A1", sentence="Lost."),),
            )
        )
    assert screen.getvalue() == (
        "\r\x1b[K[3/9] BER error rate …, about 41 s and your answers"
        "\r\x1b[KBER  \x1b[31;1mFAILED    \x1b[0m  Lost.\n       swap or mend: node [A1]\n"
    )


def test_a_file_gets_neither_colours_nor_progress() -> None:
    page = io.StringIO()
    operator = Console(io.StringIO(), page)
    operator.progress(Progress(code="BER", title="", done=0, of=1, text="BER", left_s=0.0))
    operator.result(Result(code="BER", title="", verdict="passed", sentence="No frame was lost."))
    assert page.getvalue() == "BER  passed      No frame was lost.\n"
