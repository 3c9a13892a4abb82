"""The staff's address and the certificate's beginning on the local display, in turn with the game's face."""

import hashlib
from itertools import combinations

import pytest
from PIL import ImageChops

from pi_controller.core.panel.outputs import TURN_NS, StaffAddress
from pi_controller.hal.oled.display import draw_face
from pi_controller.hal.roles import StatusFace
from tests.core.hand import S
from tests.core.panel.test_outputs import PAUSED, Panel
from tests.hal.oled.test_display import CONTROLLERS, Bench, close_all

DIGEST = hashlib.sha256(b"a certificate").hexdigest().upper()
FINGERPRINT = ":".join(DIGEST[place : place + 2] for place in range(0, 64, 2))
ADDRESS = "https://192.168.178.20:8443"
READY = {"phase": "ready", "side": None, "running": False, "dice": None, "sum": None}


def certificate() -> StatusFace:
    return StaffAddress(ADDRESS, FINGERPRINT, since_ns=0).over(StatusFace(), TURN_NS)


def shown_over(panel: Panel, seconds: int) -> list[StatusFace]:
    """Each face of these seconds, once."""
    first = len(panel.display.faces)
    panel.timers.move(seconds * S)
    return panel.display.faces[first:]


def test_before_a_game_the_three_turn() -> None:
    panel = Panel()
    panel.show(**READY)
    ready = panel.display.faces[-1]
    panel.outputs.show_staff_pages(ADDRESS, FINGERPRINT)
    shown = [panel.display.faces[-1], *shown_over(panel, 17)]
    assert [face.headline for face in shown] == ["Pages of the staff", "Certificate begins with", "Ready"]
    assert shown[0].lines == ("https://", "192.168.178.20", ":8443")
    assert shown[1:] == [certificate(), ready]
    digits = "".join(certificate().lines).replace(" ", "")
    assert digits == DIGEST[:16], "as a browser shows them first"


def test_where_nothing_is_encrypted_only_the_address_turns() -> None:
    panel = Panel()
    panel.show(**READY)
    panel.outputs.show_staff_pages("http://192.168.178.20:8080", "")
    assert [face.headline for face in shown_over(panel, 13)] == ["Ready", "Pages of the staff"]


@pytest.mark.parametrize("changes", [{}, PAUSED, {**READY, "resume_in_ms": 3000}, {**READY, **PAUSED}])
def test_nothing_covers_a_clock_or_a_pause(changes: dict[str, object]) -> None:
    panel = Panel()
    panel.outputs.show_staff_pages(ADDRESS, FINGERPRINT)
    panel.show(**changes)
    assert not any(face.lines for face in [panel.display.faces[-1], *shown_over(panel, 2)])


def test_the_pin_goes_first() -> None:
    panel = Panel()
    panel.show(**READY)
    panel.outputs.show_staff_pages(ADDRESS, FINGERPRINT)
    panel.outputs.show_pin("493027")
    assert panel.display.faces[-1].big == "493 027"
    assert not any(face.lines for face in shown_over(panel, 59))
    assert any(face.lines for face in shown_over(panel, 19))


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_it_stands_on_the_glass(controller: str) -> None:
    """luma's own driver, and what its bus has carried."""
    panel, bench = Panel(), Bench(controller)
    panel.outputs.replace_display(bench.open())
    panel.show(**READY)
    panel.outputs.show_staff_pages(ADDRESS, FINGERPRINT)
    panel.timers.move(TURN_NS)
    bench.until_shown(certificate())
    close_all(bench)


def test_no_digit_is_taken_for_another() -> None:
    """Side by side in the same place they differ in a tenth of their pixels at least."""
    pictures = {
        digit: draw_face(StatusFace(lines=(digit * 4 + " " + digit * 4,) * 2, footer="x"))
        for digit in "0123456789ABCDEF"
    }
    for one, other in combinations(pictures, 2):
        differing = ImageChops.logical_xor(pictures[one], pictures[other]).histogram()[255]
        assert differing > pictures[one].histogram()[255] // 10, f"{one} and {other}"
