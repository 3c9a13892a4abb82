"""What can be wrong with one node, through the real firmware: it shows where it would show in a hall."""

from collections.abc import Iterator

import pytest

from pi_controller.bus.values import ButtonsView, DisplaysView, NodeView, TableState
from pi_controller.protocol.simulated import Do, TablePicture
from pi_controller.virtual_hall.board import TICKS, Tolerances, VirtualBoard
from pi_controller.virtual_hall.hall import VirtualHall, virtual_uid
from pi_controller.virtual_hall.table import start_sparing
from tests.bus.hall import state
from tests.virtual_hall.virtual_time import Drive


def test_ticks_wrap_and_run_at_the_rate_of_the_crystal() -> None:
    board = VirtualBoard(
        uid=bytes(8),
        say=lambda _data, at_us: at_us,
        tune=lambda _baud: None,
        tolerances=Tolerances(crystal_ppm=50),
    )
    board.now_us = 1_000_000_000
    assert board.ticks_us() == 1_000_050_000
    before = board.ticks_us()
    board.now_us += 100_000_000
    assert board.ticks_us() < before
    assert board.ticks_diff(board.ticks_us(), before) == 100_005_000
    assert board.ticks_diff(before, board.ticks_us()) == -100_005_000
    assert board.ticks_add(TICKS - 1, 2) == 1


SECOND = 1_000_000
UID = virtual_uid(2)


class Spoilt:
    """Three tables in a hall in which nothing is played; something can be wrong with the second one."""

    def __init__(self) -> None:
        self.hall = VirtualHall(3, start_sparing, sparing=True, ideal=True)
        self.drive = Drive(self.hall.segments["A"])
        self.drive.master.show(state(self.drive.master_us()))
        self.drive.run(7 * SECOND)
        assert [node.state for node in self.nodes()] == ["good"] * 3

    def do(self, action: str, *, seconds: int = 2, **more: object) -> None:
        self.hall.do(Do(version=1, id=7, do=action, uid=UID, **more), self.drive.now_us)  # type: ignore[arg-type]
        self.drive.run_for(seconds * SECOND)

    def nodes(self) -> tuple[NodeView, ...]:
        return self.drive.master.snapshot(self.drive.master_us()).nodes

    def node(self, uid: str = UID) -> NodeView:
        (found,) = [node for node in self.nodes() if node.uid == uid]
        return found

    def picture(self) -> TablePicture:
        return self.hall.picture(UID)


@pytest.fixture(scope="module")
def joined() -> Spoilt:
    return Spoilt()


@pytest.fixture
def spoilt(joined: Spoilt) -> Iterator[Spoilt]:
    """The same tables for all tests; each leaves them well."""
    yield joined
    joined.do("release", seconds=0, side="sun")
    joined.drive.master.identify(UID, what="off", seconds=0, number=0)
    joined.do("mended")


def test_supply_and_temperature_of_a_good_row_are_those_of_a_room(spoilt: Spoilt) -> None:
    assert [spoilt.node(uid).supply_v for uid in spoilt.hall.tables] == [24.0] * 3, "told in steps of 0.2 V"
    assert spoilt.node().temperature_c == 25


def test_supply_and_temperature_are_told_and_mended(spoilt: Spoilt) -> None:
    well = spoilt.node()
    spoilt.do("supply", value=13.4)
    spoilt.do("temperature", value=-12)
    assert (spoilt.node().supply_v, spoilt.node().temperature_c) == (13.4, -12)
    assert spoilt.picture().faults == ["supply", "temperature"]
    spoilt.do("mended")
    assert (spoilt.node().supply_v, spoilt.node().temperature_c) == (well.supply_v, 25)
    assert spoilt.picture().faults == []


def test_a_crystal_that_drifts_runs_on_from_where_it_was(spoilt: Spoilt) -> None:
    board = spoilt.hall.tables[UID].board
    board.now_us = spoilt.drive.now_us
    before = board.ticks_us()
    spoilt.hall.do(Do(version=1, id=7, do="drift", uid=UID, value=400), spoilt.drive.now_us)
    assert board.ticks_us() == before
    board.now_us += 10 * SECOND
    assert board.ticks_us() - before == pytest.approx(10 * SECOND + 4000, abs=1)


def test_a_noisy_node_hears_and_is_heard_damaged_and_its_neighbours_are_not(spoilt: Spoilt) -> None:
    spoilt.do("noise", value=0.002)
    spoilt.drive.run_for(20 * SECOND)
    nodes = {node.uid: node for node in spoilt.nodes()}
    assert nodes[UID].crc_errors > 20, "what it heard"
    assert nodes[UID].missed > 5, "what was lost, either way"
    assert spoilt.drive.master.snapshot(spoilt.drive.master_us()).crc_errors > 0, "what was heard of it"
    assert nodes[virtual_uid(3)].missed == 0
    spoilt.do("mended")
    spoilt.drive.run_for(3 * SECOND)
    before = spoilt.node().missed
    spoilt.drive.run_for(10 * SECOND)
    assert spoilt.node().missed == before


@pytest.mark.parametrize(("side", "place"), [("sun", 0), ("moon", 1)])
def test_a_dark_display_shows_nothing_and_the_node_does_not_know(
    spoilt: Spoilt, side: str, place: int
) -> None:
    spoilt.do("dark", side=side)
    displays = spoilt.picture().displays
    assert (displays[place].on, displays[place].bits) == (False, bytes(1024))
    assert displays[1 - place].on
    assert spoilt.node().displays == DisplaysView(sun=True, moon=True)
    spoilt.do("mended")
    assert spoilt.picture().displays[place].bits != bytes(1024)


def test_a_stuck_button_is_told_after_ten_seconds(spoilt: Spoilt) -> None:
    spoilt.do("stuck", side="moon")
    assert spoilt.node().stuck == ButtonsView()
    spoilt.drive.run_for(10 * SECOND)
    assert spoilt.node().stuck == ButtonsView(moon=True)
    spoilt.do("mended")
    assert spoilt.node().stuck == ButtonsView()


@pytest.mark.parametrize(("more", "lamp"), [({}, "sun"), ({"value": 1}, "claim_sun")])
def test_a_dead_lamp_stays_dark_whatever_is_said(spoilt: Spoilt, more: dict[str, float], lamp: str) -> None:
    spoilt.do("dead_lamp", side="sun", **more)
    spoilt.drive.master.identify(UID, what="lamps", seconds=60, number=0b1111)
    spoilt.drive.run_for(SECOND)
    lamps = spoilt.picture().lamps
    dark = [name for name in ("sun", "moon", "claim_sun", "claim_moon") if getattr(lamps, name) == 0]
    assert dark == [lamp]
    spoilt.do("mended")
    assert getattr(spoilt.picture().lamps, lamp) == 255


def test_crossed_places_show_and_press_for_each_other(spoilt: Spoilt) -> None:
    before = spoilt.picture().displays
    spoilt.drive.master.identify(UID, what="lamps", seconds=60, number=0b0101)
    spoilt.do("crossed")
    picture = spoilt.picture()
    lamps = picture.lamps
    assert (lamps.sun, lamps.moon, lamps.claim_sun, lamps.claim_moon) == (0, 255, 0, 255)
    assert before[0].bits != before[1].bits, "in a round of Sun's"
    board = spoilt.hall.tables[UID].board
    spoilt.do("press", side="sun")
    assert (board.button(0), board.button(1)) == (False, True)
    assert picture.faults == ["crossed"]


def test_older_firmware_tells_its_version_and_knows_nothing_of_tests(spoilt: Spoilt) -> None:
    assert spoilt.node().firmware == "1.7"
    spoilt.do("firmware", value=0.9)
    spoilt.drive.run_for(5 * SECOND)
    assert (spoilt.node().firmware, spoilt.node().state) == ("0.9", "good")
    spoilt.drive.master.identify(UID, what="lamps", seconds=60, number=0b1111)
    spoilt.drive.run_for(SECOND)
    assert spoilt.picture().lamps.claim_sun == 0
    spoilt.drive.master.identify(UID, what="name", seconds=1, number=0)
    spoilt.do("mended")
    spoilt.drive.run_for(5 * SECOND)
    assert (spoilt.node().firmware, spoilt.node().state) == ("1.7", "good")


def test_a_node_told_to_hang_is_back_by_its_watchdog(spoilt: Spoilt) -> None:
    playing = state(spoilt.drive.master_us())
    spoilt.drive.master.show(TableState(as_of_us=spoilt.drive.master_us(), phase="ready"))
    spoilt.drive.run_for(SECOND // 2)
    spoilt.drive.master.order(UID, "hang")
    spoilt.drive.run_for(SECOND // 2)
    assert spoilt.hall.tables[UID].hanging
    spoilt.drive.run_for(8 * SECOND)
    spoilt.drive.master.show(playing)
    assert (spoilt.node().reset, spoilt.node().state) == ("watchdog", "good")


def test_the_adapter_returns_what_it_is_given_when_asked_for(spoilt: Spoilt) -> None:
    spoilt.do("echo", value=1)
    echoes = spoilt.drive.master.snapshot(spoilt.drive.master_us()).echoes
    assert echoes > 100
    spoilt.do("echo", value=0)
    spoilt.do("echo", value=0)
    assert spoilt.drive.master.snapshot(spoilt.drive.master_us()).echoes <= echoes + 1
