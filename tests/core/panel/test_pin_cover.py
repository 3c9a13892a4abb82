"""The PIN on the local display: large in a quiet moment, small below a countdown, gone after a minute."""

from pi_controller.core.panel.outputs import PinCover
from pi_controller.language.words import words
from pi_controller.sentence import as_told
from tests.core.hall import Hall
from tests.core.hand import S
from tests.core.panel.test_outputs import PAUSED, Panel

PIN = "493027"


def test_it_is_large_before_the_start_and_gone_after_a_minute() -> None:
    hall = Hall()
    hall.loop.begin()
    before = hall.display.faces[-1]
    assert hall.outputs.show_pin(PIN) is None
    assert (hall.display.faces[-1].headline, hall.display.faces[-1].big) == ("PIN to log in", "493 027")
    hall.timers.move(59 * S)
    assert hall.display.faces[-1].big == "493 027"
    hall.timers.move(1 * S)
    assert hall.display.faces[-1] == before
    assert PIN not in repr(PinCover(PIN))
    assert not any(PIN in str(picture) for picture in hall.pictures)
    assert not any(PIN in str(entry) for entry in hall.log.lines)


def test_a_countdown_stays_above_it() -> None:
    panel = Panel()
    panel.show(remaining_ms=90_000)
    assert panel.outputs.show_pin(PIN) is None
    panel.timers.move(1 * S)
    assert (panel.display.faces[-1].big, panel.display.faces[-1].footer) == ("89", f"PIN {PIN}")
    panel.show(**PAUSED, remaining_ms=89_000)
    assert (panel.display.faces[-1].big, panel.display.faces[-1].footer) == ("89", f"PIN {PIN}")


def test_a_second_pin_has_its_own_minute() -> None:
    hall = Hall()
    hall.loop.begin()
    hall.outputs.show_pin(PIN)
    hall.timers.move(40 * S)
    hall.outputs.show_pin("111222")
    hall.timers.move(40 * S)
    assert hall.display.faces[-1].big == "111 222"


def test_nobody_could_read_it() -> None:
    hall = Hall()
    hall.loop.begin()
    hall.display.said = as_told("The local display does not answer (errno 121); check its wiring.")
    said = hall.outputs.show_pin(PIN)
    assert (
        words(said)
        == "The local display does not answer (errno 121); check its wiring. The PIN cannot be shown on it."
    )
    hall.outputs.display = None
    assert (
        words(hall.outputs.show_pin(PIN)) == "There is no local display here: the PIN cannot be shown on it."
    )
