"""What a restart could not bring back, counted and told; a later restart of the same game tells it again."""

import logging
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from msgspec import Struct, convert, to_builtins

from pi_controller.core.runtime.health import LOST, UNSAVED
from pi_controller.journal.beat import Sight
from pi_controller.journal.errors import DamagedLine, NewerJournal
from pi_controller.journal.files import read_lines
from pi_controller.journal.record import Record, decode
from pi_controller.journal.recovery import Damage, Recovered
from pi_controller.protocol.picture import HealthLevel
from pi_controller.sentence import Sentence

log = logging.getLogger(__name__)


class Loss(Struct, frozen=True):
    """Lines that were on the disk and are in no chain any more. `commands` counts those of them that could be
    read, all later than `since` (the wall clock's label of the last good line); `unreadable` are whole lines.
    """

    commands: int
    lines: int
    unreadable: int
    since: str


def loss_of(recovered: Recovered, sight: Sight | None) -> Loss | None:
    """None when nothing that had been saved is missing."""
    known = len(recovered.records)
    readable: dict[int, Record] = {}
    unreadable = 0
    for damage in recovered.cut:
        for line in () if damage.bridged else _behind(recovered, damage):
            record = _read(line)
            if record is None:
                unreadable += line.endswith(b"\n")
            elif record.seq >= known:
                readable[record.seq] = record
    told_saved = 0 if sight is None else sight.saved - known
    lines = max(recovered.lost, len(readable) + unreadable, told_saved)
    if lines <= 0:
        return None
    commands = sum(_is_command(record) for record in readable.values())
    return Loss(commands, lines, unreadable, recovered.records[known - 1].wall)


class Restart(Struct, frozen=True, kw_only=True):
    """What the journal notes of a restart: how long nobody watched the clock, what was cut, and what could
    not be brought back. Across boots only the wall clock can tell how long it was, if it is right. Notes of
    earlier releases lack some of it."""

    same_boot: bool = False
    down_ms: int | None = None
    last_wall: str = ""
    wall: str = ""
    cut: list[str] = []
    lost_lines: int = 0
    problems: list[str] = []
    lost: Loss | None = None
    unsaved_lines: int = 0
    as_seen: bool = True
    """The place where the hall saw the game last is known, and was reached."""

    def line(self) -> tuple[str, dict[str, object]]:
        return "note", {"recovery": to_builtins(self)}


def unsaved_lines(loss: Loss | None, sight: Sight | None, recovered: Recovered) -> int:
    """Lines that the hall saw, and that were never saved."""
    missing = 0 if sight is None else sight.lines - len(recovered.records)
    return max(0, missing - (loss.lines if loss is not None else 0))


TOLD = ("last_wall", "lost", "unsaved_lines", "as_seen")
"""What is read again of a note."""


class Told:
    """What the notes of all restarts of a game say, put together for the health."""

    def __init__(self) -> None:
        self.restarted_ns = -1
        """Game time of the newest restart; a heartbeat that is not later is of a journal before its cut."""
        self._lost: list[Loss] = []
        self._newest = Restart()

    def hear(self, note: Mapping[str, object], at_ns: int) -> None:
        """The data of a line of kind `note` and its game time, in order; those of earlier releases tell no
        loss."""
        recovery = note.get("recovery")
        if isinstance(recovery, dict):
            self.restarted(
                convert({name: recovery[name] for name in TOLD if name in recovery}, Restart), at_ns
            )

    def restarted(self, restart: Restart, at_ns: int) -> None:
        self._newest, self.restarted_ns = restart, at_ns
        if restart.lost is not None:
            self._lost.append(restart.lost)

    def sentences(self, *, copy_read: bool) -> Iterable[tuple[str, HealthLevel, Sentence]]:
        """Part of the health, level and sentence. `copy_read`: the second copy was there and has no more."""
        if self._lost:
            lost = self._lost_sentence()
            yield LOST, "fault", lost if copy_read else Sentence("journal.lost_fetch", lost=lost)
        unsaved = self._newest.unsaved_lines
        if unsaved:
            yield UNSAVED, "warning" if self._newest.as_seen else "fault", self._unsaved_sentence(unsaved)

    def _unsaved_sentence(self, lines: int) -> Sentence:
        since = _clock(self._newest.last_wall)
        if self._newest.as_seen:
            return Sentence("journal.unsaved", count=lines, since=since)
        return Sentence("journal.unsaved_not_as_seen", count=lines, since=since)

    def _lost_sentence(self) -> Sentence:
        commands = sum(lost.commands for lost in self._lost)
        lines = sum(lost.lines for lost in self._lost)
        unreadable = sum(lost.unreadable for lost in self._lost)
        return Sentence(
            "journal.lost",
            commands=Sentence("journal.lost_commands", count=commands, since=_clock(self._lost[0].since)),
            lines=Sentence("journal.lost_lines", count=lines)
            if not unreadable
            else Sentence("journal.lost_unreadable", count=lines, unreadable=unreadable),
        )


def _behind(recovered: Recovered, damage: Damage) -> list[bytes]:
    """The lines from the damage on, wherever they lie now."""
    if damage.aside is not None:
        return _readable(recovered.folder / damage.aside)
    return _readable(recovered.folder / damage.file)[damage.line - 1 :] if damage.size else []


def _readable(path: Path) -> list[bytes]:
    """Nothing of a file that the disk no longer gives: what is missing is counted by the lines behind it."""
    try:
        return read_lines(path)[0]
    except OSError as error:
        log.warning("what was cut off a journal cannot be counted: %s", error)
        return []


def _is_command(record: Record) -> bool:
    """Whether somebody in the hall did this; what the system does by itself it does again."""
    action = record.data.get("action", {})
    return record.kind == "corrected" or (
        record.kind in ("did", "contributed") and action.get("source") != "system"
    )


def _read(line: bytes) -> Record | None:
    try:
        return decode(line)
    except (DamagedLine, NewerJournal):
        return None


def _clock(wall: str) -> str:
    """Time of day at this place; a label that is no time stays as it is."""
    try:
        return datetime.fromisoformat(wall).astimezone().strftime("%H:%M:%S")
    except ValueError:
        return wall
