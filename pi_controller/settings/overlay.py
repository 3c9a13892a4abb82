"""What pages have changed, over the settings file: a file of the state folder, which core alone writes."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import replace

from pi_controller.journal.store import write_private
from pi_controller.language.languages import LANGUAGES
from pi_controller.language.words import words
from pi_controller.protocol.settings import (
    SettingCounts,
    SettingForm,
    SettingGroup,
    SettingKind,
    SettingSource,
    SettingView,
)
from pi_controller.sentence import Sentence
from pi_controller.settings.checks import MOST_LANGUAGES, MOST_LINES, MOST_STEPS
from pi_controller.settings.event import COLOURS
from pi_controller.settings.fault import SettingsFault, key_excerpt
from pi_controller.settings.load import KEY, NEWEST, SettingRow, from_table, read_text, rows, table_of
from pi_controller.settings.sections import Settings

FILE_NAME = "settings.pages.toml"
Changes = dict[str, Any]
"""By `section.key`: values as TOML or JSON has them."""

ON_PAGES: Mapping[tuple[SettingGroup, SettingCounts], tuple[str, ...]] = {
    ("languages", "at_once"): ("hall.languages",),
    ("sound", "at_once"): (
        *("sound.voice", "sound.volume_percent", "sound.off", "sound.name_side_early_ms", "sound.ducking_db"),
    ),
    ("sound", "restart"): ("buzzer.enabled", "sound.delay_ms"),
    ("names", "at_once"): ("event.name", "event.colours"),
    ("names", "restart"): ("hall.name",),
    ("times", "at_once"): ("game.close_after_minutes",),
    ("times", "next_game"): (
        *("game.first_side", "game.schedule", "game.robber_seconds", "game.rounds_without_seven"),
        *("game.start_countdown_seconds", "game.resume_countdown_seconds"),
        *("classic.turn_seconds", "classic.building_seconds"),
    ),
    ("times", "restart"): ("pause_button.hold_to_resume_seconds",),
    ("lines", "at_once"): ("event.lines",),
    ("phones", "at_once"): ("tables.seat_codes",),
    ("phones", "next_game"): ("game.claims",),
    ("phones", "restart"): ("web.wifi_name", "web.wifi_password"),
    ("screens", "at_once"): ("tables.brightness",),
    ("screens", "restart"): ("display.contrast",),
}
"""What pages may change: where they show it, and from when on a change counts. Never a path, port, host,
command, pin or device: these are for who may write the file."""
MARKS = {path: mark for mark, paths in ON_PAGES.items() for path in paths}


class LayeredSettings(Struct, frozen=True):
    """`settings` are in force: those of the `file`, with the values of `pages` (`section.key`) over them."""

    settings: Settings
    file: Settings
    pages: frozenset[str] = frozenset()

    def source(self, row: SettingRow) -> SettingSource:
        """Where the value in force of this setting comes from."""
        if row.path in self.pages:
            return "page"
        return "default" if row.value(self.file) == row.default else "file"


@cache
def on_pages() -> dict[str, SettingRow]:
    """The settings that pages may change, by `section.key`, in the order of the file."""
    return {row.path: row for row in rows() if row.path in MARKS}


def mistakes(changes: Changes) -> dict[str, tuple[Sentence, ...]]:
    """What is wrong with them, by key, as the report of a settings file says it; empty: nothing. None puts a
    value back to the file's."""
    found = {path: _mistakes(path, value) for path, value in changes.items()}
    return {path: problems for path, problems in found.items() if problems}


def _mistakes(path: str, value: Any) -> tuple[Sentence, ...]:
    if path not in on_pages():
        return (Sentence("settings.not_from_pages", key=key_excerpt(path)),)
    try:
        _with(Settings(), {} if value is None else {path: value})
    except SettingsFault as fault:
        return fault.problems
    return ()


def changed(layers: LayeredSettings, changes: Changes) -> LayeredSettings:
    """With these changes, which have no mistakes. What is then as in the file comes from there."""
    settings = _with(layers.settings, {path: value for path, value in changes.items() if value is not None})
    put_back = {path for path, value in changes.items() if value is None}
    pages = layers.pages | changes.keys()
    differing = {
        path
        for path, row in on_pages().items()
        if path in pages - put_back and row.value(settings) != row.value(layers.file)
    }
    return LayeredSettings(_taken(layers.file, settings, differing), layers.file, frozenset(differing))


def _with(settings: Settings, changes: Changes) -> Settings:
    table: dict[str, dict[str, Any]] = {}
    for path, value in changes.items():
        section, key = path.split(".")
        table.setdefault(section, {})[key] = value
    return _taken(settings, from_table(table, file=FILE_NAME), changes)


def _taken(settings: Settings, other: Settings, paths: "Changes | set[str]") -> Settings:
    """These settings with the values that `other` has at these paths."""
    for path in paths:
        section, key = path.split(".")
        value = getattr(getattr(other, section), key)
        body = msgspec.structs.replace(getattr(settings, section), **{key: value})
        settings = msgspec.structs.replace(settings, **{section: body})
    return settings


def layered(file: Settings, folder: Path) -> tuple[LayeredSettings, tuple[Sentence, ...]]:
    """The settings of the file with what pages have changed. What of that cannot be used is left out, and the
    sentences say what and why."""
    bare = LayeredSettings(file, file)
    path = folder / FILE_NAME
    try:
        if not _is_there(path):
            return bare, ()
        found = _flat(table_of(read_text(path), path))
        wrong = mistakes(found)
        kept = {key: value for key, value in found.items() if key not in wrong}
        layers = changed(bare, kept)
    except SettingsFault as fault:
        return bare, (Sentence("settings.pages_left_out"), *fault.problems)
    problems = [problem for each in wrong.values() for problem in each]
    return layers, (Sentence("settings.pages_left_out_partly"), *problems) if problems else ()


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # whoever reads it says why it cannot be read
    return True


def _flat(table: dict[str, Any]) -> Changes:
    """SettingsFault for a file of another form."""
    if table.pop(KEY, None) != NEWEST or not all(isinstance(body, dict) for body in table.values()):
        raise SettingsFault((Sentence("settings.pages_of_another_form", file=FILE_NAME),))
    return {f"{section}.{key}": value for section, body in table.items() for key, value in body.items()}


def keep(layers: LayeredSettings, folder: Path) -> None:
    """Write down what pages have changed, in one step. Raises OSError."""
    lines = [f"# {words(Sentence('settings.comment_on_pages'))}", f"{KEY} = {NEWEST}"]
    for path, row in on_pages().items():
        if path in layers.pages:
            lines += ["", f"[{row.section}]"] if f"[{row.section}]" not in lines else []
            lines.append(row.line(row.value(layers.settings)))
    write_private(folder / FILE_NAME, ("\n".join(lines) + "\n").encode())


# As pages are told of them.


def views(layers: LayeredSettings, started: Settings, language: str) -> list[SettingView]:
    """All that pages may change, in this language; the controller was `started` with those settings."""
    return [
        SettingView(
            key=path,
            group=group,
            value=row.value(layers.settings),
            file=row.value(layers.file),
            source=layers.source(row),
            counts=counts,
            waits=counts == "restart" and row.value(layers.settings) != row.value(started),
            form=_form(path) if path != "hall.languages" else _offered(layers.file.hall.languages),
            meaning=words(row.meaning, language),
            allowed=words(row.allowed, language),
        )
        for path, row in on_pages().items()
        for group, counts in (MARKS[path],)
    ]


def _offered(named: Sequence[str]) -> SettingForm:
    """The languages; those that nobody has proofread where the file names them."""
    form = _form("hall.languages")
    return replace(form, choices=[tag for tag in form.choices if tag in (*LANGUAGES, *named)])


LONGEST_LISTS = {
    "hall.languages": MOST_LANGUAGES,
    "event.colours": COLOURS,
    "event.lines": MOST_LINES,
    "game.schedule": MOST_STEPS,
}


@cache
def _form(path: str) -> SettingForm:
    kind = on_pages()[path].type
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.BoolType):
        return SettingForm(kind="yes_no")
    if isinstance(kind, inspect.LiteralType):
        return SettingForm(kind="choice", choices=[str(value) for value in kind.values])
    if isinstance(kind, inspect.IntType | inspect.FloatType):
        return SettingForm(
            kind="number", whole=isinstance(kind, inspect.IntType), least=kind.ge, most=kind.le
        )
    if isinstance(kind, inspect.VarTupleType):
        return _form_of_list(path, kind.item_type)
    return SettingForm(kind="text", longest=kind.max_length if isinstance(kind, inspect.StrType) else None)


def _form_of_list(path: str, item: inspect.Type) -> SettingForm:
    most = LONGEST_LISTS.get(path)
    while isinstance(item, inspect.Metadata):
        item = item.type
    if isinstance(item, inspect.LiteralType):
        return SettingForm(kind="choices", choices=[str(value) for value in item.values], most=most)
    kind: SettingKind = "steps" if isinstance(item, inspect.StructType) else "texts"
    return SettingForm(
        kind=kind, most=most, longest=item.max_length if isinstance(item, inspect.StrType) else None
    )
