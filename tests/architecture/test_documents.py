"""The documents: complete against the code, true in what they name, without links that lead nowhere."""

import ast
import re
from pathlib import Path

import pytest

from pi_controller.language.words import words
from pi_controller.settings import Settings, load
from pi_controller.settings.load import SettingRow, rows
from tests.architecture.markdown import documents, fault_of_command, faults_of, links, slugs, snippets
from tests.architecture.sources import ROOT, Function, functions, python, texts, tree

# Settings.


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.section}.{row.key}")
def test_a_setting_is_documented(row: SettingRow) -> None:
    section = texts()["docs/settings.md"].split(f"## [{row.section}]\n")[1].split("\n## ")[0]
    (line,) = [line for line in section.splitlines() if line.startswith(f"- `{row.line(row.default)}`: ")]
    assert words(row.meaning) in line


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


# What may stand in no file: a trademark, work notes.


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


def test_every_picture_is_shown_by_a_document() -> None:
    shown = {
        picture
        for name, text in texts().items()
        if name.endswith(".md")
        for picture in re.findall(r"\((?:docs/)?pictures/([^)]+\.png)\)", text)
    }
    assert [path.name for path in (ROOT / "docs/pictures").iterdir() if path.name not in shown] == []


# Readers: links lead somewhere, commands are there, each page says for whom it is, and all of it is short.


MOST_WORDS = 65_000
"""Of all documents but the changelogs, as `wc -w` counts them."""


def dead_links(name: str, text: str) -> list[str]:
    dead = []
    for link in links(text):
        path, _, heading = link.partition("#")
        target = ((ROOT / name).parent / path).resolve() if path else ROOT / name
        shown = text if not path else documents().get(target.relative_to(ROOT).as_posix())
        if (path and not target.exists()) or (heading and shown is not None and heading not in slugs(shown)):
            dead.append(f"{name}: {link}")
    return dead


def test_links_of_documents_lead_somewhere() -> None:
    assert [dead for name, text in documents().items() for dead in dead_links(name, text)] == []


def test_a_dead_link_is_found() -> None:
    text = "# A `b`\n[one](#a-b) [two](#c) [three](d.md) [four](../README.md#two-commands) [five](../README.md#three)"
    assert dead_links("docs/x.md", text) == [
        f"docs/x.md: {link}" for link in ("#c", "d.md", "../README.md#three")
    ]


@pytest.mark.parametrize("name", [name for name in documents() if not name.endswith("CHANGELOG.md")])
def test_commands_of_a_document_are_there(name: str) -> None:
    assert [fault for snippet in snippets(documents()[name]) for fault in faults_of(snippet)] == []


@pytest.mark.parametrize(
    "snippet",
    [
        "make tset", "sudo make instal", "cd x && make nothing", 'make run ARGS="--rule-sets classic"',
        "python -m tools.generated", ".venv/bin/python -m tests.bus.vector", "pi-controller selftests",
        "sudo pi-controller pin newer", "pi-controller pin new --ended", "links make judge --lasts 3",
        "pi-controller selftest --level fields", "pi-controller links makes judge", "source <(pi-controller completions bash)",
    ],
)  # fmt: skip
def test_a_command_that_is_not_there_is_found(snippet: str) -> None:
    assert len(faults_of(snippet)) == 1


def test_an_option_is_known_to_its_own_command() -> None:
    assert fault_of_command(["settings", "show", "--diff"]) is None
    assert fault_of_command(["settings", "check", "--diff"]) == "no option --diff"


PAGES = [name for name in documents() if re.fullmatch(r"docs/(decisions/README|[a-z_]+)\.md", name)]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_for_whom_it_is(name: str) -> None:
    title, first, *_ = filter(None, documents()[name].splitlines())
    assert title.startswith("# ")
    assert first.startswith("For ")


def test_documents_are_short() -> None:
    counted = {name: len(text.split()) for name, text in documents().items() if "CHANGELOG" not in name}
    assert sum(counted.values()) <= MOST_WORDS, sorted(counted.items(), key=lambda each: -each[1])[:10]
