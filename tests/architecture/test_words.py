"""What may stand in no file: a trademark, work notes; and links that lead nowhere."""

import re
from pathlib import Path

from tests.architecture.sources import ROOT, texts

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
