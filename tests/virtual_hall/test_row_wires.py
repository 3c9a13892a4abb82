"""Supply and spare wires of virtual rows: what arrives follows from what the tables take, and from what is wrong."""

from itertools import pairwise

import pytest

from pi_controller.bus.values import MeasureAsked, NodeMeasured, TableState
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.paths import virtual_uid
from pi_controller.protocol.simulated import Do
from pi_controller.virtual_hall.hall import LOOK_US, VirtualHall
from pi_controller.virtual_hall.table import BOOT_US, start_sparing
from tests.virtual_hall.talker import start
from tests.virtual_hall.virtual_time import Drive

SECOND_US = 1_000_000


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


@pytest.mark.parametrize(
    ("action", "value", "sentence"),
    [
        ("contact", None, "contact needs `value`, from 0 to 100."),
        ("plug", 101, "plug needs `value`, from 0 to 100."),
        ("one_wire", 2, "one_wire needs `value`, from 0 to 1."),
        ("terminator", None, "terminator needs `value`, from 0 to 1."),
    ],
)
def test_what_cannot_be_is_refused(action: str, value: float | None, sentence: str) -> None:
    row = Row()
    with pytest.raises(Malformed) as refusal:
        row.do(action, 1, value)
    assert str(refusal.value) == sentence


def _measured(drive: Drive) -> dict[str, NodeMeasured]:
    drive.master.measure(MeasureAsked())
    while not (results := drive.master.taken_results()):
        drive.run_for(SECOND_US // 100)
    return {node.uid: node for node in results[0].measured}
