import pytest

from pi_controller.bus.conversation import LineWatch
from tests.told import told

SECOND = 1_000_000


def guard() -> LineWatch:
    return LineWatch(name="C", baud=250_000)


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        (b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9*47\r\n", "a satellite receiver"),
        (b"$GNRMC,,V,,,,,,,,,,N*4D\r\n", "a satellite receiver"),
        (b"\r\nOK\r\nAT+CGMI\r\n\r\nRING\r\n\r\nNO CARRIER\r\n", "a modem"),
        (
            b"MicroPython v1.25.0 on 2025-04-15; Raspberry Pi Pico\r\n>>> ",
            "a MicroPython prompt; it runs no table firmware",
        ),
        (b"Debian GNU/Linux 12 pi ttyAMA0\r\n\r\npi login: ", "the console of a computer"),
        (b"3d printer ready, temperature 21.5 / 0.0\r\n", "a device that sends text"),
    ],
)
def test_another_device_on_the_port_is_named(text: bytes, looks: str) -> None:
    one = guard()
    one.heard(text, 0, SECOND)
    assert one.wrong_device
    assert told(one.sentence(SECOND)) == (
        f"Segment C: the device on this port is not the table bus but looks like {looks}: "
        "plug the bus adapter in there, or name the right port in the settings"
    )


def test_bytes_that_are_no_text_may_be_another_speed() -> None:
    one = guard()
    for _ in range(8):
        one.heard(bytes(range(1, 255)), 0, SECOND)
    assert "looks like a device at another speed or of another kind" in told(one.sentence(SECOND))


def test_a_little_noise_at_the_start_is_nothing() -> None:
    one = guard()
    one.heard(b"\0\xff\xfe\0\x80", 0, SECOND)
    assert one.sentence(SECOND) is None
    assert not one.wrong_device


def test_answers_that_collide_at_the_start_are_no_other_device() -> None:
    one = guard()
    for round_us in range(SECOND, 2 * SECOND, 200_000):
        one.heard(bytes(range(256)) + bytes(range(120)), 0, round_us)
    assert not one.wrong_device


def test_a_line_that_has_worked_has_no_wrong_device() -> None:
    one = guard()
    one.good(SECOND)
    one.heard(b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9*47\r\n", 0, SECOND)
    assert one.sentence(SECOND) is None
    one.reopened()
    one.heard(b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9*47\r\n", 0, SECOND)
    assert one.wrong_device


def test_answers_that_are_waited_for_are_no_babble() -> None:
    one = guard()
    for now in range(SECOND, 4 * SECOND, 5_000):
        one.good(now)
        one.heard(bytes(100), 100, now)
    assert one.sentence(4 * SECOND) is None


def test_a_segment_where_nobody_has_ever_been_is_not_silent() -> None:
    one = guard()
    for _ in range(100):
        one.unanswered()
    assert one.sentence(10 * SECOND) is None
