"""Which screens the director has admitted and what each last said of itself, kept over a restart."""

import hashlib
import logging
import secrets
from pathlib import Path
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from pi_controller.hal.system.file_thread import FileThread
from pi_controller.journal.private import private_folder, read_plain
from pi_controller.sentence import SaidError, Sentence
from pi_controller.web.live.kept_file import KeptFile

MOST_SCREENS = 256
LONGEST_NAME = 60
FILE = "screens.json"
LARGEST_FILE = 512 * 1024

Page = Literal["/", "/?layout=side", "/?layout=corner", "/overlay"]
PAGES: tuple[Page, ...] = get_args(Page)
"""Where a screen may be sent to."""

LOG = logging.getLogger(__name__)

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME, pattern=r"^[^/\x00-\x1f\x7f]+\Z")]
Size = Annotated[tuple[Annotated[int, Meta(ge=0, le=100_000)], ...], Meta(min_length=2, max_length=2)]
"""Width and height in the browser's pixels."""


class CannotRegister(SaidError, ValueError):  # noqa: N818 - an answer to the director
    """The sentence says why."""


class ScreenRecord(Struct, kw_only=True):
    """One admitted screen. Times are Unix seconds, the offset is its clock less ours."""

    name: str
    key: str
    """SHA-256 of what it shows to be let in again."""
    page: str = "/"
    size: Size = (0, 0)
    last_contact_s: float = 0.0
    clock_offset_ms: int | None = None
    blackout: bool = False


class _File(Struct, kw_only=True):
    version: Literal[1] = 1
    screens: list[ScreenRecord] = []


class ScreenRegister:
    """Names are compared without regard to case. `changed` tells that the file is behind."""

    def __init__(self, folder: Path, files: FileThread) -> None:
        private_folder(folder)
        self.file = KeptFile(folder / FILE, files)
        self._screens = {record.key: record for record in _kept(folder / FILE)}
        self.changed = False

    @property
    def screens(self) -> tuple[ScreenRecord, ...]:
        """By name."""
        return tuple(sorted(self._screens.values(), key=lambda record: record.name.casefold()))

    def of_key(self, key: str) -> ScreenRecord | None:
        """Who shows this."""
        return self._screens.get(_digest(key))

    def has(self, record: ScreenRecord) -> bool:
        """Whether it has not been forgotten."""
        return record.key in self._screens

    def named(self, name: str) -> ScreenRecord | None:
        return next((one for one in self._screens.values() if one.name.casefold() == name.casefold()), None)

    def admit(self, name: str) -> tuple[ScreenRecord, str]:
        """A new screen of this name, and what it shows from now on. CannotRegister."""
        if len(self._screens) >= MOST_SCREENS:
            raise CannotRegister(Sentence("screen.too_many", most=MOST_SCREENS))
        self._check_free(name)
        key = secrets.token_urlsafe(24)
        record = ScreenRecord(name=name, key=_digest(key))
        self._screens[record.key] = record
        self.changed = True
        return record, key

    def rename(self, record: ScreenRecord, name: str) -> None:
        """CannotRegister when another screen has this name."""
        if name.casefold() != record.name.casefold():
            self._check_free(name)
        record.name = name
        self.changed = True

    def forget(self, record: ScreenRecord) -> None:
        """It is a stranger from now on."""
        del self._screens[record.key]
        self.changed = True

    def save(self) -> None:
        """As it is now; returns at once."""
        self.file.keep(msgspec.json.encode(_File(screens=list(self._screens.values()))))
        self.changed = False

    def _check_free(self, name: str) -> None:
        if self.named(name) is not None:
            raise CannotRegister(Sentence("screen.name_taken", name=name))


def _kept(path: Path) -> list[ScreenRecord]:
    """Screens can be admitted again: a file that cannot be read stops nothing."""
    if not path.exists():
        return []
    try:
        return msgspec.json.decode(read_plain(path, most=LARGEST_FILE), type=_File).screens[:MOST_SCREENS]
    except (OSError, msgspec.DecodeError) as problem:
        LOG.warning("The screens that were admitted are forgotten: %s cannot be read: %s", path, problem)
        return []


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
