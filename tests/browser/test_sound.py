"""Sound on the pages: captions on the hall screen, mute and loudspeakers on the technician's page."""

import pytest

from tests import hall_of_tables as tables
from tests.browser import pictures
from tests.browser.looks import cut_off
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser

CAPTIONS = [
    {"key": "voice.round", "params": {"number": 8, "side": {"key": "side.sun", "params": {}}}},
    {"key": "voice.robber_possible", "params": {}},
]


def sound(**changes: object) -> dict[str, object]:
    return {"captions": CAPTIONS, "muted": None, "ducked": False} | changes


@pytest.mark.parametrize("size", [(1920, 1080), (1024, 768), (390, 844)])
def test_what_was_said_stands_on_the_hall_screen(screen: Screen, size: tuple[int, int]) -> None:
    screen.page.set_viewport_size({"width": size[0], "height": size[1]})
    screen.open()
    screen.play(pictures.picture(sound=sound()))
    caption = screen.page.locator('[data-is="caption"]')
    expect(caption).to_have_text("8, Sun. From now on the robber can appear.")
    assert cut_off(screen.page) == []
    screen.play(pictures.ready(seq=43, sound=sound(captions=[{"key": "voice.test_left", "params": {}}])))
    expect(caption).to_have_text("Left loudspeaker.")
    expect(caption).to_be_visible()
    assert cut_off(screen.page) == []
    screen.play(pictures.picture(seq=44, sound=None))
    expect(caption).to_be_hidden()


def test_mute_and_loudspeakers(screen: Screen) -> None:
    screen.stage.tables(*tables.troubled_hall())
    screen.page.goto(screen.stage.address + "/technician")
    screen.stage.play(pictures.picture(sound=sound()))
    card = screen.page.locator('[data-is="sound-card"]')
    expect(card).to_contain_text("The sound is on.")
    card.get_by_role("button", name="Mute for 5 min").click()
    card.get_by_role("button", name="Test the left loudspeaker").click()
    posts = screen.stage.wait_for_posts(2)
    assert [(post["name"], post["body"]) for post in posts] == [
        ("mute", {"minutes": 5}),
        ("test", {"loudspeaker": "left"}),
    ]
    until_ms = pictures.picture()["as_of_ms"] + 240_000
    screen.stage.play(pictures.picture(seq=43, sound=sound(muted={"until_ms": until_ms})))
    expect(card).to_contain_text("Muted: the sound comes back in 4 min.")
    card.get_by_role("button", name="Release").click()
    assert screen.stage.wait_for_posts(3)[-1]["name"] == "release"


def test_softer_while_the_director_speaks(screen: Screen) -> None:
    screen.page.goto(screen.stage.address + "/director")
    screen.stage.play(pictures.picture(sound=sound()))
    card = screen.page.locator('[data-is="sound-card"]')
    button = card.get_by_role("button", name="Softer while I speak")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert card.get_by_role("button").count() == 3, "two mutes and this one, no test of the loudspeakers"
    button.click()
    screen.stage.play(pictures.picture(seq=43, sound=sound(ducked=True)))
    expect(card).to_contain_text("The sound is softer for at most two minutes while somebody speaks.")
    card.get_by_role("button", name="As loud as before").click()
    assert [post["name"] for post in screen.stage.wait_for_posts(2)] == ["duck", "unduck"]
    screen.stage.play(pictures.picture(seq=44, sound=None))
    expect(card).to_have_count(0)
