"""Walking a row, and the roster: exported, imported, drawn up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests import hall_of_tables as tables
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.test_technician import actions, button, technician

pytestmark = pytest.mark.browser

ROW_A = [f"A{number}" for number in range(1, 15)]


def walking(done: list[str], next_board: str) -> Any:
    roster, snapshot = tables.troubled_hall()
    return roster, snapshot | {"enrolment": {"row": "A", "next_board": next_board, "done": done}}


def sent_rosters(screen: Screen, count: int = 1) -> list[Any]:
    posts = screen.stage.wait_for_posts(count)
    assert {post["name"] for post in posts} == {"roster"}
    return [post["body"] for post in posts]


def test_a_walk_begins_where_it_is_wanted(screen: Screen) -> None:
    page = technician(screen)
    button(page, "Start walking").click()
    page.locator('[data-is="enrol-row"]').select_option("B")
    page.locator('[data-is="enrol-from"]').select_option("B5")
    button(page, "Start walking").click()
    assert actions(screen, 2) == [("enrol", {"row": "A"}), ("enrol", {"row": "B", "board": "B5"})]


def test_a_walk_says_which_board_is_next(screen: Screen) -> None:
    page = technician(screen, hall=walking(ROW_A[:6], "A7"))
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
    assert actions(screen, 1) == [("stop_enrolment", {})]
    screen.stage.tables(*tables.troubled_hall())
    expect(walk).to_be_hidden()
    expect(page.locator('[data-is="enrol-start"]')).to_be_enabled()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_walk_fills_a_phone_and_is_stopped_with_the_thumb(
    new_screen: Callable[..., Screen], theme: str
) -> None:
    screen = new_screen(
        viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    page = technician(screen, path=f"/technician?theme={theme}", hall=walking(["WEST-1"], "WEST-2"))
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


def test_the_roster_is_exported_as_it_is(screen: Screen) -> None:
    page = technician(screen)
    expect(page.locator('[data-is="roster-count"]')).to_have_text("3 rows, 40 boards, 38 with a node")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    assert download.value.suggested_filename == "roster.json"
    assert json.loads(Path(download.value.path()).read_text(encoding="utf-8")) == tables.troubled_hall()[0]


def test_a_roster_is_imported(screen: Screen, tmp_path: Path) -> None:
    page = technician(screen)
    roster, _ = tables.well_hall(5)
    take_file(page, tmp_path, json.dumps(roster))
    assert sent_rosters(screen) == [roster]
    expect(page.locator('[data-is="roster-well"]')).to_have_text("The roster is in force.")
    expect(page.locator(".map-board")).to_have_count(5)


def test_a_file_that_is_no_roster_is_not_sent(screen: Screen, tmp_path: Path) -> None:
    page = technician(screen)
    for text in ("no JSON", "[]", '{"version": 1}', "null", '{"rows": 5}'):
        take_file(page, tmp_path, text)
        expect(page.locator('[data-is="roster-mistake"]')).to_contain_text("That file is not a roster")
    assert screen.stage.posts == []


def test_all_mistakes_of_a_roster_are_said(screen: Screen, tmp_path: Path) -> None:
    screen.allowed = ("409",)
    reasons = ["Board A1 stands twice.", "Node e6 stands at A1 and A2."]
    screen.stage.answers["roster"] = (409, {"accepted": False, "reasons": reasons})
    page = technician(screen)
    take_file(page, tmp_path, json.dumps(tables.well_hall(5)[0]))
    expect(page.locator('[data-is="roster-mistake"]')).to_have_text(" ".join(reasons))
    expect(page.locator(".map-board")).to_have_count(40)


def test_a_new_roster_is_drawn_up(screen: Screen) -> None:
    page = technician(screen, hall=({"version": 1, "rows": []}, tables.snapshot([])))
    button(page, "Draw up a new one").click()
    fill_row(page, 0, name="N", boards=3)
    button(page, "Add a row").click()
    fill_row(page, 1, name="S", boards=2, shape="angled", angle=45)
    button(page, "Keep this roster").click()
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
    expect(page.locator('[data-is="roster-loses"]')).to_have_text("2 nodes lose their boards by this.")
    button(page, "Remove row C").click()
    expect(page.locator('[data-is="roster-loses"]')).to_have_text("14 nodes lose their boards by this.")
    button(page, "Keep this roster").click()
    expected = tables.roster(
        tables.row("A", [*range(1, 15), None, None]),
        tables.row("X", list(range(15, 25)), shape="angled", angle=30),
    )
    assert sent_rosters(screen) == [expected]


def test_mistakes_in_the_form_are_said_before_it_is_sent(screen: Screen) -> None:
    page = technician(screen)
    button(page, "Rows and boards").click()
    fill_row(page, 1, name="A")
    button(page, "Keep this roster").click()
    expect(page.locator('[data-is="roster-mistake"]')).to_contain_text("A1 would stand twice")
    for name in ("A", "B", "C"):
        button(page, f"Remove row {name}").click()
    button(page, "Keep this roster").click()
    expect(page.locator('[data-is="roster-mistake"]')).to_have_text("Add at least one row.")
    button(page, "Add a row").click()
    fill_row(page, 0, boards=0)
    button(page, "Keep this roster").click()
    assert page.locator(".roster-row input:invalid").count() == 1
    assert screen.stage.posts == []


def test_the_form_fits_on_a_phone(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(viewport={"width": 360, "height": 740})
    page = technician(screen)
    button(page, "Rows and boards").click()
    assert cut_off(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


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
