"""A control socket, and a core of a test behind it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.protocol.fake_core import FakeCore, fake_core


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.sock"


@pytest.fixture
def core(path: Path) -> Iterator[FakeCore]:
    with fake_core(path) as running:
        yield running
