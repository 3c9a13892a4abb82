"""The virtual tables: each display as the firmware drew it, and hands for buttons, cables and nodes."""

import base64
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from tests.browser import pictures
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.tables import hall_of, playing
from tests.web.fake_tables import table

pytestmark = pytest.mark.browser

COUNT_PAINTING = """
window.painted = 0;
const put = CanvasRenderingContext2D.prototype.putImageData;
CanvasRenderingContext2D.prototype.putImageData = function (...given) { painted += 1; return put.apply(this, given); };
"""
LIT_PIXELS = """
canvas => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const lit = [];
  for (let at = 0; at < data.length / 4; at += 1) {
    if (data[at * 4] > 128) lit.push([at % canvas.width, Math.floor(at / canvas.width)]);
  }
  return lit;
}
"""
LIGHT = "lamp => lamp.style.getPropertyValue('--level')"
UID = table(1)["uid"]


def hall(screen: Screen, tables: list[Any] | None = None, *, path: str = "/sim") -> Page:
    stage = screen.stage
    stage.play(pictures.picture())
    stage.panel(pictures.panel())
    stage.virtual([table(1), table(2)] if tables is None else tables)
    screen.page.goto(stage.address + path)
    expect(screen.page.locator('[data-is="vt-lost"]')).to_be_drawn_hidden()
    return screen.page


def card(page: Page, number: int = 1) -> Locator:
    return page.locator(".vt-card").nth(number - 1)


def claim(page: Page, side: str, number: int = 1) -> Locator:
    name = f"Table A{number}, {side}: claim button, press and hold"
    return page.get_by_role("button", name=name, exact=True)


def actions(screen: Screen, count: int) -> list[tuple[str, Any]]:
    posts = screen.stage.wait_for_posts(count)
    assert {post["kind"] for post in posts} == {"sim/tables"}
    return [(post["name"], post["body"]) for post in posts]


def with_pixels(side: str, lit: list[tuple[int, int]], **changes: Any) -> dict[str, Any]:
    rows = bytearray(1024)
    for x, y in lit:
        rows[(y * 128 + x) // 8] |= 0x80 >> (x % 8)
    bits = base64.b64encode(rows).decode()
    display = {"side": side, "width": 128, "height": 64, "on": True, "contrast": 255, "bits": bits} | changes
    return table(1, displays=[display])


def test_each_side_is_drawn_pixel_for_pixel(screen: Screen) -> None:
    screen.allowed = ("willReadFrequently",)  # this test reads the canvas back, the page does not
    lit = [(0, 0), (7, 0), (8, 1), (127, 63), (64, 32)]
    sentence = 'There are no virtual tables: start them with make run ARGS="--nodes 40".'
    screen.stage.virtual([], sentence)
    screen.page.goto(screen.stage.address + "/sim")
    expect(screen.page.locator('[data-is="vt-empty"]')).to_have_text(sentence)
    expect(screen.page.locator('[data-is="vt-size"]')).to_be_hidden()
    for side, place in {"moon": 0, "sun": 1}.items():
        page = hall(screen, [with_pixels(side, lit)])
        canvas = card(page).locator("canvas").nth(place)
        expect(canvas).to_have_attribute("aria-label", f"Table A1, {side.title()}: display")
        screen.page.wait_for_function("canvas => canvas.getContext('2d')", arg=canvas.element_handle())
        expect_pixels(canvas, lit)
        for name, width in (("Show small", 128), ("Show large", 256)):
            page.get_by_role("button", name=name).click()
            assert canvas.bounding_box()["width"] == width  # type: ignore[index]
        shown = "canvas => canvas.getContext('2d').getImageData(64, 32, 1, 1).data[1]"
        assert canvas.evaluate(shown) == 232
        screen.stage.virtual_change(with_pixels(side, lit, contrast=80))
        canvas.page.wait_for_function(f"canvas => ({shown})(canvas) < 180", arg=canvas.element_handle())
        turned = "matrix(-1, 0, 0, -1, 0, 0)" if side == "moon" else "none"  # the two players face each other
        assert canvas.evaluate("canvas => getComputedStyle(canvas).transform") == turned
        screen.stage.virtual_change(with_pixels(side, lit, on=False))
        expect_pixels(canvas, [])


def expect_pixels(canvas: Locator, lit: list[tuple[int, int]]) -> None:
    canvas.page.wait_for_function(
        f"([canvas, lit]) => JSON.stringify(({LIT_PIXELS})(canvas).sort()) === JSON.stringify(lit.sort())",
        arg=[canvas.element_handle(), [list(pixel) for pixel in lit]],
    )


def test_lamps_have_a_brightness(screen: Screen) -> None:
    lamps = {"sun": 255, "moon": 0, "claim_sun": 64, "claim_moon": 0}
    page = hall(screen, [table(1, lamps=lamps)])
    sun, moon = card(page).locator(".vt-side.sun"), card(page).locator(".vt-side.moon")
    expect(sun.locator(".vt-lamp")).to_have_attribute("style", "--level: 1.00;")
    assert [sun.locator(".vt-claim").evaluate(LIGHT), moon.locator(".vt-claim").evaluate(LIGHT)] == [
        "0.50",
        "0.00",
    ]
    look = "lamp => getComputedStyle(lamp).backgroundColor"
    assert sun.locator(".vt-lamp").evaluate(look) != moon.locator(".vt-lamp").evaluate(look)


def test_a_claim_button_is_pressed_as_long_as_the_pointer_is_down(screen: Screen) -> None:
    page = hall(screen)
    claim(page, "Sun").hover()
    page.mouse.down()
    assert actions(screen, 1) == [("press", {"uid": UID, "side": "sun"})]
    page.mouse.move(1, 1)
    page.mouse.up()
    page.get_by_role("button", name="Table A1, Moon: hold the claim button long enough for a claim").click()
    assert actions(screen, 3)[1:] == [
        ("release", {"uid": UID, "side": "sun"}),
        ("hold", {"uid": UID, "side": "moon"}),
    ]


def test_two_claim_buttons_at_once_by_touch_and_key(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = hall(screen)
    claim(page, "Moon").focus()
    page.keyboard.down("Space")
    page.keyboard.down("Space")  # repeats
    claim(page, "Sun", 2).tap()
    page.keyboard.up("Space")
    posts = actions(screen, 4)
    assert posts[0] == ("press", {"uid": UID, "side": "moon"})
    assert {name for name, body in posts if body["side"] == "moon"} == {"press", "release"}
    assert [name for name, body in posts if body["side"] == "sun"] == ["press", "release"]


def test_faults_of_one_table(screen: Screen) -> None:
    page = hall(screen)
    page.get_by_role("button", name="Table A1: enlarge, faults").click()
    dialog = page.get_by_role("dialog", name="Table A1")
    expect(dialog).to_contain_text(UID)
    for fault in ("cut", "halt", "babble", "reboot", "duplicate"):
        dialog.locator(f'[data-fault="{fault}"]').click()
    assert [name for name, _ in actions(screen, 5)] == ["cut", "halt", "babble", "reboot", "duplicate"]
    screen.stage.virtual_change(table(1, cut_before=True, alive=False, babbling=True))
    expect(dialog.locator('[aria-pressed="true"]')).to_have_count(3)
    expect(dialog.locator(".vt-trouble")).to_have_text("halted, cable cut, babbles")
    expect(card(page).locator(".vt-trouble")).to_have_text("halted, cable cut, babbles")
    for fault in ("cut", "halt", "babble"):
        dialog.locator(f'[data-fault="{fault}"]').click()
    assert [name for name, _ in actions(screen, 8)[5:]] == ["mend", "revive", "hush"]
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Table A2: enlarge, faults").click()
    expect(page.get_by_role("dialog", name="Table A2")).to_be_visible()


def test_faults_of_the_wires_are_set_and_undone_by_their_values(screen: Screen) -> None:
    page = hall(screen)
    page.get_by_role("button", name="Table A1: enlarge, faults").click()
    dialog = page.get_by_role("dialog", name="Table A1")
    expect(dialog).to_contain_text("23.8 V")
    faults = {"contact": 2, "one_wire": 1, "plug": 5, "spare": 1, "dead_supply": 1, "terminator": 0}
    for fault in faults:
        dialog.locator(f'[data-fault="{fault}"]').click()
    assert [(name, body["value"]) for name, body in actions(screen, 6)] == list(faults.items())
    screen.stage.virtual_change(table(1, wires=list(faults), supply_v=19.0))
    expect(dialog.locator('[aria-pressed="true"]')).to_have_count(6)
    expect(dialog).to_contain_text("19.0 V")
    expect(card(page).locator(".vt-trouble")).to_have_text("wires faulty")
    for fault in faults:
        dialog.locator(f'[data-fault="{fault}"]').click()
    undone = {fault: 1 if fault == "terminator" else 0 for fault in faults}
    assert [(name, body["value"]) for name, body in actions(screen, 12)[6:]] == list(undone.items())


def test_the_loss_of_a_segment(screen: Screen) -> None:
    page = hall(screen, [table(1), table(2), table(33)])
    page.get_by_label("Frames lost on segment B").select_option("20%")
    assert actions(screen, 1) == [("loss", {"uid": table(33)["uid"], "value": 0.2})]
    page.get_by_label("Frames lost on segment A").focus()
    screen.stage.virtual_change(table(33, loss=0.5))
    expect(page.get_by_label("Frames lost on segment B")).to_have_value("0.5")
    assert [head.inner_text() for head in page.locator(".vt-head h3").all()] == ["Segment A", "Segment B"]


def test_a_refused_action_is_said_in_its_own_words(screen: Screen) -> None:
    screen.allowed = ("422",)
    screen.stage.answers["hold"] = (422, {"error": "The node is halted."})
    page = hall(screen)
    card(page).get_by_text("Hold", exact=True).first.click()
    expect(page.locator('[data-is="vt-mistake"]')).to_have_text("The node is halted.")


def test_only_tables_that_can_be_seen_are_drawn(screen: Screen) -> None:
    screen.page.add_init_script(COUNT_PAINTING)
    page = hall(screen, hall_of(256))
    expect(page.locator(".vt-card")).to_have_count(256)
    expect(page.locator('[data-is="vt-segments"]')).to_have_attribute("data-size", "small")
    page.wait_for_function("() => painted > 0")
    seen = page.evaluate("painted")
    screen.stage.virtual_change(*(playing(number, babbling=True) for number in range(1, 257)))
    page.wait_for_function("seen => painted > seen", arg=seen)
    assert page.evaluate("painted") < 256
    expect(card(page, 256).locator(".vt-trouble")).to_have_text("")
    card(page, 256).scroll_into_view_if_needed()
    expect(card(page, 256).locator(".vt-trouble")).to_have_text("babbles")
    assert page.evaluate("painted") < 512 + 256


def test_arrow_keys_lead_from_table_to_table(screen: Screen) -> None:
    page = hall(screen, hall_of(8))
    assert page.locator(".vt-card button[tabindex='0']").count() == 5
    claim(page, "Sun").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(claim(page, "Sun", 3)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(claim(page, "Sun", 2)).to_be_focused()
    expect(claim(page, "Sun", 2)).to_have_attribute("tabindex", "0")
    expect(claim(page, "Sun", 1)).to_have_attribute("tabindex", "-1")


def test_tables_that_are_gone_go(screen: Screen) -> None:
    page = hall(screen, [table(1), table(2), table(33)])
    page.get_by_role("button", name="Table B1: enlarge, faults").click()
    screen.stage.virtual([table(2)])
    expect(page.locator(".vt-card")).to_have_count(1)
    expect(page.locator(".vt-segment")).to_have_count(1)
    expect(page.locator(".vt-count")).to_have_text("1 table")
    expect(page.get_by_role("dialog")).to_be_hidden()
