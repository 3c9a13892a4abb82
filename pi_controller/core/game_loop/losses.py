"""What a restart could not bring back, counted and told; a later restart of the same game tells it again."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pi_controller.core.runtime.health import LOST, UNSAVED
from pi_controller.journal.beat import Sight
from pi_controller.journal.errors import DamagedLine, NewerJournal
from pi_controller.journal.record import Record, decode
from pi_controller.journal.recovery import Damage, Recovered
from pi_controller.protocol.picture import HealthLevel

FETCH = (
    " If there is a second copy, stop the controller before anything else is done, plug its stick in and run"
    " `pi-controller restore STICK`: what it has more comes back."
)


@dataclass(frozen=True, slots=True)
class Loss:
    """Lines that were on the disk and are in no chain any more. `commands` counts those of them that could be
    read, all later than `since` (the wall clock's label of the last good line); `unreadable` are whole lines.
    """

    commands: int
    lines: int
    unreadable: int
    since: str


def loss_of(recovered: Recovered, sight: Sight | None) -> Loss | None:
    """None when nothing that had been saved is missing. Raises OSError."""
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


def note_of(loss: Loss | None, sight: Sight | None, recovered: Recovered) -> dict[str, Any]:
    """For the journal's note of the restart."""
    fields = () if loss is None else ("commands", "lines", "unreadable", "since")
    missing = 0 if sight is None else sight.lines - len(recovered.records)
    return {
        "lost": {name: getattr(loss, name) for name in fields} or None,
        "unsaved_lines": max(0, missing - (loss.lines if loss is not None else 0)),
    }


class Told:
    """What the notes of all restarts of a game say, put together for the health."""

    def __init__(self) -> None:
        self.restarted_ns = -1
        """Game time of the newest restart; a heartbeat that is not later is of a journal before its cut."""
        self._lost: list[dict[str, Any]] = []
        self._newest: dict[str, Any] = {}

    def hear(self, note: dict[str, Any], at_ns: int) -> None:
        """The data of a line of kind `note` and its game time, in order; those of earlier releases tell no
        loss."""
        recovery = note.get("recovery")
        if isinstance(recovery, dict):
            self._newest, self.restarted_ns = recovery, at_ns
            if recovery.get("lost"):
                self._lost.append(recovery["lost"])

    def sentences(self, *, copy_read: bool) -> Iterable[tuple[str, HealthLevel, str]]:
        """Part of the health, level and sentence. `copy_read`: the second copy was there and has no more."""
        if self._lost:
            yield LOST, "fault", self._lost_sentence() + ("" if copy_read else FETCH)
        unsaved = self._newest.get("unsaved_lines", 0)
        if unsaved:
            yield UNSAVED, "warning" if self._newest["as_seen"] else "fault", self._unsaved_sentence(unsaved)

    def _unsaved_sentence(self, lines: int) -> str:
        stands = (
            "the clock stands where the hall saw it last"
            if self._newest["as_seen"]
            else "the game could not be brought to where the hall saw it last"
        )
        since = _clock(self._newest["last_wall"])
        return (
            f"{_many(lines, 'line')} of the journal after {since} had been shown but not saved when the"
            f" controller stopped: {stands}; enter once more what else was done since."
        )

    def _lost_sentence(self) -> str:
        commands = sum(lost["commands"] for lost in self._lost)
        lines = sum(lost["lines"] for lost in self._lost)
        unreadable = sum(lost["unreadable"] for lost in self._lost)
        damaged = f", {unreadable} of them unreadable" if unreadable else ""
        what = _many(commands, "command")
        return (
            f"The journal was damaged: {what} after {_clock(self._lost[0]['since'])} {_are(commands)} lost"
            f" ({_many(lines, 'line')}{damaged}). Compare round, side, time and claims with what the hall"
            " has played before going on."
        )


def _behind(recovered: Recovered, damage: Damage) -> list[bytes]:
    """The lines from the damage on, wherever they lie now."""
    if damage.aside is not None:
        content = (recovered.folder / damage.aside).read_bytes()
    elif damage.size:
        content = (recovered.folder / damage.file).read_bytes()[damage.offset :]
    else:
        content = b""
    return content.splitlines(keepends=True)


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


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
