"""The director's main action: at one place in every state, what it does in each, and that no touch does what its label did not say."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser import pictures
from tests.browser.acts import ENDED, JUDGE, ONE_CLAIM, PAUSED, READY, ROUND, director, press
from tests.browser.classic_pictures import CLASSIC
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.matrix import further

pytestmark = pytest.mark.browser

UNCOVERED = """() => {
  const button = document.querySelector('[data-is="primary"]'), box = button.getBoundingClientRect();
  return [0.1, 0.5, 0.9].every((part) =>
    button.contains(document.elementFromPoint(box.x + box.width / 2, box.y + part * box.height)));
}"""
"""Whether it lies under nothing, at its top, in its middle and at its bottom."""

NO_RANKING = pictures.collecting(ranking=[], claims=[])
RANKED = pictures.collecting(claims=[])
NOT_CLOSED = pictures.ended(closed=False, seed=None)
UNFIT = READY | {
    "allowed": READY["allowed"] | {"start": {"reasons": ["The disk is full."], "override": True}}
}
MODES: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "ready": (READY, "start", ["start"]),
    "not ready": (UNFIT, "look", []),
    "3-2-1": (pictures.count_in(), "freeze", ["pause"]),
    "play": (ROUND, "pause", ["pause"]),
    "play with a claim": (pictures.picture(claims=pictures.asked(1)), "pause", ["pause"]),
    "pause": (PAUSED, "resume", ["resume"]),
    "claim": (ONE_CLAIM, "judge", []),
    "collecting": (NO_RANKING, "sheet", []),
    "ranking": (RANKED, "end", []),
    "ended": (NOT_CLOSED, "close", []),
    "closed": (ENDED, "arm", []),
    "a turn": (CLASSIC["turn"], "turn", ["turn"]),
}
"""What is shown; the main action's mode; the commands of a double click."""


def click(page: Page, *, times: int = 1) -> None:
    """Where the button is, whatever it is now and whether or not it listens."""
    box = page.locator('[data-is="primary"]').bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, click_count=times)


def given(screen: Screen, count: int) -> list[str]:
    return [post["name"] for post in screen.stage.wait_for_posts(count)]


@pytest.mark.parametrize("state", MODES)
def test_a_double_click_does_it_once_in_every_phase(screen: Screen, state: str) -> None:
    picture, mode, commands = MODES[state]
    page = director(screen, picture)
    expect(page.locator('[data-is="primary"]')).to_have_attribute("data-mode", mode)
    click(page)
    given(screen, len(commands))
    after = {
        "start": pictures.count_in(),
        "pause": PAUSED,
        "resume": pictures.count_in(),
        "turn": CLASSIC["to-roll"],
    }
    if commands and commands[0] in after:
        screen.play(after[commands[0]] | {"seq": 42})
    click(page)
    screen.play(ROUND | {"seq": 43})
    screen.pass_ms(600)
    click(page)
    assert given(screen, len(commands) + 1) == [*commands, "pause"]


def test_a_touch_does_what_its_label_said_when_the_finger_went_down(screen: Screen) -> None:
    page = director(screen, PAUSED)
    main = page.locator('[data-is="primary"]')
    main.hover()
    page.mouse.down()
    screen.play(ONE_CLAIM | {"seq": 42})
    expect(main).to_have_attribute("data-mode", "judge")
    page.mouse.up()
    [post] = screen.stage.wait_for_posts(1)
    assert (post["name"], post["seen"]) == ("resume", (PAUSED["session"], str(PAUSED["seq"])))
    expect(page.locator('[data-is="claim-panel"]')).to_have_count(0)


@pytest.mark.parametrize(
    ("before", "after"),
    [(ROUND, PAUSED), (PAUSED, pictures.count_in()), (ROUND, ONE_CLAIM), (PAUSED, ONE_CLAIM)],
    ids=["the big button", "another director", "a claim", "a claim in a pause"],
)
def test_for_a_moment_after_its_label_has_changed_only_pause_acts(
    screen: Screen, before: dict[str, Any], after: dict[str, Any]
) -> None:
    page = director(screen, before)
    screen.play(after | {"seq": 42})
    screen.pass_ms(300)
    click(page)
    expect(page.locator('[data-is="claim-panel"]')).to_have_count(0)
    screen.play(ROUND | {"seq": 43})
    click(page)
    assert given(screen, 1) == ["pause"], "nothing but the pause at once"


def test_keys_are_not_heard_either(screen: Screen) -> None:
    page = director(screen, ROUND)
    page.locator('[data-is="primary"]').focus()
    page.keyboard.press("Space")
    given(screen, 1)
    screen.play(PAUSED | {"seq": 42})
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    screen.play(READY | {"seq": 43})
    page.keyboard.press("Enter")
    screen.pass_ms(600)
    page.keyboard.press("Enter")
    assert given(screen, 2) == ["pause", "start"]


def test_pause_keeps_a_second_place_while_the_main_action_is_another_one(screen: Screen) -> None:
    page = director(screen, pictures.picture(claims=pictures.asked(1)))
    second = page.locator('[data-is="pause"]')
    expect(second).to_have_attribute("data-mode", "none")
    place = second.bounding_box()
    page.locator('[data-is="judge"]').click()
    expect(second).to_have_attribute("data-mode", "pause")
    assert second.bounding_box() == place
    second.click()
    page.keyboard.press("Space")
    assert given(screen, 2) == ["pause", "pause"]


def test_the_key_of_the_pause_can_be_chosen_and_keys_switched_off(screen: Screen) -> None:
    page = director(screen, ROUND, mode="setup")
    press("key-pause")(page)
    page.keyboard.press("b")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    page.keyboard.press("b")
    assert given(screen, 1) == ["pause"]
    page.locator('[data-is="keys-card"] li', has_text="first open claim").locator(".plain").click()
    page.keyboard.press("c")
    expect(page.locator("body")).to_have_attribute("data-mode", "setup")
    page.reload()
    expect(page.locator('[data-is="key-pause"]')).to_have_text("B")
    expect(page.locator('[data-is="key-claim"]')).to_have_text("off")


WATCHED = {"directs": 2, "directors": [{"number": 0, "name": "", "here": True}, {"number": 2, "name": "Bea", "here": True}], "changes": []}  # fmt: skip
WARNED = {
    "health": {"level": "warning", "messages": ["The disk is nearly full: make room on it."], "items": []}
}
SAID = {"message": {"text": "Please take your seats", "until_ms": None}}


@pytest.mark.parametrize(
    "size", [(1366, 768), (390, 844), (844, 390), *further(((1920, 1080),))], ids=lambda size: f"{size[0]}"
)
def test_its_rectangle_is_the_same_in_every_state(
    new_screen: Callable[..., Screen], size: tuple[int, int]
) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = director(screen, ROUND)
    place = page.locator('[data-is="primary"]').bounding_box()
    for number, (state, (picture, _, _)) in enumerate(MODES.items()):
        for more in ({}, WARNED, SAID):
            screen.play(
                picture | more | {"seq": 100 + 10 * number + len(more) + more.__contains__("message")}
            )
            screen.pass_ms(20)
            assert page.locator('[data-is="primary"]').bounding_box() == place, state
            assert page.evaluate(UNCOVERED), state
    screen.play(ONE_CLAIM | {"seq": 900})
    screen.pass_ms(600)
    JUDGE(page)
    assert page.locator('[data-is="primary"]').bounding_box() == place, "a sheet"
    press("mode-setup")(page)
    assert page.locator('[data-is="primary"]').bounding_box() == place, "setup"
    screen.play(CLASSIC["ready-six"] | {"seq": 901})
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0, (
        "a focus scrolls it away"
    )
    screen.stage.directing(WATCHED)
    expect(page.locator('[data-is="take-over"]')).to_be_visible()
    assert page.locator('[data-is="primary"]').bounding_box() == place, "watching"
    screen.lose_news()
    expect(page.locator('[data-is="lost-why"]')).to_be_visible()
    assert page.locator('[data-is="primary"]').bounding_box() == place, "without connection"
    assert page.evaluate(UNCOVERED)


BROKEN = """() => {
  const said = [];
  for (const text of document.querySelectorAll('.big > span, .live-title')) {
    const node = [...text.childNodes].find(({ nodeType }) => nodeType === Node.TEXT_NODE);
    for (const { index, 0: word } of (node?.data ?? '').matchAll(/[^ \\-]+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (range.getClientRects().length > 1) said.push(`broken: ${word}`);
    }
  }
  const [card, top, detail] = ['.live', '.live-top', '.live-detail'].map((part) => document.querySelector(part).getBoundingClientRect());
  if (detail.height > 0 && (detail.top < top.bottom - 3 || detail.bottom > card.bottom)) said.push('the reasons of the pause have no room');
  return said;
}"""
"""Words of the main action and of the clock's title on two lines, and a clock that its explanation does not fit."""


@pytest.mark.parametrize(
    ("size", "language"),
    [((844, 390), "de"), ((390, 844), "pl"), *further(*product(((1366, 768), (1920, 1080), (390, 844), (844, 390)), ("de", "es", "pl", "pt", "pt-BR")))],
    ids=str,
)  # fmt: skip
def test_its_words_stay_whole_and_the_clock_keeps_its_lines_apart(
    new_screen: Callable[..., Screen], size: tuple[int, int], language: str
) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = screen.open(f"/director?lang={language}")
    states = MODES | {"two reasons": (pictures.paused("claim", "director", claims=pictures.asked(1)), "", [])}
    found = []
    for number, (state, (picture, _, _)) in enumerate(states.items()):
        screen.play(picture | {"seq": 100 + number})
        screen.pass_ms(20)
        found += [f"{state}: {problem}" for problem in page.evaluate(BROKEN)]
    assert found == []
