"""What a node does for the self-test of a hall: PING, patterns, lamps, a walk, hanging, another rate, stuck buttons."""

from struct import pack, unpack, unpack_from

import pytest

from table_node import messages as m
from table_node import view as v
from table_node.frame import EVERYBODY
from tests.firmware.hall import ADDRESS, Hall, frame, health, playing
from tests.firmware.hand_board import HandBoard, Hung

SECOND = 1_000_000
DATA = bytes(range(100, 124))


def ready(**how: object) -> Hall:
    """A node with an address in a hall in which nothing is played yet."""
    hall = Hall(**how)
    hall.run(500_000)
    assert hall.assign() is not None
    return hall


def show(hall: Hall, what: int, seconds: int, number: int = 0, *, dst: int = EVERYBODY) -> None:
    hall.ask(m.IDENTIFY, pack("<BBH", what, seconds, number), dst=dst)


@pytest.mark.parametrize("ppm", [-50, 50])
def test_a_pong_tells_masters_time_at_the_end_of_the_ping(ppm: int) -> None:
    hall = ready(board=HandBoard(ppm=ppm), jitter=lambda: 200)
    hall.game.clock = 2**32 - 4 * SECOND
    hall.run(8 * SECOND)
    before = hall.board.now_us
    _, _, _, _, payload = hall.ask(m.PING, DATA)
    (told,) = unpack_from("<I", payload, 24)
    sent = hall.board.sent[-1][0]
    assert hall.game.clock + before < told + 2**32 < hall.game.clock + sent
    assert abs(told + 2**32 - (hall.game.clock + sent - 300)) < 1500


def test_what_the_board_measures_is_said_when_it_is_asked_for() -> None:
    hall = ready(protocols=(1, 6))
    asked = hall.board.now_us
    kind, src, seq, version, payload = hall.ask(m.MEASURE, b"\0", version=6, seq=78)
    assert (kind, src, seq, version) == (m.MEASURED, ADDRESS, 78, 6)
    assert unpack("<HHHHB", payload) == (24_025, 18, 0xFFFF, 0xFFFF, 1)
    assert hall.board.sent[-1][0] - asked < 8_000
    assert not hall.node.outdated


@pytest.mark.parametrize(
    ("dst", "payload"), [(EVERYBODY, b"\0"), (ADDRESS + 1, b"\0"), (ADDRESS, b"\x01"), (ADDRESS, b"")]
)
def test_who_is_not_meant_or_does_not_know_what_is_asked_for_measures_nothing(
    dst: int, payload: bytes
) -> None:
    hall = ready(protocols=(1, 6))
    assert hall.ask(m.MEASURE, payload, dst=dst, version=6) is None
    assert not hall.node.outdated


def test_a_node_of_protocol_5_takes_a_measure_for_a_version_that_it_does_not_speak() -> None:
    hall = Hall(protocols=(1, 5))
    hall.run(500_000)
    hall.assign()
    assert hall.ask(m.MEASURE, b"\0", version=6) is None
    assert hall.node.outdated


def test_a_pattern_stands_for_its_time_at_full_contrast() -> None:
    hall = ready()
    hall.game.brightness = 30
    hall.run(SECOND)
    show(hall, m.IDENTIFY_PATTERN, 3, m.CHECKER)
    assert (hall.view.kind, hall.view.number) == ("pattern", m.CHECKER)
    hall.run(SECOND)
    assert hall.faces[1].display.level == 255
    hall.run(4 * SECOND)
    assert hall.view.kind == "ready"
    assert hall.faces[1].display.level == 30


@pytest.mark.parametrize(
    ("number", "swapped", "patterns", "level"),
    [
        (m.WHITE | m.HALF_CONTRAST, 0, (m.WHITE, m.WHITE), 127),
        (m.WHITE | m.HALF_CONTRAST | m.DARK_MOON, 0, (m.WHITE, m.BLACK), 127),
        (m.BORDER | m.DARK_SUN, 0, (m.BLACK, m.BORDER), 255),
        (m.WHITE | m.DARK_MOON, 1, (m.BLACK, m.WHITE), 255),
    ],
)
def test_a_pattern_at_half_contrast_and_on_one_side(
    number: int, swapped: int, patterns: tuple[int, int], level: int
) -> None:
    hall = ready()
    hall.assign(swap=swapped)
    show(hall, m.IDENTIFY_PATTERN, 2, number)
    assert [view.kind for view in hall.node.views] == ["pattern", "pattern"]
    assert tuple(view.number for view in hall.node.views) == patterns
    assert [face.display.level for face in hall.faces] == [level, level], "before the picture is there"
    hall.run(500_000)
    assert tuple(view.number for view in hall.node.views) == patterns
    hall.run(3 * SECOND)
    assert hall.view.kind == "ready"
    assert hall.faces[0].display.level == hall.node.brightness


def test_a_pattern_is_not_shifted() -> None:
    hall = ready()
    hall.run(61 * SECOND)
    assert hall.view.shift_x == 1
    show(hall, m.IDENTIFY_PATTERN, 10)
    assert (hall.view.shift_x, hall.view.shift_y) == (0, 0)


@pytest.mark.parametrize(
    ("number", "swapped", "lit"),
    [
        (0b0001, 0, [255, 0, 0, 0]),
        (0b1010, 0, [0, 255, 0, 255]),
        (0b0101, 1, [0, 255, 0, 255]),
        (0, 0, [0, 0, 0, 0]),
    ],
)
def test_lamps_by_their_bits_and_then_as_before(number: int, swapped: int, lit: list[int]) -> None:
    hall = ready()
    hall.assign(swap=swapped)
    hall.run(SECOND)
    before = list(hall.board.lamps)
    show(hall, m.IDENTIFY_LAMPS, 2, number)
    hall.run(500_000)
    assert (hall.board.lamps, hall.view.kind) == (lit, "ready")
    hall.run(3 * SECOND)
    assert hall.board.lamps == before


@pytest.mark.parametrize("side", [0, 1])
def test_in_a_walk_a_touch_makes_a_claim_at_once_on_either_side(side: int) -> None:
    hall = ready()
    show(hall, m.IDENTIFY_WALK, 60)
    view = hall.node.views[side]
    assert (view.kind, view.claim) == ("walk", v.NO_CLAIM)
    touched = hall.board.now_us
    hall.hold(side, 50_000)
    told = hall.poll()
    names = ("sun", "moon")
    number = told[names[side]]
    assert number > 0
    assert told[names[1 - side]] == 0
    assert abs(told[names[side] + "_us"] - touched) <= 5000
    assert (view.number, view.claim) == (number, v.SENT)
    hall.poll(**{names[side]: (number, 1)})
    hall.run(400_000)
    assert (view.claim, hall.board.lamps[2 + side]) == (v.RECEIVED, 255)


def test_each_touch_has_its_number_once_the_one_before_is_acknowledged() -> None:
    hall = ready()
    show(hall, m.IDENTIFY_WALK, 60)
    hall.hold(0, 50_000)
    first = hall.poll()["sun"]
    hall.hold(0, 50_000)
    assert hall.poll()["sun"] == first, "it has to be heard first"
    hall.poll(sun=(first, 1))
    hall.hold(0, 50_000)
    assert hall.poll(sun=(first, 1))["sun"] == first + 1


def test_a_walk_ends_with_its_time_and_so_do_its_claims() -> None:
    hall = ready()
    show(hall, m.IDENTIFY_WALK, 3)
    hall.hold(0, 50_000)
    assert hall.poll()["sun"] > 0
    hall.run(5 * SECOND)
    assert (hall.view.kind, hall.poll()["sun"]) == ("ready", 0)
    hall.hold(0, 50_000)
    assert hall.poll()["sun"] == 0


def test_a_walk_is_over_when_something_may_be_played() -> None:
    hall = ready()
    show(hall, m.IDENTIFY_WALK, 200)
    hall.hold(0, 50_000)
    hall.game.begin(hall.board.now_us)
    hall.run(SECOND)
    assert (hall.view.kind, hall.poll()["sun"]) == ("round", 0)
    hall.hold(0, 50_000)
    assert hall.poll()["sun"] == 0, "in play a claim takes its hold"


@pytest.mark.parametrize("linked", [True, False])
def test_there_is_no_walk_in_play_or_without_a_link(linked: bool) -> None:
    hall = playing() if linked else ready()
    hall.silent = not linked
    hall.run(0 if linked else 3 * SECOND)
    show(hall, m.IDENTIFY_WALK, 60)
    assert hall.view.kind == ("round" if linked else "no_link")


def order(hall: Hall, what: int, argument: int = 0) -> dict[str, int]:
    answer = hall.ask(m.ORDER, bytes((what, argument)))
    assert answer is not None
    return health(answer)


def test_it_hangs_behind_its_answer() -> None:
    hall = ready()
    before = len(hall.board.sent)
    with pytest.raises(Hung):
        order(hall, m.HANG)
    assert len(hall.board.sent) == before + 1


def test_it_does_not_hang_in_play_or_without_a_link() -> None:
    hall = playing()
    order(hall, m.HANG)
    hall.game.phase, hall.game.flags = m.ENDED, 0
    hall.game.changed()
    hall.run(500_000)
    hall.silent = True
    hall.run(3 * SECOND)
    order(hall, m.HANG)
    hall.silent = False
    hall.run(SECOND)
    with pytest.raises(Hung):
        order(hall, m.HANG)


def test_at_another_rate_for_so_long_and_back_by_itself() -> None:
    hall = ready()
    order(hall, m.RATE, 3)
    assert hall.board.baud == 500_000
    hall.run(2 * SECOND)
    assert hall.poll()["missed"] == 0
    hall.run(2 * SECOND)
    assert hall.board.baud == 250_000
    assert hall.poll() is not None


def test_silence_or_an_order_ends_another_rate() -> None:
    hall = ready()
    order(hall, m.RATE, 200)
    hall.silent = True
    hall.run(1_600_000)
    assert hall.board.baud == 250_000
    hall.silent = False
    order(hall, m.RATE, 200)
    assert hall.board.baud == 500_000
    order(hall, m.RATE, 0)
    assert hall.board.baud == 250_000


def test_what_is_damaged_between_two_rates_does_not_count() -> None:
    hall = ready()
    hall.board.bring(b"\0abc\0", hall.board.now_us)
    damaged = hall.poll()["damaged"]
    assert damaged == 1
    order(hall, m.RATE, 5)
    hall.board.bring(b"\0abcdefgh\0" * 5, hall.board.now_us)
    hall.run(5000)
    assert hall.poll()["damaged"] == damaged
    hall.board.bring(b"\0abc\0", hall.board.now_us)
    assert hall.poll()["damaged"] == damaged + 1, "but at that rate it does"


def test_it_goes_back_to_the_slow_rate_when_it_came_from_there() -> None:
    hall = Hall()
    hall.silent = True
    hall.run(3_500_000)
    assert hall.board.baud == 115_200
    hall.silent = False
    hall.run(500_000)
    hall.assign()
    order(hall, m.RATE, 1)
    hall.run(1_500_000)
    assert hall.board.baud == 115_200


@pytest.mark.parametrize("from_the_start", [False, True])
def test_a_button_that_is_closed_for_10_s_is_stuck(from_the_start: bool) -> None:
    board = HandBoard()
    board.pressed[1] = from_the_start
    hall = ready(board=board)
    board.pressed[1] = True
    hall.run(8 * SECOND)
    assert hall.poll()["flags"] & (m.SUN_STUCK | m.MOON_STUCK) == 0
    hall.run(3 * SECOND)
    assert hall.poll()["flags"] & (m.SUN_STUCK | m.MOON_STUCK) == m.MOON_STUCK
    board.pressed[1] = False
    hall.run(100_000)
    assert hall.poll()["flags"] & (m.SUN_STUCK | m.MOON_STUCK) == 0


def test_unknown_orders_and_modes_change_nothing() -> None:
    """As an older node does with what is new here."""
    hall = ready()
    assert hall.ask(m.ORDER, b"\x08\0") is None
    show(hall, 6, 10)
    assert hall.view.kind == "ready"
    assert hall.ask(11, bytes(4), dst=ADDRESS) is None
    hall.board.bring(frame(m.PONG, DATA + bytes(4), dst=0), hall.board.now_us)
    assert hall.poll() is not None


def test_a_walk_right_after_the_link_came_keeps_its_claims() -> None:
    """Those of a game before are forgotten then."""
    hall = ready()
    hall.silent = True
    hall.run(3 * SECOND)
    hall.silent = False
    hall.run(300_000)
    show(hall, m.IDENTIFY_WALK, 60)
    hall.hold(0, 50_000)
    number = hall.poll()["sun"]
    hall.run(4 * SECOND)
    assert hall.poll(sun=(number, 1))["sun"] == number > 0
