"""Completion, asked of the real shells."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.needs import program
from tests.patience import DEADLINE_S

OWN = Path(sys.executable).parent / "pi-controller"
BASH = """
eval "$("$0" completion bash)"
complete -p pi-controller
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_pi_controller "$0"
printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
compdef() { print "compdef $*" }
compadd() { print -l -- ${(P)2} }
eval "$("$0" completion zsh)"
words=("$0" "${@[2,-1]}") CURRENT=$#
_pi_controller
"""


def completed(shell: str, script: str, *typed: str) -> list[str]:
    """What the shell offers for the last of these words."""
    done = subprocess.run(
        [program(shell), "-c", script, OWN, "pi-controller", *typed],
        capture_output=True, text=True, timeout=DEADLINE_S, check=True,
    )  # fmt: skip
    registered, *offered = done.stdout.splitlines()
    assert "_pi_controller pi-controller" in registered
    assert done.stderr == ""
    return offered


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("arm --f", ["--first-side"]),
        ("table order --st", ["--state-dir"]),
        ("links pro", ["promote"]),
        ("run --hardware ", ["sim", "pi", "none"]),
        ("voice test r", ["right"]),
        ("web --after", []),
        ("no-such-command ", []),
    ],
)
def test_what_may_follow_is_offered(typed: str, offered: list[str], run: Run) -> None:
    *words, begun = typed.split(" ")
    assert [one for one in run("completion", "bash", *words).out.split() if one.startswith(begun)] == offered


def test_bash_completes() -> None:
    assert completed("bash", BASH, "ro") == ["roster"]
    assert completed("bash", BASH, "table", "s") == ["swap", "stop-enrolment"]


def test_zsh_completes() -> None:
    assert {"pause", "roster", "completion"} <= set(completed("zsh", ZSH, "ro"))
    assert {"swap", "stop-enrolment"} <= set(completed("zsh", ZSH, "table", "s"))


def test_the_script_is_made_without_heavy_modules() -> None:
    script = "import sys; from pi_controller.cli.main import main; main(['completion', 'bash']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=DEADLINE_S, check=True
    )
    assert not {"msgspec", "asyncio", "json", "pi_controller.protocol.commands"} & set(done.stdout.split())
