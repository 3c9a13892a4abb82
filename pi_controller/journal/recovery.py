"""Reads a game's journal back, however damaged: takes every line that chains, says what does not.

Lines are gathered from all segments (and the second copy) and followed by their hashes from line 0 on:
duplicates merge, stale or foreign lines drop out, and a gap in one file is filled from another.
"""

import errno
import logging
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import overload

from pi_controller.journal.errors import DamagedLine, FileUnusable, NoGame
from pi_controller.journal.files import DiskFiles, NotRegular, read_lines, write_new
from pi_controller.journal.pairing import SEALED_NAME
from pi_controller.journal.record import FIRST_PREV, Record, decode, hash_of, known
from pi_controller.journal.store import Store, segment_name, segments
from pi_controller.journal.witnesses import lines_path, look_up
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

# Reads the files of a game's journal, judges each line and follows the lines from the first one on.
#
# A line is kept as it stands, in bytes: as values they would need five times the memory.


log = logging.getLogger(__name__)

PROGRESS_EVERY = 2000
"""So many lines (some 0.05 s, on a Raspberry Pi 0.2 s) lie between two signs of progress."""

Progress = Callable[[int], None]
"""Told now and then how many lines have been worked through by now."""


class Records(Sequence[Record]):
    """Lines that chain, as records; each is made anew when it is asked for."""

    def __init__(self, lines: Sequence[bytes] = ()) -> None:
        self.lines = lines

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> "Records": ...
    def __getitem__(self, index: int | slice) -> "Record | Records":
        return Records(self.lines[index]) if isinstance(index, slice) else known(self.lines[index])

    def __iter__(self) -> Iterator[Record]:
        return map(known, self.lines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # as of a list


@dataclass(frozen=True, slots=True)
class RecoveredFile:
    """One segment. `verdicts` has for each line its seq, or why it is damaged."""

    name: str
    number: int
    path: Path
    lines: Sequence[bytes]
    verdicts: Sequence[int | Sentence]
    trouble: str | Sentence = ""
    """Why it, or a part of it, could not be read; empty when all of it could."""

    @property
    def size(self) -> int:
        return sum(map(len, self.lines))


class Gathering:
    """The lines of one game from all its files, each at the place in the chain that it claims."""

    def __init__(self, game_id: str, progress: Progress) -> None:
        self._game_id = game_id
        self._progress = progress
        self._read = 0
        self._after: dict[str, bytes] = {}
        self._lines: list[bytes] = []
        self._head = FIRST_PREV
        self.foreign = False
        """Whether there is the first line of another game."""
        self.whole = False
        """Whether any line ends with a line feed."""
        self.reaches = 0
        """How many lines a chain would have that goes up to the last line that is known to have existed."""

    def file(self, number: int, path: Path) -> RecoveredFile:
        """One segment of the first device. Where two lines claim one place the later one is believed.

        A file that cannot be opened counts as one damaged line; of one that the disk gives back in part, the
        lines with missing bytes are damaged. Raises OSError when it may not be read.
        """
        try:
            lines, refused = read_lines(path)
        except OSError as error:
            if error.errno != errno.EIO and not isinstance(error, NotRegular):
                raise
            reason = Sentence("journal.line_cannot_be_read", why=why(error))
            return RecoveredFile(path.name, number, path, (b"",), (reason,), trouble=why(error))
        verdicts = [self._judge(line, self._after) for line in lines]
        trouble = "" if refused is None else why(refused)
        return RecoveredFile(path.name, number, path, lines, verdicts, trouble=trouble)

    def copy(self, paths: Iterable[Path], own: Iterable[RecoveredFile]) -> None:
        """The segments of a copy: of use only for places that the first device does not claim. One that
        cannot be read is of none; whose device it is tells so."""
        mine = {line for file in own for line in file.lines}
        after: dict[str, bytes] = {}
        for path in paths:
            for line in _as_far_as_readable(path):
                if line not in mine:
                    self._judge(line, after)
        self._after = after | self._after

    def follow(self) -> list[bytes]:
        """The lines that chain from line 0 on, of all that was gathered by now."""
        while (line := self._after.pop(_place(len(self._lines), self._head), None)) is not None:
            self._lines.append(line)
            self._head = hash_of(line)
        return self._lines

    def _judge(self, line: bytes, after: dict[str, bytes]) -> int | Sentence:
        self._read += 1
        if self._read % PROGRESS_EVERY == 0:
            self._progress(self._read)
        self.whole = self.whole or line.endswith(b"\n")
        try:
            record = decode(line)
        except DamagedLine as damage:
            return damage.sentence
        if record.seq == 0 and record.data.get("game_id") != self._game_id:
            self.foreign = True
            return Sentence("journal.line_begins_another_game")
        self.reaches = max(self.reaches, record.seq + 1)
        after[_place(record.seq, record.prev)] = line
        return record.seq


def _as_far_as_readable(path: Path) -> list[bytes]:
    """None where it cannot be read: a copy must not cost the game that it is a copy of."""
    try:
        return read_lines(path)[0]
    except FileNotFoundError:
        return []
    except OSError as error:
        log.warning("a copy of the journal, %s, cannot be read: %s", path, error)
        return []


def _place(seq: int, prev: str) -> str:
    return f"{seq} {prev}"


READ_BACK_LINES = 2000
"""So many lines at a time are read back from the disk: about a mebibyte."""


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
    reason: Sentence
    size: int
    unreadable: int
    unchained: int
    bridged: bool
    aside: str | None = None

    @property
    def sentence(self) -> Sentence:
        """For the director and the journal."""
        place = Sentence(
            "journal.damage_from_here",
            file=self.file,
            line=self.line,
            offset=self.offset,
            reason=self.reason,
            size=self.size,
        )
        if self.aside:
            place = Sentence("journal.damage_moved", damage=place, file=self.aside)
        fate = Sentence("journal.nothing_lost") if self.bridged else Sentence("journal.lines_left_out")
        return Sentence(
            "journal.damage",
            damage=place,
            unreadable=self.unreadable,
            unchained=self.unchained,
            fate=fate,
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
    records: Records
    cut: tuple[Damage, ...]
    lost: int
    mended: bool = False
    segment: int = 1
    append: bool = False
    unsaved: Records = field(default_factory=Records)
    problems: tuple[Sentence, ...] = ()
    passed_over: tuple[Sentence, ...] = ()
    """About newer folders that hold no game."""

    @property
    def head(self) -> str:
        return hash_of(self.records.lines[-1]) if self.records else FIRST_PREV

    @property
    def next_seq(self) -> int:
        return len(self.records)


def recover(
    state_dir: Path,
    game_id: str | None = None,
    *,
    second_copy: Path | None = None,
    mend: bool = False,
    files: DiskFiles | None = None,
    progress: Progress = lambda _lines: None,
) -> Recovered | None:
    """The newest game, or this one; None when there is none.

    Without `mend` nothing is changed. With it, unusable bytes are moved into `journal.torn-…` files.
    A folder without a single whole line is passed over: its game was never shown to anybody. So is one that
    holds no game at all, or a copy of another one; `passed_over` names those.
    `progress` is told now and then how many lines have been read.
    Raises NewerJournal (nothing changed), UnknownGame, among it NoGame where this one is passed over, and
    OSError when a folder or file may not be read.
    """
    store = Store(state_dir, files=files)
    if game_id is not None:
        store.known_folder(game_id)
    passed_over: list[Sentence] = []
    foreign: Recovered | None = None
    for candidate in [game_id] if game_id is not None else store.game_ids():
        found, own, junk = _read_game(store, candidate, second_copy, progress)
        if junk is not None:
            if game_id is not None:
                raise NoGame(junk)
            passed_over.append(junk)
            foreign = foreign or found
        elif found is not None:
            found = replace(found, passed_over=tuple(passed_over))
            return _mend(store, found, own) if mend and found.records else found
    return foreign


def _read_game(
    store: Store, game_id: str, second_copy: Path | None, progress: Progress
) -> tuple[Recovered | None, list[RecoveredFile], Sentence | None]:
    """What there is of the game, None without a whole line; its files; and a sentence when it is no game."""
    gathering = Gathering(game_id, progress)
    own = [gathering.file(number, path) for number, path in segments(store.folder(game_id))]
    if second_copy is not None:
        gathering.copy(_copied(second_copy / "games" / game_id), own)
    known = max(gathering.reaches, look_up(store, game_id).lines)
    if len(lines := gathering.follow()) < known or not lines:
        gathering.copy([lines_path(store.exports_dir, game_id)], own)
        lines = gathering.follow()
    junk = None if lines else _junk(store.folder(game_id), gathering, own)
    if not gathering.whole or (junk is not None and not gathering.foreign):
        return None, own, junk
    accepted = set(lines)
    cut = []
    reached = 0
    for file in own:
        damage, reached = _damage(file, accepted, reached=reached, known=len(lines))
        cut += [damage] if damage is not None else []
    found = Recovered(
        game_id=game_id,
        folder=store.folder(game_id),
        records=Records(lines),
        cut=tuple(cut),
        lost=max(0, gathering.reaches - len(lines)),
    )
    return found, own, junk


def _copied(folder: Path) -> list[Path]:
    """The segments of a game in the second copy, none where its device does not give them."""
    try:
        return [path for _, path in segments(folder)] if folder.is_dir() else []
    except OSError as error:
        log.warning("the second copy in %s cannot be read: %s", folder, error)
        return []


def _junk(folder: Path, gathering: Gathering, own: list[RecoveredFile]) -> Sentence | None:
    """The sentence about a folder that no game of its name was written to: a game has its seed before its
    first line, and its other lines are intact when the first is lost."""
    if gathering.foreign:
        return Sentence("journal.folder_of_another_game", folder=str(folder))
    seeded = any((folder / name).exists() for name in ("seed", SEALED_NAME))
    if not own or gathering.reaches or seeded or not (gathering.whole or _troubled(own)):
        return None
    return Sentence("journal.folder_without_game", folder=str(folder))


def _troubled(own: list[RecoveredFile]) -> bool:
    return any(file.trouble for file in own)


def _damage(
    file: RecoveredFile, accepted: set[bytes], *, reached: int, known: int
) -> tuple[Damage | None, int]:
    """What of this file is not part of the chain, from its first such line on; and how far the chain
    of `known` lines goes with this file (`reached` without it)."""
    usable = [line in accepted for line in file.lines]
    first = usable.index(False) if not all(usable) else len(usable)
    for verdict in file.verdicts[:first]:
        if isinstance(verdict, int):
            reached = max(reached, verdict + 1)
    if first == len(usable):
        return None, reached
    verdict = file.verdicts[first]
    unreadable = sum(isinstance(behind, Sentence) for behind in file.verdicts[first:])
    offset = sum(map(len, file.lines[:first]))
    damage = Damage(
        file=file.name,
        line=first + 1,
        offset=offset,
        reason=verdict if isinstance(verdict, Sentence) else Sentence("journal.line_does_not_continue"),
        size=file.size - offset,
        unreadable=unreadable,
        unchained=usable[first:].count(False) - unreadable,
        bridged=known > reached,
    )
    return damage, reached


def _mend(store: Store, found: Recovered, own: list[RecoveredFile]) -> Recovered:
    """Write again what no file would hold after the cuts, then cut: a crash in between loses nothing."""
    problems: list[Sentence] = []
    kept = _kept(store.files, own, found.cut, problems)
    unsaved = Records([line for line in found.records.lines if line not in kept])
    last = own[-1].number if own else 0
    if unsaved:
        last += 1
        path = found.folder / segment_name(last)
        try:
            write_new(store.files, path, b"".join(unsaved.lines))
        except OSError as error:
            problems.append(Sentence("journal.cut_cannot_be_written", file=path.name, why=why(error)))
            return replace(found, mended=True, segment=last + 1, unsaved=unsaved, problems=tuple(problems))
    cut = []
    append = bool(unsaved) or not problems
    for damage in found.cut:
        file = next(file for file in own if file.name == damage.file)
        try:
            cut.append(_set_aside(store.files, file, damage))
        except OSError as error:
            problems.append(Sentence("journal.cannot_be_mended", file=file.name, why=why(error)))
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


def _kept(
    files: DiskFiles, own: list[RecoveredFile], cut: tuple[Damage, ...], problems: list[Sentence]
) -> set[bytes]:
    """The lines that the disk itself is seen to hold in the parts that are not to be cut off."""
    good = {damage.file: damage.line - 1 for damage in cut}
    kept: set[bytes] = set()
    for file in own:
        if file.trouble:
            continue
        try:
            held = list(_held(files, file.path, file.lines[: good.get(file.name)]))
        except OSError as error:
            problems.append(Sentence("journal.cannot_be_read_back", file=file.name, why=why(error)))
        else:
            kept.update(held)
    return kept


def _held(files: DiskFiles, path: Path, lines: Sequence[bytes]) -> Iterator[bytes]:
    """Those of a file's first lines that the disk gives back as they were read."""
    offset = 0
    for begin in range(0, len(lines), READ_BACK_LINES):
        part = lines[begin : begin + READ_BACK_LINES]
        size = sum(map(len, part))
        content = files.read_back(path, offset, size)
        place = 0
        for line in part:
            if content.startswith(line, place):
                yield line
            place += len(line)
        offset += size


def _set_aside(files: DiskFiles, file: RecoveredFile, damage: Damage) -> Damage:
    """Move the file's bytes from the damage on into a file of their own, then cut them off."""
    if file.trouble:
        raise FileUnusable(errno.EIO, file.trouble)
    rest = b"".join(file.lines[damage.line - 1 :])
    stem = f"journal.torn-{file.number}-{damage.offset}"
    path = file.path.with_name(stem)
    count = 1
    while path.exists():
        count += 1
        path = file.path.with_name(f"{stem}-{count}")
    write_new(files, path, rest)
    files.truncate(file.path, damage.offset)
    return replace(damage, aside=path.name)
