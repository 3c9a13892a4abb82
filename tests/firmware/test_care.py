"""Care for the displays: dimming, blanking, waking up and shifting."""

from table_node import messages as m
from table_node.care import BLANK_SECONDS, DIM_SECONDS, Care
from tests.firmware.hall import playing

SECOND = 1_000_000


def idle(seconds: int) -> Care:
    care = Care()
    for _ in range(seconds):
        care.second(True)
    return care


def test_idle_displays_dim_and_then_go_dark() -> None:
    assert (idle(DIM_SECONDS - 1).contrast(200), idle(DIM_SECONDS).contrast(200)) == (200, 50)
    assert (idle(BLANK_SECONDS - 1).power(), idle(BLANK_SECONDS).power()) == (True, False)


def test_play_keeps_them_lit_and_whatever_happens_wakes_them() -> None:
    care = idle(BLANK_SECONDS)
    care.second(False)
    assert (care.power(), care.contrast(200)) == (True, 200)
    care = idle(BLANK_SECONDS)
    care.wake()
    assert care.power()


def test_the_picture_wanders_over_eight_places() -> None:
    care = Care()
    places = set()
    for _ in range(8 * 60):
        care.second(False)
        places.add((care.shift_x, care.shift_y))
    assert places == {(x, y) for x in range(4) for y in range(2)}


def test_the_contrast_is_what_the_master_asks_for() -> None:
    hall = playing()
    hall.game.brightness = 90
    hall.game.changed()
    hall.run(1_300_000)
    assert [face.display.level for face in hall.faces] == [90, 90]
    assert hall.board.lamps[0] == 90


def test_a_press_in_a_dark_hall_wakes_the_displays() -> None:
    hall = playing()
    hall.game.phase, hall.game.flags = m.ENDED, 0
    hall.game.changed()
    hall.run(SECOND)
    for _ in range(BLANK_SECONDS):
        hall.node.care.second(True)
    hall.run(1_100_000)
    assert [face.display.on for face in hall.faces] == [False, False]
    hall.hold(1, 100_000)
    hall.run(1_100_000)
    assert [face.display.on for face in hall.faces] == [True, True]
