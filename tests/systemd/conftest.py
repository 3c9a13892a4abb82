"""An installation that root makes, from a bundle, on a machine that is a folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pi_install import refusals
from pi_install.main import main
from tests.systemd.fake_machine import FakeMachine, make_kit, make_machine, tree

Refusal = Callable[..., str]


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    return make_kit(tmp_path / "kit")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    monkeypatch.setattr(refusals.os, "geteuid", lambda: 0)
    return make_machine(tmp_path / "root")


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    """A Raspberry Pi."""
    monkeypatch.setattr(refusals.os, "geteuid", lambda: 0)
    return make_machine(tmp_path / "pi", pi=True)


@pytest.fixture
def refusal(pi: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]) -> Refusal:
    """What the Pi says to a command that ends with this status; nothing is changed."""

    def refused(*given: str, status: int = 2) -> str:
        before = tree(pi)
        assert main(list(given), pi, kit) == status
        assert tree(pi) == before
        return capsys.readouterr().err

    return refused
