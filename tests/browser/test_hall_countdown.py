"""The countdown follows core's clock, and no number is shown without fresh news."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import pictures
from tests.browser.screen import Screen

pytestmark = pytest.mark.browser

CORE_MS = 1_000_000


def test_seconds_change_within_100_ms_of_the_truth(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(remaining_ms=31_400, as_of_ms=CORE_MS))
    for second in range(32, 24, -1):
        assert screen.text("digits") == str(second)
        screen.pass_ms(300)
        assert screen.text("digits") == str(second)
        screen.pass_ms(200)
        assert screen.text("digits") == str(second - 1)
        screen.pass_ms(500)
        screen.beat(CORE_MS + 1_000 * (33 - second))


def test_the_bar_moves_between_messages(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(remaining_ms=22_500, duration_ms=45_000))
    shares = []
    for _ in range(3):
        transform = screen.page.locator('[data-is="bar"]').evaluate("bar => bar.style.transform")
        shares.append(float(re.findall(r"[\d.]+", transform)[0]))
        screen.pass_ms(450)
    assert shares == pytest.approx([0.5, 0.49, 0.48], abs=0.001)


def test_it_stands_still_when_paused_and_ends_at_zero(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(remaining_ms=800))
    screen.pass_ms(1_500)
    assert screen.text("digits") == "0"
    screen.play(pictures.paused("director", remaining_ms=17_284, as_of_ms=CORE_MS + 1_500))
    screen.pass_ms(900)
    assert (screen.text("exact-whole"), screen.text("exact-part")) == ("17", ".284")


def test_a_controller_that_does_not_start_says_why(screen: Screen) -> None:
    screen.allowed = ("503",)
    screen.stage.not_started = "The state folder cannot be used: change the memory card."
    screen.open()
    screen.pass_ms(3_100)
    expect(screen.page.locator('[data-is="cover-title"]')).to_have_text("The controller does not start")
    expect(screen.page.locator('[data-is="cover-help"]')).to_have_text(screen.stage.not_started)


def test_a_beat_that_comes_a_second_late_covers_nothing(screen: Screen) -> None:
    """As in a bad second of Wi-Fi, after which all comes that lay in the line."""
    screen.open()
    screen.play(pictures.picture())
    for second in (2, 4):
        for _ in range(20):
            screen.pass_ms(100)
            assert screen.scene() == "play"
        screen.beat(CORE_MS + (second - 1) * 1_000)
        screen.beat(CORE_MS + second * 1_000)


def test_a_beat_of_a_picture_that_did_not_come_is_no_news(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(seq=41))
    screen.pass_ms(2_000)
    screen.stage.send({"version": 1, "beat": 42, "session": "s1", "as_of_ms": CORE_MS + 2_000})
    screen.heard()
    screen.pass_ms(600)
    assert screen.scene() == "lost"


def test_a_change_adds_to_the_picture_that_it_rests_on(screen: Screen) -> None:
    """What is old is passed over; who lacks the picture before it asks for the whole one."""

    def told(on: int, **change: object) -> None:
        screen.stage.send({"on": on, "change": change})
        screen.heard()
        screen.pass_ms(40)

    screen.open()
    screen.play(pictures.picture(seq=41))
    told(41, seq=42, message={"text": "Short break", "until_ms": None})
    assert "Short break" in screen.visible_text()
    assert screen.scene() == "play"
    told(40, seq=41, message=None)
    told(41, message=None)
    assert "Short break" in screen.visible_text()
    told(42, message={"text": "Long break", "until_ms": None})
    assert "Long break" in screen.visible_text()
    assert screen.stage.pictures_asked == 0
    told(50, seq=51, message=None)
    screen.heard()
    screen.pass_ms(40)
    assert screen.stage.pictures_asked == 1
    assert "break" not in screen.visible_text()


def test_a_frozen_tab_comes_back_covered(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture())
    screen.page.clock.fast_forward(60_000)
    screen.pass_ms(40)
    assert screen.scene() == "lost"
    assert not re.search(r"\d", screen.visible_text())


def test_a_computer_that_slept_shows_nothing_until_the_next_news(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture())
    screen.page.evaluate("Date.now = (now => () => now() + 90_000)(Date.now)")
    screen.pass_ms(40)
    assert screen.scene() == "lost"
    screen.beat(CORE_MS + 1_000)  # lay in the line all the time
    screen.pass_ms(40)
    assert screen.scene() == "lost"
    screen.stage.play(pictures.picture(remaining_ms=9_000, as_of_ms=CORE_MS + 90_000))
    screen.pass_ms(300)
    screen.stage.wait_for_feeds(2)
    screen.page.locator("body[data-scene=play]").wait_for()
    assert screen.text("digits") == "9"


def test_a_hidden_tab_is_covered(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture())
    hide = "flag => { Object.defineProperty(document, 'hidden', {value: flag, configurable: true});"
    hide += " document.dispatchEvent(new Event('visibilitychange')); }"
    screen.page.evaluate(hide, True)
    assert screen.scene() == "lost"
    screen.page.evaluate(hide, False)
    assert screen.scene() == "play"


def test_it_connects_again_and_goes_on(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture())
    screen.hang_up()
    screen.stage.play(pictures.picture(remaining_ms=9_000, as_of_ms=CORE_MS + 4_000))
    screen.pass_ms(300)
    screen.stage.wait_for_feeds(2)
    screen.page.locator('[data-is="digits"]', has_text="9").wait_for()
    assert screen.text("digits") == "9"


def test_a_new_session_starts_a_new_clock(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(as_of_ms=CORE_MS))
    screen.pass_ms(1_000)
    screen.play(pictures.picture(session="s2", as_of_ms=5_000, remaining_ms=30_400))
    screen.pass_ms(500)
    assert (screen.scene(), screen.text("digits")) == ("play", "30")


def test_without_news_for_two_seconds_everything_is_covered(screen: Screen) -> None:
    """0.4 s before the 2.5 s that are promised: a busy computer may be late with the frame."""
    screen.open()
    assert screen.scene() == "waiting"
    assert not re.search(r"\d", screen.visible_text()), "before the first message there is no number"
    screen.play(pictures.picture())
    for second in range(1, 5):
        screen.pass_ms(1_000)
        screen.beat(CORE_MS + second * 1_000)
    screen.pass_ms(2_000)
    assert screen.scene() == "play"
    screen.pass_ms(100)
    assert screen.scene() == "lost"
    assert "No connection to the controller" in screen.visible_text()
    assert "Follow the director" in screen.visible_text()
    assert not re.search(r"\d", screen.visible_text())
    assert screen.page.locator("main").is_hidden()
    screen.pass_ms(2_000)
    screen.stage.wait_for_feeds(2)  # a silent line is dropped and opened again


def test_another_version_says_so(screen: Screen) -> None:
    screen.open()
    screen.stage.send({"picture": pictures.picture(version=2)})
    screen.heard()
    screen.pass_ms(40)
    assert "out of date" in screen.visible_text()
