"""The node's side of the wire under real MicroPython."""

from pathlib import Path

from tests.bus import vectors
from tests.firmware import micropython


def test_micropython_agrees_with_the_golden_vectors() -> None:
    printed = micropython.run(Path(__file__).with_name("wire_check.py"), str(vectors.FILE))
    *found, compared = printed.splitlines()
    assert found == []
    assert int(compared.removeprefix("compared ")) > 300
