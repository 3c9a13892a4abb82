"""Reads a game's journal back, however damaged: takes every line that chains, says what does not.

Lines are gathered from all segments (and the second copy) and followed by their hashes from line 0 on:
duplicates merge, stale or foreign lines drop out, and a gap in one file is filled from another.
"""

import errno
from dataclasses import dataclass, replace
from pathlib import Path

from pi_controller.journal.errors import DamagedLine
from pi_controller.journal.files import FileSystem, write_new
from pi_controller.journal.record import FIRST_PREV, Record, decode, encode
from pi_controller.journal.store import Store, segment_name, segments
from pi_controller.journal.trouble import why


@dataclass(frozen=True, slots=True)
class Damage:
    """One journal file from its first unusable line on.

    `line` counts from 1, `offset` and `size` are bytes. Of the lines from there on `unreadable` are damaged
    and `unchained` are intact but not connected to the rest. `bridged`: the chain goes on from another file
    behind this place, so nothing is missing. `aside` names the file that the bytes were moved to.
    """

    file: str
    line: int
    offset: int
    reason: str
    size: int
    unreadable: int
    unchained: int
    bridged: bool
    aside: str | None = None

    @property
    def sentence(self) -> str:
        """For the director and the journal."""
        moved = f", moved to {self.aside}" if self.aside else ""
        lost = "nothing is lost, another file has it" if self.bridged else "they are left out"
        return (
            f"{self.file} line {self.line} (byte {self.offset}): {self.reason}; {self.size} bytes from there"
            f" on{moved} hold {self.unreadable} damaged and {self.unchained} unconnected lines: {lost}."
        )


@dataclass(frozen=True, slots=True)
class Recovered:
    """What there is of one game: `records` form an unbroken chain from line 0; empty when line 0 is lost.

    `cut` lists what was not accepted. `lost` counts the lines known to have existed behind the last record.
    After mending, `segment` and `append` say where the writer goes on, and `unsaved` holds the records that
    must be written again because mending could not do it. `problems` are sentences about mending itself.
    """

    game_id: str
    folder: Path
    records: tuple[Record, ...]
    cut: tuple[Damage, ...]
    lost: int
    mended: bool = False
    segment: int = 1
    append: bool = False
    unsaved: tuple[Record, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        return self.records[-1].hash if self.records else FIRST_PREV

    @property
    def next_seq(self) -> int:
        return len(self.records)


@dataclass(frozen=True, slots=True)
class _Line:
    offset: int
    content: bytes
    record: Record | None
    reason: str


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    number: int
    path: Path
    lines: tuple[_Line, ...]
    size: int
    trouble: str = ""
    """Why the disk could not read it; empty when it could."""


def recover(
    state_dir: Path,
    game_id: str | None = None,
    *,
    second_copy: Path | None = None,
    mend: bool = False,
    files: FileSystem | None = None,
) -> Recovered | None:
    """The newest game, or this one; None when there is none.

    Without `mend` nothing is changed. With it, unusable bytes are moved into `journal.torn-…` files.
    A folder without a single whole line is passed over: its game was never shown to anybody.
    Raises NewerJournal (nothing changed), UnknownGame, and OSError when a folder or file may not be read.
    """
    store = Store(state_dir, files=files)
    if game_id is not None:
        store.known_folder(game_id)
    for candidate in [game_id] if game_id is not None else store.game_ids():
        found = _read_game(store, candidate, second_copy)
        if found is not None:
            return _mend(store, *found) if mend and found[0].records else found[0]
    return None


def _read_game(store: Store, game_id: str, second_copy: Path | None) -> tuple[Recovered, list[_File]] | None:
    own = [_read(number, path, game_id) for number, path in segments(store.folder(game_id))]
    copied: list[_File] = []
    if second_copy is not None:
        folder = second_copy / "games" / game_id
        if folder.is_dir():
            copied = [_read(number, path, game_id) for number, path in segments(folder)]
    if not any(line.content.endswith(b"\n") for file in own + copied for line in file.lines):
        return None
    records = _chain(copied + own)
    accepted = {record.hash for record in records}
    cut = []
    reached = 0
    for file in own:
        damage, reached = _damage(file, accepted, reached=reached, known=len(records))
        cut += [damage] if damage is not None else []
    seen = (line.record.seq for file in own + copied for line in file.lines if line.record is not None)
    found = Recovered(
        game_id=game_id,
        folder=store.folder(game_id),
        records=tuple(records),
        cut=tuple(cut),
        lost=max(0, max(seen, default=-1) + 1 - len(records)),
    )
    return found, own


def _read(number: int, path: Path, game_id: str) -> _File:
    """One segment; a file that the disk cannot read counts as one damaged line."""
    try:
        content = path.read_bytes()
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        lost = _Line(0, b"", None, f"it cannot be read ({why(error)})")
        return _File(path.name, number, path, (lost,), 0, trouble=why(error))
    lines = []
    offset = 0
    for text in _split(content):
        lines.append(_judge(offset, text, game_id))
        offset += len(text)
    return _File(path.name, number, path, tuple(lines), offset)


def _judge(offset: int, text: bytes, game_id: str) -> _Line:
    try:
        record = decode(text)
    except DamagedLine as damage:
        return _Line(offset, text, None, damage.reason)
    if record.seq == 0 and record.data.get("game_id") != game_id:
        return _Line(offset, text, None, "it begins another game")
    return _Line(offset, text, record, "it does not continue the lines before it")


def _chain(sources: list[_File]) -> list[Record]:
    """Follow the hashes from line 0. Where two lines claim one place the later source wins."""
    after: dict[tuple[int, str], Record] = {}
    for file in sources:
        for line in file.lines:
            if line.record is not None:
                after[line.record.seq, line.record.prev] = line.record
    records: list[Record] = []
    head = FIRST_PREV
    while (record := after.get((len(records), head))) is not None:
        records.append(record)
        head = record.hash
    return records


def _damage(file: _File, accepted: set[str], *, reached: int, known: int) -> tuple[Damage | None, int]:
    """What of this file is not part of the chain, from its first such line on; and how far the chain
    of `known` records goes with this file (`reached` without it)."""
    usable = [line.record is not None and line.record.hash in accepted for line in file.lines]
    first = usable.index(False) if not all(usable) else len(usable)
    for line in file.lines[:first]:
        if line.record is not None:
            reached = max(reached, line.record.seq + 1)
    if first == len(usable):
        return None, reached
    bad = file.lines[first]
    behind = file.lines[first:]
    unreadable = sum(line.record is None for line in behind)
    damage = Damage(
        file=file.name,
        line=first + 1,
        offset=bad.offset,
        reason=bad.reason,
        size=file.size - bad.offset,
        unreadable=unreadable,
        unchained=usable[first:].count(False) - unreadable,
        bridged=known > reached,
    )
    return damage, reached


def _mend(store: Store, found: Recovered, own: list[_File]) -> Recovered:
    """Write again what no file would hold after the cuts, then cut: a crash in between loses nothing."""
    problems: list[str] = []
    kept = _kept(store.files, own, found.cut, problems)
    unsaved = tuple(record for record in found.records if record.hash not in kept)
    last = own[-1].number if own else 0
    if unsaved:
        last += 1
        path = found.folder / segment_name(last)
        try:
            write_new(store.files, path, b"".join(encode(record) for record in unsaved))
        except OSError as error:
            problems.append(f"{path.name} cannot be written ({why(error)}): nothing is cut off.")
            return replace(found, mended=True, segment=last + 1, unsaved=unsaved, problems=tuple(problems))
    cut = []
    append = bool(unsaved) or not problems
    for damage in found.cut:
        file = next(file for file in own if file.name == damage.file)
        try:
            cut.append(_set_aside(store.files, file, damage))
        except OSError as error:
            problems.append(f"{file.name} cannot be mended ({why(error)}): it stays as it is.")
            cut.append(damage)
            append = append and file.number != last
    return replace(
        found,
        cut=tuple(cut),
        mended=True,
        segment=last if append else last + 1,
        append=append,
        problems=tuple(problems),
    )


def _kept(files: FileSystem, own: list[_File], cut: tuple[Damage, ...], problems: list[str]) -> set[str]:
    """Hashes of the lines that the disk itself is seen to hold in the parts that are not to be cut off."""
    offsets = {damage.file: damage.offset for damage in cut}
    kept: set[str] = set()
    for file in own:
        if file.trouble:
            continue
        try:
            content = files.read_back(file.path)
        except OSError as error:
            problems.append(f"{file.name} cannot be read back ({why(error)}): it is written again.")
        else:
            held = set(_split(content[: offsets.get(file.name)]))
            kept.update(line.record.hash for line in file.lines if line.record and line.content in held)
    return kept


def _set_aside(files: FileSystem, file: _File, damage: Damage) -> Damage:
    """Move the file's bytes from the damage on into a file of their own, then cut them off."""
    if file.trouble:
        raise OSError(errno.EIO, file.trouble)
    rest = b"".join(line.content for line in file.lines)[damage.offset :]
    stem = f"journal.torn-{file.number}-{damage.offset}"
    path = file.path.with_name(stem)
    count = 1
    while path.exists():
        count += 1
        path = file.path.with_name(f"{stem}-{count}")
    write_new(files, path, rest)
    files.truncate(file.path, damage.offset)
    return replace(damage, aside=path.name)


def _split(content: bytes) -> list[bytes]:
    """Lines with their line feeds; the last may lack it."""
    return [text + b"\n" for text in content.split(b"\n")[:-1]] + [
        rest for rest in [content.rpartition(b"\n")[2]] if rest
    ]
