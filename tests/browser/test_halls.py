"""What people see when several halls play one game."""

import pytest

from tests.browser import pictures
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser


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
def test_every_page_says_who_does_not_lead_and_that_its_news_are_old(
    screen: Screen, path: str, told: str
) -> None:
    screen.open(path)
    said = screen.page.locator(f'[data-is="{told}"] >> visible=true')
    others = {"divided": 'The hall "west" also leads', "refused": 'The hall "west" leads'}
    for seq, (state, who) in enumerate(others.items(), 50):
        screen.play(pictures.leads_not(state=state) | {"seq": seq})
        screen.pass_ms(200)
        expect(said).to_contain_text("This controller does not lead")
        if path != "/phone":
            expect(said).to_contain_text(who)
    screen.play(pictures.link_lost() | {"seq": 60})
    screen.pass_ms(200)
    expect(said).to_contain_text("No link to the leading hall")
    expect(said).to_contain_text("As of ")


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
    expect(page.locator('[data-is="primary"]')).to_have_attribute("data-mode", "none")
    expect(page.locator('[data-is="gate"]')).to_have_count(0)


@pytest.mark.parametrize("path", ["/director#setup", "/technician"])
def test_the_leaders_staff_sees_each_hall(screen: Screen, path: str) -> None:
    page = screen.open(path)
    screen.play(pictures.leading())
    screen.pass_ms(100)
    east, west = (page.locator(f'[data-hall="{hall}"]') for hall in ("east", "west"))
    expect(east).to_contain_text("online")
    expect(east).to_contain_text("16 boards · 2 claims in this game · version 0.9.0 0123456789ab")
    expect(west).to_contain_text("no contact since ")
    expect(west).to_contain_text("0 claims in this game")


def test_a_followers_technician_sees_how_the_link_is(screen: Screen) -> None:
    page = screen.open("/technician")
    screen.play(pictures.link_lost(waiting=2))
    screen.pass_ms(100)
    card = page.locator('[data-is="halls-card"]')
    for text in ("east · follows", "lost", "main", "within 0.4 ms", "2 presses and claims"):
        expect(card).to_contain_text(text)


OLD = "scene => getComputedStyle(document.querySelector(`.scene.${scene}`)).filter"
GREY = "grayscale(1)"


def shown(screen: Screen, picture: pictures.Json, seq: int) -> str | None:
    """The scene that this picture brings."""
    screen.play(picture | {"seq": seq})
    screen.pass_ms(40)
    return screen.scene()


def test_the_hall_screen_says_over_what_is_old_that_the_link_is_lost(screen: Screen) -> None:
    page = screen.open("/")
    assert shown(screen, pictures.no_leader(), 41) == "unlinked"
    said = screen.visible_text()
    assert "No leading hall found yet" in said
    assert "Please take your seats" not in said
    assert shown(screen, pictures.link_lost(), 42) == "play"
    assert screen.text("link-said") == "No link to the leading hall"
    assert screen.text("link-more").startswith("As of ")
    assert screen.text("digits") == "32"
    expect(page.locator('[data-is="health"]')).to_be_hidden()
    assert "fault" not in screen.visible_text()
    assert GREY in page.evaluate(OLD, "play")
    assert shown(screen, pictures.link_lost(stopped=True), 43) == "pause"
    assert screen.text("link-said") == "Stopped here by the big button"
    assert screen.text("link-more").startswith("No link to the leading hall · As of ")
    assert shown(screen, pictures.following(pictures.picture()), 44) == "play"
    expect(page.locator('[data-is="link-news"]')).to_be_hidden()
    assert page.evaluate(OLD, "play") == "none"
    assert "east" in screen.text("hall-name")


def test_what_stands_still_in_a_hall_that_does_not_lead_is_without_colours(screen: Screen) -> None:
    page = screen.open("/")
    assert shown(screen, pictures.leads_not(), 41) == "pause"
    assert GREY in page.evaluate(OLD, "pause")
    assert shown(screen, pictures.leads_not(pictures.picture()), 42) == "play"
    assert screen.text("link-said") == "This controller does not lead"
    assert page.evaluate("document.body.dataset.old") == "false"
    assert shown(screen, pictures.leads_not(pictures.ready(), state="refused"), 43) == "unlinked"
    assert 'The hall "west" leads' in screen.visible_text()
    shown(screen, pictures.leading(), 44)
    expect(page.locator('[data-is="link-news"]')).to_be_hidden()
