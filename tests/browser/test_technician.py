"""The technician's page: the map, a board's card, what can be done to it, segments and what to do."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from tests import hall_of_tables as tables
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect

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


def test_a_board_on_the_map_opens_its_card(screen: Screen) -> None:
    page = technician(screen)
    expect(page.locator('[data-is="details-title"]')).to_have_text("Choose a board on the map.")
    board(page, "A11").click()
    card = page.locator('[data-is="details"]')
    expect(card).to_contain_text("Board A11")
    expect(card).to_contain_text("row A, board 11 of 14")
    facts = dict(zip(card.locator("dt").all_inner_texts(), card.locator("dd").all_inner_texts(), strict=True))
    assert facts == {
        "Last seen": "2 s ago",
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
    for text in (
        "5 min ago",
        "safe mode",
        "not measured",
        "the Moon display does not answer",
        "watchdog",
        "4 min",
    ):
        expect(facts).to_contain_text(text)


def test_actions_of_a_board(screen: Screen) -> None:
    page = technician(screen)
    board(page, "A7").click()
    button(page, "Identify").first.click()
    button(page, "Swap sides").click()
    page.locator('[data-is="replace-uid"]').select_option(tables.uid(40))
    button(page, "Put it here").click()
    page.get_by_text("More", exact=True).click()
    for order in ("Restart it", "Darken displays", "Leave safe mode", "Clear its address"):
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


def test_an_empty_hall_says_what_to_do(screen: Screen) -> None:
    page = technician(screen, hall=({"version": 1, "rows": []}, tables.snapshot([])))
    for text in ("The hall has no boards yet.", "No segments are set up.", "[tables]"):
        expect(page.locator("main")).to_contain_text(text)
    expect(page.locator('[data-is="enrol-start"]')).to_be_disabled()
    expect(page.locator('[data-is="details"]')).to_be_hidden()
    button(page, "Make a roster").click()
    expect(page.locator('[data-is="roster-form"]')).to_be_visible()


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


STANDINGS = {
    "good": ["A1"],
    "suspect": ["A11"],
    "lost": ["A7", "A8", "C10"],
    "outdated": ["B4"],
    "duplicate": ["C4"],
    "unfitted": ["B13", "B14"],
}


def test_standings_have_colours_shapes_words_and_counts(screen: Screen) -> None:
    page = technician(screen)
    for standing, names in STANDINGS.items():
        for name in names:
            mark = board(page, name)
            expect(mark.locator("use")).to_have_attribute("href", f"#symbol-node-{standing}")
            word = "no node" if standing == "unfitted" else standing
            expect(mark).to_have_accessible_name(f"Board {name}: {word}")
    keys = page.locator(".map-key")
    colours = keys.locator(".symbol").evaluate_all("all => all.map((each) => getComputedStyle(each).color)")
    drawn = keys.locator("use").evaluate_all(
        "all => all.map((each) => document.querySelector(each.getAttribute('href')).innerHTML.trim())"
    )
    assert len(set(colours)) == len(set(drawn)) == 6
    pills = [" ".join(text.split()) for text in page.locator(".pill").all_inner_texts()]
    assert pills == ["32 good", "1 suspect", "3 lost", "1 outdated", "1 duplicate", "2 no node"]
    expect(page.locator('[data-is="software"]')).to_have_text("Version 0.9.0, source 0123456789ab")


def test_spares_are_identified_and_leave_the_list_when_they_are_placed(screen: Screen) -> None:
    page = technician(screen)
    expect(page.locator(".spare")).to_have_count(2)
    button(page, f"Identify node {tables.uid(39)}").click()
    button(page, "Identify all").click()
    said = actions(screen, 2)
    assert ("identify", {"uid": tables.uid(39), "seconds": 10}) in said
    assert ("identify", {"seconds": 10}) in said
    roster, snapshot = tables.troubled_hall()
    roster["rows"][1]["boards"][12]["node"] = tables.uid(40)
    snapshot["nodes"][-1]["board"] = "B13"
    screen.stage.tables(roster, snapshot)  # the roster is asked for again when a node has moved
    expect(board(page, "B13")).to_have_attribute("data-node", "good")
    expect(page.locator(".spare")).to_have_count(1)
    screen.stage.tables(*tables.well_hall(4))
    board(page, "A1").click()
    expect(page.locator('[data-is="no-spares"]')).to_contain_text("plug one in")
    expect(page.locator('[data-is="replace-now"]')).to_be_hidden()


def test_boards_by_their_addresses_and_without_log_in(screen: Screen) -> None:
    screen.allowed = ("401",)
    screen.stage.answers["identify"] = (401, {"error": "x"})
    page = technician(screen, path="/technician#C10")
    expect(page.locator('[data-is="details-title"]')).to_have_text("Board C10")
    never = "This node has not answered since the start."
    expect(page.locator('[data-is="details-help"]')).to_have_text(never)
    assert page.locator('[data-is="facts"] dd').all_inner_texts() == [tables.uid(36)]
    button(page, "Identify all").click()
    expect(page.locator('[data-is="answer"]')).to_contain_text("Not logged in")


# Walking a row, and the roster: exported, imported, drawn up.

ROW_A = [f"A{number}" for number in range(1, 15)]


def walking(done: list[str], next_board: str) -> Any:
    roster, snapshot = tables.troubled_hall()
    return roster, snapshot | {"enrolment": {"row": "A", "next_board": next_board, "done": done}}


def sent_rosters(screen: Screen, count: int = 1) -> list[Any]:
    posts = screen.stage.wait_for_posts(count)
    assert {post["name"] for post in posts} == {"roster"}
    return [post["body"] for post in posts]


def test_a_walk_says_which_board_is_next(screen: Screen) -> None:
    page = technician(screen)
    button(page, "Start walking").click()
    page.locator('[data-is="enrol-row"]').select_option("B")
    page.locator('[data-is="enrol-from"]').select_option("B5")
    button(page, "Start walking").click()
    assert actions(screen, 2) == [("enrol", {"row": "A"}), ("enrol", {"row": "B", "board": "B5"})]
    screen.stage.tables(*walking(ROW_A[:6], "A7"))
    walk = page.locator('[data-is="walk"]')
    for text in ("Walking row A", "Press Sun’s button at", "A7", "now", "A6 is done", "6 of 14"):
        expect(walk).to_contain_text(text)
    expect(walk.locator("li.done")).to_have_count(6)
    expect(walk.locator("li.now")).to_have_attribute("title", "A7")
    expect(page.locator('.map-board[data-board="A7"]')).to_have_class("map-board next")
    expect(page.locator('[data-is="enrol-start"]')).to_be_disabled()
    screen.stage.tables(*walking(ROW_A[:7], "A8"))
    expect(page.locator('[data-is="walk-board"]')).to_have_text("A8")
    button(page, "Stop").click()
    assert actions(screen, 3)[2] == ("stop_enrolment", {})
    screen.stage.tables(*tables.troubled_hall())
    expect(walk).to_be_hidden()
    expect(page.locator('[data-is="enrol-start"]')).to_be_enabled()


def test_a_walk_fills_a_phone_and_is_stopped_with_the_thumb(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(
        viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    page = technician(screen, hall=walking(["WEST-1"], "WEST-2"))
    board = page.locator('[data-is="walk-board"]')
    assert float(board.evaluate("board => parseFloat(getComputedStyle(board).fontSize)")) >= 60
    assert cut_off(page) == []
    assert weak_texts(page) == []
    stop = button(page, "Stop").bounding_box()
    assert stop is not None
    assert stop["height"] >= 64
    assert stop["y"] > 640 / 2
    assert stop["y"] + stop["height"] <= 640
    button(page, "Stop").tap()
    assert actions(screen, 1) == [("stop_enrolment", {})]


def test_a_roster_is_exported_and_imported(screen: Screen, tmp_path: Path) -> None:
    screen.allowed = ("409",)
    page = technician(screen)
    mistake = page.locator('[data-is="roster-mistake"]')
    expect(page.locator('[data-is="roster-count"]')).to_have_text("3 rows, 40 boards, 38 with a node")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    assert download.value.suggested_filename == "roster.json"
    assert json.loads(Path(download.value.path()).read_text(encoding="utf-8")) == tables.troubled_hall()[0]
    for text in ("no JSON", "[]", '{"version": 1}', "null", '{"rows": 5}'):
        take_file(page, tmp_path, text)
        expect(mistake).to_contain_text("That file is not a roster")
    assert screen.stage.posts == []
    roster, _ = tables.well_hall(5)
    reasons = ["Board A1 stands twice.", "Node e6 stands at A1 and A2."]
    screen.stage.answers["roster"] = (409, {"accepted": False, "reasons": reasons})
    take_file(page, tmp_path, json.dumps(roster))
    expect(mistake).to_have_text(" ".join(reasons))
    expect(page.locator(".map-board")).to_have_count(40)
    del screen.stage.answers["roster"]
    take_file(page, tmp_path, json.dumps(roster))
    assert sent_rosters(screen, 2) == [roster, roster]
    expect(page.locator('[data-is="roster-well"]')).to_have_text("The roster is now in use.")
    expect(page.locator(".map-board")).to_have_count(5)


def test_a_new_roster_is_drawn_up(screen: Screen) -> None:
    page = technician(screen, hall=({"version": 1, "rows": []}, tables.snapshot([])))
    button(page, "Start from scratch").click()
    fill_row(page, 0, name="N", boards=3)
    button(page, "Add a row").click()
    fill_row(page, 1, name="S", boards=2, shape="angled", angle=45)
    button(page, "Save this roster").click()
    expected = tables.roster(
        tables.row("N", [None] * 3), tables.row("S", [None] * 2, shape="angled", angle=45)
    )
    assert sent_rosters(screen) == [expected]
    expect(page.locator('[data-is="roster-form"]')).to_be_hidden()
    expect(page.locator(".map-board")).to_have_count(5)


def test_a_changed_roster_keeps_the_nodes_of_the_boards_that_stay(screen: Screen) -> None:
    page = technician(screen)
    button(page, "Rows and boards").click()
    expect(page.locator(".roster-row")).to_have_count(3)
    fill_row(page, 0, boards=16)
    expect(page.locator('[data-is="roster-loses"]')).to_have_text("")
    fill_row(page, 1, name="X", boards=10)
    expect(page.locator('[data-is="roster-loses"]')).to_have_text("2 nodes will lose their boards.")
    button(page, "Remove row C").click()
    expect(page.locator('[data-is="roster-loses"]')).to_have_text("14 nodes will lose their boards.")
    button(page, "Save this roster").click()
    expected = tables.roster(
        tables.row("A", [*range(1, 15), None, None]),
        tables.row("X", list(range(15, 25)), shape="angled", angle=30),
    )
    assert sent_rosters(screen) == [expected]


def test_mistakes_in_the_form_are_said_before_it_is_sent(screen: Screen) -> None:
    page = technician(screen)
    button(page, "Rows and boards").click()
    fill_row(page, 1, name="A")
    button(page, "Save this roster").click()
    expect(page.locator('[data-is="roster-mistake"]')).to_contain_text("Two boards would be called A1")
    for name in ("A", "B", "C"):
        button(page, f"Remove row {name}").click()
    button(page, "Save this roster").click()
    expect(page.locator('[data-is="roster-mistake"]')).to_have_text("Add at least one row.")
    button(page, "Add a row").click()
    fill_row(page, 0, boards=0)
    button(page, "Save this roster").click()
    assert page.locator(".roster-row input:invalid").count() == 1
    assert screen.stage.posts == []


def take_file(page: Page, folder: Path, text: str) -> None:
    file = folder / "roster.json"
    file.write_text(text, encoding="utf-8")
    page.locator('[data-is="roster-import"]').set_input_files(file)


def fill_row(page: Page, place: int, **values: Any) -> None:
    row = page.locator(".roster-row").nth(place)
    for name, value in values.items():
        field = row.get_by_label({"name": "Row", "boards": "Boards", "angle": "Angle °"}.get(name, "Shape"))
        if name == "shape":
            field.select_option(value)
        else:
            field.first.fill(str(value))


def test_segments_have_figures_and_what_to_do_stands_on_top(screen: Screen) -> None:
    roster, snapshot = tables.troubled_hall()
    wrong = {"link": "wrong_device", "sentence": TRICK, "collisions": 2, "round_trip_ms": None}
    snapshot["segments"][1] |= wrong
    page = technician(screen, hall=(roster, snapshot))
    lines = page.locator('[data-is="doctor"] li')
    assert lines.all_inner_texts() == [TRICK, *snapshot["doctor"]]
    first, second = page.locator(".segment").all()
    for text in ("Segment A", "open", "250,000 Bd", "44%", "268,411", "131", "17", "3.2 / 5.9 ms", "27/32"):
        expect(first).to_contain_text(text)
    assert "Collisions" not in first.inner_text()
    for text in ("wrong device", TRICK, "not measured", "Collisions"):
        expect(second).to_contain_text(text)
    roster, snapshot = tables.well_hall(40)
    snapshot["doctor"] = [f"Table A{number} does not answer." for number in range(1, 18)]
    screen.stage.tables(roster, snapshot)
    expect(lines.first).to_have_text("Table A1 does not answer.")
    expect(lines).to_have_count(4)
    assert board(page, "A1").bounding_box()["y"] < 540  # type: ignore[index]
    expect(page.locator('[data-is="doctor-rest"]')).to_be_hidden()
    page.locator("summary", has_text="13 more").click()
    expect(page.locator('[data-is="doctor-rest"]')).to_contain_text("Table A17 does not answer.")
    screen.stage.tables(*tables.well_hall(3))
    expect(page.locator('[data-is="doctor"]')).to_have_text("Everything connected is working.")


def test_taking_a_node_away_asks_first_and_a_refusal_can_be_put_away(screen: Screen) -> None:
    screen.allowed = ("409",)
    screen.stage.answers["clear"] = (409, {"accepted": False, "reasons": ["No node stands at A7."]})
    page = technician(screen)
    board(page, "A7").click()
    page.get_by_text("More", exact=True).click()
    sure = page.locator('[data-is="clear-sure"]')
    button(page, "Remove the node").click()
    expect(page.locator('[data-is="clear-question"]')).to_have_text("Remove the node from board A7?")
    button(page, "Cancel").click()
    expect(sure).to_be_hidden()
    button(page, "Remove the node").click()
    button(page, "Remove it").click()
    assert actions(screen, 1) == [("clear", {"board": "A7"})]
    expect(sure).to_be_hidden()
    expect(page.locator('[data-is="answer"]')).to_contain_text("No node stands at A7.")
    button(page, "Close").click()
    expect(page.locator('[data-is="answer"]')).to_be_hidden()
