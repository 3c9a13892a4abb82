"""Every setting stands in the documents with its type, default and meaning."""

from pathlib import Path

import pytest

from pi_controller.language.words import words
from pi_controller.settings import Settings, load
from pi_controller.settings.load import SettingRow, rows
from tests.architecture.sources import ROOT, texts


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.section}.{row.key}")
def test_a_setting_is_documented(row: SettingRow) -> None:
    section = texts()["docs/settings.md"].split(f"## [{row.section}]\n")[1].split("\n## ")[0]
    (line,) = [line for line in section.splitlines() if line.startswith(f"| `{row.key}` |")]
    assert words(row.meaning) in line
    assert f"`{row.text(row.default)}`" in line


def test_the_example_file_is_the_defaults() -> None:
    assert load(ROOT / Path("docs/settings.example.toml")) == Settings()
