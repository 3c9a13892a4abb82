"""A rule set with three seats on the pages: hall screen and claim form show what the picture lists."""

from typing import Any

import pytest

from tests.browser import pictures
from tests.browser.acts import director
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.game.three_seats import THREE

pytestmark = pytest.mark.browser

SEATS = [
    {"id": seat, "name": sign.name, "sign": sign.symbol, "colour": sign.colour} for seat, sign in THREE.sides
]
TURN = {"seats": SEATS, "side": "star", "next_side": "sun", "seat": 2, "next_seat": 0}
HISTORY = [pictures.roll(14, "star", (5, 3)), pictures.roll(14, "moon", (6, 6)), *pictures.HISTORY[1:]]
TWO = [pictures.claim(1, "A7", "moon"), pictures.claim(2, "B3", "moon")]
CLAIMS = [TWO[0] | {"side": "star"}, TWO[1]]
WINNER = {"claim": "c1", "board": "A7", "side": "star", "points": 19}
SCENES: dict[str, Any] = {
    "round": pictures.picture(history=HISTORY) | TURN,
    "robber": pictures.robber_phase() | TURN | {"side": None, "seat": None},
    "claims": pictures.picture(history=HISTORY, claims=TWO) | TURN | {"claims": CLAIMS},
    "pause": pictures.paused("claim", claims=TWO) | TURN | {"claims": CLAIMS},
    "count-in": pictures.count_in() | TURN,
    "ready": pictures.ready() | {"seats": SEATS, "next_side": "star", "next_seat": 2},
    "ended": pictures.ended() | {"seats": SEATS, "winners": [WINNER]},
}


def test_the_hall_screen_shows_every_seat_and_who_acts(screen: Screen) -> None:
    page = screen.open()
    screen.play(SCENES["round"])
    sides = page.locator(".side:not(.nobody)")
    assert [text.split() for text in sides.all_inner_texts()] == [
        ["SUN", "next"],
        ["MOON"],
        ["STAR", "plays", "now"],
    ]
    colours = sides.evaluate_all("all => all.map((side) => getComputedStyle(side).color)")
    assert len(set(colours)) == 3
    expect(page.locator(".side.acting .side-word")).to_have_text("Star")
    expect(page.locator(".countdown")).to_have_attribute("data-colour", "green")
    assert page.locator(".tile").first.get_attribute("aria-label") == "Round 14 Star 8"
    screen.play(SCENES["robber"] | {"seq": 42})
    expect(page.locator(".side.acting")).to_have_class("side nobody acting")


def test_the_hall_screen_names_the_seat_of_claims_and_of_the_winner(screen: Screen) -> None:
    page = screen.open()
    screen.play(SCENES["claims"])
    queued = page.locator('[data-is="queue-list"] li')
    assert [" ".join(text.split()) for text in queued.all_inner_texts()] == [
        "1. Board A7 Star side",
        "2. Board B3 Moon side",
    ]
    screen.play(SCENES["pause"] | {"seq": 42})
    expect(page.locator('[data-is="claims"] li').first).to_contain_text("Star")
    screen.play(SCENES["ready"] | {"seq": 43})
    expect(page.locator(".disc")).to_have_count(3)
    expect(page.locator('[data-is="first"]')).to_have_text("Star begins")
    screen.play(SCENES["ended"] | {"seq": 44})
    expect(page.locator(".winner")).to_contain_text("Star · 19 points")


def test_a_claim_is_entered_for_any_seat(screen: Screen) -> None:
    page = director(screen, SCENES["claims"])
    page.locator("summary", has_text="Enter a claim").click()
    assert page.locator(".choice .toggle").all_inner_texts() == ["Sun", "Moon", "Star"]
    page.locator('[data-is="claim-board"]').fill("C2")
    page.get_by_role("button", name="Star", exact=True).click()
    page.locator('[data-is="claim-go"]').click()
    assert screen.stage.wait_for_posts(1)[0]["body"] == {"board": "C2", "side": "star"}
    expect(page.locator(".claims .claim-who").first).to_have_text("Board A7Star")
    expect(page.locator(".live")).to_have_attribute("data-colour", "green")
    expect(page.locator('[data-is="first-side"] option[value="star"]')).to_have_count(1)
