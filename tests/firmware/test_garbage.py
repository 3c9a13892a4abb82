"""The order in which MicroPython visits the modules when it collects garbage."""

import re
import sys
from pathlib import Path

import pytest

from table_node import garbage
from tests.firmware.fake_machine import FakePico
from tests.firmware.pico import load


def used(module: str) -> set[str]:
    """The node's own modules that this one imports, but for the one at which the visit begins."""
    text = (Path(garbage.__file__).parent / f"{module}.py").read_text()
    found = set(re.findall(r"^from table_node\.(\w+) import", text, re.MULTILINE))
    for names in re.findall(r"^from table_node import (.+)$", text, re.MULTILINE):
        found.update(name.split(" as ")[0] for name in names.split(", "))
    return found - {"garbage"}


def test_every_module_stands_behind_those_that_it_uses() -> None:
    files = {path.stem for path in Path(garbage.__file__).parent.glob("*.py")}
    words = {name for name in files if name.startswith("words_")}
    assert sorted(garbage.PARTS) == sorted(files - words - {"__init__", "main", "garbage", "start"})
    assert {one for name in words for one in used(name)} == set()
    for place, name in enumerate(garbage.PARTS):
        assert used(name) <= words | set(garbage.PARTS[:place]), name


def test_the_chain_holds_each_module(monkeypatch: pytest.MonkeyPatch) -> None:
    for loaded in load(FakePico(), monkeypatch):
        loaded.module("table_node.main")
        for name in garbage.PARTS:
            loaded.module(f"table_node.{name}")
        garbage.prepare()
        (pairs,) = garbage.CHAIN
        words = (
            name.partition(".")[2] for name in sorted(sys.modules) if name.startswith("table_node.words_")
        )
        for name in (*reversed([*words]), *garbage.PARTS):
            pairs, module = pairs
            assert module.__name__ == f"table_node.{name}"
        assert pairs is None
