from pi_controller.replay.pictures import lines_of
from tests.core.hand import S, room


def test_lamps_are_those_of_the_panel_and_blink_where_it_does() -> None:
    pictures = [room(), room(phase="robber", side=None, seat=None), room(paused=True, running=False)]
    lines = list(lines_of((number * S, picture) for number, picture in enumerate(pictures)))
    assert [line.since_ms for line in lines] == [0, 1000, 2000]
    lit = [tuple((one.sun, one.moon, one.pause) for one in line.lamps) for line in lines]
    assert lit == [
        ((True, False, True), (True, False, True)),
        ((True, True, True), (False, False, True)),
        ((True, False, False), (True, False, True)),
    ]
