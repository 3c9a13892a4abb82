import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pi_controller import __version__
from pi_controller.cli.main import main
from pi_controller.cli.usage import COMMANDS
from tests.cli.conftest import Run
from tests.patience import DEADLINE_S

PROGRAM = [sys.executable, "-m", "pi_controller"]


def run(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | changes
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        env=environment,
        check=False,
    )


@pytest.mark.parametrize("flag", ["--help", "-h", "help"])
def test_help_lists_every_command(flag: str, run: Run) -> None:
    menu = run(flag).out
    assert all(f"  {name} " in menu for name in COMMANDS)


def test_version(run: Run) -> None:
    assert re.fullmatch(rf"pi-controller {re.escape(__version__)} [0-9a-f]{{12}}\n", run("--version").out)


def test_no_core_in_the_real_program(tmp_path: Path) -> None:
    done = run("status", PI_CONTROLLER_STATE_DIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("No controller answers at")


def test_a_reader_that_goes_away_is_no_error() -> None:
    with subprocess.Popen([*PROGRAM, "help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait(DEADLINE_S) == 0


def test_an_interrupt_leaves_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("pi_controller.cli.main._run", interrupted)
    assert main(["status"]) == 130


def test_letters_that_the_terminal_lacks_are_escaped() -> None:
    done = run("help", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "COMMAND \\u2026" in done.stdout


def test_the_parent_of_core_and_web_stays_small() -> None:
    loaded = "import sys, pi_controller.cli.run; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, timeout=DEADLINE_S, check=True
    )
    assert not {"msgspec", "asyncio", "aiohttp", "gpiozero", "json", "ssl"} & set(done.stdout.split())
