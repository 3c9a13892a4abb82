"""Journals to damage, and what to wait with."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pi_controller.journal.copies import Owner, SecondCopy
from pi_controller.journal.errors import Part, Trouble
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.heartbeat import HeartbeatSnapshot, HeartbeatValue
from pi_controller.journal.record import FIRST_PREV, FORMAT, Record, encode, seal
from pi_controller.journal.store import Store
from pi_controller.journal.writer import JournalWriter
from pi_controller.language.words import words as said
from tests.patience import DEADLINE_S

GAME = "20261120-183005-ab12"
SEED = bytes(range(32))
BOOT = "0f0e0d0c-1111-4222-8333-444455556666"
WALL = "2026-11-20T18:30:05Z"
SIGHT = HeartbeatSnapshot(
    phase="round",
    clock="running",
    remaining_ns=12_345_678_901,
    round=3,
    side="sun",
    due_round=3,
    draw=1,
    lines=40,
    saved=39,
)


def beat_value(game_ns: int, *, seq: int = 3, boot_ns: int | None = None) -> HeartbeatValue:
    """What core says at this moment of game time."""
    return HeartbeatValue(GAME, seq, game_ns, game_ns if boot_ns is None else boot_ns, SIGHT)


def chain(length: int, *, game_id: str = GAME) -> list[Record]:
    """Short lines, so that a journal can be cut at each of its bytes in a few seconds."""
    records: list[Record] = []
    prev = FIRST_PREV
    for seq in range(length):
        data: dict[str, Any] = {"round": seq, "t": "ń"}
        if seq == 0:
            data = {"format": FORMAT, "game_id": game_id, "rule_set": "connect"}
        record = seal(
            "turned" if seq else "game",
            data,
            seq=seq,
            game_ns=seq * 1000,
            boot_ns=seq * 1000 + 7,
            boot_id="b",
            wall="w",
            prev=prev,
        )
        records.append(record)
        prev = record.hash
    return records


def lines(records: list[Record]) -> list[bytes]:
    return [encode(record) for record in records]


def put_game(state_dir: Path, content: bytes, *, game_id: str = GAME, name: str = "journal.jsonl") -> Path:
    """A game folder with this journal file."""
    folder = Store(state_dir).folder(game_id)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Reports:
    """Collects what the writer's threads report; one waits on it, never on time."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.saved: list[tuple[int, str]] = []
        self.troubles: list[Trouble] = []
        self.mended: list[Part] = []

    def on_saved(self, tag: int, head: str) -> None:
        with self.changed:
            self.saved.append((tag, head))
            self.changed.notify_all()

    def on_trouble(self, trouble: Trouble) -> None:
        with self.changed:
            self.troubles.append(trouble)
            self.changed.notify_all()

    def nudge(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def on_mended(self, part: Part) -> None:
        with self.changed:
            self.mended.append(part)
            self.changed.notify_all()

    @property
    def last_tag(self) -> int:
        return self.saved[-1][0] if self.saved else -1

    def wait(self, what: Any) -> None:
        with self.changed:
            assert self.changed.wait_for(what, DEADLINE_S), (self.saved[-1:], self.troubles, self.mended)

    def wait_saved(self, tag: int) -> None:
        self.wait(lambda: self.last_tag >= tag)

    def wait_trouble(self, words: str) -> None:
        self.wait(lambda: any(words in said(trouble.sentence) for trouble in self.troubles))


class Ticks:
    """A clock moved by hand."""

    def __init__(self) -> None:
        self.ns = 1_000

    def __call__(self) -> int:
        return self.ns


def start_writer(
    store: Store,
    reports: Reports,
    *,
    second_copy: Path | None = None,
    copy_files: DiskFiles | None = None,
    copy_beat: Callable[[], HeartbeatValue | None] = lambda: None,
    copy_beside: tuple[Path, ...] = (),
    owner: Owner | None = None,
    **options: Any,
) -> JournalWriter:
    store.prepare()
    defaults: dict[str, Any] = {
        "boot_id": BOOT,
        "wall": lambda: WALL,
        "now_ns": Ticks(),
        "on_saved": reports.on_saved,
        "on_trouble": reports.on_trouble,
        "on_mended": reports.on_mended,
        "retry_s": 0.01,
        "reserve_bytes": 8192,
    }
    chosen = defaults | options
    if second_copy is not None:
        chosen["copy"] = SecondCopy(
            folder=second_copy,
            files=copy_files or DiskFiles(),
            retry_s=0.01,
            beat=copy_beat,
            beside=copy_beside,
            owner=owner,
            **{name: chosen[name] for name in ("boot_id", "now_ns", "on_trouble", "on_mended")},
        )
    return JournalWriter(store, **chosen)


def open_game(writer: JournalWriter, *, tag: int = 0, game_id: str = GAME) -> Record:
    return writer.open_game(game_id, SEED, {"rule_set": "connect"}, game_ns=0, boot_ns=0, tag=tag)


def append(writer: JournalWriter, tag: int) -> Record:
    return writer.append("did", {"n": tag}, game_ns=tag, boot_ns=tag, tag=tag)


class SlowFiles(DiskFiles):
    """A disk whose syncs hang until told otherwise."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.go = threading.Event()
        self.go.set()

    def sync(self, fd: int) -> None:
        self.entered.set()
        assert self.go.wait(DEADLINE_S)
        super().sync(fd)
