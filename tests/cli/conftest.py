from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.protocol.fake_core import FakeCore, fake_core


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder that commands find by themselves."""
    monkeypatch.setenv("PI_CONTROLLER_STATE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def core(state: Path) -> Iterator[FakeCore]:
    with fake_core(state / "control.sock") as running:
        yield running
