"""Claims of the tables: the queue on the hall screen, and where they are on the director's map."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests import hall_of_tables as tables
from tests.browser import pictures
from tests.browser.acts import PRESSED, director
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.matrix import paired

pytestmark = pytest.mark.browser

TRICK = "<b>B1</b>"


def with_tables(screen: Screen, picture: pictures.Json, *, path: str = "/director#setup") -> Page:
    screen.stage.tables(*tables.troubled_hall())
    screen.stage.play(picture)
    screen.page.goto(screen.stage.address + path)
    expect(screen.page.locator('[data-is="tables-card"]')).to_have_attribute("data-open", "true")
    return screen.page


def queue(screen: Screen) -> list[str]:
    return [
        " ".join(text.split()) for text in screen.page.locator('[data-is="queue-list"] li').all_inner_texts()
    ]


# ---- the hall screen


def test_open_claims_stand_in_press_order_while_play_goes_on(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(claims=pictures.asked(2)))
    assert queue(screen) == ["1. Board A7 Moon side", "2. Board C12 Sun side"]
    symbols = screen.page.locator('[data-is="queue-list"] use')
    assert [symbols.nth(n).get_attribute("href") for n in range(2)] == ["#symbol-moon", "#symbol-sun"]
    expect(screen.page.locator('[data-is="rolls"]')).to_be_hidden()
    screen.pass_ms(40)
    assert "Claim: board A7, Moon side. Claim: board C12, Sun side" in screen.text("spoken")


def test_a_judged_claim_leaves_the_queue_and_the_places_stay(screen: Screen) -> None:
    screen.open()
    first, second = pictures.asked(2)
    screen.play(pictures.picture(claims=[first | {"status": "rejected"}, second]))
    assert queue(screen) == ["2. Board C12 Sun side"]
    assert screen.text("queue-title") == "A claim"
    screen.play(
        pictures.picture(seq=42, claims=[first | {"status": "rejected"}, second | {"status": "withdrawn"}])
    )
    expect(screen.page.locator('[data-is="queue"]')).to_be_hidden()
    expect(screen.page.locator('[data-is="rolls"]')).to_be_visible()


def test_many_claims_are_shortened_in_order(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(claims=pictures.asked(6)))
    assert queue(screen) == [
        "1. Board A7 Moon",
        "2. Board C12 Sun",
        "3. Board HALL-6 Moon",
        "and 3 more",
    ]


def test_in_a_pause_the_list_says_it_and_not_the_queue(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.claims_pause())
    expect(screen.page.locator('[data-is="queue"]')).to_be_hidden()
    expect(screen.page.locator('[data-is="claims"]')).to_contain_text("Board A7")


def test_names_of_boards_stay_texts_in_the_queue(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(claims=[pictures.claim(1, TRICK, "moon")]))
    assert queue(screen) == [f"1. Board {TRICK} Moon side"]


# ---- the director's page


def test_a_claim_says_where_its_board_is_and_the_map_shows_it(screen: Screen) -> None:
    page = with_tables(screen, pictures.picture(claims=pictures.asked(2)), path="/director")
    facts = page.locator(".claims .claim .hint")
    expect(facts.nth(0)).to_have_text(
        "row A, board 7 of 14 · round 14, 16.974 s before the end · being checked"
    )
    expect(facts.nth(1)).to_contain_text("row C, board 12 of 12")
    page.locator('[data-is="mode-setup"]').click()
    shown = page.locator(".map-claim:visible")
    expect(shown).to_have_count(2)
    assert shown.all_inner_texts() == ["1", "2"]
    names = [
        mark.get_attribute("aria-label") for mark in page.locator(".map-board:has(.map-claim:visible)").all()
    ]
    assert names == ["Board A7: lost, claim 1", "Board C12: good, claim 2"]


def test_the_place_of_a_claim_comes_with_the_roster(screen: Screen) -> None:
    page = director(screen, pictures.picture(claims=pictures.asked(1)), still=False)
    facts = page.locator(".claims .claim .hint")
    expect(facts).to_have_text("round 14, 16.974 s before the end · being checked")
    screen.stage.tables(*tables.troubled_hall())
    expect(facts).to_contain_text("row A, board 7 of 14")


def test_that_the_clock_runs_on_is_said(screen: Screen) -> None:
    page = director(screen, pictures.picture(claims=pictures.asked(1)))
    hint = page.locator('[data-is="claims-hint"]')
    expect(hint).to_have_text("A victory is claimed, and the clock runs on.")
    screen.play(pictures.paused("director", seq=42, claims=pictures.asked(2)))
    expect(hint).to_have_text("Several claims are open: each needs a sheet.")


def test_no_single_or_double_click_makes_a_winner(screen: Screen) -> None:
    """A claim without a board is not confirmed at all; one with a board takes a second, deliberate click."""
    page = director(screen, pictures.paused("button", claims=[pictures.claim(1, None, None)]))
    page.get_by_role("button", name="Confirm", exact=True).dblclick()
    expect(page.get_by_label("Board", exact=True).first).to_be_focused()
    screen.play(pictures.paused("claim", seq=42, claims=[pictures.claim(2, "A5", "sun")]))
    page.get_by_role("button", name="Confirm", exact=True).dblclick()
    second = page.get_by_role("button", name="Checked at the table: board A5, Sun wins")
    expect(second).to_be_visible()
    page.get_by_role("button", name="Reject", exact=True).click()
    [post] = screen.stage.wait_for_posts(1)
    assert post["body"] == {"claim": "c2", "confirmed": False}


def test_a_press_during_a_claim_leaves_the_claim_to_be_confirmed(screen: Screen) -> None:
    page = director(screen, PRESSED)
    expect(page.get_by_role("button", name="Confirm", exact=True)).to_be_visible()
    page.locator("summary", has_text="Enter a claim").click()
    moments = page.locator('[data-is="claim-when"] button')
    expect(moments).to_have_text(["Now", "round 14, 9.1 s before the end"])
    moments.nth(1).click()
    expect(moments.nth(1)).to_have_attribute("aria-pressed", "true")
    screen.play(PRESSED | {"seq": 42, "presses": [PRESSED["presses"][0] | {"id": "p9"}]})
    expect(moments.nth(0)).to_have_attribute("aria-pressed", "true")


def test_without_a_roster_it_is_said_that_any_name_is_taken(screen: Screen) -> None:
    page = with_tables(screen, pictures.picture(), path="/director")
    page.locator("summary", has_text="Enter a claim").click()
    hint = page.locator('[data-is="any-board"]')
    expect(hint).to_have_count(0)
    screen.stage.tables({"version": 1, "rows": []}, tables.snapshot([]))
    expect(hint).to_have_text("There is no roster: any name is taken as a board.")


@pytest.mark.parametrize(("mode", "name"), [("ask", "Ask the director"), ("pause", "Pause at once")])
def test_what_a_claim_does_is_shown_by_the_switch(screen: Screen, mode: str, name: str) -> None:
    page = director(screen, pictures.picture(claims_mode=mode))
    group = page.get_by_role("group", name="When a table claims")
    assert group.locator('[aria-pressed="true"]').all_inner_texts() == [name]


def test_what_is_lost_is_seen_at_once(screen: Screen) -> None:
    page = with_tables(screen, pictures.picture())
    summary = page.locator('[data-is="map-summary"] li').all_inner_texts()
    assert summary == [
        "suspect: A11",
        "lost: A7, A8, C10",
        "outdated: B4",
        "duplicate: C4",
        "no node: B13, B14",
    ]
    lost = page.locator('.map-board[data-node="lost"]')
    expect(lost).to_have_count(3)
    good = page.locator('.map-board[data-node="good"]').first
    colour = "mark => getComputedStyle(mark).backgroundColor"
    assert lost.first.evaluate(colour) != good.evaluate(colour)
    screen.stage.tables(*tables.well_hall(12))
    expect(page.locator('[data-is="map-summary"]')).to_have_text("All 12 boards are well")
    expect(page.get_by_role("link", name="Technician’s page")).to_have_attribute("href", "/technician")


def test_without_news_or_boards_it_says_so(screen: Screen) -> None:
    page = with_tables(screen, pictures.picture())
    screen.cut_feeds()
    expect(page.locator('[data-is="map-summary"]')).to_have_text("No news from the tables")
    screen.stage.tables({"version": 1, "rows": []}, tables.snapshot([]))
    screen.pass_ms(1_100)
    expect(page.locator('[data-is="map-summary"]')).to_contain_text("The hall has no boards yet")


@paired(theme=["dark", "light"], width=[1920, 1024, 390])
def test_map_and_claims_are_readable_and_fit(
    new_screen: Callable[..., Screen], theme: str, width: int
) -> None:
    screen = new_screen(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    picture = pictures.picture(claims=pictures.asked(6), as_of_ms=1)
    page = with_tables(screen, picture, path=f"/director?theme={theme}#setup")
    expect(page.locator(".map-claim:visible")).to_have_count(4)
    assert weak_texts(page) == []
    assert cut_off(page) == []


def test_256_boards_stay_a_small_map(screen: Screen) -> None:
    page = with_tables(screen, pictures.picture())
    screen.stage.tables(*tables.well_hall(256))
    expect(page.locator(".map-board")).to_have_count(256)
    box = page.locator('[data-is="map"]').bounding_box()
    assert box is not None
    assert box["height"] <= 520


def test_a_wrong_verdict_is_replaced_by_a_sheet(screen: Screen) -> None:
    page = director(screen, pictures.claims_pause())
    rejected = page.locator(".claim.rejected")
    rejected.get_by_role("button", name="Correct the verdict").click()
    rejected.get_by_role("button", name="Cities: one more").click()
    rejected.get_by_role("button", name="Correct the verdict: 6 points").click()
    (post,) = screen.stage.wait_for_posts(1)
    assert (post["name"], post["body"]["claim"], post["body"]["replace"]["name"]) == ("undo", "c3", "verdict")
    assert post["body"]["replace"]["body"]["sheet"]["cities"] == 2


def test_a_board_that_was_rejected_before_is_marked(screen: Screen) -> None:
    page = director(screen, pictures.picture(claims=[pictures.claim(1, "A7", "moon", rejected_before=2)]))
    expect(page.locator(".claims .claim .hint").first).to_contain_text("rejected 2 times before")


def test_rivals_stand_side_by_side_with_the_step_that_decides(screen: Screen) -> None:
    page = director(screen, pictures.paused("claim", claims=pictures.asked(2)))
    for place in range(2):
        page.locator(".claim.open").nth(place).get_by_role("button", name="Fill in the sheet").click()
    second = page.locator(".claim.open").nth(1)
    expect(page.locator('[data-is="rivals-step"]')).to_have_text("equal in everything")
    second.get_by_role("button", name="Ore: one more").click()
    expect(page.locator('[data-is="rivals-step"]')).to_have_text("by resources in total")
    page.locator(".claim.open").nth(0).get_by_role("button", name="Wool: one more").click()
    expect(page.locator('[data-is="rivals-step"]')).to_have_text("by ore")
    rows = page.locator('[data-is="rivals"] tbody tr')
    expect(rows.nth(0)).to_contain_text("C12")
    expect(page.locator('[data-is="rivals"] thead .decides')).to_have_text("Ore")


def test_a_claim_that_play_went_on_over_does_not_come_back_at_the_next_pause(screen: Screen) -> None:
    old = pictures.claim(1, "A7", "moon", passed=True)
    page = director(screen, pictures.paused("director", round=15, claims=[old]))
    expect(page.locator('[data-is="claim-banner"]')).to_have_count(0)
    expect(page.locator(".claims .claim .hint").first).to_contain_text("play went on over it")
    page.goto(screen.stage.address + "/")
    expect(page.locator(".scene.pause")).to_be_visible()
    expect(page.locator('[data-is="claims-box"]')).to_be_hidden()


def test_a_claim_says_how_it_came_and_where_its_board_is(screen: Screen) -> None:
    by_phone = pictures.claim(1, "A7", "moon") | {"source": "seat", "press_error_ms": 40}
    at_table = pictures.claim(2, "B3", "moon") | {"source": "table"}
    page = director(screen, pictures.paused("claim", claims=[by_phone, at_table]))
    screen.stage.tables(*tables.troubled_hall())
    screen.heard()
    screen.pass_ms(200)
    facts = page.locator(".claims .claim > .hint")
    expect(facts.nth(0)).to_contain_text("by phone, ± 40 ms")
    expect(facts.nth(1)).to_contain_text("button at the table")
    rows = page.locator('[data-is="claims-map"] .map-row')
    expect(rows).to_have_count(2)
    expect(rows.nth(0).locator('[data-board="A7"] .map-claim')).to_have_text("1")
    expect(rows.nth(1).locator('[data-board="B3"] .map-claim')).to_have_text("2")


# ---- the last verdict, which ends the game


def judged(*claims: pictures.Json, would_win: pictures.Json | None = None) -> pictures.Json:
    known = {} if would_win is None else {"would_win": [would_win]}
    return pictures.paused("claim", claims=list(claims), **known)


A2 = pictures.claim(1, "A2", "moon", status="confirmed", points=19)
A2_WINS = {"claim": "c1", "board": "A2", "side": "moon", "points": 19}


@pytest.mark.parametrize(
    ("claims", "would_win", "reject"),
    [
        ([A2, pictures.claim(2, "B3", "moon")], A2_WINS, "Reject: A2 Moon wins"),
        ([A2, pictures.claim(2, "B3", "moon"), pictures.claim(3, "C4", "moon")], A2_WINS, "Reject"),
        ([A2, pictures.claim(2, "B3", "moon", passed=True)], None, "Reject"),
        ([pictures.claim(2, "B3", "moon")], None, "Reject"),
    ],
)
def test_a_verdict_that_ends_the_game_says_who_wins(
    screen: Screen, claims: list[pictures.Json], would_win: pictures.Json | None, reject: str
) -> None:
    page = director(screen, judged(*claims, would_win=would_win))
    buttons = page.locator(".claim.open").first.locator(".row").first.locator("button")
    told = [text for text in buttons.all_inner_texts() if text.startswith("Reject")]
    assert told == [reject]
    told = [text for text in buttons.all_inner_texts() if text.startswith("Withdraw")]
    assert told == [reject.replace("Reject", "Withdraw")]


@pytest.mark.parametrize(
    ("round_no", "more", "says"),
    [
        (14, 0, "Reject: 4 of 18 – A2 Moon wins"),
        (14, 14, "Confirm: 18 points – A2 Moon wins"),
        (13, 14, "Confirm: 18 points – B3 Moon wins"),
        (14, 15, "Confirm: 19 points – the game ends"),
        (14, 16, "Confirm: 20 points – B3 Moon wins"),
    ],
)
def test_the_sheet_that_ends_the_game_says_who_wins(
    screen: Screen, round_no: int, more: int, says: str
) -> None:
    page = director(screen, judged(A2, pictures.claim(2, "B3", "moon", round=round_no), would_win=A2_WINS))
    page.get_by_role("button", name="Fill in the sheet").click()
    cards = page.locator(".stepper", has_text="Victory-point cards").get_by_role("button").last
    for _ in range(more):
        cards.click()
    expect(page.locator(".sheet-foot button")).to_have_text(says)


def test_the_winners_screen_names_who_was_equal_so_far(screen: Screen) -> None:
    screen.open()
    ranking = pictures.ranked((1, "A2", "moon", 19, "grain"), (2, "B3", "moon", 19, "grain"))
    winner = [{"claim": "c1", "board": "A2", "side": "moon", "points": 19}]
    screen.play(pictures.ended(winners=winner, decided_by="grain", ranking=ranking))
    assert screen.text("decided") == "Equal so far: decided by grain, ahead of Board B3 · Moon"
    screen.play(pictures.ended(seq=42, winners=winner, decided_by="points", ranking=ranking))
    assert screen.text("decided") == "Decided by points"
