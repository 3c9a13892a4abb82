from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pi_controller.cli.main import main
from tests.protocol.fake_core import FakeCore, fake_core


class Said(NamedTuple):
    out: str
    err: str


Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `pi-controller` with these words, which must end with this status; what it has said."""

    def call(*words: object, status: int = 0) -> Said:
        capsys.readouterr()
        ended = main([str(word) for word in words])
        said = Said(*capsys.readouterr())
        assert ended == status, said
        return said

    return call


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder that commands find by themselves."""
    monkeypatch.setenv("PI_CONTROLLER_STATE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def core(state: Path) -> Iterator[FakeCore]:
    with fake_core(state / "control.sock") as running:
        yield running
