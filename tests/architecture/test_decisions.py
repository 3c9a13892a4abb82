"""The decision records: their list is complete, each has its parts, and whoever names one finds it."""

import re

from tests.architecture.sources import texts

FOLDER = "docs/decisions/"
RECORDS = {name.removeprefix(FOLDER): text for name, text in texts().items() if name.startswith(FOLDER + "0")}
PARTS = ["Choice", "Reason", "Not chosen", "What would change it"]
NAMED = re.compile(r"(?:decisions/|\bdecision )(\d{4})\b")


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
        for number in NAMED.findall(text)
        if number not in numbers
    ]
    assert lost == []
