"""The self-test's page: start, questions, results, what mends them, trend and reports."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser import selftests as tests
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect, expect_anywhere
from tests.hall_of_tables import uid, well_hall

pytestmark = pytest.mark.browser

PATH = "/technician/selftest"
PHONE = {"viewport": {"width": 390, "height": 844}}
TRICK = "<img src=x onerror=alert(1)>"


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


def test_when_the_feed_is_cut_it_says_so_and_comes_back(screen: Screen) -> None:
    page = selftest(screen)
    screen.cut_feeds()
    expect(page.locator('[data-is="lost"]')).to_contain_text("No connection to the controller")
    screen.pass_ms(1_100)
    expect(page.locator('[data-is="lost"]')).to_be_hidden()


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
        ["The only one that is connected", "Board A1", "Board A2", "Board A3"]
    )
    which.select_option(label="Board A2")
    button(page, "Start the test").click()
    assert posted(screen, 1)[0][1] == {"level": "bench", "operator": "Ann", "only": [], "uid": uid(2)}


def test_a_refusal_is_said_in_cores_words(screen: Screen) -> None:
    page = selftest(screen, tests.refused("A game is under way (round 3): wait until it has ended."))
    strip = page.locator('[data-is="strip"]')
    expect(strip).to_contain_text("The test cannot run now")
    expect(strip).to_contain_text("A game is under way (round 3): wait until it has ended.")
    expect(button(page, "Start the test")).to_be_visible()


def test_a_question_is_answered_with_a_big_button(screen: Screen) -> None:
    page = selftest(screen, tests.running(question=tests.question()))
    expect(page.locator('[data-is="strip-left"]')).to_have_text(
        "11 of 24 checks, about 2 min of machine time left"
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
        "CLM-3", tests.EXCHANGED + " Mend it now?", picture="tables", answers=["mend", "leave"]
    )
    screen.stage.selftest(tests.running(question=mend))
    button(page, "Leave it as it is").click()
    button(page, "Mend it now").wait_for()
    assert posted(screen, 3)[2][1] == {"question": "CLM-3", "answer": "leave", "reason": ""}


def test_one_that_is_answered_elsewhere_goes_away(new_screen: Callable[..., Screen]) -> None:
    one, other = new_screen(**PHONE), new_screen(**PHONE)
    other.allowed = ("409",)
    asked = tests.running(question=tests.question())
    pages = [selftest(one, asked), selftest(other, asked)]
    for page in pages:
        expect(button(page, "I saw it")).to_be_visible()
    answered = ["This question has been answered already, perhaps on another phone: see what is asked now."]
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


def test_verdicts_differ_in_colour_shape_and_word_and_the_gravest_is_first(screen: Screen) -> None:
    page = selftest(screen, tests.ended())
    expect(page.locator('[data-is="strip"]')).to_contain_text("Failed: mend this first")
    results = page.locator(".result")
    expect(results.locator("summary .code")).to_have_text(["CLM", "SDC", "SND", "RTC", "PWR", "BNC", "BER"])
    marks = results.locator(".verdict")
    assert marks.all_inner_texts()[:5] == ["failed", "look at it", "skipped", "not fitted", "passed"]
    colours = marks.evaluate_all("all => all.map((each) => getComputedStyle(each).color)")
    shapes = marks.locator("use").evaluate_all("all => all.map((each) => each.getAttribute('href'))")
    assert len(set(colours)) == len(set(shapes)) == 5
    drawn = page.evaluate("all => all.map((each) => document.querySelector(each).innerHTML.trim())", shapes)
    assert len(set(drawn)) == 5
    assert page.locator(".count").all_inner_texts()[:2] == ["1 failed", "1 look at it"]


def test_a_result_shows_figures_limits_part_and_plot(screen: Screen) -> None:
    page = selftest(screen, tests.ended())
    storage = page.locator(".result", has_text="SDC")
    expect(storage).to_contain_text("231.4 ms")
    expect(storage.locator("tr.bad")).to_contain_text("limit below 200")
    expect(storage.locator("tr.bad")).to_contain_text("out of its limit")
    expect(storage.locator(".finding-part")).to_have_text("Partthe memory card")
    bounce = page.locator(".result", has_text="BNC")
    expect(bounce.locator("svg.bars")).to_be_hidden()
    bounce.locator("summary").click()
    plot = bounce.locator("svg.bars")
    expect(plot).to_have_accessible_name(
        "Bounce of 40 movements. <0.1 ms: 3, 0.5 ms: 14, 1 ms: 11, 2 ms: 8, 5 ms: 3, 10 ms: 1"
    )
    expect(plot.locator("rect")).to_have_count(7)


def test_what_is_wrong_is_mended_with_one_touch(screen: Screen) -> None:
    page = selftest(screen, tests.ended())
    button(page, "Exchange boards A3 and A4").click()
    button(page, "Exchange Sun and Moon at board B2").click()
    assert posted(screen, 2) == [
        ("mend", {"code": "CLM", "finding": 0}),
        ("mend", {"code": "CLM", "finding": 1}),
    ]
    walked = tests.RESULTS[-1]
    mended = walked | {"findings": [each | {"mended": True} for each in walked["findings"]]}
    screen.stage.selftest(tests.ended([mended]))
    expect(page.locator(".finding .well")).to_have_text(["mended", "mended"])
    expect(page.locator(".mend")).to_have_count(0)


def test_the_trend_shows_what_has_become_worse_first(screen: Screen) -> None:
    page = selftest(screen, tests.ended())
    trend = page.locator('[data-is="trend-card"]')
    expect(trend).to_contain_text("2 figures have become notably worse.")
    expect(trend.locator("tbody tr td:first-child")).to_have_text(["A7", "A9", "A11"])
    expect(trend.locator("tr.bad").first).to_contain_text("21.4 Vworse")
    screen.stage.selftest(tests.ended(compared_with=None, changes=[]))
    expect(trend).to_be_hidden()


def test_only_a_test_of_the_whole_hall_opens_the_doors(screen: Screen) -> None:
    verdict = selftest(screen).locator('[data-is="strip"] h2')
    passed: dict[str, Any] = {"verdict": "passed"}
    for fields, said in (
        (passed, "Passed: the doors may open"),
        (passed | {"only": ["CLM"]}, "Passed, as far as it was tested"),
        ({"only": ["CLM"], "verdict": "failed"}, "Failed: mend this first"),
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


def test_what_others_wrote_stays_text(screen: Screen) -> None:
    trick = tests.result("PWR", TRICK, "failed", TRICK, findings=[tests.finding(TRICK, TRICK, TRICK)])
    asked = tests.question(text=TRICK, names=[TRICK], answers=["not", TRICK])
    page = selftest(screen, tests.running(question=asked, results=[trick], operator=TRICK))
    expect(page.locator('[data-is="question-text"]')).to_have_text(TRICK)
    expect(page.locator(".finding-words")).to_have_text(TRICK)
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("viewport", [(390, 844), (1366, 768)])
def test_nothing_is_cut_off_or_weak(new_screen: Callable[..., Screen], viewport: tuple[int, int]) -> None:
    screen = new_screen(viewport={"width": viewport[0], "height": viewport[1]}, reduced_motion="reduce")
    screen.stage.documents["selftest/reports"] = tests.REPORTS
    page = selftest(screen)
    names = [f"A{number}-{side}" for number in range(1, 15) for side in ("sun", "moon")]
    asked = tests.question("OLD-1", tests.PATTERN, picture="display", names=names)
    for shown in (
        tests.IDLE,
        tests.refused("A game is under way (round 3): wait until it has ended."),
        tests.running(question=asked, results=tests.RESULTS[:3]),
        tests.presses(7),
        tests.walk({"A": (6, 5), "B": (3, 3)}, notes={"A3": "Moon was heard first"}),
        tests.ended(),
    ):
        screen.stage.selftest(shown)
        expect(page.locator("body")).to_have_attribute("data-standing", shown["standing"])
        walks = shown["question"] is not None and shown["question"]["live"] == "walk"
        expect(page.locator('[data-is="walk"]')).to_be_visible(visible=walks)
        assert cut_off(page) == []
        for _theme in ("dark", "light"):
            assert weak_texts(page) == []
            page.keyboard.press("t")
