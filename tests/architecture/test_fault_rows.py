"""Every fault of the table bus that the documents list has a test that injects it."""

import ast
import re

from tests.architecture.sources import ROOT, functions, python

FAULTS = ROOT / "docs" / "table_bus_faults.md"
ROW = re.compile(r"^\| (B\d+) \|", re.MULTILINE)
NAMED = re.compile(r"\bB\d+\b")


def rows_named_in(module: ast.Module) -> set[str]:
    """Rows that the docstring of a test in this file names."""
    found: set[str] = set()
    for node in functions(module):
        if node.name.startswith("test_"):
            found.update(NAMED.findall(ast.get_docstring(node) or ""))
    return found


def test_every_row_has_a_test() -> None:
    rows = set(ROW.findall(FAULTS.read_text()))
    assert rows == {f"B{number}" for number in range(1, 22)}
    tested = set().union(*(rows_named_in(module) for name, module in python("tests") if "/test_" in name))
    assert rows - tested == set()
