"""The technician's page: the map, a board's card, what can be done to it, segments and what to do."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from tests import hall_of_tables as tables
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.matrix import paired

pytestmark = pytest.mark.browser

TRICK = "<img src=x onerror=alert(1)>"


def technician(screen: Screen, *, path: str = "/technician", hall: Any = None) -> Page:
    roster, snapshot = hall or tables.troubled_hall()
    screen.stage.tables(roster, snapshot)
    screen.page.goto(screen.stage.address + path)
    expect(screen.page.locator('[data-is="lost"]')).to_be_drawn_hidden()
    expect(screen.page.locator(".segment")).to_have_count(len(snapshot["segments"]))
    boards = sum(len(row["boards"]) for row in roster["rows"])
    expect(screen.page.locator(".map-board")).to_have_count(boards)
    return screen.page


def board(page: Page, name: str) -> Locator:
    return page.locator(f'.map-board[data-board="{name}"]')


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def actions(screen: Screen, count: int) -> list[tuple[str, Any]]:
    return [(post["name"], post["body"]) for post in screen.stage.wait_for_posts(count)]


STANDINGS = {
    "A1": "good",
    "A7": "lost",
    "A11": "suspect",
    "B4": "outdated",
    "C4": "duplicate",
    "B13": "unfitted",
    "C10": "lost",
}


def test_a_board_shows_its_standing_by_colour_and_shape(screen: Screen) -> None:
    page = technician(screen)
    for name, standing in STANDINGS.items():
        mark = board(page, name)
        expect(mark.locator("use")).to_have_attribute("href", f"#symbol-node-{standing}")
        words = {"unfitted": "no node"}
        expect(mark).to_have_accessible_name(f"Board {name}: {words.get(standing, standing)}")


def test_standings_differ_in_colour_and_shape(screen: Screen) -> None:
    page = technician(screen)
    keys = page.locator(".map-key")
    colours = keys.locator(".symbol").evaluate_all("all => all.map((each) => getComputedStyle(each).color)")
    shapes = keys.locator("use").evaluate_all("all => all.map((each) => each.getAttribute('href'))")
    assert len(set(colours)) == len(set(shapes)) == 6
    drawn = page.evaluate(
        "hrefs => hrefs.map((href) => document.querySelector(href).innerHTML.trim())", shapes
    )
    assert len(set(drawn)) == 6


def test_how_many_stand_how(screen: Screen) -> None:
    page = technician(screen)
    pills = page.locator(".pill").all_inner_texts()
    assert [text.split() for text in pills] == [
        ["32", "good"],
        ["1", "suspect"],
        ["3", "lost"],
        ["1", "outdated"],
        ["1", "duplicate"],
        ["2", "no", "node"],
    ]


def test_a_board_on_the_map_opens_its_card(screen: Screen) -> None:
    page = technician(screen)
    expect(page.locator('[data-is="details-title"]')).to_have_text("Choose a board on the map.")
    board(page, "A11").click()
    card = page.locator('[data-is="details"]')
    expect(card).to_contain_text("Board A11")
    expect(card).to_contain_text("row A, board 11 of 14")
    facts = dict(zip(card.locator("dt").all_inner_texts(), card.locator("dd").all_inner_texts(), strict=True))
    assert facts == {
        "Last heard": "2 s ago",
        "Segment": "A",
        "Address": "11",
        "Round trip": "3.1 / 4.6 ms",
        "Missed polls": "9",
        "Missed states": "1",
        "CRC errors": "17",
        "Supply": "4.8 V",
        "Calibration": "reading × 1.0174",
        "Temperature": "31 °C",
        "Displays": "both answer",
        "Up for": "1 h 35 min",
        "Last reset": "power",
        "Firmware": "1.0 on board 1",
        "Protocols": "1",
        "Orientation": "as built",
        "Unique id": tables.uid(11),
    }
    assert card.locator(".look dt").all_inner_texts() == ["Missed polls", "CRC errors"]
    expect(board(page, "A11")).to_have_attribute("aria-pressed", "true")
    button(page, "Close the details").click()
    expect(board(page, "A11")).to_have_attribute("aria-pressed", "false")
    expect(card.locator("dt")).to_have_count(0)


def test_the_card_follows_the_feed(screen: Screen) -> None:
    page = technician(screen)
    board(page, "A1").click()
    expect(page.locator(".standing")).to_contain_text("good")
    roster, snapshot = tables.troubled_hall()
    worse = {
        "state": "lost",
        "age_ms": 300_000,
        "safe_mode": True,
        "round_trip_ms": None,
        "reset": "watchdog",
    }
    snapshot["nodes"][0] |= worse | {"displays": {"sun": True, "moon": False}, "uptime_min": 4}
    screen.stage.tables(roster, snapshot)
    expect(page.locator(".standing")).to_contain_text("lost")
    facts = page.locator('[data-is="facts"]')
    for text in ("5 min ago", "safe mode", "not measured", "Moon’s does not answer", "watchdog", "4 min"):
        expect(facts).to_contain_text(text)


def test_a_board_is_found_by_the_address(screen: Screen) -> None:
    page = technician(screen, path="/technician#B4")
    expect(page.locator('[data-is="details-title"]')).to_have_text("Board B4")


def test_a_board_whose_node_was_never_heard(screen: Screen) -> None:
    page = technician(screen)
    board(page, "C10").click()
    expect(page.locator('[data-is="details-help"]')).to_have_text(
        "This node has not been heard since the start."
    )
    assert page.locator('[data-is="facts"] dd').all_inner_texts() == [tables.uid(36)]


def test_actions_of_a_board(screen: Screen) -> None:
    page = technician(screen)
    board(page, "A7").click()
    button(page, "Identify").first.click()
    button(page, "Swap sides").click()
    page.locator('[data-is="replace-uid"]').select_option(tables.uid(40))
    button(page, "Put it here").click()
    page.get_by_text("More", exact=True).click()
    for order in ("Restart it", "Darken displays", "Leave safe mode", "Forget its address"):
        button(page, order).click()
    node = tables.uid(7)
    expected = [
        ("identify", {"board": "A7", "seconds": 10}),
        ("swap", {"board": "A7"}),
        ("replace", {"board": "A7", "uid": tables.uid(40)}),
        *(
            ("order", {"uid": node, "what": what})
            for what in ("reboot", "blank", "leave_safe_mode", "forget")
        ),
    ]
    posts = screen.stage.wait_for_posts(len(expected))
    assert {post["kind"] for post in posts} == {"tables"}
    assert sorted(map(str, actions(screen, len(expected)))) == sorted(map(str, expected))


def test_taking_a_node_away_asks_first(screen: Screen) -> None:
    page = technician(screen)
    board(page, "A7").click()
    page.get_by_text("More", exact=True).click()
    button(page, "Take the node away").click()
    expect(page.locator('[data-is="clear-question"]')).to_have_text("Take the node of board A7 away?")
    button(page, "Cancel").click()
    expect(page.locator('[data-is="clear-sure"]')).to_be_hidden()
    button(page, "Take the node away").click()
    button(page, "Take it away").click()
    assert actions(screen, 1) == [("clear", {"board": "A7"})]
    expect(page.locator('[data-is="clear-sure"]')).to_be_hidden()


def test_a_refusal_is_said_and_can_be_put_away(screen: Screen) -> None:
    screen.allowed = ("409",)
    screen.stage.answers["swap"] = (409, {"accepted": False, "reasons": ["No node stands at A7."]})
    page = technician(screen)
    board(page, "A7").click()
    button(page, "Swap sides").click()
    expect(page.locator('[data-is="answer"]')).to_contain_text("No node stands at A7.")
    button(page, "Close").click()
    expect(page.locator('[data-is="answer"]')).to_be_hidden()


def test_without_log_in_it_says_how_to_get_one(screen: Screen) -> None:
    screen.allowed = ("401",)
    screen.stage.answers["identify"] = (401, {"error": "x"})
    page = technician(screen)
    button(page, "Identify all").click()
    expect(page.locator('[data-is="answer"]')).to_contain_text("Not logged in here")


def test_spares_can_be_identified(screen: Screen) -> None:
    page = technician(screen)
    spares = page.locator(".spare")
    expect(spares).to_have_count(2)
    button(page, f"Identify node {tables.uid(39)}").click()
    button(page, "Identify all").click()
    said = actions(screen, 2)
    assert ("identify", {"uid": tables.uid(39), "seconds": 10}) in said
    assert ("identify", {"seconds": 10}) in said


def test_without_spares_it_says_how_one_appears(screen: Screen) -> None:
    page = technician(screen, hall=tables.well_hall(4))
    board(page, "A1").click()
    expect(page.locator('[data-is="no-spares"]')).to_contain_text("plug one in")
    expect(page.locator('[data-is="replace-now"]')).to_be_hidden()


def test_what_to_do_stands_on_top(screen: Screen) -> None:
    roster, snapshot = tables.troubled_hall()
    snapshot["segments"][1] |= {"link": "closed", "sentence": "Segment B: plug the adapter in."}
    page = technician(screen, hall=(roster, snapshot))
    lines = page.locator('[data-is="doctor"] li').all_inner_texts()
    assert lines == ["Segment B: plug the adapter in.", *snapshot["doctor"]]
    screen.stage.tables(*tables.well_hall(3))
    expect(page.locator('[data-is="doctor"]')).to_have_text("Everything that is connected works.")


def test_many_sentences_leave_the_map_in_sight(screen: Screen) -> None:
    roster, snapshot = tables.well_hall(40)
    snapshot["doctor"] = [f"Table A{number} does not answer." for number in range(1, 18)]
    page = technician(screen, hall=(roster, snapshot))
    expect(page.locator('[data-is="doctor"] li')).to_have_count(4)
    assert board(page, "A1").bounding_box()["y"] < 540  # type: ignore[index]
    expect(page.locator('[data-is="doctor-rest"]')).to_be_hidden()
    page.locator("summary", has_text="13 more").click()
    expect(page.locator('[data-is="doctor-rest"]')).to_contain_text("Table A17 does not answer.")


def test_segments_with_their_figures(screen: Screen) -> None:
    roster, snapshot = tables.troubled_hall()
    snapshot["segments"][1] |= {
        "link": "wrong_device",
        "sentence": TRICK,
        "collisions": 2,
        "round_trip_ms": None,
    }
    page = technician(screen, hall=(roster, snapshot))
    first, second = page.locator(".segment").all()
    for text in ("Segment A", "open", "250,000 Bd", "44 %", "268,411", "131", "17", "3.2 / 5.9 ms", "27/32"):
        expect(first).to_contain_text(text)
    assert "Collisions" not in first.inner_text()
    for text in ("wrong device", TRICK, "not measured", "Collisions"):
        expect(second).to_contain_text(text)


def test_when_the_feed_is_cut_it_says_so_and_comes_back(screen: Screen) -> None:
    page = technician(screen)
    screen.cut_feeds()
    expect(page.locator('[data-is="lost"]')).to_contain_text("No connection to the controller")
    screen.pass_ms(1_100)
    expect(page.locator('[data-is="lost"]')).to_be_hidden()


def test_the_software_stands_at_the_foot(screen: Screen) -> None:
    page = technician(screen)
    expect(page.locator('[data-is="software"]')).to_have_text("Version 0.9.0, source 0123456789ab")


def test_the_roster_is_asked_for_again_when_a_node_has_moved(screen: Screen) -> None:
    page = technician(screen)
    roster, snapshot = tables.troubled_hall()
    roster["rows"][1]["boards"][12]["node"] = tables.uid(40)
    snapshot["nodes"][-1]["board"] = "B13"
    screen.stage.tables(roster, snapshot)
    expect(board(page, "B13")).to_have_attribute("data-node", "good")
    expect(page.locator(".spare")).to_have_count(1)


def test_an_empty_hall_says_what_to_do(screen: Screen) -> None:
    page = technician(screen, hall=({"version": 1, "rows": []}, tables.snapshot([])))
    for text in ("The hall has no boards yet.", "No segments are set up.", "[tables]"):
        expect(page.locator("main")).to_contain_text(text)
    expect(page.locator('[data-is="enrol-start"]')).to_be_disabled()
    expect(page.locator('[data-is="details"]')).to_be_hidden()
    button(page, "Draw up a roster").click()
    expect(page.locator('[data-is="roster-form"]')).to_be_visible()


@paired(theme=["dark", "light"], size=[(1440, 900), (1024, 768), (390, 844)])
def test_it_is_readable_and_fits(
    new_screen: Callable[..., Screen], theme: str, size: tuple[int, int]
) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = technician(screen, path=f"/technician?theme={theme}#A11")
    page.get_by_text("More", exact=True).click()
    assert weak_texts(page) == []
    assert cut_off(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_256_boards_fit_on_a_phone(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = technician(screen, hall=tables.well_hall(256))
    expect(page.locator(".map-board")).to_have_count(256)
    assert cut_off(page) == []
    box = board(page, "H32").bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 44
    board(page, "H32").tap()
    expect(page.locator('[data-is="details-title"]')).to_have_text("Board H32")
