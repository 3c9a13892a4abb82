"""The walks of docs/code_overview.md: every function that they name is there, and none is long."""

import ast
import re

import pytest

from tests.architecture.sources import ROOT

NAMED = re.compile(r"`([a-z_/]+\.py):([A-Za-z_.]+)`")
WALKS = {
    part.splitlines()[0]: part
    for part in (ROOT / "docs" / "code_overview.md").read_text(encoding="utf-8").split("\n## ")
    if part.startswith("From ")
}


def defined(file: str) -> set[str]:
    """Functions, classes and methods of a module, such as `Turns.take`."""
    found = set()
    for node in ast.parse((ROOT / "pi_controller" / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
            found.update(f"{node.name}.{method.name}" for method in methods)
    return found


def test_there_are_four_walks() -> None:
    assert len(WALKS) == 4


@pytest.mark.parametrize("walk", WALKS)
def test_what_a_walk_names_is_there_and_is_not_much(walk: str) -> None:
    named = set(NAMED.findall(WALKS[walk]))
    assert 8 <= len(named) <= 20
    assert [(file, name) for file, name in sorted(named) if name not in defined(file)] == []
