"""New firmware for the tables, on the technician's page: what runs where, consent, progress, what became of each."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator

from tests import hall_of_tables as tables
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.stage_files import ASKING, DONE, NEWER, WORKING

pytestmark = pytest.mark.browser


def card(screen: Screen, view: dict[str, Any], **hall: Any) -> Locator:
    roster, snapshot = tables.troubled_hall()
    screen.stage.documents["firmware"] = view
    screen.stage.tables(roster, snapshot | hall)
    screen.page.goto(f"{screen.stage.address}/technician")
    expect(screen.page.locator(".map-board")).to_have_count(40)
    return screen.page.locator('[data-is="firmware-card"]')


def sent(screen: Screen, count: int) -> Any:
    return screen.stage.wait_for_posts(count)[-1]["body"]


def test_it_says_what_runs_where_and_begins(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(viewport={"width": 390, "height": 844})
    found = card(screen, NEWER)
    expect(found.locator("li")).to_have_count(2)
    assert found.locator("li b").all_inner_texts() == ["1.0", "0.7"]
    expect(found.locator("li").nth(1)).to_contain_text("B4")
    found.locator('[data-is="firmware-begin"]').click()
    assert sent(screen, 1) == {"do": "begin"}
    screen.stage.documents["firmware"] = ASKING
    expect(found.locator(".firmware-call b")).to_have_text("A1")
    assert weak_texts(screen.page) == []
    assert cut_off(screen.page) == []


def test_a_typed_yes_is_consent_and_nothing_else(screen: Screen) -> None:
    found = card(screen, ASKING)
    go, typed = found.locator('[data-is="firmware-consent"]'), found.locator('[data-is="firmware-typed"]')
    expect(go).to_be_disabled()
    typed.fill("no")
    expect(go).to_be_disabled()
    typed.fill("Yes ")
    go.click()
    assert sent(screen, 1) == {"do": "consent"}
    screen.stage.documents["firmware"] = WORKING
    expect(found.locator(".firmware-segments li")).to_have_count(2)
    shares = [bar.get_attribute("aria-valuenow") for bar in found.locator('[role="progressbar"]').all()]
    assert shares == ["40", "90"]
    found.locator('[data-is="firmware-stop"]').click()
    assert sent(screen, 2) == {"do": "stop"}
    screen.stage.documents["firmware"] = DONE
    expect(found.locator('[data-is="firmware-ends"] li')).to_have_count(2)
    expect(found.locator('[data-well="false"]')).to_contain_text("A3")


def test_where_all_have_it_there_is_nothing_to_begin(screen: Screen) -> None:
    _, snapshot = tables.troubled_hall()
    found = card(screen, NEWER, nodes=[node | {"firmware": "1.7"} for node in snapshot["nodes"]])
    expect(found.locator("li")).to_have_count(1)
    expect(found.locator("button")).to_have_count(0)


def test_without_table_nodes_there_is_no_card(screen: Screen) -> None:
    found = card(screen, NEWER, segments=[], nodes=[])
    expect(screen.page.locator(".roster-card")).to_be_visible()
    expect(found).to_have_count(0)


def test_a_refusal_is_said(screen: Screen) -> None:
    found = card(screen, NEWER)
    screen.allowed = ("409",)
    refused = {"accepted": False, "reasons": ["A game is under way."], "reason_keys": []}
    screen.stage.answers["firmware"] = (409, refused)
    found.locator('[data-is="firmware-begin"]').click()
    expect(found.locator('[data-is="firmware-mistake"]')).to_have_text("A game is under way.")


def test_on_a_scrolled_page_the_boards_card_lies_over_nothing(screen: Screen) -> None:
    found = card(screen, DONE)
    details = screen.page.locator(".details")
    screen.page.set_viewport_size({"width": 1366, "height": 768})
    spares = screen.page.locator(".spares-card")
    for other in (spares, found, screen.page.locator(".roster-card")):
        other.evaluate("(card) => scrollTo(0, scrollY + card.getBoundingClientRect().top - 90)")
        above, below = details.bounding_box(), spares.bounding_box()
        assert above is not None
        assert below is not None
        assert above["y"] + above["height"] <= below["y"]


def test_its_sentences_come_in_the_language_of_the_page(screen: Screen) -> None:
    asked: list[str] = []
    screen.page.on("request", lambda request: asked.append(request.url))
    screen.stage.documents["firmware"] = DONE
    screen.stage.tables(*tables.troubled_hall())
    screen.page.goto(f"{screen.stage.address}/technician?lang=pl")
    expect(screen.page.locator('[data-is="firmware-ends"]')).to_be_visible()
    assert {url.split("?")[1] for url in asked if "/api/firmware" in url} == {"lang=pl"}
