"""Reports of the self-test, kept in the state folder. Blocks; for a thread."""

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pi_controller.core.hardware_test.work import CannotDo
from pi_controller.journal.files import FileSystem, write_new
from pi_controller.protocol.probes import Level, ReportEntry
from pi_controller.sentence import Sentence

MOST_KEPT = 50
LARGEST = 900_000
"""Bytes; a report goes into one answer, and one of 256 tables needs a quarter of it."""
NAME = re.compile(r"(?P<stamp>[0-9]{8}-[0-9]{6})-(?P<level>boot|field|bench)\.json")
_STAMP = "%Y%m%d-%H%M%S"


class BadReport(CannotDo):
    """Something is wrong with what is to be kept or with the name."""


class ReportStore:
    """STATE/selftest/DATE-LEVEL.json, mode 0600, the newest MOST_KEPT. Raises OSError and BadReport."""

    def __init__(self, state_dir: Path, *, files: FileSystem) -> None:
        self._folder = state_dir / "selftest"
        self._files = files

    def keep(self, level: Level, text: str, *, wall: str) -> str:
        """The name under which the report lies on the disk, whole; it sorts behind all others, also when the
        wall clock (ISO 8601) went back. BadReport for what is no JSON object or too large."""
        _check(text)
        self._files.make_folder(self._folder)
        stamp = datetime.fromisoformat(wall).strftime(_STAMP)
        names = self._names()
        newest = names[0][: len("20261121-190000")] if names else ""
        if stamp <= newest:
            stamp = (datetime.strptime(newest, _STAMP) + timedelta(seconds=1)).strftime(_STAMP)  # noqa: DTZ007 - a label
        name = f"{stamp}-{level}.json"
        for stale in self._folder.glob("*.new"):
            self._files.remove(stale)
        draft = self._folder / f"{name}.new"
        write_new(self._files, draft, text.encode())
        self._files.rename(draft, self._folder / name)
        self._files.sync_folder(self._folder)
        for old in self._names()[MOST_KEPT:]:
            self._files.remove(self._folder / old)
        return name

    def all(self) -> list[ReportEntry]:
        """Newest first."""
        return [
            ReportEntry(name=name, level=_level(name), bytes=(self._folder / name).stat().st_size)
            for name in self._names()
        ]

    def read(self, name: str) -> Any:
        """The report's JSON value. BadReport when there is none of this name, or when it is damaged."""
        if NAME.fullmatch(name) is None or not (self._folder / name).is_file():
            raise BadReport(Sentence("report.none", name=repr(name[:60])))
        try:
            return json.loads((self._folder / name).read_bytes())
        except ValueError as error:
            raise BadReport(Sentence("report.damaged", name=name, why=str(error))) from error

    def _names(self) -> list[str]:
        if not self._folder.is_dir():
            return []
        names = [path.name for path in self._folder.iterdir()]
        return sorted((name for name in names if NAME.fullmatch(name)), reverse=True)


def _level(name: str) -> str:
    found = NAME.fullmatch(name)
    return found["level"] if found is not None else ""


def _check(text: str) -> None:
    if len(text.encode()) > LARGEST:
        raise BadReport(Sentence("report.too_large", most=LARGEST, size=len(text.encode())))
    try:
        value = json.loads(text)
    except ValueError as error:
        raise BadReport(Sentence("report.not_json", why=str(error))) from error
    if not isinstance(value, dict):
        raise BadReport(Sentence("report.no_object"))
