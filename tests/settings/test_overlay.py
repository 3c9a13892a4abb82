"""What pages have changed lies over the settings file; what of it cannot be used is left out."""

import re
from pathlib import Path

import pytest

from pi_controller.game.commands import Step
from pi_controller.settings.load import LARGEST_FILE, rows
from pi_controller.settings.overlay import (
    FILE_NAME,
    MARKS,
    LayeredSettings,
    changed,
    keep,
    layered,
    mistakes,
    on_pages,
    views,
)
from pi_controller.settings.sections import EventSettings, HallSettings, Settings, SoundSettings
from tests.matrix import further

FILE = Settings(hall=HallSettings(name="Town hall"), sound=SoundSettings(volume_percent=40))
BARE = LayeredSettings(FILE, FILE)


def source(layers: LayeredSettings, path: str) -> str:
    return layers.source(on_pages()[path])


def written(folder: Path, text: str | bytes) -> tuple[LayeredSettings, list[str]]:
    """The layers, and the keys of what is told, with this file in the state folder."""
    (folder / FILE_NAME).write_bytes(text if isinstance(text, bytes) else text.encode())
    layers, told = layered(FILE, folder)
    return layers, [sentence.key for sentence in told]


def test_a_change_comes_back_after_a_restart(tmp_path: Path) -> None:
    layers = changed(
        BARE,
        {
            "hall.languages": ["de", "pl"],
            "game.schedule": [{"from_round": 1, "seconds": 20.5}],
            "event.lines": ['"Cake" in the foyer'],
        },
    )
    keep(layers, tmp_path)
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert layered(FILE, tmp_path) == (layers, ())
    assert layers.settings.hall == HallSettings(name="Town hall", languages=("de", "pl"))
    assert layers.settings.game.schedule == (Step(1, 20.5),)
    assert layers.settings.event == EventSettings(lines=('"Cake" in the foyer',))
    assert layers.settings.sound == FILE.sound


def test_each_value_names_where_it_comes_from() -> None:
    layers = changed(BARE, {"hall.languages": ["de"]})
    found = [source(layers, path) for path in ("hall.languages", "hall.name", "event.name")]
    assert found == ["page", "file", "default"]


def test_a_value_as_in_the_file_is_not_kept_and_null_puts_it_back() -> None:
    layers = changed(BARE, {"sound.volume_percent": 90, "hall.name": "North"})
    assert layers.pages == {"sound.volume_percent", "hall.name"}
    layers = changed(layers, {"sound.volume_percent": 40})
    assert layers.pages == {"hall.name"}
    assert changed(layers, {"hall.name": None}) == BARE


def test_a_change_of_the_file_shows_below_what_pages_have_not_changed(tmp_path: Path) -> None:
    keep(changed(BARE, {"hall.name": "North"}), tmp_path)
    later = Settings(hall=HallSettings(name="North", languages=("pl",)))
    layers, told = layered(later, tmp_path)
    assert (layers, told) == (LayeredSettings(later, later), ())


def test_nothing_changed_is_the_file(tmp_path: Path) -> None:
    assert layered(FILE, tmp_path) == (BARE, ())
    assert layered(FILE, tmp_path / "nowhere") == (BARE, ())


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("version = 1\n[hall\nname", "settings.file_is_no_toml"),
        ("[hall]\nname = 'North'\n", "settings.pages_of_another_form"),
        *further(
            ("version = 2\n", "settings.pages_of_another_form"),
            ("version = 1\nhall = 3\n", "settings.pages_of_another_form"),
            (b"version = 1 # \xff", "settings.file_is_not_utf8"),
        ),
        (b"#" * (LARGEST_FILE + 1), "settings.file_too_large"),
    ],
)
def test_a_torn_or_foreign_file_is_left_out(tmp_path: Path, text: str | bytes, key: str) -> None:
    assert written(tmp_path, text) == (BARE, ["settings.pages_left_out", key])


def test_a_folder_in_its_place_is_left_out(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    layers, told = layered(FILE, tmp_path)
    assert (layers, told[0].key) == (BARE, "settings.pages_left_out")


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("[sound]\nvolume_percent = 101", "settings.value_unusable"),
        ('[hall]\nname = "two\\nlines"', "settings.value_wrong"),
        ("[web]\nport = 81", "settings.not_from_pages"),
        ("[hall]\nnarne = 'x'", "settings.not_from_pages"),
        ("[nothing]\nx = 1", "settings.not_from_pages"),
    ],
)
def test_what_is_wrong_in_it_is_left_out_and_the_rest_counts(tmp_path: Path, line: str, key: str) -> None:
    layers, told = written(tmp_path, f"version = 1\n[event]\nname = 'Fair'\n{line}\n")
    assert layers.settings.event.name == "Fair"
    assert layers == changed(BARE, {"event.name": "Fair"})
    assert told == ["settings.pages_left_out_partly", key]


def test_changes_are_checked_as_the_file_is() -> None:
    wrong = {
        "hall.languages": ["de", "de"],
        "event.colours": ["#000000", "#ffffff"],
        "event.lines": ["x"] * 9,
        "game.schedule": [{"from_round": 2, "seconds": 35}],
        "sound.volume_percent": "loud",
        "pins.sun_lamp": 3,
        "hall": 1,
        "": None,
    }
    found = mistakes(wrong | {"event.name": "Fair", "hall.name": None, "tables.brightness": 7})
    assert {path: [problem.key for problem in problems] for path, problems in found.items()} == {
        "hall.languages": ["settings.value_wrong"],
        "event.colours": ["settings.value_wrong"],
        "event.lines": ["settings.value_wrong"],
        "game.schedule": ["settings.schedule_wrong"],
        "sound.volume_percent": ["settings.value_unusable"],
        "pins.sun_lamp": ["settings.not_from_pages"],
        "hall": ["settings.not_from_pages"],
        "": ["settings.not_from_pages"],
    }


def test_pages_are_told_when_a_value_counts_and_what_it_may_be() -> None:
    layers = changed(BARE, {"hall.name": "North", "hall.languages": ["de"], "game.robber_seconds": 9})
    told = {view.key: view for view in views(layers, FILE, "de")}
    assert told.keys() == on_pages().keys()
    name, languages, robber = told["hall.name"], told["hall.languages"], told["game.robber_seconds"]
    assert (name.value, name.file, name.counts, name.waits) == ("North", "Town hall", "restart", True)
    assert (languages.value, languages.counts, languages.waits) == (("de",), "at_once", False)
    assert (languages.form.kind, languages.form.most) == ("choices", 2)
    assert (robber.form.kind, robber.form.whole, robber.form.least, robber.form.most) == (
        "number",
        False,
        1,
        3600,
    )
    assert (told["game.claims"].form.choices, told["game.schedule"].form.kind) == (["ask", "pause"], "steps")
    assert name.form.longest == 60


NEVER = re.compile(
    r"path|port|host|command|pin|device|file|certificate|key$|logo|folder|bus|address|driver|copy|baud|segments"
)
"""What only who may write the file may change."""
WHOLE_SECTIONS = {"hardware", "pins", "core", "links", "panel_current", "journal"}


def test_no_path_port_host_command_pin_or_device_is_marked_for_pages() -> None:
    assert [path for path in on_pages() if NEVER.search(path.partition(".")[2])] == []
    assert {row.section for row in on_pages().values()} & WHOLE_SECTIONS == set()
    assert {row.path for row in rows()} > on_pages().keys() == MARKS.keys()
