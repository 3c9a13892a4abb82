"""`pi-controller selftest`: arguments, exit statuses, files."""

import ast
import asyncio
import io
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_controller.cli.main import main
from pi_controller.cli.selftest import ANSWERS, NO, RETRY, SKIP, YES, TerminalOperator
from pi_controller.language.languages import LANGUAGES
from pi_controller.language.words import speaking, words
from pi_controller.selftest import operator, session
from pi_controller.selftest.core import CoreUnderTest
from pi_controller.selftest.operator import Live, LiveView, OperatorQuestion, OperatorReply, Progress, Stopped
from pi_controller.selftest.report import SelfTestReport
from pi_controller.selftest.verdicts import CheckResult, Finding
from tests.cli.conftest import Run
from tests.patience import DEADLINE_S
from tests.selftest.small_hall import SmallHall


@pytest.fixture
def hall(monkeypatch: pytest.MonkeyPatch, state: Path) -> SmallHall:
    """The command line works on this hall."""
    there = SmallHall()

    whole = session.run_selftest

    async def run_here(_core: CoreUnderTest, **how: Any) -> SelfTestReport:
        return await whole(there, now=there.now, clock=there.clock, pause=there.wait, **how)

    monkeypatch.setattr(session, "run_selftest", run_here)
    return there


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def test_a_healthy_boot_ends_with_0(hall: SmallHall, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "--level", "boot"]) == 0
    out = said(capsys)
    assert "TMP  passed      The controller is cool enough." in out
    assert "passed: 12 passed" in out
    assert "\x1b" not in out


def test_a_failure_ends_with_1_and_names_the_part(
    hall: SmallHall, capsys: pytest.CaptureFixture[str]
) -> None:
    hall.panel.ports[0].latency_timer_ms = 16
    assert main(["selftest", "--only", "ftd", "prt"]) == 1
    out = said(capsys)
    assert "FTD  FAILED      The adapter of segment A delays answers by 16 ms" in out
    assert "swap or repair: the udev rule for the USB adapter of segment A [A]" in out
    assert "PRT  passed" in out


def test_nobody_at_the_console_leaves_questions_out(
    hall: SmallHall, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["selftest"]) == 0
    out = said(capsys)
    assert "LMP  skipped     Skipped by the operator: nobody sits at the console." in out
    assert "Skipped: LMP, SND, PSB, BNC, CLM, LED and OLD. This does not count as a pass." in out


def test_only_questions_and_nobody_there_proves_nothing(hall: SmallHall, run: Run) -> None:
    assert "Nothing was tested" in run("selftest", "--only", "LMP", status=2).err


def test_the_report_goes_to_files(hall: SmallHall, tmp_path: Path) -> None:
    json, pdf = tmp_path / "r.json", tmp_path / "r.pdf"
    assert (
        main(["selftest", "--level", "boot", "--operator", "Ada", "--json", str(json), "--pdf", str(pdf)])
        == 0
    )
    report = msgspec.json.decode(json.read_bytes(), type=SelfTestReport)
    assert (report.operator, report.level, len(report.results)) == ("Ada", "boot", 12)
    assert pdf.read_bytes().startswith(b"%PDF")


def test_what_became_worse_is_told(
    hall: SmallHall, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["selftest", "--only", "VBS"]) == 0
    before = msgspec.json.decode(hall.texts_kept[0][1], type=SelfTestReport)
    for label in ("A1", "A2", "A3", "A4"):
        hall.tables_there[label].supply_v = 22.8
    assert main(["selftest", "--only", "VBS"]) == 0
    assert f"Since {before.when}: supply of A1 24.0 → 22.8" in said(capsys)


def test_no_core_is_one_sentence(state: Path, run: Run) -> None:
    assert run("selftest", "--level", "boot", status=2).err.startswith(
        f"pi-controller selftest: No controller answers at {state}"
    )


def test_a_refused_lease_is_one_sentence(hall: SmallHall, run: Run) -> None:
    hall.refusal = "A game is under way (round 3): test the hardware before a game's start or after its end."
    assert run("selftest", status=2).err == f"pi-controller selftest: {hall.refusal}\n"


def test_a_file_that_cannot_be_written_after_all(
    hall: SmallHall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    def full(_path: Path, _text: bytes) -> int:
        raise OSError(28, "No space left on device", "r.json")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert (
        "r.json: No space left on device; the controller has kept the report"
        in run("selftest", "--level", "boot", "--json", tmp_path / "r.json", status=2).err
    )


def test_a_user_without_a_name_may_test(
    hall: SmallHall, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("SUDO_USER", "LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    file = tmp_path / "report.json"
    assert main(["selftest", "--level", "boot", "--json", str(file)]) == 0
    assert msgspec.json.decode(file.read_bytes(), type=SelfTestReport).operator == "user 4000000"


SAW = OperatorQuestion(id="LMP-1", code="LMP", text="Is the Sun lamp lit?", names=("nothing", "moon"))
DONE = OperatorQuestion(id="PSB-1", code="PSB", text="Press ten times.", answers=("done",), live="edges")
MEND = OperatorQuestion(id="CLM-1", code="CLM", text="Fix it now?", answers=("mend", "leave"))
FREE = OperatorQuestion(id="CEN-1", code="CEN", text="Which node?", answers=())


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def console(typed: str) -> Iterator[tuple[TerminalOperator, Screen]]:
    """What was typed lies in the keyboard's buffer already."""
    near, far = os.openpty()
    screen = Screen()
    with os.fdopen(far, encoding="utf-8") as keyboard:
        os.write(near, typed.encode())
        yield TerminalOperator(keyboard, screen), screen
    os.close(near)


def answer(question: OperatorQuestion, typed: str) -> OperatorReply:
    with console(typed) as (operator, _screen):
        return asyncio.run(operator.ask(question))


@pytest.mark.parametrize(
    ("question", "typed", "reply"),
    [
        (SAW, "y\n", OperatorReply(answer="saw")),
        (SAW, "Y\n", OperatorReply(answer="saw")),
        (SAW, "n\nmoon\n", OperatorReply(answer="not", reason="moon")),
        (SAW, "r\n", OperatorReply(answer="retry")),
        (SAW, "s\n\nno ladder\n", OperatorReply(answer="skip", reason="no ladder")),
        (SAW, "what\ny\n", OperatorReply(answer="saw")),
        (MEND, "y\n", OperatorReply(answer="mend")),
        (MEND, "leave\n", OperatorReply(answer="leave")),
        (DONE, "\n", OperatorReply(answer="done")),
        (FREE, "A5\n", OperatorReply(answer="A5")),
        (SAW, "\x04", OperatorReply(answer="skip", reason="the console was closed")),
    ],
)
def test_answers_are_letters(question: OperatorQuestion, typed: str, reply: OperatorReply) -> None:
    assert answer(question, typed) == reply


def test_nobody_is_there_without_a_terminal() -> None:
    operator = TerminalOperator(io.StringIO("y\n"), io.StringIO())
    assert asyncio.run(operator.ask(SAW)) == OperatorReply(answer="skip", reason="nobody sits at the console")


class Pressed:
    def __init__(self, wanted: int) -> None:
        self.looks = 0
        self.wanted = wanted

    async def wait(self, seconds: float) -> LiveView:
        self.looks += 1
        return LiveView(finished=self.looks == self.wanted, text=f"{self.looks} of {self.wanted} presses")


def test_what_happens_answers_by_itself() -> None:
    with console("") as (operator, screen):
        assert asyncio.run(operator.ask(DONE, Pressed(3))) == OperatorReply(answer="done")
    assert "2 of 3 presses" in screen.getvalue()


def test_a_key_ends_what_is_watched() -> None:
    with console("\n") as (operator, _screen):
        live = Pressed(10**6)
        assert asyncio.run(operator.ask(DONE, live)) == OperatorReply(answer="done")
        assert live.looks < 10


async def interrupted(operator: TerminalOperator, live: Live | None = None) -> bool:
    """Whether the session's task could go on after Ctrl-C had stopped what was asked."""
    asked = asyncio.current_task()
    assert asked is not None
    asyncio.get_running_loop().call_later(0.05, signal.raise_signal, signal.SIGINT)
    with pytest.raises(Stopped):
        await operator.ask(DONE, live)
    await asyncio.sleep(0)
    return asked.cancelling() == 0


class Slow:
    async def wait(self, seconds: float) -> LiveView:
        await asyncio.Event().wait()
        return LiveView(finished=True, text="")


@pytest.mark.parametrize("live", [None, Slow()])
def test_ctrl_c_stops_the_session_and_nobody_need_type_any_more(live: Live | None) -> None:
    began_s = time.monotonic()
    with console("") as (operator, _screen):
        assert asyncio.run(interrupted(operator, live))
    assert time.monotonic() - began_s < DEADLINE_S, "what reads the terminal ends as well"


def test_progress_is_a_line_that_is_written_over() -> None:
    step = Progress(code="BER", title="error rate", done=2, of=9, text="BER error rate", left_s=41.0)
    with console("") as (operator, screen):
        operator.progress(step)
        operator.result(
            CheckResult(
                code="BER",
                title="error rate",
                verdict="failed",
                sentence="Lost.",
                findings=(Finding(part="node", where="A1", sentence="Lost."),),
            )
        )
    assert screen.getvalue() == (
        "\r\x1b[K[3/9] BER error rate …, about 41 s and your answers"
        "\r\x1b[KBER  \x1b[31;1mFAILED    \x1b[0m  Lost.\n       swap or repair: node [A1]\n"
    )


def test_a_file_gets_neither_colours_nor_progress() -> None:
    page = io.StringIO()
    operator = TerminalOperator(io.StringIO(), page)
    operator.progress(Progress(code="BER", title="", done=0, of=1, text="BER", left_s=0.0))
    operator.result(CheckResult(code="BER", title="", verdict="passed", sentence="No frame was lost."))
    assert page.getvalue() == "BER  passed      No frame was lost.\n"


@pytest.mark.parametrize(
    ("language", "typed", "reply"),
    [
        ("es", "si\n", "saw"),
        ("es", "SÍ\n", "saw"),
        ("pt", "Sim\n", "saw"),
        ("pt-BR", "NAO\n\n", "not"),
        ("pt", "não\n\n", "not"),
        ("pl", "TAK\n", "saw"),
        ("de", "Nein, nicht gesehen\n\n", "not"),
    ],
)
def test_words_are_understood_without_accents_and_in_capitals(language: str, typed: str, reply: str) -> None:
    with speaking(language):
        assert answer(SAW, typed).answer == reply


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_a_letter_for_each_answer(language: str) -> None:
    letters = [words(letter, language) for letter in (YES, NO, SKIP, RETRY)]
    assert all(len(letter) == 1 and letter == letter.lower() for letter in letters), letters
    alone = {answers[0][0] for answers in asked() if len(answers) == 1}
    assert len({*letters, *alone}) == len(letters) + len(alone)


def test_every_answer_has_its_meaning() -> None:
    assert {answer for answers in asked() for answer in answers} | {"skip", "retry"} == set(ANSWERS)


def asked() -> list[tuple[str, ...]]:
    """The answers of every question of the checks."""
    found = [operator.SAW]
    for path in Path(session.__file__).parent.rglob("*.py"):
        found += [
            ast.literal_eval(node.value)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.keyword) and node.arg == "answers" and isinstance(node.value, ast.Tuple)
        ]
    return found
