import pytest

from pi_controller.bus.frame import encode
from pi_controller.bus.messages import Order, to_frame
from pi_controller.bus.values import SegmentChanged, TableState
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.simulated import Do
from pi_controller.virtual_hall.board import SOFT, WATCHDOG
from pi_controller.virtual_hall.hall import VirtualHall, virtual_uid
from pi_controller.virtual_hall.table import BOOT_US, WATCHDOG_US, Table
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


@pytest.fixture
def drive() -> Drive:
    """One segment with one table, which the master polls."""
    hall = VirtualHall(1, start)
    drive = Drive(hall.segments["A"])
    drive.hall = hall  # type: ignore[attr-defined]
    drive.master.show(TableState(as_of_us=drive.master_us(), phase="round", round=3))
    drive.run(JOINED_US)
    return drive


def hall_of(drive: Drive) -> VirtualHall:
    hall = drive.hall  # type: ignore[attr-defined]
    assert isinstance(hall, VirtualHall)
    return hall


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


def test_a_master_finds_and_polls_the_table(drive: Drive) -> None:
    assert state_of(drive) == "good"
    assert drive.master.snapshot(drive.master_us()).crc_errors == 0
    assert running(hall_of(drive).tables[UID]).states > 5


def test_the_picture_is_what_the_firmware_shows(drive: Drive) -> None:
    hall = hall_of(drive)
    hall.do(do("press", side="moon"), drive.now_us)
    drive.run_for(SECOND_US)
    picture = hall.picture(UID)
    sun, moon = picture.displays
    assert (sun.side, sun.width, sun.height, sun.on, sun.contrast) == ("sun", 128, 64, True, 99)
    lit = [(x, y) for y in range(64) for x in range(128) if sun.bits[y * 16 + x // 8] >> (7 - x % 8) & 1]
    assert lit == [(3, 0), (3, 7)]
    assert moon.bits == bytes(1024)
    assert (picture.lamps.claim_sun, picture.lamps.claim_moon) == (0, 255)


def test_what_a_table_shows_changes_its_look(drive: Drive) -> None:
    hall = hall_of(drive)
    before = hall.look(UID)
    drive.run_for(SECOND_US)
    assert hall.look(UID) == before
    for action in (do("press", side="sun"), do("cut"), do("babble"), do("loss", value=0.5), do("halt")):
        before = hall.look(UID)
        hall.do(action, drive.now_us)
        drive.run_for(SECOND_US // 10)
        assert hall.look(UID) != before


def test_a_button_is_held_as_long_as_asked(drive: Drive) -> None:
    hall = hall_of(drive)
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


def test_a_halted_table_is_dark_and_silent_until_it_is_revived(drive: Drive) -> None:
    hall = hall_of(drive)
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


def test_a_reboot_is_a_new_start(drive: Drive) -> None:
    hall = hall_of(drive)
    before = running(hall.tables[UID])
    hall.do(do("reboot"), drive.now_us)
    drive.run_for(BOOT_US + SECOND_US)
    assert running(hall.tables[UID]) is not before
    assert hall.tables[UID].board.reset == 0


def test_firmware_that_reboots_itself_or_hangs_comes_back_with_the_cause(drive: Drive) -> None:
    table = hall_of(drive).tables[UID]
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


def test_a_cut_table_is_alone_and_comes_back_when_it_is_mended(drive: Drive) -> None:
    hall = hall_of(drive)
    hall.do(do("cut"), drive.now_us)
    states = running(hall.tables[UID]).states
    drive.run_for(SECOND_US)
    assert hall.picture(UID).cut_before
    assert running(hall.tables[UID]).states <= states + 1
    hall.do(do("mend"), drive.now_us)
    drive.run_for(3 * SECOND_US)
    assert not hall.picture(UID).cut_before
    assert state_of(drive) == "good"


def test_babble_and_loss_are_told_and_undone(drive: Drive) -> None:
    hall = hall_of(drive)
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
    second.halt()
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
        (do("duplicate"), "No other table of this segment has an address that could be had twice"),
    ],
)
def test_what_cannot_be_done_is_told(drive: Drive, action: Do, sentence: str) -> None:
    with pytest.raises(Malformed, match=sentence):
        hall_of(drive).do(action, drive.now_us)
