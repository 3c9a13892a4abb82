"""A rule set with three seats: the hall screen shows what the picture lists."""

import pytest

from tests.browser import pictures
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.game.three_seats import THREE

pytestmark = pytest.mark.browser

SEATS = [
    {"id": seat, "name": sign.name, "sign": sign.symbol, "colour": sign.colour} for seat, sign in THREE.sides
]
TURN = {"seats": SEATS, "side": "star", "next_side": "sun", "seat": 2, "next_seat": 0}
HISTORY = [pictures.roll(14, "star", (5, 3)), pictures.roll(14, "moon", (6, 6)), *pictures.HISTORY[1:]]


def test_the_hall_screen_shows_every_seat_and_who_acts(screen: Screen) -> None:
    page = screen.open()
    screen.play(pictures.picture(history=HISTORY) | TURN)
    sides = page.locator(".side:not(.nobody)")
    assert [text.split() for text in sides.all_inner_texts()] == [
        ["SUN", "next"],
        ["MOON"],
        ["STAR", "plays", "now"],
    ]
    colours = sides.evaluate_all("all => all.map((side) => getComputedStyle(side).color)")
    assert len(set(colours)) == 3
    expect(page.locator(".side.acting .side-word")).to_have_text("Star")
    expect(page.locator('[data-is="bar-box"]')).to_have_attribute("data-colour", "green")
    assert page.locator(".tile").first.get_attribute("aria-label") == "Round 14 Star 8"
    screen.play(pictures.robber_phase() | TURN | {"seq": 42, "side": None, "seat": None})
    expect(page.locator(".side.acting")).to_have_class("side nobody robber acting")
