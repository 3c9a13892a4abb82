"""The phone's page: the clock in large print, the own seat, what a phone does besides showing."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import pictures
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.matrix import further

pytestmark = pytest.mark.browser

PHONE = (390, 844)
FELT = "window.felt = []; navigator.vibrate = (pattern) => { window.felt.push(pattern); return true; };"

LOCKS = """
window.locks = [];
window.asked = 0;
const request = navigator.wakeLock.request.bind(navigator.wakeLock);
navigator.wakeLock.request = async (kind) => {
  window.asked += 1;
  const lock = await request(kind);
  window.locks.push(lock);
  return lock;
};
"""
INSECURE = "delete Navigator.prototype.wakeLock;"
LOW = "navigator.getBattery = async () => ({ level: 0.19 });"
HELD = "locks.filter((lock) => !lock.released).length"
PLAYS = "() => { const video = document.querySelector('video'); return video && !video.paused && video.videoWidth > 0 && video.currentTime > 0; }"


def turned(screen: Screen, picture: dict[str, object]) -> None:
    screen.play(picture)
    screen.pass_ms(120)


def choose(screen: Screen, board: str, side: str) -> None:
    screen.page.locator('[data-is="own-seat"]').click()
    screen.page.locator('[data-is="seat-board"]').fill(board)
    screen.page.locator(f'input[value="{side}"]').check(force=True)
    screen.page.locator('[data-is="keep-seat"]').click()


def test_the_own_seat_is_remembered_and_felt(screen: Screen) -> None:
    screen.page.add_init_script(FELT)
    page = screen.open("/phone")
    turned(screen, pictures.picture())
    expect(page.locator('[data-is="digits"]')).to_have_text("32")
    expect(page.locator('[data-is="turn"]')).to_be_hidden()
    choose(screen, "A8", "moon")
    expect(page.locator('[data-is="own-seat"]')).to_have_text("A8 · Moon")
    expect(page.locator('[data-is="turn"]')).to_have_text("Your turn")
    turned(screen, pictures.sun_round(seq=42))
    expect(page.locator('[data-is="turn"]')).to_be_hidden()
    turned(screen, pictures.picture(seq=43, round=16))
    turned(screen, pictures.paused("claim", seq=44))
    assert page.evaluate("felt") == [[200, 100, 200], [600]]
    page.reload()
    expect(page.locator('[data-is="own-seat"]')).to_have_text("A8 · Moon")


def test_pause_with_its_reason_message_and_caption(screen: Screen) -> None:
    page = screen.open("/phone")
    caption = {"key": "voice.pause", "params": {}, "until_ms": 1_060_000}
    message = {"text": "Please take your seats", "until_ms": None}
    turned(screen, pictures.paused("button", caption=caption, message=message))
    expect(page.locator('[data-is="reasons"]')).to_have_text("The pause button was pressed")
    expect(page.locator('[data-is="message"]')).to_have_text("Please take your seats")
    expect(page.locator('[data-is="caption"]')).to_have_text("Pause.")


def test_without_news_it_says_so_and_comes_back_by_itself(screen: Screen) -> None:
    page = screen.open("/phone")
    turned(screen, pictures.picture())
    screen.lose_news()
    expect(page.locator('[data-is="cover"]')).to_contain_text("No connection to the controller")
    expect(page.locator('[data-is="digits"]')).to_have_count(0)
    screen.stage.wait_for_feeds(2)
    screen.forget()
    turned(screen, pictures.picture(seq=42, as_of_ms=1_003_200))
    expect(page.locator('[data-is="digits"]')).to_be_visible()


def hold(screen: Screen, ms: int) -> None:
    screen.page.locator('[data-is="claim"]').dispatch_event("pointerdown")
    screen.pass_ms(ms)
    screen.page.locator('[data-is="claim"]').dispatch_event("pointerup")


def test_with_a_seat_code_the_button_claims_when_it_is_held(screen: Screen) -> None:
    screen.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page = screen.open("/phone#A8-moon-1-CODE")
    turned(screen, pictures.picture())
    expect(page.locator('[data-is="own-seat"]')).to_have_text("A8 · Moon")
    assert page.url.endswith("/phone")
    expect(page.locator('[data-is="claim"]')).to_be_enabled()
    hold(screen, 500)
    assert screen.stage.posts == []
    hold(screen, 600)
    (post,) = screen.stage.wait_for_posts(1)
    assert post["body"]["error_us"] < 100_000
    turned(screen, pictures.picture(seq=42, claims=[pictures.claim(1, "A8", "moon")]))
    expect(page.locator('[data-is="seat-news"]')).to_have_text(
        "Your claim has arrived. The director is coming."
    )
    expect(page.locator('[data-is="claim"]')).to_have_count(0)
    assert cut_off(page) == []
    assert weak_texts(page) == []
    turned(screen, pictures.sun_round(seq=43))
    expect(page.locator('[data-is="claim"]')).to_be_disabled()
    expect(page.locator('[data-is="claim"]')).to_have_text("Wait for your side")


def test_the_feed_shows_the_seat_code_once_it_is_known_that_it_may(screen: Screen) -> None:
    """In the first moment the page may be at the plain address while claims go to the encrypted one only."""
    screen.open("/phone#A8-moon-1-CODE")
    turned(screen, pictures.picture())
    expect(screen.page.locator('[data-is="claim"]')).to_be_enabled()
    screen.lose_news()
    screen.stage.wait_for_feeds(2)
    assert screen.stage.feed_addresses[0] == "/api/phone?version=2"
    assert screen.stage.feed_addresses[-1] == "/api/phone?seat=A8-moon-1-CODE&version=2"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("revoked", "is no longer valid"),
        *further(("not_ours", "belongs to another hall"), ("no_code", "is incomplete")),
    ],
)
def test_a_phone_that_knows_no_seat_yet_says_what_is_wrong_with_its_code(
    screen: Screen, code: str, text: str
) -> None:
    screen.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page = screen.open(f"/phone#{code}")
    turned(screen, pictures.picture())
    expect(page.locator(".seat-news.bad")).to_contain_text(text)
    assert cut_off(page) == []


def test_where_phones_may_not_claim_a_code_says_so(screen: Screen) -> None:
    screen.stage.join = screen.stage.join | {"seat_codes": False}
    page = screen.open("/phone#A8-moon-1-CODE")
    turned(screen, pictures.picture())
    expect(page.locator(".seat-news.bad")).to_contain_text("call the director")


def lit(make: Callable[..., Screen], script: str) -> Page:
    """The phone's page, whose browser has the right to a wake lock and begins with this script."""
    screen = make(permissions=["screen-wake-lock"])
    screen.page.add_init_script(script)
    page = screen.open("/phone", still=False)
    screen.play(pictures.picture())
    return page


def test_a_phone_stays_lit_by_the_lock_and_takes_it_again(new_screen: Callable[..., Screen]) -> None:
    page = lit(new_screen, LOCKS)
    page.wait_for_function(f"{HELD} === 1")
    page.evaluate("locks[0].release()")  # as the browser does when the page is hidden
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert page.evaluate("asked") == 2
    page.wait_for_function(f"{HELD} === 1")
    page.locator('[data-is="own-seat"]').click()
    page.locator('[data-is="own-seat"]').click()
    assert page.evaluate("asked") == 2, "a touch asks for no further one"
    page.locator('[data-is="awake"]').uncheck()
    page.wait_for_function(f"{HELD} === 0")
    page.reload()
    expect(page.locator('[data-is="awake"]')).not_to_be_checked()
    assert page.evaluate("asked") == 0


def test_without_a_lock_a_muted_video_plays_that_asks_for_nothing(new_screen: Callable[..., Screen]) -> None:
    page = lit(new_screen, INSECURE)
    page.wait_for_function(PLAYS)
    video = page.locator("video")
    assert video.evaluate("(it) => [it.muted, it.playsInline, it.currentSrc]") == [True, True, ""]
    assert video.evaluate("(it) => it.srcObject.getAudioTracks().length") == 0
    page.locator('[data-is="awake"]').uncheck()
    page.wait_for_function("document.querySelector('video').paused")
    page.locator('[data-is="awake"]').check()
    page.wait_for_function(PLAYS)


def test_it_is_off_at_first_where_the_battery_is_low(new_screen: Callable[..., Screen]) -> None:
    page = lit(new_screen, LOW + LOCKS)
    assert page.evaluate("asked") == 0
    expect(page.locator('[data-is="awake"]')).not_to_be_checked()
    page.locator('[data-is="awake"]').check()
    page.wait_for_function(f"{HELD} === 1")
    page.reload()
    expect(page.locator('[data-is="awake"]')).to_be_checked()
    page.wait_for_function(f"{HELD} === 1")


def test_where_the_browser_refuses_it_says_what_helps(screen: Screen) -> None:
    page = screen.open("/phone")
    turned(screen, pictures.picture())
    expect(page.locator('[data-is="awake-refused"]')).to_be_visible()
    page.locator('[data-is="awake"]').uncheck()
    expect(page.locator('[data-is="awake-refused"]')).to_have_count(0)
