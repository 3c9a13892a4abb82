from pi_controller.bus.echo import FOREIGN_US, REMEMBERED, Echo
from pi_controller.bus.frame import Frame


def frame(seq: int) -> Frame:
    return Frame(1, 2, 5, 0, seq, b"123456")


def test_own_frames_come_back_once_each() -> None:
    echo = Echo()
    echo.sent(frame(1))
    echo.sent(frame(2))
    assert not echo.foreign(frame(1), 1_000)
    assert not echo.foreign(frame(2), 2_000)
    assert echo.echoes == 2
    assert not echo.other_master(2_000)


def test_what_was_never_sent_is_another_masters() -> None:
    echo = Echo()
    echo.sent(frame(1))
    assert echo.foreign(frame(7), 1_000)
    assert echo.other_master(1_000)
    assert not echo.other_master(1_000 + FOREIGN_US)


def test_what_was_sent_long_ago_is_no_echo() -> None:
    echo = Echo()
    for seq in range(REMEMBERED + 1):
        echo.sent(frame(seq))
    assert echo.foreign(frame(0), 1_000)


def test_damage_counts_as_collision_only_where_own_bytes_come_back() -> None:
    echo = Echo()
    echo.damaged(1)
    assert echo.collisions == 0
    echo.sent(frame(1))
    echo.foreign(frame(1), 1_000)
    echo.damaged(2)
    assert echo.collisions == 2
