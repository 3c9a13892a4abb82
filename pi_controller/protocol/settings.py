"""Settings that pages may change, as they come over the control socket."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

SettingGroup = Literal["languages", "sound", "names", "times", "lines", "phones", "screens"]
"""What a volunteer looks for; pages show the settings by it."""
SettingCounts = Literal["at_once", "next_game", "restart"]
"""From when on a change counts: at once, with the game that is armed next, or once the controller was started
again."""
SettingSource = Literal["default", "file", "page"]
"""Where a value comes from; a value of the file that is the default counts as that."""
SettingKind = Literal["yes_no", "choice", "choices", "number", "text", "texts", "steps"]
"""`choices`, `texts` and `steps` (`{"from_round", "seconds"}`) are lists."""

MOST_CHANGES = 100


class SettingChange(Struct, frozen=True, forbid_unknown_fields=True):
    """`key` is `section.key` of the settings file; `value` as JSON has it, null for that of the file."""

    key: Annotated[str, Meta(max_length=80)]
    value: Any


SettingChanges = Annotated[list[SettingChange], Meta(max_length=MOST_CHANGES)]


class SettingForm(Struct, kw_only=True, frozen=True):
    """Which values there are, as far as a field can say it; `settings.checks` has the last word."""

    kind: SettingKind
    choices: list[str] = []
    whole: bool = False
    least: float | None = None
    most: float | None = None
    longest: int | None = None
    """Letters of a text."""


class SettingView(Struct, kw_only=True, frozen=True):
    """`key` is `section.key` of the settings file, `file` the value without the changes from pages. `waits`:
    the value is saved, and counts once the controller was started again."""

    key: str
    group: SettingGroup
    value: Any
    file: Any
    source: SettingSource
    counts: SettingCounts
    waits: bool
    form: SettingForm
    meaning: str
    allowed: str


class SettingsView(Struct, kw_only=True):
    """`restart_reasons`: why the controller is not started again just now; empty when it may be."""

    settings: list[SettingView]
    restart_reasons: list[str]
