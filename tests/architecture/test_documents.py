"""The documents: complete against the code, true in what they name, without links that lead nowhere."""

import ast
import re
from pathlib import Path

import pytest

from pi_controller.language.words import words
from pi_controller.settings import Settings, load
from pi_controller.settings.load import SettingRow, rows
from tests.architecture.sources import ROOT, Function, functions, python, texts, tree

# Settings.


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.section}.{row.key}")
def test_a_setting_is_documented(row: SettingRow) -> None:
    section = texts()["docs/settings.md"].split(f"## [{row.section}]\n")[1].split("\n## ")[0]
    (line,) = [line for line in section.splitlines() if line.startswith(f"| `{row.key}` |")]
    assert words(row.meaning) in line
    assert f"`{row.text(row.default)}`" in line


def test_the_example_file_is_the_defaults() -> None:
    assert load(ROOT / Path("docs/settings.example.toml")) == Settings()


# Faults of the table bus: each has a test that injects it.


def test_every_row_has_a_test() -> None:
    listed = set(re.findall(r"^\| (B\d+) \|", texts()["docs/table_bus_faults.md"], re.MULTILINE))
    assert listed == {f"B{number}" for number in range(1, 27)}
    tested = {
        row
        for name, module in python("tests")
        if "/test_" in name
        for test in functions(module)
        if test.name.startswith("test_")
        for row in re.findall(r"\bB\d+\b", ast.get_docstring(test) or "")
    }
    assert listed - tested == set()


# The walks of the overview: every function that they name is there, and none is long.


WALKS = {
    part.splitlines()[0]: part
    for part in texts()["docs/code_overview.md"].split("\n## ")
    if part.startswith("From ")
}


def defined(file: str) -> set[str]:
    """Functions, classes and methods of a module, such as `Turns.take`."""
    found = set()
    for node in tree(f"pi_controller/{file}").body:
        if isinstance(node, ast.ClassDef | Function):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{method.name}" for method in node.body if isinstance(method, Function)}
    return found


def test_there_are_four_walks() -> None:
    assert len(WALKS) == 4


@pytest.mark.parametrize("walk", WALKS)
def test_what_a_walk_names_is_there_and_is_not_much(walk: str) -> None:
    named = set(re.findall(r"`([a-z_/]+\.py):([A-Za-z_.]+)`", WALKS[walk]))
    assert 8 <= len(named) <= 20
    assert [(file, name) for file, name in sorted(named) if name not in defined(file)] == []


# Decision records: their list is complete, each has its parts, and whoever names one finds it.


FOLDER = "docs/decisions/"
RECORDS = {name.removeprefix(FOLDER): text for name, text in texts().items() if name.startswith(FOLDER + "0")}
PARTS = ["Choice", "Reason", "Not chosen", "What would change it"]


def test_the_list_has_each_record_by_its_title() -> None:
    listed = set(re.findall(r"^- \[(.+)\]\((.+)\)$", texts()[FOLDER + "README.md"], re.MULTILINE))
    assert listed == {(text.splitlines()[0].removeprefix("# "), name) for name, text in RECORDS.items()}


def test_numbers_are_those_of_the_files_and_stand_once() -> None:
    assert all(text.startswith(f"# {name[:4]} ") for name, text in RECORDS.items())
    assert len({name[:4] for name in RECORDS}) == len(RECORDS)


def test_each_record_has_its_parts() -> None:
    for name, text in RECORDS.items():
        found = [title for title in re.findall(r"^## (.+)$", text, re.MULTILINE) if title in PARTS]
        assert (name, found) == (name, PARTS)
        assert re.search(r"^Status: (accepted|proposed)\.", text, re.MULTILINE), name


def test_whoever_names_a_record_finds_it() -> None:
    numbers = {name[:4] for name in RECORDS}
    lost = [
        f"{name}: {number}"
        for name, text in texts().items()
        if not name.startswith(FOLDER)
        for number in re.findall(r"(?:decisions/|\bdecision )(\d{4})\b", text)
        if number not in numbers
    ]
    assert lost == []


# What may stand in no file: a trademark, work notes; and links that lead nowhere.


# Written backwards, so that this file does not hold what it looks for.
TRADEMARK = "natac"[::-1]


def holding(pattern: str, *, besides: tuple[str, ...] = ()) -> list[str]:
    wanted = re.compile(pattern, re.IGNORECASE)
    return [
        f"{name}:{number}: {line.strip()[:80]}"
        for name, text in texts().items()
        if name not in besides
        for number, line in enumerate(text.splitlines(), 1)
        if wanted.search(line)
    ]


def test_the_trademark_stands_once_in_the_readme() -> None:
    assert holding(TRADEMARK, besides=("README.md",)) == []
    assert texts()["README.md"].lower().count(TRADEMARK) == 1


def test_nothing_is_left_to_do() -> None:
    assert holding(r"\b(?-i:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3]) + r")\b") == []


def test_the_changelog_has_a_place_for_what_comes() -> None:
    assert "\n## Unreleased\n" in texts()["CHANGELOG.md"]


def test_links_between_documents_lead_somewhere() -> None:
    dead = [
        f"{name}: {link}"
        for name, text in texts().items()
        if name.endswith(".md")
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
        if not (ROOT / Path(name).parent / link).exists()
    ]
    assert dead == []


def test_every_picture_is_shown_by_a_document() -> None:
    shown = {
        picture
        for name, text in texts().items()
        if name.endswith(".md")
        for picture in re.findall(r"\((?:docs/)?pictures/([^)]+\.png)\)", text)
    }
    assert [path.name for path in (ROOT / "docs/pictures").iterdir() if path.name not in shown] == []
