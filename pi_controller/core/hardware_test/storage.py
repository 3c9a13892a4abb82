"""What a test of the hardware does to files: the disk, the journal, the self-test's reports.

All of it blocks and is meant for a thread. Everything may raise OSError besides what is said.
"""

import json
import os
import re
import secrets
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pi_controller.journal.errors import JournalError
from pi_controller.journal.files import DiskFiles, write_all, write_new
from pi_controller.journal.record import decode
from pi_controller.journal.store import segments
from pi_controller.protocol.probes import DiskChecked, Level, ReportEntry
from pi_controller.sentence import SaidError, Sentence, sentence_of

NS_PER_MS = 1e6
SYSFS = Path("/sys")


def check_disk(folder: Path, *, writes: int, size: int, files: DiskFiles, sysfs: Path = SYSFS) -> DiskChecked:
    """Write so many files of so many bytes into a folder of their own below this one. Raises OSError.

    Nothing stays, also after an error, as far as the disk lets it be removed.
    """
    place = folder / f"test-{secrets.token_hex(4)}"
    files.make_folder(place)
    written: dict[Path, bytes] = {}
    took_ms: list[float] = []
    try:
        for number in range(writes):
            path, content = place / f"{number:03}", secrets.token_bytes(size)
            written[path] = content
            took_ms.append(_write(files, path, content))
        files.sync_folder(place)
        verified = all(files.read_back(path) == content for path, content in written.items())
    finally:
        for path in filter(Path.exists, written):
            files.remove(path)
        place.rmdir()
    took_ms.sort()
    return DiskChecked(
        p50_ms=part(took_ms, 0.50),
        p99_ms=part(took_ms, 0.99),
        worst_ms=took_ms[-1],
        verified=verified,
        free_bytes=files.free_bytes(folder),
        errors=counted_errors(folder, sysfs),
    )


def part(sorted_ms: list[float], share: float) -> float:
    """The value that this share of all does not exceed."""
    return sorted_ms[max(0, -(-int(share * 100) * len(sorted_ms) // 100) - 1)]


def counted_errors(folder: Path, sysfs: Path) -> int | None:
    """The errors that the folder's file system has counted; None where it counts none (only ext4 does)."""
    device = folder.stat().st_dev
    block = sysfs / "dev" / "block" / f"{os.major(device)}:{os.minor(device)}"
    counter = sysfs / "fs" / "ext4" / block.resolve().name / "errors_count"
    return int(counter.read_text(encoding="ascii")) if counter.exists() else None


def _write(files: DiskFiles, path: Path, content: bytes) -> float:
    """Milliseconds from the opening of the file until it is on the disk."""
    begin_ns = time.monotonic_ns()
    fd = files.create(path)
    try:
        write_all(files, fd, content)
        files.sync(fd)
    finally:
        files.close(fd)
    return (time.monotonic_ns() - begin_ns) / NS_PER_MS


NOT_THERE = Sentence("test.line_not_there")


def check_line(folder: Path, token: str, *, files: DiskFiles) -> Sentence | None:
    """None when the journal in this folder of a game has a whole line with this token, its hash intact, and
    otherwise what is wrong. Raises OSError."""
    wanted = token.encode()
    for _number, path in reversed(segments(folder)):
        for line in reversed(files.read_back(path).splitlines(keepends=True)):
            if wanted in line:
                return _intact(line)
    return NOT_THERE


def _intact(line: bytes) -> Sentence | None:
    try:
        decode(line)
    except JournalError as error:
        return Sentence("test.lines_damaged", why=sentence_of(error))
    return None


MOST_KEPT = 50
LARGEST = 900_000
"""Bytes; a report goes into one answer, and one of 256 tables needs a quarter of it."""
NAME = re.compile(r"[0-9]{8}-[0-9]{6}-(boot|field|bench)\.json")
_STAMP = "%Y%m%d-%H%M%S"


class UnfitReport(SaidError):  # noqa: N818 - says what is the matter
    """Something is wrong with what is to be kept or with the name."""


class ReportStore:
    """STATE/selftest/DATE-LEVEL.json, mode 0600, the newest MOST_KEPT. Raises OSError and UnfitReport."""

    def __init__(self, state_dir: Path, *, files: DiskFiles) -> None:
        self._folder = state_dir / "selftest"
        self._files = files

    def keep(self, level: Level, text: str, *, wall: str) -> str:
        """The name under which the report lies on the disk, whole; it sorts behind all others, also when the
        wall clock (ISO 8601) went back. UnfitReport for what is no JSON object or too large."""
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
            ReportEntry(
                name=name,
                level=name.removesuffix(".json").rpartition("-")[2],
                bytes=(self._folder / name).stat().st_size,
            )
            for name in self._names()
        ]

    def read(self, name: str) -> Any:
        """The report's JSON value. UnfitReport when there is none of this name, or when it is damaged."""
        if NAME.fullmatch(name) is None or not (self._folder / name).is_file():
            raise UnfitReport(Sentence("report.none", name=repr(name[:60])))
        try:
            return json.loads((self._folder / name).read_bytes())
        except ValueError as error:
            raise UnfitReport(Sentence("report.damaged", name=name, why=str(error))) from error

    def _names(self) -> list[str]:
        if not self._folder.is_dir():
            return []
        names = [path.name for path in self._folder.iterdir()]
        return sorted((name for name in names if NAME.fullmatch(name)), reverse=True)


def _check(text: str) -> None:
    if len(text.encode()) > LARGEST:
        raise UnfitReport(Sentence("report.too_large", most=LARGEST, size=len(text.encode())))
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UnfitReport(Sentence("report.not_json", why=str(error))) from error
    if not isinstance(value, dict):
        raise UnfitReport(Sentence("report.no_object"))
