"""Virtual tables on their segments, and what arrives along their wires."""

from itertools import pairwise

import pytest

from pi_controller.bus.frame import encode
from pi_controller.bus.messages import Order, to_frame
from pi_controller.bus.values import MeasureAsked, NodeMeasured, SegmentChanged, TableState
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.paths import virtual_uid
from pi_controller.protocol.simulated import Do
from pi_controller.virtual_hall.board import SOFT, WATCHDOG
from pi_controller.virtual_hall.hall import LOOK_US, VirtualHall
from pi_controller.virtual_hall.table import BOOT_US, WATCHDOG_US, Table, start_sparing
from tests.virtual_hall.talker import Talker, start
from tests.virtual_hall.virtual_time import Drive

SECOND_US = 1_000_000
JOINED_US = 7 * SECOND_US
"""The master looks for new tables every five seconds."""
UID = virtual_uid(1)


def do(action: str, uid: str = UID, **more: object) -> Do:
    return Do(version=1, id=7, do=action, uid=uid, **more)  # type: ignore[arg-type]


def running(table: Table) -> Talker:
    assert isinstance(table.program, Talker)
    return table.program


class OneTable(Drive):
    """A hall with one segment and one table, which the master polls."""

    def __init__(self) -> None:
        self.hall = VirtualHall(1, start)
        super().__init__(self.hall.segments["A"])
        self.master.show(TableState(as_of_us=self.master_us(), phase="round", round=3))
        self.run(JOINED_US)


@pytest.fixture
def drive() -> OneTable:
    return OneTable()


def state_of(drive: Drive) -> str | None:
    nodes = drive.master.snapshot(drive.master_us()).nodes
    return nodes[0].state if nodes else None


def test_tables_are_numbered_through_all_segments() -> None:
    hall = VirtualHall(70, start)
    assert [len(segment.tables) for segment in hall.segments.values()] == [32, 32, 6]
    assert list(hall.tables) == [virtual_uid(number) for number in range(1, 71)]
    picture = hall.picture(virtual_uid(40))
    assert (picture.segment, picture.position) == ("B", 8)
    assert VirtualHall(70, start).tables[UID].board.ticks_us() == hall.tables[UID].board.ticks_us()


def test_the_picture_is_what_the_firmware_shows(drive: OneTable) -> None:
    hall = drive.hall
    hall.do(do("press", side="moon"), drive.now_us)
    drive.run_for(SECOND_US)
    picture = hall.picture(UID)
    sun, moon = picture.displays
    assert (sun.side, sun.width, sun.height, sun.on, sun.contrast) == ("sun", 128, 64, True, 99)
    lit = [(x, y) for y in range(64) for x in range(128) if sun.bits[y * 16 + x // 8] >> (7 - x % 8) & 1]
    assert lit == [(3, 0), (3, 7)]
    assert moon.bits == bytes(1024)
    assert (picture.lamps.claim_sun, picture.lamps.claim_moon) == (0, 255)


def test_what_a_table_shows_changes_its_look(drive: OneTable) -> None:
    hall = drive.hall
    before = hall.look(UID)
    drive.run_for(SECOND_US)
    assert hall.look(UID) == before
    for action in (do("press", side="sun"), do("cut"), do("babble"), do("loss", value=0.5), do("halt")):
        before = hall.look(UID)
        hall.do(action, drive.now_us)
        drive.run_for(SECOND_US // 10)
        assert hall.look(UID) != before


def test_a_button_is_held_as_long_as_asked(drive: OneTable) -> None:
    hall = drive.hall
    board = hall.tables[UID].board
    hall.do(do("hold", side="sun"), drive.now_us)
    drive.run_for(790_000)
    assert board.pressed == [True, False]
    drive.run_for(20_000)
    assert board.pressed == [False, False]
    hall.do(do("hold", side="moon", value=2), drive.now_us)
    drive.run_for(1_990_000)
    hall.do(do("release", side="moon"), drive.now_us)
    assert board.pressed == [False, False]


def test_a_halted_table_is_dark_and_silent_until_it_is_revived(drive: OneTable) -> None:
    hall = drive.hall
    hall.do(do("hold", side="sun"), drive.now_us)
    drive.run_for(SECOND_US // 10)
    assert hall.picture(UID).lamps.claim_sun == 255
    hall.do(do("halt"), drive.now_us)
    hall.do(do("hold", side="sun"), drive.now_us)
    drive.run_for(SECOND_US)
    picture = hall.picture(UID)
    assert not picture.alive
    assert (picture.lamps.claim_sun, picture.lamps.claim_moon) == (0, 0)
    assert not any(display.on or any(display.bits) for display in picture.displays)
    assert state_of(drive) in ("suspect", "lost")
    hall.do(do("revive"), drive.now_us)
    drive.run_for(BOOT_US + 6 * SECOND_US)  # found by the discovery that comes every five seconds
    assert hall.picture(UID).alive
    assert state_of(drive) == "good"
    assert running(hall.tables[UID]).boots == 2
    hall.do(do("revive"), drive.now_us)
    drive.run_for(SECOND_US)
    assert running(hall.tables[UID]).boots == 2


def test_a_reboot_is_a_new_start(drive: OneTable) -> None:
    hall = drive.hall
    before = running(hall.tables[UID])
    hall.do(do("reboot"), drive.now_us)
    drive.run_for(BOOT_US + SECOND_US)
    assert running(hall.tables[UID]) is not before
    assert hall.tables[UID].board.reset == 0


def test_firmware_that_reboots_itself_or_hangs_comes_back_with_the_cause(drive: OneTable) -> None:
    table = drive.hall.tables[UID]
    drive.segment.slip_in(
        table, encode(to_frame(Order(what="reboot"), dst=running(table).address or 0, src=0, seq=1))
    )
    drive.run_for(BOOT_US + SECOND_US)
    assert table.board.reset == SOFT
    table.hang()
    began_us = drive.now_us
    drive.run_for(WATCHDOG_US + BOOT_US + 10_000)
    assert table.board.reset == WATCHDOG
    assert table.board.resets() == 1
    assert running(table).boots == 3
    assert drive.now_us - began_us < 4 * SECOND_US
    drive.run_for(60 * SECOND_US)
    assert table.board.resets() == 0


def test_a_cut_table_is_alone_and_comes_back_when_it_is_mended(drive: OneTable) -> None:
    hall = drive.hall
    hall.do(do("cut"), drive.now_us)
    states = running(hall.tables[UID]).states
    drive.run_for(SECOND_US)
    assert hall.picture(UID).cut_before
    assert running(hall.tables[UID]).states <= states + 1
    hall.do(do("mend"), drive.now_us)
    drive.run_for(3 * SECOND_US)
    assert not hall.picture(UID).cut_before
    assert state_of(drive) == "good"


def test_babble_and_loss_are_told_and_undone(drive: OneTable) -> None:
    hall = drive.hall
    hall.do(do("babble"), drive.now_us)
    states = running(hall.tables[UID]).states
    drive.run_for(3 * SECOND_US)
    assert hall.picture(UID).babbling
    assert running(hall.tables[UID]).states <= states + 1
    assert [event.sentence is not None for event in drive.of(SegmentChanged)] == [True]
    hall.do(do("hush"), drive.now_us)
    hall.do(do("loss", value=1), drive.now_us)
    states = running(hall.tables[UID]).states
    drive.run_for(SECOND_US)
    assert (hall.picture(UID).babbling, hall.picture(UID).loss) == (False, 1)
    assert running(hall.tables[UID]).states == states
    hall.do(do("loss", value=0), drive.now_us)
    drive.run_for(4 * SECOND_US)
    assert state_of(drive) == "good"


def test_an_address_can_be_had_twice() -> None:
    hall = VirtualHall(2, start)
    first, second = hall.tables.values()
    second.halt(0)
    drive = Drive(hall.segments["A"])
    drive.run(JOINED_US)
    second.revive(drive.now_us)
    drive.run_for(JOINED_US)
    addresses = {running(first).address, running(second).address}
    assert len(addresses) == 2
    drive.silent = True
    drive.run_for(SECOND_US // 10)
    hall.do(do("duplicate"), drive.now_us)
    drive.run_for(SECOND_US // 10)
    assert running(first).address == running(second).address in addresses


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (do("halt", uid="ff"), "No virtual table has the unique id 'ff'"),
        (do("press"), "press needs `side`, sun or moon"),
        (do("loss"), "loss needs `value`, from 0 to 1"),
        (do("loss", value=1.5), "loss needs `value`, from 0 to 1"),
        (do("hold", value=-1, side="sun"), "hold needs `value`, from 0 to 600"),
        (do("drift", value=501), "drift needs `value`, from -500 to 500"),
        (do("dark"), "dark needs `side`, sun or moon"),
        (do("dead_lamp", value=2, side="sun"), "dead_lamp needs `value`, from 0 to 1"),
        (do("contact"), "contact needs `value`, from 0 to 100"),
        (do("terminator"), "terminator needs `value`, from 0 to 1"),
        (do("duplicate"), "No other table of this segment has an address to duplicate"),
    ],
)
def test_what_cannot_be_done_is_told(action: Do, sentence: str) -> None:
    with pytest.raises(Malformed, match=sentence):
        VirtualHall(1, start).do(action, 0)


class Row:
    """Twelve tables fed in the middle, whose displays take what is said: all white at first."""

    def __init__(self, *, ideal: bool = True, tables: int = 12) -> None:
        self.hall = VirtualHall(tables, start, ideal=ideal)
        self.segment = self.hall.segments["A"]
        self.now_us = 0
        self.milliamps = 260.0
        for table in self.hall.tables.values():
            table.board.displays_ma = lambda: self.milliamps
        self.run(BOOT_US + 2 * LOOK_US)

    def run(self, us: int) -> None:
        self.now_us += us
        self.segment.advance(self.now_us)

    def do(self, action: str, position: int, value: float | None = None) -> None:
        uid = virtual_uid(position)
        self.hall.do(Do(version=1, id=1, do=action, uid=uid, value=value), self.now_us)  # type: ignore[arg-type]
        self.run(2 * LOOK_US)

    def volts(self) -> list[float]:
        return [table.board.volts() for table in self.hall.tables.values()]

    def loops(self) -> list[bool]:
        return [table.board.loop_closed() for table in self.hall.tables.values()]

    def dark(self) -> list[int]:
        return [place for place, table in enumerate(self.hall.tables.values(), 1) if not table.alive]


def test_volts_fall_away_from_the_injector_and_with_what_the_tables_take() -> None:
    row = Row()
    white = row.volts()
    assert all(one < other for one, other in pairwise(white[:6]))
    assert all(one > other for one, other in pairwise(white[6:]))
    assert 0.2 < white[5] - white[0] < 1.0
    row.milliamps = 4.0
    row.run(2 * LOOK_US)
    assert row.volts()[5] - row.volts()[0] < (white[5] - white[0]) / 4


def test_a_bad_contact_starves_those_beyond_it_until_the_cable_is_mended() -> None:
    row = Row()
    well = row.volts()
    row.do("contact", 9, 2.0)
    lost = [before - now for before, now in zip(well, row.volts(), strict=True)]
    assert max(lost[:8]) < 0.05
    assert min(lost[8:]) > 0.5
    assert row.hall.picture(virtual_uid(9)).wires == ["contact"]
    assert row.hall.picture(virtual_uid(9)).supply_v == round(row.volts()[8], 1)
    row.do("mend", 9)
    assert row.volts() == pytest.approx(well, abs=1e-3)


def test_one_wire_of_two_makes_a_hop_half_as_much_worse() -> None:
    row = Row()
    before = row.volts()[6] - row.volts()[7]
    row.do("one_wire", 8, 1)
    assert (row.volts()[6] - row.volts()[7]) / before == pytest.approx(1.5, abs=0.02)
    row.do("one_wire", 8, 0)
    assert row.volts()[6] - row.volts()[7] == pytest.approx(before, abs=1e-3)


def test_plugs_take_volts_from_their_own_table_alone() -> None:
    row = Row()
    well = row.volts()
    row.do("plug", 3, 5.0)
    lost = [before - now for before, now in zip(well, row.volts(), strict=True)]
    assert lost[2] > 0.3
    assert max(lost[:2] + lost[3:]) < 0.01
    row.do("mended", 3)
    assert row.volts() == pytest.approx(well, abs=1e-3)


def test_a_dead_supply_darkens_its_zone_until_it_is_back() -> None:
    row = Row(tables=32)
    row.do("dead_supply", 20, 1)
    assert row.dark() == list(range(12, 23))
    assert row.hall.picture(virtual_uid(20)).supply_v == 0
    assert row.hall.picture(virtual_uid(1)).wires == []
    row.do("revive", 20)
    assert 20 in row.dark(), "its plug is in, its supply is not"
    row.do("halt", 21)
    row.do("dead_supply", 12, 0)
    assert row.dark() == [21]
    row.do("revive", 21)
    assert row.dark() == []


def test_a_line_that_collapses_switches_off_the_last_ones_and_carries_the_others() -> None:
    row = Row()
    row.do("contact", 7, 60.0)
    assert row.dark()
    assert set(row.dark()) <= set(range(7, 13)), "the other arm plays on"
    assert all(volts > 10 for place, volts in enumerate(row.volts(), 1) if place not in row.dark())
    row.do("contact", 7, 0)
    row.run(SECOND_US)
    assert row.dark() == []


def test_the_loop_is_closed_from_the_terminator_to_the_first_break() -> None:
    row = Row()
    assert all(row.loops())
    row.do("spare", 5, 1)
    assert row.loops() == [False] * 4 + [True] * 8
    row.do("cut", 10)
    assert row.loops() == [False] * 9 + [True] * 3
    row.do("mend", 10)
    row.do("spare", 5, 0)
    row.do("terminator", 1, 0)
    assert not any(row.loops())
    assert row.hall.picture(virtual_uid(12)).wires == ["terminator"]
    row.do("terminator", 12, 1)
    assert all(row.loops())


def test_parts_differ_and_are_the_same_again_with_the_same_seed() -> None:
    one, same, ideal = Row(ideal=False), Row(ideal=False), Row()
    assert one.volts() == same.volts() != ideal.volts()
    boards = [table.board for table in one.hall.tables.values()]
    assert len({board.tolerances for board in boards}) == len(boards)
    other = VirtualHall(12, start, seed=2)
    assert boards[0].tolerances != next(iter(other.tables.values())).board.tolerances


def test_what_the_firmware_measures_and_tells_has_the_error_of_its_board() -> None:
    hall = VirtualHall(4, start_sparing, sparing=True)
    drive = Drive(hall.segments["A"])
    drive.master.show(TableState(as_of_us=drive.master_us(), phase="ready"))
    drive.run(7 * SECOND_US)
    found = _measured(drive)
    for uid, table in hall.tables.items():
        parts, true_v = table.board.tolerances, table.board.volts()
        assert found[uid].supply_v == pytest.approx(parts.supply_gain * true_v, abs=0.15)
        assert 0 < found[uid].spread_v < 8 * parts.noise_v
    told = {node.uid: node for node in drive.master.snapshot(drive.master_us()).nodes}
    errors = {
        round(told[uid].temperature_c - 25 - table.board.tolerances.temperature_c)
        for uid, table in hall.tables.items()
    }
    assert errors == {0}
    assert len({node.temperature_c for node in told.values()}) > 1
    apart = [found[uid].supply_v - table.board.volts() for uid, table in hall.tables.items()]
    assert max(apart) - min(apart) > 0.1, "four boards do not read alike"


def test_a_board_answers_as_late_as_was_drawn() -> None:
    ends = []
    for late_ms in (0.0, 1.2):
        hall = VirtualHall(1, start_sparing, ideal=True)
        (table,) = hall.tables.values()
        board = table.board
        object.__setattr__(board, "tolerances", type(board.tolerances)(turnaround_ms=late_ms))
        board.now_us = 0
        board.send(bytearray(b"abcd"), 4)
        ends.append(board.now_us)
    assert ends[1] - ends[0] == 1200


def _measured(drive: Drive) -> dict[str, NodeMeasured]:
    drive.master.measure(MeasureAsked())
    while not (results := drive.master.taken_results()):
        drive.run_for(SECOND_US // 100)
    return {node.uid: node for node in results[0].measured}
