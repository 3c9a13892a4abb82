"""One adapter, and its stable name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hal.serial.cable import Adapter, adapter


@pytest.fixture
def row(tmp_path: Path) -> Iterator[Adapter]:
    with adapter(tmp_path) as made:
        yield made
