"""What can be wrong with one node, through the real firmware: it shows where it would show in a hall."""

from collections.abc import Iterator

import pytest

from pi_controller.bus.values import ButtonsView, DisplaysView, NodeView, TableState
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.simulated import Do, TablePicture
from pi_controller.virtual_hall.board import MINUTE_US, SOFT, TICKS, WATCHDOG, Tolerances, VirtualBoard
from pi_controller.virtual_hall.hall import VirtualHall, virtual_uid
from pi_controller.virtual_hall.table import start_sparing
from tests.bus.hall import state
from tests.virtual_hall.virtual_time import Drive


def board_of(ppm: float = 0) -> tuple[VirtualBoard, list[tuple[bytes, int]], list[int]]:
    said: list[tuple[bytes, int]] = []
    rates: list[int] = []

    def say(data: bytes, at_us: int) -> int:
        said.append((data, at_us))
        return at_us + 40 * len(data)

    parts = Tolerances(crystal_ppm=ppm)
    return VirtualBoard(uid=bytes(8), say=say, tune=rates.append, tolerances=parts), said, rates


def test_ticks_wrap_and_run_at_the_rate_of_the_crystal() -> None:
    board, _, _ = board_of(ppm=50)
    board.now_us = 1_000_000_000
    assert board.ticks_us() == 1_000_050_000
    before = board.ticks_us()
    board.now_us += 100_000_000
    assert board.ticks_us() < before
    assert board.ticks_diff(board.ticks_us(), before) == 100_005_000
    assert board.ticks_diff(before, board.ticks_us()) == -100_005_000
    assert board.ticks_add(TICKS - 1, 2) == 1


def test_bytes_are_read_in_order_and_lost_at_a_reset() -> None:
    board, _, _ = board_of()
    board.incoming += b"abcde"
    buffer = bytearray(3)
    assert (board.read(buffer), bytes(buffer)) == (3, b"abc")
    assert (board.read(buffer), bytes(buffer)) == (2, b"dec")
    assert board.read(buffer) == 0
    board.incoming += b"x"
    board.start(SOFT, 5)
    assert board.read(buffer) == 0


def test_sending_takes_its_time() -> None:
    board, said, rates = board_of()
    board.now_us = 100
    board.send(bytearray(b"abcdef"), 4)
    assert said == [(b"abcd", 100)]
    assert board.now_us == 260
    board.set_baud(115_200)
    assert rates == [115_200]


def test_what_was_saved_outlives_a_reset_and_watchdog_resets_are_counted_for_a_minute() -> None:
    board, _, _ = board_of()
    assert board.load() is None
    record = bytearray(b"record")
    board.save(record)
    record[0] = 0
    board.start(WATCHDOG, 1_000)
    board.start(SOFT, 2_000)
    assert board.load() == b"record"
    assert (board.resets(), board.reset) == (1, SOFT)
    board.now_us = 1_000 + MINUTE_US
    assert board.resets() == 0


def test_health_is_that_of_a_good_board() -> None:
    board, _, _ = board_of()
    assert round(board.supply() * 0.2) == 24
    assert board.temperature() == 25


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

    def do(self, action: str, **more: object) -> None:
        self.hall.do(Do(version=1, id=7, do=action, uid=UID, **more), self.drive.now_us)  # type: ignore[arg-type]
        self.drive.run_for(2 * SECOND)

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
    joined.do("release", side="sun")
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
    assert spoilt.node().firmware == "1.6"
    spoilt.do("firmware", value=0.9)
    spoilt.drive.run_for(5 * SECOND)
    assert (spoilt.node().firmware, spoilt.node().state) == ("0.9", "good")
    spoilt.drive.master.identify(UID, what="lamps", seconds=60, number=0b1111)
    spoilt.drive.run_for(SECOND)
    assert spoilt.picture().lamps.claim_sun == 0
    spoilt.drive.master.identify(UID, what="name", seconds=1, number=0)
    spoilt.do("mended")
    spoilt.drive.run_for(5 * SECOND)
    assert (spoilt.node().firmware, spoilt.node().state) == ("1.6", "good")


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


@pytest.mark.parametrize(
    ("action", "more", "sentence"),
    [
        ("supply", {}, "supply needs `value`, from 0 to 51."),
        ("supply", {"value": 60}, "supply needs `value`, from 0 to 51."),
        ("hold", {"value": -1, "side": "sun"}, "hold needs `value`, from 0 to 600."),
        ("drift", {"value": 501}, "drift needs `value`, from -500 to 500."),
        ("dark", {}, "dark needs `side`, sun or moon."),
        ("dead_lamp", {"value": 1}, "dead_lamp needs `side`, sun or moon."),
        ("dead_lamp", {"value": 2, "side": "sun"}, "dead_lamp needs `value`, from 0 to 1."),
    ],
)
def test_what_cannot_be_is_refused(
    spoilt: Spoilt, action: str, more: dict[str, object], sentence: str
) -> None:
    with pytest.raises(Malformed) as refusal:
        spoilt.do(action, **more)
    assert str(refusal.value) == sentence
    assert spoilt.picture().faults == []
