"""The self-test's page: start, questions, results, what mends them, trend and reports."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser import selftests as tests
from tests.browser.screen import Screen
from tests.browser.seen import expect, expect_anywhere
from tests.hall_of_tables import uid, well_hall
from tests.matrix import further

pytestmark = pytest.mark.browser

PATH = "/technician/selftest"
PHONE = {"viewport": {"width": 390, "height": 844}}


def selftest(screen: Screen, snapshot: Any = tests.IDLE, *, path: str = PATH) -> Page:
    screen.stage.documents.setdefault("selftest/reports", {"reports": []})
    screen.stage.selftest(snapshot)
    screen.page.goto(screen.stage.address + path)
    expect(screen.page.locator('[data-is="lost"]')).to_be_drawn_hidden()
    return screen.page


def button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def posted(screen: Screen, count: int) -> list[tuple[str, Any]]:
    return [(post["name"], post["body"]) for post in screen.stage.wait_for_posts(count)]


def test_when_the_log_in_has_ended_the_page_leads_to_a_new_one(screen: Screen) -> None:
    page = selftest(screen)
    screen.stage.end_log_ins()
    page.wait_for_url(f"{screen.stage.address}/login?to={PATH}")


def test_a_test_is_started_with_level_name_and_choice(screen: Screen) -> None:
    page = selftest(screen)
    expect(page.locator('[data-is="choice-words"]')).to_have_text("All 26 checks")
    button(page, "Start the test").click()
    expect(page.get_by_label("Your name, for the report")).to_be_focused()
    page.get_by_label("Your name, for the report").fill("Ann")
    button(page, "Start the test").click()
    button(page, "Only walk the rows").click()
    page.locator("summary", has_text="All 26 checks").click()
    page.get_by_label("CEN").check()
    page.get_by_label("LMP").check()
    expect(page.locator('[data-is="choice-words"]')).to_have_text("2 checks only")
    button(page, "Start the test").click()
    page.get_by_label("Controller only").check()
    expect(button(page, "Only walk the rows")).to_be_hidden()
    button(page, "Start the test").click()
    plan = {"level": "field", "operator": "Ann", "only": []}
    assert posted(screen, 4) == [
        ("begin", plan),
        ("begin", plan | {"only": ["CLM"]}),
        ("begin", plan | {"only": ["LMP", "CEN"]}),
        ("begin", plan | {"level": "boot"}),
    ]


def test_the_bench_level_may_name_its_node(screen: Screen) -> None:
    screen.stage.tables(*well_hall(3))
    page = selftest(screen)
    page.get_by_label("Your name, for the report").fill("Ann")
    page.get_by_label("One node on the bench").check()
    which = page.get_by_label("Which node")
    expect(which).to_be_visible()
    expect_anywhere(which.locator("option")).to_have_text(
        ["The only one connected", "Board A1", "Board A2", "Board A3"]
    )
    which.select_option(label="Board A2")
    button(page, "Start the test").click()
    assert posted(screen, 1)[0][1] == {"level": "bench", "operator": "Ann", "only": [], "uid": uid(2)}


def test_a_question_is_answered_with_a_big_button(screen: Screen) -> None:
    refusal = "A game is under way (round 3): wait until it has ended."
    page = selftest(screen, tests.refused(refusal))
    for text in ("The test cannot run now", refusal):
        expect(page.locator('[data-is="strip"]')).to_contain_text(text)
    expect(button(page, "Start the test")).to_be_visible()
    screen.stage.selftest(tests.running(question=tests.question()))
    expect(page.locator('[data-is="strip-left"]')).to_have_text(
        "11 of 24 checks, about 2 min of testing left"
    )
    expect(page.locator('[data-is="question"]')).to_contain_text(tests.LAMP)
    saw = button(page, "I saw it")
    box = saw.bounding_box()
    assert box is not None
    assert box["height"] >= 64
    saw.click()
    expect(page.locator('[data-is="question"]')).to_have_attribute("data-sent", "true")
    assert posted(screen, 1)[0] == ("answer", {"question": "LMP-1", "answer": "saw", "reason": ""})
    screen.stage.selftest(tests.running(question=tests.question("HRN-2", "Did it sound?", picture="buzzer")))
    button(page, "I did not hear it").click()
    assert posted(screen, 2)[1][1]["answer"] == "not"
    mend = tests.question(
        "CLM-3", tests.EXCHANGED + " Fix it now?", picture="tables", answers=["mend", "leave"]
    )
    screen.stage.selftest(tests.running(question=mend))
    button(page, "Leave it as it is").click()
    button(page, "Fix it now").wait_for()
    assert posted(screen, 3)[2][1] == {"question": "CLM-3", "answer": "leave", "reason": ""}


def test_one_that_is_answered_elsewhere_goes_away(new_screen: Callable[..., Screen]) -> None:
    one, other = new_screen(**PHONE), new_screen(**PHONE)
    other.allowed = ("409",)
    asked = tests.running(question=tests.question())
    pages = [selftest(one, asked), selftest(other, asked)]
    for page in pages:
        expect(button(page, "I saw it")).to_be_visible()
    answered = ["This question has already been answered, perhaps on another phone: see what is asked now."]
    one.stage.answers["answer"] = (409, {"accepted": False, "reasons": answered})
    button(pages[1], "I saw it").click()
    expect(pages[1].locator('[data-is="answer"]')).to_contain_text("perhaps on another phone")
    one.stage.selftest(tests.running())
    for page in pages:
        expect(page.locator('[data-is="question"]')).to_be_hidden()


def test_a_question_is_skipped_with_a_reason(screen: Screen) -> None:
    page = selftest(screen, tests.running(question=tests.question()))
    button(page, "Skip …").click()
    button(page, "Skip it").click()
    expect(page.get_by_label("Reason")).to_be_focused()
    page.get_by_label("Reason").fill("the lamp is in the van")
    button(page, "Skip it").click()
    screen.stage.selftest(tests.running(question=tests.question("LMP-2")))
    button(page, "Skip …").click()
    button(page, "No time").click()
    reasons = [body["reason"] for _, body in posted(screen, 2)]
    assert reasons == ["the lamp is in the van", "No time"]
    screen.stage.selftest(tests.running(question=tests.question("LMP-3", may_skip=False)))
    expect(button(page, "Skip …")).to_be_hidden()


def test_what_was_not_seen_is_named(screen: Screen) -> None:
    names = ["panel", "A1-sun", "A1-moon"]
    asked = tests.question("OLD-1", tests.PATTERN, picture="display", names=names)
    page = selftest(screen, tests.running(question=asked))
    button(page, "I did not see it").click()
    expect(button(page, "Send without naming any")).to_be_visible()
    button(page, "panel").click()
    button(page, "A1 Moon").click()
    button(page, "Send: these 2").click()
    assert posted(screen, 1)[0][1] == {"question": "OLD-1", "answer": "not", "reason": "panel A1-moon"}


def test_presses_are_counted_as_they_come(screen: Screen) -> None:
    page = selftest(screen, tests.presses(3))
    live = page.locator('[data-is="live"]')
    expect(live).to_contain_text("3 of 10 presses")
    expect(live.locator(".done")).to_have_count(3)
    expect(live.locator('[data-level="closed"]')).to_have_text("NO contactclosed")
    screen.stage.selftest(tests.presses(4))
    expect(live.locator(".done")).to_have_count(4)


def test_results_have_verdicts_figures_parts_and_plots_and_the_gravest_is_first(screen: Screen) -> None:
    page = selftest(screen, tests.ended())
    expect(page.locator('[data-is="strip"]')).to_contain_text("Failed: fix this first")
    results = page.locator(".result")
    expect(results.locator("summary .code")).to_have_text(["CLM", "SDC", "SND", "RTC", "PWR", "BNC", "BER"])
    marks = results.locator(".verdict")
    assert marks.all_inner_texts()[:5] == ["failed", "check this", "skipped", "not fitted", "passed"]
    colours = marks.evaluate_all("all => all.map((each) => getComputedStyle(each).color)")
    drawn = marks.locator("use").evaluate_all(
        "all => all.map((each) => document.querySelector(each.getAttribute('href')).innerHTML.trim())"
    )
    assert len(set(colours)) == len(set(drawn)) == 5
    assert page.locator(".count").all_inner_texts()[:2] == ["1 failed", "1 to check"]
    storage = page.locator(".result", has_text="SDC")
    expect(storage).to_contain_text("231.4 ms")
    expect(storage.locator("tr.bad")).to_contain_text("limit below 200")
    expect(storage.locator("tr.bad")).to_contain_text("out of limits")
    expect(storage.locator(".finding-part")).to_have_text("Partthe memory card")
    bounce = page.locator(".result", has_text="BNC")
    plot = bounce.locator("svg.bars")
    expect(plot).to_be_hidden()
    bounce.locator("summary").click()
    expect(plot).to_have_accessible_name(
        "Bounce of 40 movements. <0.1 ms: 3, 0.5 ms: 14, 1 ms: 11, 2 ms: 8, 5 ms: 3, 10 ms: 1"
    )
    expect(plot.locator("rect")).to_have_count(7)


def test_what_is_wrong_is_mended_with_one_touch_and_the_trend_shows_what_is_worse(screen: Screen) -> None:
    page = selftest(screen, tests.ended())
    trend = page.locator('[data-is="trend-card"]')
    expect(trend).to_contain_text("2 figures have become notably worse.")
    expect(trend.locator("tbody tr td:first-child")).to_have_text(["A7", "A9", "A11"])
    expect(trend.locator("tr.bad").first).to_contain_text("21.4 Vworse")
    button(page, "Swap boards A3 and A4").click()
    button(page, "Swap Sun and Moon at board B2").click()
    mends = [("mend", {"code": "CLM", "finding": finding}) for finding in (0, 1)]
    assert posted(screen, 2) == mends
    walked = tests.RESULTS[-1]
    mended = walked | {"findings": [each | {"mended": True} for each in walked["findings"]]}
    screen.stage.selftest(tests.ended([mended], compared_with=None, changes=[]))
    expect(page.locator(".finding .well")).to_have_text(["fixed", "fixed"])
    expect(page.locator(".mend")).to_have_count(0)
    expect(trend).to_be_hidden()


def test_only_a_test_of_the_whole_hall_opens_the_doors(screen: Screen) -> None:
    verdict = selftest(screen).locator('[data-is="strip"] h2')
    passed: dict[str, Any] = {"verdict": "passed"}
    for fields, said in (
        (passed, "Passed: the doors may open"),
        (passed | {"only": ["CLM"]}, "Passed, as far as it was tested"),
        ({"only": ["CLM"], "verdict": "failed"}, "Failed: fix this first"),
        (passed | {"level": "bench"}, "Passed, as far as it was tested"),
    ):
        screen.stage.selftest(tests.ended(**fields))
        expect(verdict).to_have_text(said)


def test_earlier_reports_can_be_fetched(screen: Screen) -> None:
    screen.stage.documents["selftest/reports"] = tests.REPORTS
    page = selftest(screen)
    lines = page.locator(".report")
    expect(lines).to_have_count(4)
    expect(lines.first).to_contain_text("Whole hall, Ann")
    expect(lines.first.locator(".verdict")).to_have_text("failed")
    expect(lines.last).to_contain_text("20260905-101500-bench")
    links = lines.first.locator("a").evaluate_all("all => all.map((each) => each.getAttribute('href'))")
    stem = "/api/selftest/reports/20261121-184500-field"
    assert links == [f"{stem}.pdf", f"{stem}.json"]


def test_another_test_can_be_begun_and_one_that_runs_stopped(screen: Screen) -> None:
    page = selftest(screen, tests.ended())
    expect(button(page, "Start the test")).to_be_hidden()
    button(page, "New test").click()
    expect(button(page, "Start the test")).to_be_visible()
    expect(page.locator(".result")).to_have_count(0)
    screen.stage.selftest(tests.running(session=2, results=tests.RESULTS[:2]))
    expect(page.locator(".result summary .code")).to_have_text(["SDC", "PWR"])
    button(page, "Stop the test").click()
    assert posted(screen, 1) == [("stop", {})]


# The walk of the rows: one hand, several people, what was heard out of turn.


@pytest.fixture
def phone(new_screen: Callable[..., Screen]) -> Screen:
    return new_screen(**PHONE, has_touch=True)


def call(page: Page) -> tuple[str, str]:
    """What is to be pressed, and at which board."""
    return page.locator('[data-is="walk-press"]').inner_text(), page.locator(
        '[data-is="walk-board"]'
    ).inner_text()


def board(name: str, *, sun: bool = False, moon: bool = False) -> dict[str, Any]:
    return {"board": name, "row": name[0], "sun": sun, "moon": moon, "note": ""}


def heard(*names: str) -> Any:
    """Row A of four boards of which these have been pressed, in whatever order."""
    boards = [
        board(f"A{number}", sun=f"A{number}" in names, moon=f"A{number}" in names) for number in range(1, 5)
    ]
    return tests.walk_of(boards)


def test_it_says_which_board_and_which_button_comes_next(phone: Screen) -> None:
    page = selftest(phone, tests.walk())
    assert call(page) == ("Press Sun, then Moon at", "A1")
    phone.stage.selftest(tests.walk({"A": (6, 5)}))
    expect(page.locator('[data-is="walk-board"]')).to_have_text("A6")
    assert call(page) == ("Now Moon’s button at", "A6")
    expect(page.locator(".walk-sides .heard")).to_have_text("Sun")
    expect(page.locator('.walk-map [data-standing="done"]')).to_have_count(5)
    expect(page.locator(".walk-map .next")).to_have_attribute("aria-label", "A6: one side pressed")


def test_two_people_walk_rows_of_their_own(new_screen: Callable[..., Screen]) -> None:
    one, other = new_screen(**PHONE), new_screen(**PHONE)
    pages = [selftest(one, tests.walk()), selftest(other, tests.walk())]
    pages[1].get_by_role("button", name="Row B, 0 of 14 boards done").click()
    one.stage.selftest(tests.walk({"A": (2, 2), "B": (3, 3)}))
    expect(pages[0].locator('[data-is="walk-board"]')).to_have_text("A3")
    expect(pages[1].locator('[data-is="walk-board"]')).to_have_text("B4")
    for page in pages:
        expect(page.locator('[data-is="walk-progress"]')).to_have_text("5 of 40 boards in the hall")


def test_a_board_that_does_not_react_is_passed_over(phone: Screen) -> None:
    page = selftest(phone, heard("A1"))
    button(page, "A2 does not react: continue").click()
    assert call(page)[1] == "A3"
    phone.stage.selftest(heard("A1", "A3", "A4"))
    expect(page.locator('[data-is="walk-board"]')).to_have_text("done")
    expect(page.locator('.walk-map [data-standing="passed"]')).to_have_text("A2")
    button(page, "Back to the boards skipped").click()
    assert call(page)[1] == "A2"


def test_the_walk_is_ended_on_purpose_only(phone: Screen) -> None:
    page = selftest(phone, heard("A1", "A2", "A3"))
    button(page, "End the walk").click()
    expect(page.locator('[data-is="walk-sure"]')).to_contain_text("1 board is not done yet.")
    button(page, "Continue the walk").click()
    expect(page.locator('[data-is="walk-sure"]')).to_be_hidden()
    button(page, "End the walk").click()
    button(page, "End it anyway").click()
    assert posted(phone, 1) == [("answer", {"question": "CLM-7", "answer": "done", "reason": ""})]
    phone.stage.selftest(heard("A1", "A2", "A3", "A4"))
    button(page, "End the walk").click()
    assert len(posted(phone, 2)) == 2


@pytest.mark.parametrize("language", ["pl", *further("en")])
def test_on_a_laptop_the_question_at_the_end_stands_within_the_walk(
    new_screen: Callable[..., Screen], language: str
) -> None:
    page = selftest(new_screen(viewport={"width": 1366, "height": 768}, locale=language), tests.walk())
    page.locator('[data-is="walk-done"]').click()
    walk, question = (page.locator(name).bounding_box() for name in (".walk-test", ".walk-test .sure"))
    assert walk is not None
    assert question is not None
    assert walk["y"] <= question["y"]
    assert question["y"] + question["height"] <= walk["y"] + walk["height"]


def test_a_press_out_of_turn_and_sides_that_are_exchanged_are_told_at_once(phone: Screen) -> None:
    page = selftest(phone, heard())
    phone.stage.selftest(heard("A1"))
    expect(page.locator('[data-is="walk-board"]')).to_have_text("A2")
    phone.stage.selftest(heard("A1", "A3"))
    odd = page.locator('.walk-map [data-standing="odd"]')
    expect(page.locator(".walk-notes")).to_contain_text("pressed when it was A2’s turn")
    expect(odd).to_have_text("A3")
    for name in ("A2 does not react: continue", "End the walk"):
        box = button(page, name).bounding_box()
        assert box is not None
        assert box["height"] >= 60
        assert box["width"] >= 340
        assert 844 * 0.6 < box["y"] < box["y"] + box["height"] <= 844, "under the thumb"
    exchanged = board("A1", sun=True, moon=True) | {"note": "Moon was heard first"}
    phone.stage.selftest(tests.walk_of([exchanged, board("A2"), board("B1")]))
    told = "A1Moon was heard first. You can fix this from the results."
    expect(page.locator(".walk-notes li").first).to_have_text(told)
    expect(odd).to_have_attribute("aria-label", "A1: something is odd")
    phone.stage.selftest(tests.walk_of([exchanged, board("A2", sun=True, moon=True), board("B1")]))
    expect(page.locator('[data-is="walk-board"]')).to_have_text("B1")  # a row that is over leads to the next
