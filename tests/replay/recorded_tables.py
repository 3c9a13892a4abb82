"""A game on virtual tables: real core and journal, real master, the nodes' own firmware, on one clock moved by hand.
What stood on each display is kept beside the journal."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pi_controller.journal.record import Record
from pi_controller.protocol.paths import virtual_uid
from pi_controller.replay.changes import changes_of
from pi_controller.replay.pictures import Replay
from pi_controller.replay.tables import AS_THE_OTHERS, Place, TablesShown, halved, tables_of
from pi_controller.roster import model
from pi_controller.virtual_hall.hall import VirtualHall
from pi_controller.virtual_hall.table import start_firmware
from pi_controller.vocabulary import SIDES
from table_node import care
from tests.core.disk import DiskHall
from tests.core.hand_bus import LANGUAGES, TableHall
from tests.report.played import records_of
from tests.virtual_hall.virtual_time import BEGAN_US, Drive

STEP_US = 10_000
LATE_MS = 400
"""So long a node may take until it shows what it is told: a poll, a look, a drawing."""
EARLY_MS = 40
"""By how much a crystal's second may come before the hall's."""
BOARDS = ("A1", "B12")
HOLD_S = 0.8
NEVER_S = 1 << 30

Seen = tuple[int, Place, bytes]
"""A moment in ms since the game's first line, a display, and the rows on its glass."""


class RecordedTables:
    """Two boards, joined before the game begins. `seen` is what stood on their glass."""

    def __init__(self, state_dir: Path) -> None:
        self.seen: list[Seen] = []
        self.hall = DiskHall(state_dir, boot_ns=BEGAN_US * 1000, languages=LANGUAGES)
        self.hall.begin()
        self.hall.log.prompt = True
        roster = model.new_roster(2, 12)
        for number, board in enumerate(BOARDS, 1):
            roster = model.place(roster, board, virtual_uid(number))
        self.core = TableHall(state_dir, self.hall, roster=roster)
        self.tables = VirtualHall(len(BOARDS), start_firmware)
        self.drive = Drive(self.tables.segments["A"])
        self.core.tables.show(self.hall.picture)
        self.run(7)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 1e6 / STEP_US)):
            self.hall.move(STEP_US * 1000)
            master, bus = self.drive.master, self.core.bus
            master.places(bus.known)
            if bus.shown:
                master.show(bus.shown.pop())
                bus.shown.clear()
            master.outcomes(bus.outcomes_told[-1])
            self.drive.run_for(STEP_US)
            for _, event in self.drive.events:
                self.core.tables.heard(event)
            self.drive.events.clear()
            self.hall.move(0)

    def ask(self, name: str, body: object = None) -> None:
        """A command that is accepted."""
        answers = self.hall.ask(name, body)
        self.hall.settle()
        assert [answer.accepted for answer in answers] == [True], answers

    def look(self, seconds: float = 0.0) -> None:
        """What stands on the glass, now and every 0.3 s for so long, once it is drawn."""
        for _ in range(1 + round(seconds / 0.3)):
            while not all(table.program.stage.is_drawn() for table in self.tables.tables.values()):  # type: ignore[union-attr]
                self.run(STEP_US / 1e6)
            at_ms = (self.hall.timers.boot_ns() // 1000 - BEGAN_US) // 1000
            for board, table in zip(BOARDS, self.tables.tables.values(), strict=True):
                for side, display in zip(SIDES, table.displays, strict=True):
                    self.seen.append((at_ms, (board, side), display.rows()))
            if seconds:
                self.run(0.3)

    def touch(self, board: str, side: str) -> None:
        """The claim button is held for long enough, and what comes of it reaches the node."""
        table = self.tables.tables[virtual_uid(BOARDS.index(board) + 1)]
        now_us = self.drive.now_us
        table.hold(SIDES.index(side), now_us + round(HOLD_S * 1e6), now_us)  # type: ignore[arg-type]
        self.run(1.5)


class Played(NamedTuple):
    seen: list[Seen]
    records: list[Record]


def play(state_dir: Path) -> Played:
    """From the arming to a winner: countdowns, both languages, messages, claims of every outcome, robber phases."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(care, "_SHIFT_SECONDS", NEVER_S)  # how far a picture has wandered only its node knows
        evening = RecordedTables(state_dir)
        evening.look()
        for act in (_begin, _claims, _rounds, _win):
            act(evening)
        return Played(evening.seen, records_of(evening.hall))


def _begin(evening: RecordedTables) -> None:
    evening.ask("say", {"text": "Please sit down", "seconds": 3})
    evening.run(0.5)
    evening.look(3.6)
    evening.ask("start")
    evening.run(0.5)
    evening.look(3.6)


def _claims(evening: RecordedTables) -> None:
    evening.touch("A1", "sun")
    evening.look(1)
    evening.ask("pause")
    evening.run(0.6)
    evening.look(1)
    evening.ask(
        "verdict", {"claim": evening.hall.picture.claims[0].id, "sheet": {"settlements": 4, "cities": 1}}
    )
    evening.run(0.6)
    evening.look(5)
    evening.ask("resume")
    evening.look(3.6)
    evening.touch("B12", "sun")
    evening.look(0.6)
    evening.touch("B12", "sun")  # takes it back
    evening.look(5)


def _rounds(evening: RecordedTables) -> None:
    """Until both languages, the last seconds of a round and a robber phase have stood."""
    for _ in range(60):
        evening.ask("skip")
        if evening.hall.picture.phase == "robber":
            break
        if evening.hall.picture.round < 6:
            evening.run(0.5)
            evening.look(1.2)
    assert evening.hall.picture.phase == "robber"
    evening.ask("say", {"line": "break"})
    evening.run(0.6)
    evening.look(1.2)
    evening.ask("say", {"text": ""})
    evening.run(3)
    evening.look(9)


def _win(evening: RecordedTables) -> None:
    picture = evening.hall.picture
    assert (picture.phase, picture.paused) == ("round", False)
    evening.ask("set_claims", {"mode": "pause"})
    side = picture.side or "sun"
    evening.touch("B12", side)
    evening.look(1)
    sheet = {"settlements": 5, "cities": 5, "victory_cards": 3}
    evening.ask("verdict", {"claim": evening.hall.picture.claims[-1].id, "sheet": sheet})
    evening.run(0.6)
    evening.look(1)
    evening.ask("say", {"text": "Thanks"})
    evening.run(0.6)
    evening.look(1)


def shown(records: list[Record]) -> TablesShown:
    """Of the journal alone."""
    replay = Replay(changes_of(records), LANGUAGES)
    uids = {virtual_uid(number): board for number, board in enumerate(BOARDS, 1)}
    return tables_of(replay, boards=BOARDS, board_of=lambda uid: uids[uid])


class Glass:
    """Puts together what a display shows, as a page does it: each face once."""

    def __init__(self, tables: TablesShown) -> None:
        self._tables = tables
        self._shown = {(one.board, one.side): one.shown for one in tables.places}
        self._rows: dict[tuple[int, int, int, str], bytes] = {}

    def around(
        self, at_ms: int, place: Place, *, late_ms: int = LATE_MS, early_ms: int = EARLY_MS
    ) -> Iterator[bytes]:
        """What this display shows from a little before to a little behind this moment."""
        board, side = place
        own, others = self._shown.get(place, []), self._shown["", side]
        changes = {
            at_ms,
            *(one[0] for one in (*own, *others) if at_ms - late_ms < one[0] <= at_ms + early_ms),
        }
        for moment in sorted({*changes, at_ms - late_ms}):
            mine = next((one for one in reversed(own) if one[0] <= moment), None)
            if mine is None or mine[1] == AS_THE_OTHERS:
                mine = next(one for one in reversed(others) if one[0] <= moment)
            _, left, right, names = mine
            face = (left, right, names, board)
            if face not in self._rows:
                self._rows[face] = self._drawn(*face)
            yield self._rows[face]

    def _drawn(self, left: int, right: int, names: int, board: str) -> bytes:
        halves = [self._tables.halves[left], self._tables.halves[right]]
        if names >= 0:
            other = [self._tables.halves[half] for half in self._tables.names[names][board]]
            halves = [
                bytes(a ^ b for a, b in zip(*pair, strict=True)) for pair in zip(halves, other, strict=True)
            ]
        rows = b"".join(
            halves[0][row * 8 : row * 8 + 8] + halves[1][row * 8 : row * 8 + 8] for row in range(64)
        )
        assert halved(rows) == tuple(halves)
        return rows
