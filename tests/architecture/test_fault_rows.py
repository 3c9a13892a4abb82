"""Every fault of the table bus that the documents list has a test that injects it."""

import ast
import re
from pathlib import Path

from tests.architecture.sources import ROOT

FAULTS = ROOT / "docs" / "table_bus_faults.md"
ROW = re.compile(r"^\| (B\d+) \|", re.MULTILINE)
NAMED = re.compile(r"\bB\d+\b")


def rows_named_in(path: Path) -> set[str]:
    """Rows that the docstring of a test in this file names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            found.update(NAMED.findall(ast.get_docstring(node) or ""))
    return found


def test_every_row_has_a_test() -> None:
    rows = set(ROW.findall(FAULTS.read_text()))
    assert rows == {f"B{number}" for number in range(1, 22)}
    tested = set().union(*(rows_named_in(path) for path in (ROOT / "tests").rglob("test_*.py")))
    assert rows - tested == set()
