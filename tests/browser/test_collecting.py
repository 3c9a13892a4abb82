"""After the last round: sheets are entered, the ranking stands everywhere, and only the end makes a winner."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from tests.browser import pictures
from tests.browser.acts import director
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.test_two_directors import logged_in
from tests.patience import DEADLINE_MS
from tests.system.programs import client_of, program, wait_for_picture

pytestmark = pytest.mark.browser
RANKING = '[data-is="ranking"] li'


def enter(page: Page, board: str, side: str, cities: int) -> None:
    """Board and side by hand, and the sheet that then opens; the side's button is the first or second."""
    page.locator('[data-is="enter-claim"]').click()
    page.locator('[data-is="claim-board"]').fill(board)
    page.locator('[data-is="enter-panel"] .choice button', has_text=side).click()
    page.locator('[data-is="claim-go"]').click()
    panel = page.locator('[data-is="claim-panel"]')
    panel.wait_for()
    for _ in range(cities):
        panel.get_by_role("button", name="Cities: one more").click()
    listening(page).click()
    expect(panel).to_have_count(0)


def listening(page: Page) -> Locator:
    """The main action, once its label has stood for a moment."""
    return page.locator('[data-is="primary"]:not([aria-disabled])')


def test_the_last_round_runs_out_and_the_best_sheet_wins_by_the_end_alone(
    chromium: Browser, tmp_path: Path
) -> None:
    options = ("--hardware=sim", "--port=0", "--speed=60", f"--state-dir={tmp_path}")
    with program("run", *options) as running:
        client = client_of(tmp_path)
        page = logged_in(chromium, running)
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.running)
        assert client.command("last_rounds", {"count": 0}).accepted
        expect(page.locator('[data-is="primary"]')).to_contain_text("Enter a sheet")
        hall = page.context.new_page()
        hall.set_default_timeout(DEADLINE_MS)
        hall.goto(page.url.replace("/director", "/"))
        expect(hall.locator(".scene.collecting")).to_contain_text("The last round is over")
        enter(page, "A1", "Sun", 2)
        enter(page, "A2", "Moon", 4)
        expect(hall.locator(RANKING)).to_have_text(
            ["1.Board A2Moon12 pointsby points", "2.Board A1Sun8 pointsby points"]
        )
        assert client.picture().phase == "collecting"
        expect(page.locator('[data-is="primary"]')).to_have_text("End: A2 Moon wins")
        listening(page).click()
        expect(page.locator('[data-is="end-sure"]')).to_contain_text("the winner is: A2 Moon")
        page.locator('[data-is="end-now"]').click()
        expect(hall.locator('[data-is="winners"] li')).to_contain_text("A2")
        ended = client.picture()
        assert [winner.board for winner in ended.winners] == ["A2"]
        assert ended.decided_by == "ranking"
        page.locator('[data-is="undo"]').click()
        expect(hall.locator(RANKING)).to_have_count(2)


def test_the_hall_screen_has_no_clock_and_the_ranking(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.collecting())
    screen.pass_ms(40)
    assert screen.scene() == "collecting"
    assert screen.text("ranking-more") == ""
    assert "Ranking: Board A7" in screen.text("spoken")
    expect(screen.page.locator('[data-is="digits"]')).to_be_hidden()
    assert cut_off(screen.page) == []
    assert weak_texts(screen.page) == []


def test_sheets_go_into_the_ranking_are_corrected_and_taken_out(screen: Screen) -> None:
    page = director(screen, pictures.collecting())
    card = page.locator(".claims-card")
    expect(card.locator(".ranking .hint")).to_have_text(["by ore", "by points", "by points"])
    expect(card.locator(".ranking li.first")).to_contain_text("A7")
    main = page.locator('[data-is="primary"]')
    main.click()
    expect(page.locator('[data-is="checked"]')).to_have_count(0)
    expect(main).to_have_text("Into the ranking: 4 points")
    screen.pass_ms(600)
    main.click()
    screen.stage.wait_for_posts(1)
    page.locator('[data-is="decided"] summary').click()
    checked = page.locator(".claim.confirmed", has_text="A7").locator('[data-is="correct"]')
    checked.click()
    screen.pass_ms(600)
    main.click()
    screen.stage.wait_for_posts(2)
    page.locator('[data-is="decided"] summary').click()
    checked.click()
    screen.pass_ms(600)
    page.get_by_role("button", name="Remove from the ranking").click()
    entered, corrected, out = (post["body"] for post in screen.stage.wait_for_posts(3))
    assert (entered["claim"], entered["sheet"]["cities"]) == ("c4", 1)
    assert (corrected["claim"], "sheet" in corrected) == ("c1", True)
    assert out == {"claim": "c1", "confirmed": False}
