"""The hardware test's page: begun on purpose, outputs by hand, contacts live, ended by leaving."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests import hall_of_tables as tables
from tests.browser import selftests as tests
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser

PATH = "/technician/hardware"
BEGAN_NS = 1_000_000_000_000
BUSY = "The technician's page at 10.0.0.7 is using the hardware for a hardware test: wait until that is over."


def opened(screen: Screen, first: Any = None, *, path: str = PATH) -> Page:
    screen.stage.tables(*tables.troubled_hall())
    screen.stage.hardware(first or {"held": True, "settings": tests.FITTED})
    screen.page.goto(screen.stage.address + path)
    return screen.page


def begun(screen: Screen, *, path: str = PATH) -> Page:
    page = opened(screen, path=path)
    button(page, "Begin the test").click()
    expect(page.locator("body")).to_have_attribute("data-state", "held")
    return page


def button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def probes(screen: Screen, count: int) -> list[Any]:
    return [post["body"] for post in screen.stage.wait_for_posts(count)]


def test_lamps_tones_and_pictures_are_set_by_hand_once_it_is_begun(screen: Screen) -> None:
    page = opened(screen)
    expect(page.locator("body")).to_have_attribute("data-state", "idle")
    for name in ("Sun lamp", "Buzz 0.2 s", "Identify"):
        expect(button(page, name)).to_be_disabled()
    expect(button(page, "End the test")).to_be_hidden()
    assert screen.stage.posts == []
    button(page, "Begin the test").click()
    expect(page.locator("body")).to_have_attribute("data-state", "held")
    expect(page.locator(".fitted")).to_contain_text("NC and NO")
    button(page, "Sun lamp").click()
    expect(button(page, "Sun lamp")).to_have_attribute("aria-pressed", "true")
    for name in ("Sun lamp", "Buzz 0.2 s", "Play a tone"):
        button(page, name).click()
    page.locator('[data-is="patterns"]').get_by_role("button", name="chequered").click()
    assert probes(screen, 5) == [
        {"do": "lamp", "lamp": "sun", "lit": True},
        {"do": "lamp", "lamp": "sun", "lit": False},
        {"do": "buzzer", "ms": 200},
        {"do": "sound", "ms": 1000},
        {"do": "display", "pattern": "checker"},
    ]
    chosen = page.locator('[data-is="patterns"] [data-pattern="checker"]')
    expect(chosen).to_have_attribute("aria-pressed", "true")
    screen.stage.answers["lamp"] = (200, {"error": "The Moon lamp's pin does not answer."})
    button(page, "Moon lamp").click()
    expect(page.locator('[data-is="outputs-mistake"]')).to_have_text("The Moon lamp's pin does not answer.")
    expect(button(page, "Moon lamp")).to_have_attribute("aria-pressed", "false")
    screen.stage.answers["sound"] = (
        200,
        {"result": {"played": False, "sentence": "No loudspeaker is there."}},
    )
    button(page, "Play a tone").click()
    expect(page.locator('[data-is="outputs-mistake"]')).to_have_text("No loudspeaker is there.")


READINGS = (
    (False, True, "Released"),
    (True, False, "Pressed"),
    (False, False, "A wire is broken: both contacts are open"),
    (True, True, "Both contacts are closed: two wires are touching"),
    (True, None, "Pressed"),
)


def test_raw_edges_are_listed_with_stamps_and_bounce(screen: Screen) -> None:
    page = begun(screen)
    inputs = tests.inputs(BEGAN_NS + 100_000_000, pressed=True)
    edges = tests.edges(BEGAN_NS, presses=1)
    screen.stage.hardware_news({"test": {"inputs": inputs, "edges": [], "next": 0}})
    expect(page.locator('[data-is="edges-note"]')).to_have_text("No edge yet: press the button.")
    screen.stage.hardware_news({"test": {"inputs": inputs, "edges": edges, "next": len(edges)}})
    expect(page.locator(".stamps tbody tr")).to_have_count(6)
    newest = page.locator(".stamps tbody tr").first.locator("td")
    assert newest.all_inner_texts() == ["1000.0044 s", "NO", "closed", "0.820 ms"]
    caption = page.locator('[data-is="press-caption"]')
    expect(caption).to_have_text("Last change of NO: 3 edges, 1.30 ms of bounce")
    expect(page.locator('[data-is="timeline"] svg')).to_have_accessible_name(
        "Timeline of the contacts, 6 edges"
    )
    button(page, "Clear").click()
    expect(page.locator(".stamps")).to_be_hidden()


def test_edges_that_were_missed_are_asked_for(screen: Screen) -> None:
    page = begun(screen)
    edges = tests.edges(BEGAN_NS, presses=2)
    inputs = tests.inputs(BEGAN_NS + 5_000_000_000, pressed=True)
    screen.stage.answers["edges"] = (200, {"result": {"edges": edges[4:], "dropped": 3}})
    screen.stage.hardware_news({"test": {"inputs": inputs, "edges": edges[:4], "next": 4}})
    screen.stage.hardware_news({"test": {"inputs": inputs, "edges": edges[-2:], "next": len(edges)}})
    assert probes(screen, 1) == [{"do": "edges", "since": 4}]
    expect(page.locator('[data-is="timeline"] svg')).to_have_accessible_name(
        f"Timeline of the contacts, {len(edges)} edges"
    )
    expect(page.locator('[data-is="edges-note"]')).to_have_text("3 edges came too fast to be shown.")


def test_tables_are_made_to_show_something(screen: Screen) -> None:
    page = begun(screen)
    expect(page.locator('[data-is="which"] option')).to_have_count(40)
    card = page.locator(".nodes-card")
    card.get_by_role("button", name="Moon", exact=True).click()
    card.get_by_role("button", name="Sun’s claim").click()
    page.get_by_label("Which table").select_option(label="Board A2")
    card.get_by_role("button", name="border").click()
    button(page, "Identify").click()
    identify = {"do": "identify", "uid": None, "what": "lamps", "seconds": 60}
    one = identify | {"uid": tables.uid(2)}
    assert probes(screen, 4) == [
        identify | {"number": 2},
        identify | {"number": 6},
        one | {"what": "pattern", "number": 3},
        one | {"what": "name", "seconds": 10, "number": 0},
    ]


def test_claim_buttons_are_watched(screen: Screen) -> None:
    page = begun(screen)
    button(page, "Watch the claim buttons").click()
    assert probes(screen, 1)[0]["what"] == "walk"
    press = {"uid": tables.uid(3), "board": "A3", "side": "sun", "at_ms": 100.2, "acknowledged_ms": None}
    screen.stage.hardware_news({"test": {"pressed": press}})
    expect(page.locator(".pressed li")).to_have_text("A3, Sunnot acknowledged yet")
    screen.stage.hardware_news({"test": {"pressed": press | {"acknowledged_ms": 141.4}}})
    expect(page.locator(".pressed li")).to_have_text("A3, Sunacknowledged after 41 ms")
    button(page, "Watch the claim buttons").click()
    assert probes(screen, 2)[1]["what"] == "off"


def test_it_is_refused_while_somebody_else_has_it_and_may_be_taken(screen: Screen) -> None:
    page = opened(screen, {"held": False, "reasons": [BUSY]})
    button(page, "Begin the test").click()
    expect(page.locator('[data-is="hold"]')).to_contain_text(BUSY)
    expect(button(page, "Sun lamp")).to_be_disabled()
    screen.stage.hardware({"held": True, "settings": {}})
    button(page, "Take over the test").click()
    expect(page.locator("body")).to_have_attribute("data-state", "held")
    assert screen.stage.taken == 1


def test_it_ends_with_a_sentence_and_outputs_are_as_usual(screen: Screen) -> None:
    page = begun(screen)
    button(page, "Sun lamp").click()
    expect(button(page, "Sun lamp")).to_have_attribute("aria-pressed", "true")
    screen.stage.hardware_news({"ended": "Somebody else has taken the hardware."})
    expect(page.locator('[data-is="hold"]')).to_contain_text("Somebody else has taken the hardware.")
    expect(button(page, "Sun lamp")).to_be_disabled()
    expect(button(page, "Sun lamp")).to_have_attribute("aria-pressed", "false")
    button(page, "Begin the test").click()
    button(page, "End the test").click()
    expect(page.locator('[data-is="hold-title"]')).to_have_text("The test has ended")


def test_leaving_the_page_ends_it(screen: Screen) -> None:
    page = begun(screen)
    assert screen.stage.holds == 1
    page.get_by_role("link", name="Self-test").click()
    screen.stage.wait_for_holds(0)


def test_contacts_are_read_together_and_the_shutdown_button_where_one_is_fitted(screen: Screen) -> None:
    page = begun(screen)
    for no, nc, reading in READINGS:
        inputs = {"no_closed": no, "nc_closed": nc, "now_ns": BEGAN_NS}
        screen.stage.hardware_news({"test": {"inputs": inputs}})
        levels = ["closed" if no else "open", "not wired" if nc is None else "closed" if nc else "open"]
        expect(page.locator('[data-is="contacts"] b')).to_have_text(levels)
        expect(page.locator('[data-is="reading"]')).to_have_text(reading)
    shutdown = page.locator('[data-is="shutdown"]')
    for pressed, text in ((False, "Released"), (True, "Pressed"), (None, "")):
        inputs = tests.inputs(BEGAN_NS, pressed=False) | {"shutdown_pressed": pressed}
        screen.stage.hardware_news({"test": {"inputs": inputs}})
        if pressed is None:
            expect(shutdown).to_be_hidden()
        else:
            expect(shutdown.locator("b")).to_have_text(text)
