"""What people see when several halls play one game: on the stage, and in two real halls whose cable is cut."""

import time
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import pictures
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.patience import DEADLINE_MS
from tests.system.broker import Broker, cable, mosquitto
from tests.system.halls import two_halls
from tests.system.programs import program

__all__ = ["mosquitto"]

pytestmark = pytest.mark.browser

NOTES = """
() => {
  window.news = [];
  const note = () => {
    const { link, scene } = document.body.dataset;
    const last = window.news.at(-1);
    if (last?.link !== link || last?.scene !== scene) window.news.push({ link, scene, at: Date.now() });
  };
  new MutationObserver(note).observe(document.body, { attributes: true });
  window.loaded = true;
  note();
}
"""


def test_a_lost_link_is_said_over_what_is_old(screen: Screen) -> None:
    screen.open("/")
    screen.play(pictures.link_lost())
    screen.pass_ms(40)
    assert screen.scene() == "play"
    assert screen.text("link-said") == "No link to the leading hall"
    assert screen.text("link-more").startswith("As it stood at ")
    assert screen.text("digits") == "32"
    expect(screen.page.locator('[data-is="health"]')).to_be_hidden()
    assert "fault" not in screen.visible_text()
    old = "getComputedStyle(document.querySelector('.scene.play')).filter"
    assert "grayscale(1)" in screen.page.evaluate(old)
    screen.play(pictures.following(pictures.picture(seq=42)))
    screen.pass_ms(40)
    expect(screen.page.locator('[data-is="link-news"]')).to_be_hidden()
    assert screen.page.evaluate(old) == "none"
    assert "east" in screen.text("hall-name")


def test_a_stop_by_the_button_here_is_a_pause_that_says_so(screen: Screen) -> None:
    screen.open("/")
    screen.play(pictures.link_lost(stopped=True))
    screen.pass_ms(40)
    assert (screen.scene(), screen.text("link-said")) == ("pause", "Stopped here by the big button")
    assert screen.text("link-more").startswith("No link to the leading hall · As it stood at ")


def test_before_the_first_news_there_is_no_game(screen: Screen) -> None:
    screen.open("/")
    screen.play(pictures.no_leader())
    screen.pass_ms(40)
    said = screen.visible_text()
    assert "No leading hall is heard yet" in said
    assert "Please take your seats" not in said
    assert screen.scene() == "unlinked"


@pytest.mark.parametrize(
    ("state", "who"), [("divided", 'The hall "west" also leads'), ("refused", 'The hall "west" leads')]
)
@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/", "link-news"),
        ("/director", "link-line"),
        ("/technician", "link-line"),
        ("/moderator", "link-line"),
        ("/judge", "link-line"),
        ("/phone", "link"),
    ],
)
def test_who_does_not_lead_says_so_on_every_page(
    screen: Screen, path: str, told: str, state: str, who: str
) -> None:
    screen.open(path)
    screen.play(pictures.leads_not(state=state))
    screen.pass_ms(200)
    said = screen.page.locator(f'[data-is="{told}"] >> visible=true')
    expect(said).to_contain_text("This controller does not lead")
    if path != "/phone":
        expect(said).to_contain_text(who)


def test_what_stands_still_in_a_hall_that_does_not_lead_is_without_colours(screen: Screen) -> None:
    screen.open("/")
    screen.play(pictures.leads_not())
    screen.pass_ms(40)
    old = "getComputedStyle(document.querySelector('.scene.pause')).filter"
    assert screen.scene() == "pause"
    assert "grayscale(1)" in screen.page.evaluate(old)
    screen.play(pictures.leads_not(pictures.picture(seq=42)))
    screen.pass_ms(40)
    assert screen.scene() == "play"
    assert screen.text("link-said") == "This controller does not lead"
    assert screen.page.evaluate("document.body.dataset.old") == "false"
    screen.play(pictures.leads_not(pictures.ready(seq=43), state="refused"))
    screen.pass_ms(40)
    assert screen.scene() == "unlinked"
    assert 'The hall "west" leads' in screen.visible_text()
    screen.play(pictures.leading() | {"seq": 44})
    screen.pass_ms(40)
    expect(screen.page.locator('[data-is="link-news"]')).to_be_hidden()


def test_the_director_decides_by_the_name_of_a_hall(screen: Screen) -> None:
    page = screen.open("/director")
    screen.play(pictures.leads_not())
    screen.pass_ms(200)
    page.locator('[data-is="settle-way"]').click()
    lead, give_way = (page.locator(f'[data-is="settle-{which}"]') for which in ("lead", "give-way"))
    expect(lead).to_be_disabled()
    expect(give_way).to_be_disabled()
    typed = page.locator('[data-is="settle-hall"]')
    typed.fill("west")
    expect(lead).to_be_disabled()
    expect(give_way).to_be_enabled()
    typed.fill("main")
    expect(give_way).to_be_disabled()
    lead.click()
    (post,) = screen.stage.wait_for_posts(1)
    assert (post["kind"], post["name"], post["body"]) == ("halls", "settle", {"lead": True, "hall": "main"})
    expect(page.locator('[data-is="settle-said"]')).to_contain_text("Decided.")
    expect(typed).to_have_value("")
    expect(lead).to_be_disabled()
    screen.play(pictures.leads_not(pictures.paused("fault", seq=42), state="refused"))
    screen.pass_ms(200)
    expect(give_way).to_have_count(0)
    screen.play(pictures.leading() | {"seq": 43})
    screen.pass_ms(200)
    expect(page.locator('[data-is="settle"]')).to_have_count(0)


@pytest.mark.parametrize(
    ("path", "told"),
    [("/phone", "link"), ("/moderator", "link-line"), ("/judge", "link-line"), ("/technician", "link-line")],
)
def test_every_page_says_that_its_news_are_old(screen: Screen, path: str, told: str) -> None:
    screen.open(path)
    screen.play(pictures.link_lost())
    screen.pass_ms(200)
    said = screen.page.locator(f'[data-is="{told}"] >> visible=true')
    expect(said).to_contain_text("No link to the leading hall")
    expect(said).to_contain_text("As it stood at ")


def test_a_followers_director_can_pause_and_nothing_else(screen: Screen) -> None:
    page = screen.open("/director")
    screen.play(pictures.following())
    screen.pass_ms(100)
    expect(page.locator('[data-is="directed"]')).to_contain_text('The hall "main" directs this game.')
    expect(page.locator('[data-is="primary"]')).to_be_enabled()
    expect(page.locator('[data-is="skip"]')).to_be_disabled()
    elsewhere = 'The hall "main" directs this game: give this command there.'
    expect(page.locator('[data-is="skip"]')).to_have_attribute("title", elsewhere)
    screen.play(pictures.following(pictures.paused("director", seq=42)))
    screen.pass_ms(1_100)
    expect(page.locator('[data-is="primary"]')).to_be_disabled()
    expect(page.locator('[data-is="gate"]')).to_have_count(0)


@pytest.mark.parametrize("path", ["/director#setup", "/technician"])
def test_the_leaders_staff_sees_each_hall(screen: Screen, path: str) -> None:
    page = screen.open(path)
    screen.play(pictures.leading())
    screen.pass_ms(100)
    east, west = (page.locator(f'[data-hall="{hall}"]') for hall in ("east", "west"))
    expect(east).to_contain_text("online")
    expect(east).to_contain_text("16 boards · 2 claims in this game · version 0.9.0 0123456789ab")
    expect(west).to_contain_text("away since ")
    expect(west).to_contain_text("0 claims in this game")


def test_a_followers_technician_sees_how_the_link_is(screen: Screen) -> None:
    page = screen.open("/technician")
    screen.play(pictures.link_lost(waiting=2))
    screen.pass_ms(100)
    card = page.locator('[data-is="halls-card"]')
    for text in ("east · follows", "lost", "main", "within 0.4 ms", "2 presses and claims"):
        expect(card).to_contain_text(text)


def watched(chromium: Browser, address: str, complaints: list[str]) -> Page:
    """The hall screen of a real hall; it notes on its own clock what it shows from when on."""
    page = chromium.new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(urljoin(address, "/"))
    page.locator('body[data-scene="play"][data-link=""]').wait_for()
    page.evaluate(NOTES)
    return page


def noted(page: Page, link: str, *, after_ms: float) -> None:
    """Waits until the page has said this of the link, from then on."""
    found = "([link, after]) => window.news.find((one) => one.link === link && one.at >= after)?.at ?? null"
    page.wait_for_function(found, arg=[link, after_ms], timeout=DEADLINE_MS)


def now_ms() -> float:
    return time.time() * 1_000


def test_in_real_halls_a_cut_cable_is_told_and_forgotten(
    chromium: Browser, tmp_path: Path, mosquitto: Broker
) -> None:
    complaints: list[str] = []
    with (
        cable(mosquitto.port) as wire,
        two_halls(tmp_path, mosquitto.port, followers_port=wire.port) as (leader, follower),
        program(
            *("web", "--port", "0", "--state-dir", follower.state_dir, "--settings", follower.settings),
            environment=follower.clock.environment,
        ) as web,
    ):
        page = watched(chromium, web.said.wait_for("hall http").split()[1], complaints)
        cut_ms = now_ms()
        wire.cut()
        noted(page, "lost", after_ms=cut_ms)
        assert page.locator("body").get_attribute("data-scene") == "play"
        stands = page.locator('[data-is="digits"]').inner_text()
        follower.press()
        noted(page, "stopped", after_ms=cut_ms)
        expect(page.locator('[data-is="link-said"]')).to_have_text("Stopped here by the big button")
        assert page.locator("body").get_attribute("data-scene") == "pause"
        expect(page.locator('[data-is="exact-whole"]')).to_contain_text(str(int(stands) - 1))
        assert leader.picture().running
        mended_ms = now_ms()
        wire.mend()
        noted(page, "", after_ms=mended_ms)
        assert leader.until(lambda picture: picture.paused).pause_reasons == ["button"]
        assert page.evaluate("window.loaded"), "the page was loaded anew"
        page.context.close()
    assert complaints == []
