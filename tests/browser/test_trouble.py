"""What is wrong with the controller stands at the head of the technician's pages and of the virtual hall as well."""

import pytest

from tests import hall_of_tables as tables
from tests.browser import pictures
from tests.browser.acts import READY, director
from tests.browser.looks import weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.selftests import IDLE
from tests.web.fake_tables import table

pytestmark = pytest.mark.browser

PAGES = pytest.mark.parametrize(
    "path", ["/technician", "/technician/selftest", "/technician/hardware", "/sim"]
)
LOST = "After the restart 137 commands are missing, from 20:14:07 on."


def test_a_list_that_cannot_be_fetched_is_told(screen: Screen) -> None:
    screen.allowed = ("ERR_INTERNET_DISCONNECTED",)
    page = director(screen, READY, still=False, mode="setup")
    page.context.set_offline(True)
    page.locator('[data-is="games-load"]').click()
    expect(page.get_by_text("The list could not be loaded. Try again.").last).to_be_visible()


@PAGES
def test_a_fault_or_why_the_controller_does_not_start_stands_at_the_head(screen: Screen, path: str) -> None:
    screen.allowed = ("503", "404")
    screen.stage.not_started = "The state folder cannot be used: change the memory card."
    screen.page.goto(screen.stage.address + path)
    line = screen.page.locator('[data-is="trouble"]')
    expect(line).to_have_text(f"The controller does not start: {screen.stage.not_started}")
    screen.stage.not_started = None
    screen.stage.play(pictures.picture(health={"level": "fault", "messages": [LOST]}))
    expect(line).to_have_text(f"Fault: {LOST}")
    assert weak_texts(screen.page) == []
    screen.stage.play(pictures.picture(seq=42))
    expect(line).to_be_hidden()


# Sound on the pages: captions on the hall screen, mute and loudspeakers on the technician's page.

CAPTIONS = [
    {"key": "voice.round", "params": {"number": 8, "side": {"key": "side.sun", "params": {}}}},
    {"key": "voice.robber_possible", "params": {}},
]


def sound(**changes: object) -> dict[str, object]:
    return {"captions": CAPTIONS, "muted": None, "ducked": False} | changes


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
    card.get_by_role("button", name="Unmute").click()
    assert screen.stage.wait_for_posts(3)[-1]["name"] == "release"


def test_softer_while_the_director_speaks(screen: Screen) -> None:
    screen.page.goto(screen.stage.address + "/director")
    screen.stage.play(pictures.picture(sound=sound()))
    screen.page.locator('[data-is="open-sound"]').click()
    card = screen.page.locator(".fold", has=screen.page.locator('[data-is="fold-sound"]'))
    button = card.get_by_role("button", name="Softer while I speak")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert card.locator(".fold-body").get_by_role("button").count() == 3, (
        "two mutes and this one, no test of the loudspeakers"
    )
    button.click()
    screen.stage.play(pictures.picture(seq=43, sound=sound(ducked=True)))
    expect(card).to_contain_text("The sound is softer for at most two minutes while somebody speaks.")
    card.get_by_role("button", name="As loud as before").click()
    assert [post["name"] for post in screen.stage.wait_for_posts(2)] == ["duck", "unduck"]
    screen.stage.play(pictures.picture(seq=44, sound=None))
    expect(card).to_have_count(0)


@pytest.mark.parametrize(
    ("path", "feeds"),
    [
        ("/technician", {"lost": "No connection to the controller"}),
        ("/technician/selftest", {"lost": "No connection to the controller"}),
        ("/sim", {"panel-cover": "No data from the panel", "vt-lost": "No data from the virtual tables"}),
    ],
)
def test_a_page_whose_feed_is_cut_says_so_and_comes_back(
    screen: Screen, path: str, feeds: dict[str, str]
) -> None:
    stage = screen.stage
    stage.documents["selftest/reports"] = {"reports": []}
    stage.play(pictures.picture())
    stage.panel(pictures.panel())
    stage.virtual([table(1)])
    stage.tables(*tables.well_hall(2))
    stage.selftest(IDLE)
    screen.page.goto(stage.address + path)
    for part in feeds:
        expect(screen.page.locator(f'[data-is="{part}"]')).to_be_drawn_hidden()
    screen.cut_feeds()
    for part, text in feeds.items():
        expect(screen.page.locator(f'[data-is="{part}"]')).to_contain_text(text)
    screen.pass_ms(1_100)
    for part in feeds:
        expect(screen.page.locator(f'[data-is="{part}"]')).to_be_hidden()
