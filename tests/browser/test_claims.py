"""Claims of the tables: the queue on the hall screen, and where they are on the director's map."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests import hall_of_tables as tables
from tests.browser import pictures
from tests.browser.acts import JUDGE, PRESSED, ROUND, director, press
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.matrix import further

pytestmark = pytest.mark.browser


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


def test_open_claims_stand_in_press_order_while_play_goes_on(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(claims=pictures.asked(2)))
    assert queue(screen) == ["1. A7 Moon", "2. C12 Sun"]
    symbols = screen.page.locator('[data-is="queue-list"] use')
    assert [symbols.nth(n).get_attribute("href") for n in range(2)] == ["#symbol-moon", "#symbol-sun"]
    expect(screen.page.locator('[data-is="rolls"]')).to_be_hidden()
    screen.pass_ms(40)
    assert "Claim: board A7, Moon side. Claim: board C12, Sun side" in screen.text("spoken")
    first, second = (claim | {"status": "rejected"} for claim in pictures.asked(2))
    screen.play(pictures.picture(seq=42, claims=[first, pictures.asked(2)[1]]))
    assert (queue(screen), screen.text("queue-title")) == (["2. C12 Sun"], "A claim")
    screen.play(pictures.picture(seq=43, claims=[first, second | {"status": "withdrawn"}]))
    expect(screen.page.locator('[data-is="queue"]')).to_be_hidden()
    expect(screen.page.locator('[data-is="rolls"]')).to_be_visible()
    screen.play(pictures.picture(seq=44, claims=pictures.asked(6)))
    assert queue(screen) == ["1. A7 Moon", "2. C12 Sun", "and 4 more"]
    screen.play(pictures.claims_pause(seq=45))
    expect(screen.page.locator('[data-is="queue"]')).to_be_hidden()
    expect(screen.page.locator('[data-is="claims"]')).to_contain_text("A7")
    screen.play(pictures.paused("director", seq=46, claims=[pictures.claim(1, "A7", "moon", passed=True)]))
    expect(screen.page.locator(".scene.pause")).to_be_visible()
    expect(screen.page.locator('[data-is="claims-box"]')).to_be_hidden()


def test_a_claim_says_what_is_known_of_it(screen: Screen) -> None:
    page = director(screen, pictures.picture(claims=pictures.asked(1)), still=False)
    facts = page.locator(".claims .claim > .hint")
    hint = page.locator('[data-is="claims-hint"]')
    expect(facts).to_have_text("round 14, 16.974 s before the end")
    expect(hint).to_have_text("Victory is claimed; the clock is still running.")
    screen.stage.tables(*tables.troubled_hall())
    expect(facts).to_have_text("round 14, 16.974 s before the end · row A, board 7 of 14")
    by_phone = pictures.claim(1, "A7", "moon", rejected_before=2) | {"source": "seat", "press_error_ms": 40}
    at_table = pictures.claim(2, "B3", "moon", passed=True) | {"source": "table"}
    screen.stage.play(
        pictures.paused("director", seq=42, claims=[by_phone, at_table, pictures.claim(3, "C4", "sun")])
    )
    expect(hint).to_have_text("Several claims are open: each needs a sheet.")
    for place, said in enumerate(("by phone, ± 40 ms", "button at the table", "row C, board 4 of 12")):
        expect(facts.nth(place)).to_contain_text(said)
    expect(facts.nth(0)).to_contain_text("rejected 2 times before")
    expect(facts.nth(1)).to_contain_text("the game went on without a verdict")
    rows = page.locator('[data-is="claims-map"] .map-row')
    expect(rows).to_have_count(3)
    expect(rows.nth(0).locator('[data-board="A7"] .map-claim')).to_have_text("1")
    screen.stage.play(pictures.paused("director", seq=43, claims=[at_table]))
    expect(page.locator('[data-is="claim-banner"]')).to_have_count(0)
    press("enter-claim")(page)
    any_board = page.locator('[data-is="any-board"]')
    expect(any_board).to_have_count(0)
    screen.stage.tables({"version": 1, "rows": []}, tables.snapshot([]))
    expect(any_board).to_have_text("There is no roster: any board name is accepted.")
    page.locator('[data-is="mode-setup"]').click()
    expect(page.locator('[data-is="map-summary"]')).to_contain_text("The hall has no boards yet")


def test_the_small_map_shows_what_is_lost_and_who_claims(screen: Screen) -> None:
    page = with_tables(screen, pictures.picture(claims=pictures.asked(2)))
    marks = page.locator(".map-board:has(.map-claim:visible)")
    expect(marks).to_have_count(2)
    names = [mark.get_attribute("aria-label") for mark in marks.all()]
    assert names == ["Board A7: lost, claim 1", "Board C12: good, claim 2"]
    summary = page.locator('[data-is="map-summary"]')
    assert summary.locator("li").all_inner_texts() == [
        *("suspect: A11", "lost: A7, A8, C10", "outdated: B4", "duplicate: C4", "no node: B13, B14"),
    ]
    expect(page.locator('.map-board[data-node="lost"]:visible')).to_have_count(3)
    screen.stage.tables(*tables.well_hall(12))
    expect(summary).to_have_text("All 12 boards are fine")
    expect(page.get_by_role("link", name="Technician’s page")).to_have_attribute("href", "/technician")
    screen.stage.tables(*tables.well_hall(256))
    map_of_all = page.locator('[data-is="map"]')
    expect(map_of_all.locator(".map-board")).to_have_count(256)
    assert (map_of_all.bounding_box() or {"height": 1_000})["height"] <= 520
    screen.cut_feeds()
    expect(summary).to_have_text("No data from the tables")


def test_no_double_click_makes_a_winner(screen: Screen) -> None:
    """A claim without a board is not confirmed at all; one with a board where its panel says who wins."""
    page = director(screen, pictures.paused("button", claims=[pictures.claim(1, None, None)]))
    page.locator('[data-is="judge"]').dblclick()
    screen.pass_ms(600)
    page.locator('[data-is="checked"]').dblclick()
    expect(page.locator("#board-of-c1")).to_be_focused()
    screen.play(pictures.paused("claim", seq=42, claims=[pictures.claim(2, "A5", "sun")]))
    place = page.locator('[data-is="judge"]').bounding_box()
    page.locator('[data-is="judge"]').click()
    expect(page.locator('[data-is="claim-panel"]')).to_be_visible()
    for part in ("checked", "reject", "withdraw"):
        page.locator(f'[data-is="{part}"]').click()
    assert place is not None
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    assert screen.stage.posts == []
    screen.pass_ms(600)
    page.locator('[data-is="reject"]').click()
    [post] = screen.stage.wait_for_posts(1)
    assert post["body"] == {"claim": "c2", "confirmed": False}


SHEET = {
    "settlements": 2, "cities": 5, "foreign_left": True, "foreign_right": True, "victory_cards": 0,
    "largest_army": True, "longest_route": True,
    "resources": {"grain": 0, "ore": 0, "brick": 0, "lumber": 0, "wool": 0},
}  # fmt: skip


def test_a_double_click_rejects_one_claim_and_not_the_one_that_moves_up(screen: Screen) -> None:
    first, second = pictures.asked(2)
    page = director(screen, pictures.paused("claim", claims=[first, second]))
    reject = page.locator(".claim.open .reject").first
    reject.click()
    screen.stage.wait_for_posts(1)
    screen.play(pictures.paused("claim", seq=42, claims=[first | {"status": "rejected"}, second]))
    reject.click()
    screen.pass_ms(600)
    reject.click()
    assert [post["body"]["claim"] for post in screen.stage.wait_for_posts(2)] == ["c1", "c2"]


def test_a_sheet_opens_by_the_own_hand_and_back_closes_it(screen: Screen) -> None:
    page = director(screen, pictures.paused("claim", claims=pictures.asked(2)))
    panel = page.locator('[data-is="claim-panel"]')
    screen.stage.sheets({"game": pictures.picture()["game_id"], "claim": "c1", "number": 1, "name": "Bea",
                         "role": "judge", "sheet": SHEET})  # fmt: skip
    expect(page.locator('.claim.open [data-is="judge"]')).to_have_count(2)
    expect(page.locator(".claim.open .hint").first).to_contain_text("Bea: 20 points")
    expect(panel).to_have_count(0)
    JUDGE(page)
    expect(panel).to_have_attribute("data-claim", "c1")
    expect(panel.locator(".sheet-points")).to_have_text("20 points of 18 needed")
    page.go_back()
    expect(panel).to_have_count(0)
    page.locator('[data-is="judge"]').nth(1).click()
    expect(panel).to_have_attribute("data-claim", "c2")
    decided = [pictures.asked(2)[0], pictures.asked(2)[1] | {"status": "withdrawn"}]
    screen.play(pictures.paused("claim", seq=42, claims=decided))
    expect(panel).to_have_count(0)


def test_decided_claims_are_folded_and_every_open_one_stands_in_the_window(screen: Screen) -> None:
    decided = [pictures.claim(n, f"B{n}", "sun", status="rejected", points=12) for n in range(1, 11)]
    opened = [pictures.claim(n, f"C{n}", "moon") for n in range(11, 14)]
    page = director(screen, pictures.paused("claim", claims=[*decided, *opened]))
    for width, height in ((1366, 768), (390, 844), (844, 390)):
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator(".claims-card > .claims > .claim")).to_have_count(3)
        for place in range(3):
            assert in_the_window(page, f'.claim.open >> nth={place} >> [data-is="judge"]')
        expect(page.locator('[data-is="decided"]')).not_to_have_attribute("open", "")
        expect(page.locator('[data-is="decided"] summary')).to_have_text("10 decided")


def test_a_press_during_a_claim_leaves_the_claim_to_be_confirmed(screen: Screen) -> None:
    page = director(screen, PRESSED)
    press("enter-claim")(page)
    moments = page.locator('[data-is="claim-when"] button')
    expect(moments).to_have_text(["Now", "round 14, 9.1 s before the end"])
    moments.nth(1).click()
    expect(moments.nth(1)).to_have_attribute("aria-pressed", "true")
    screen.play(PRESSED | {"seq": 42, "presses": [PRESSED["presses"][0] | {"id": "p9"}]})
    expect(moments.nth(0)).to_have_attribute("aria-pressed", "true")


def test_a_wrong_verdict_is_replaced_by_a_sheet(screen: Screen) -> None:
    page = director(screen, pictures.claims_pause())
    page.locator('[data-is="decided"] summary').click()
    page.locator('.claim.rejected [data-is="correct"]').click()
    page.get_by_role("button", name="Cities: one more").click()
    screen.pass_ms(600)
    expect(page.locator('[data-is="primary"]')).to_have_text("Correct the verdict: 6 points")
    press("primary")(page)
    (post,) = screen.stage.wait_for_posts(1)
    assert (post["name"], post["body"]["claim"], post["body"]["replace"]["name"]) == ("undo", "c3", "verdict")
    assert post["body"]["replace"]["body"]["sheet"]["cities"] == 2


def test_rivals_stand_side_by_side_with_the_step_that_decides(screen: Screen) -> None:
    page = director(screen, pictures.paused("claim", claims=pictures.asked(2)))
    step = page.locator('[data-is="rivals-step"]')
    for place, what in ((0, ()), (1, ("Ore",)), (0, ("Wool",))):
        page.locator('[data-is="judge"]').nth(place).click()
        for each in what:
            page.get_by_role("button", name=f"{each}: one more").click()
        press("close-panel")(page)
        if (place, what) == (1, ("Ore",)):
            expect(step).to_have_text("by resources in total")
    expect(step).to_have_text("by ore")
    rows = page.locator('[data-is="rivals"] tbody tr')
    expect(rows.nth(0)).to_contain_text("C12")
    expect(page.locator('[data-is="rivals"] thead .decides')).to_have_text("Ore")


# ---- the last verdict, which ends the game


A2 = pictures.claim(1, "A2", "moon", status="confirmed", points=19)
A2_WINS = {"claim": "c1", "board": "A2", "side": "moon", "points": 19}
B3 = pictures.claim(2, "B3", "moon")
ENDING: list[tuple[list[pictures.Json], list[pictures.Json], str]] = [
    ([A2, B3], [A2_WINS], "Reject: A2 Moon wins"),
    ([A2, B3, pictures.claim(3, "C4", "moon")], [A2_WINS], "Reject"),
    ([A2, B3 | {"passed": True}], [], "Reject"),
    ([B3], [], "Reject"),
]
SHEETS = [
    (14, 0, "Reject: 4 of 18 – A2 Moon wins"),
    (14, 14, "Confirm: 18 points – A2 Moon wins"),
    (13, 14, "Confirm: 18 points – B3 Moon wins"),
    (14, 15, "Confirm: 19 points – the game ends"),
    (14, 16, "Confirm: 20 points – B3 Moon wins"),
]
"""Round of the claim, victory-point cards, and what the sheet's button says."""


def test_a_verdict_or_sheet_that_ends_the_game_says_who_wins(screen: Screen) -> None:
    page = director(screen, pictures.paused("claim"))
    for seq, (claims, would_win, reject) in enumerate(ENDING, 100):
        screen.play(pictures.paused("claim", seq=seq, claims=claims, would_win=would_win))
        expect(page.locator(".claim.open .reject").first).to_have_text(reject)
    page.locator('[data-is="judge"]').click()
    expect(page.locator('[data-is="withdraw"]')).to_have_text("Withdraw")
    more = page.locator(".stepper", has_text="Victory-point cards").get_by_role("button").last
    filled = 0
    for seq, (round_no, cards, says) in enumerate(SHEETS, 200):
        claims = [A2, B3 | {"round": round_no}]
        screen.play(pictures.paused("claim", seq=seq, claims=claims, would_win=[A2_WINS]))
        for _ in range(cards - filled):
            more.click()
        filled = cards
        expect(page.locator('[data-is="primary"]')).to_have_text(says)


def test_the_winners_screen_names_who_was_equal_so_far(screen: Screen) -> None:
    screen.open()
    ranking = pictures.ranked((1, "A2", "moon", 19, "grain"), (2, "B3", "moon", 19, "grain"))
    screen.play(pictures.ended(winners=[A2_WINS], decided_by="grain", ranking=ranking))
    assert screen.text("decided") == "Equal so far: decided by grain, ahead of Board B3 · Moon"
    screen.play(pictures.ended(seq=42, winners=[A2_WINS], decided_by="points", ranking=ranking))
    assert screen.text("decided") == "Decided by points, ahead of Board B3 · Moon"


# An open claim is where the eye is, wherever the director's page is scrolled to; in the title; and it sounds.

COUNT_TONES = """
window.tones = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...given) { window.tones += 1; return start.apply(this, given); };
window.contexts = [];
window.AudioContext = class extends AudioContext { constructor() { super(); window.contexts.push(this); } };
"""
JUDGED = ROUND["allowed"] | {"verdict": None, "withdraw": None}
A7, C12 = pictures.claim(1, "A7", "moon"), pictures.claim(2, "C12", "sun")


def in_the_window(page: Page, selector: str) -> bool:
    box = page.locator(selector).bounding_box()
    size = page.viewport_size
    assert box is not None
    assert size is not None
    return box["y"] >= 0 and box["y"] + box["height"] <= size["height"] and box["x"] >= 0


@pytest.mark.parametrize("size", [(390, 844), *further(((1366, 768),))])
def test_a_claim_is_seen_wherever_the_page_is(
    new_screen: Callable[..., Screen], size: tuple[int, int]
) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = director(screen, ROUND, mode="setup")
    title = page.title()
    banner = page.locator('[data-is="claim-banner"]')
    expect(banner).to_have_count(0)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    big = page.locator('[data-is="primary"]').bounding_box()
    screen.play(ROUND | {"seq": 42, "claims": [A7]})
    expect(banner).to_contain_text("Board A7")
    expect(banner).to_contain_text("Moon")
    assert in_the_window(page, '[data-is="claim-banner"]')
    assert page.locator('[data-is="primary"]').bounding_box() == big  # nothing moves under a hand
    assert page.title() == f"(1) {title}"
    screen.play(ROUND | {"seq": 43, "claims": [A7, C12], "allowed": JUDGED})
    expect(banner).to_contain_text("and 1 more")
    assert page.title() == f"(2) {title}"
    press("claim-jump")(page)
    assert in_the_window(page, ".claims .claim.open >> nth=0")
    expect(page.locator(".claims .claim.open button").first).to_be_focused()
    expect(banner).to_have_count(0)  # here the claims themselves are always in the window
    rejected = [claim | {"status": "rejected"} for claim in (A7, C12)]
    screen.play(ROUND | {"seq": 44, "claims": rejected})
    expect(banner).to_have_count(0)
    assert page.title() == title


def test_each_new_claim_sounds_once_after_the_first_touch_unless_it_is_switched_off(screen: Screen) -> None:
    screen.page.add_init_script(COUNT_TONES)
    page = director(screen, ROUND)
    screen.play(ROUND | {"seq": 42, "claims": [A7]})
    assert page.evaluate("[contexts.length, tones]") == [0, 0]  # a browser lets no page sound unasked
    page.keyboard.press("Shift")
    page.mouse.click(5, 5)
    page.evaluate("Promise.all(contexts.map((context) => context.resume()))")
    screen.play(ROUND | {"seq": 43, "claims": [A7, C12]})
    screen.play(ROUND | {"seq": 44, "claims": [A7, C12]})
    assert page.evaluate("tones") == 2  # two notes
    press("claim-tone")(page)
    screen.play(ROUND | {"seq": 45, "claims": [A7, C12, pictures.claim(3, "B3", "sun")]})
    assert page.evaluate("tones") == 2
    page.reload()
    expect(page.locator('[data-is="claim-tone"]')).to_have_attribute("aria-pressed", "false")
