"""Settings printed are settings that read back."""

import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.game.commands import Step
from pi_controller.settings import Settings, diff, load, show
from pi_controller.settings.fault import excerpt, key_text, toml_text
from pi_controller.settings.sections import GameSettings, JournalSettings, WebSettings

CHANGED = Settings(
    game=GameSettings(
        schedule=(Step(1, 20), Step(5, 30.5)), robber_targets=(6, "desert"), robber_seconds=1e-0
    ),
    web=WebSettings(allowed_hosts=("a.local", "b.local"), port=0),
    journal=JournalSettings(second_copy='/media/x "y" \\ ö'),
)


@pytest.mark.parametrize("settings", [Settings(), CHANGED, load(None, "sim")])
@pytest.mark.parametrize("report", [show, diff])
def test_a_report_read_back_gives_the_same_settings(
    tmp_path: Path, settings: Settings, report: object
) -> None:
    file = tmp_path / "s.toml"
    file.write_text(report(settings))  # type: ignore[operator]
    assert load(file) == settings


def test_show_names_every_setting_with_its_meaning() -> None:
    text = show(Settings())
    table = tomllib.loads(text)
    for section in msgspec.structs.fields(Settings):
        assert list(table[section.name]) == list(section.type.__struct_fields__)
    assert "# lamp of the Sun side (a whole number from 0 to 27)\nsun_lamp = 12\n" in text
    assert "i2c_address = 0x3C\n" in text


def test_diff_names_only_what_differs() -> None:
    assert diff(Settings()) == "# Everything is at its default.\n"
    assert diff(Settings(web=WebSettings(port=81))) == "[web]\nport = 81  # default: 8080\n"


TOML_VALUES = st.recursive(
    st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
)


@given(TOML_VALUES)
def test_toml_text_reads_back(value: object) -> None:
    assert tomllib.loads(f"a = {toml_text(value)}") == {"a": value}


@given(TOML_VALUES)
def test_an_excerpt_is_short_and_one_line(value: object) -> None:
    text = excerpt(value)
    assert len(text) <= 80
    assert text.isprintable() or not ({"\n", "\r", "\t", "\0"} & set(text))


def test_keys_are_quoted_where_they_must_be() -> None:
    assert [key_text(key) for key in ("a_b-1", "a b", "")] == ["a_b-1", '"a b"', '""']
