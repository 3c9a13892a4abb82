"""The catalogue of defects fits the sources as they are: `make defects` does not find out half an hour later."""

import ast
from collections import Counter
from functools import cache
from pathlib import Path

from tests.architecture.sources import functions, tree
from tests.defects.catalogue import ROOT, Defect, load

DEFECTS = load()


def test_a_hundred_of_them_spread_over_all_folders() -> None:
    assert len(DEFECTS) >= 100
    assert len({defect.name for defect in DEFECTS}) == len(DEFECTS)
    hit = Counter("/".join(Path(defect.file).parts[:2]) for defect in DEFECTS)
    folders = {f"pi_controller/{path.parent.name}" for path in (ROOT / "pi_controller").glob("*/__init__.py")}
    assert folders - set(hit) == set()


@cache
def names_of_tests(file: str) -> set[str]:
    return {node.name for node in functions(tree(file))}


def test_each_has_its_place_and_its_test() -> None:
    wrong = [f"{defect.file}: {defect.name}: {why}" for defect in DEFECTS if (why := _wrong(defect))]
    assert wrong == []


def _wrong(defect: Defect) -> str | None:
    try:
        spoilt = defect.spoilt((ROOT / defect.file).read_text(encoding="utf-8"))
        if defect.file.endswith(".py"):
            ast.parse(spoilt)
    except (ValueError, OSError, SyntaxError) as error:
        return str(error)
    if defect.new == defect.old:
        return "spoils nothing"
    if not defect.test:
        return "nobody notices it: `python -m tests.defects --search` looks for a test that does"
    file, name = defect.test.split("::")
    return None if name in names_of_tests(file) else f"there is no {defect.test}"
