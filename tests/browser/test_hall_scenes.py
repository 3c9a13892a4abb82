"""What the hall screen says in each situation."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from tests.browser import pictures
from tests.browser.looks import cut_off, luminance_ratio, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.situations import HALL
from tests.matrix import further

pytestmark = pytest.mark.browser

COLOURS = {"sun": "amber", "moon": "blue"}
TRICK = "<img src=x onerror=alert(1)>"


def test_both_dice_and_the_sum(screen: Screen) -> None:
    screen.open()
    faces = screen.page.locator('[data-is="dice"] .die')
    for seq, dice in enumerate(([1, 2], [3, 4], [5, 6]), 100):
        screen.play(pictures.picture(seq=seq, dice=dice, sum=sum(dice)))
        assert [faces.nth(n).locator("circle.on").count() for n in range(2)] == dice
        assert [faces.nth(n).get_attribute("aria-label") for n in range(2)] == [
            f"die showing {n}" for n in dice
        ]
        assert screen.text("sum") == str(sum(dice))


def test_robber_phase_shows_target_and_what_to_do(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.robber_phase(9))
    assert screen.text("target-number") == "9"
    said = screen.visible_text()
    assert "ROBBER" in said.upper()
    help_lines = screen.page.locator('[data-is="robber-help"] li')
    assert help_lines.all_inner_texts() == [
        "Over 7: half back, rounded down.",
        "Robber to 9.",
        "Nobody steals.",
    ]
    assert screen.page.locator('.side[data-colour="amber"]').inner_text().split() == ["SUN", "next"]
    screen.play(pictures.robber_phase("desert", seq=42))
    assert screen.page.locator('[data-is="target-number"]').is_hidden()
    assert help_lines.nth(1).inner_text() == "Robber to the desert."


def test_pause_says_why_how_long_and_where(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.paused("button", "claim"))
    said = screen.visible_text()
    assert "PAUSE" in said
    assert "The pause button was pressed" in said
    assert "A victory is being checked" in said
    assert "17.284" in said.replace("\n", "")
    assert "Round 14" in said
    assert "Record 3fa9 c1d2 7be0 4545\n" in said + "\n"


def test_seal_and_word_stand_on_every_scene_of_the_game(new_screen: Callable[..., Screen]) -> None:
    """Looked at without motion: an animation takes its own time, not the page's."""
    screen = new_screen(reduced_motion="reduce")
    screen.open()
    scenes = {
        "round": pictures.picture(),
        "robber": pictures.robber_phase(),
        "pause": pictures.paused("director"),
        "count-in": pictures.count_in(),
        "ended": pictures.ended(),
        "message": pictures.picture(message={"text": "Please take your seats", "until_ms": None}),
        "claims": pictures.picture(claims=pictures.asked(6)),
    }
    for seq, (scene, shown) in enumerate(scenes.items(), 100):
        screen.play(shown | {"seq": seq})
        screen.pass_ms(200)
        for name, text in (("proof-seal", "c1f3 90ab 77de 2b10 a95d 3c4e …"), ("proof-word", "lighthouse")):
            place = screen.page.locator(f'[data-is="{name}"]')
            assert place.inner_text() == text, scene
            on_top = place.evaluate(
                "place => { const box = place.getBoundingClientRect();"
                " return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) === place; }"
            )
            assert on_top, (scene, name)


def test_three_two_one(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.count_in(resume_in_ms=3_000))
    seen = [screen.text("countin-digit")]
    for second in (1, 2):
        screen.pass_ms(1_050)
        screen.beat(1_000_000 + 1_050 * second)
        seen.append(screen.text("countin-digit"))
    assert seen == ["3", "2", "1"]
    assert "17.284 s" in screen.visible_text()


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/", '[data-is="first"]'),
        ("/phone", '[data-is="who"]'),
        ("/moderator", ".clock .who"),
        ("/director", ".live-detail"),
    ],
)
def test_who_begins_by_lot_is_said_once_the_lot_has_fallen(screen: Screen, path: str, place: str) -> None:
    page = screen.open(path)
    screen.play(pictures.ready(notices=["by_lot"], next_side=None, next_seat=None))
    screen.pass_ms(120)
    expect(page.locator(place)).to_have_text("Who begins: by lot")
    assert "Sun begins" not in page.locator("body").inner_text()
    if path != "/":
        return
    counting = {"paused": True, "resume_in_ms": 3_000, "next_side": "moon", "next_seat": 1}
    screen.play(pictures.ready(seq=42, notices=["by_lot"], **counting))
    expect(page.locator('[data-is="countin-then"]')).to_have_text("By lot: Moon begins")


DECIDED = {
    "points": "Decided by points",
    "resources": "decided by resources in total",
    "ore": "decided by ore",
    "shared": "the victory is shared",
    "ranking": "Best checked sheet",
}


def test_the_last_rolls_carry_their_sides(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture())
    tiles = screen.page.locator('[data-is="history"] li')
    assert tiles.count() == 12
    assert tiles.nth(0).locator("use").get_attribute("href") == "#symbol-moon"
    assert tiles.nth(0).inner_text() == "8"
    assert tiles.nth(2).get_attribute("aria-label") == "Round 12 Robber 9"
    assert tiles.nth(5).locator("use").last.get_attribute("href") == "#symbol-desert"


def test_numbers_do_not_move_anything(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(reduced_motion="reduce")
    screen.open()
    boxes = []
    for seconds, total in ((28, 12), (11, 8), (8, 11)):
        screen.play(pictures.picture(remaining_ms=seconds * 1_000, sum=total, seq=seconds))
        screen.pass_ms(1)
        names = ("countdown", "unit", "token", "dice", "round")
        boxes.append([screen.page.locator(f'[data-is="{name}"]').bounding_box() for name in names])
    assert boxes[0] == boxes[1] == boxes[2]


def test_texts_from_people_stay_texts(screen: Screen) -> None:
    screen.open()
    claims = [pictures.claim(1, TRICK, "moon")]
    screen.play(pictures.paused("claim", claims=claims, message={"text": TRICK, "until_ms": None}))
    assert screen.visible_text().count(TRICK) == 3  # the last one is spoken
    timer = {"label": TRICK, "remaining_ms": 5_000, "running": False}
    screen.play(
        pictures.ready(seq=42, public_word=TRICK, timer=timer, message={"text": TRICK, "until_ms": None})
    )
    assert screen.visible_text().count(TRICK) == 3
    winners = [{"claim": "c1", "board": TRICK, "side": TRICK, "points": 19}]
    screen.play(pictures.ended(seq=43, winners=winners, health={"level": "fault", "messages": [TRICK]}))
    assert screen.visible_text().count(TRICK) == 3
    assert screen.page.locator("img:not(.join img, .check img)").count() == 0


def test_light_theme_by_address_and_by_key(screen: Screen) -> None:
    page = screen.open("/?theme=light")
    theme = "() => document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "light"
    page.keyboard.press("t")
    assert page.evaluate(theme) == "dark"
    page.locator('[data-is="theme"]').click()
    assert page.evaluate(theme) == "light"


def test_a_picture_that_cannot_be_shown_never_counts_as_news(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture())
    screen.pass_ms(2_000)
    screen.play({**pictures.picture(seq=42, as_of_ms=1_002_000), "history": None})
    screen.pass_ms(600)
    assert screen.scene() == "lost"
    assert len(screen.complaints) == 1
    screen.complaints.clear()


def test_the_side_has_colour_shape_and_word(screen: Screen) -> None:
    screen.open()
    for seq, (side, other_side) in enumerate((("sun", "moon"), ("moon", "sun")), 100):
        screen.play(pictures.picture(seq=seq, side=side, next_side=other_side, seat=seq - 100))
        tile = screen.page.locator(f'.side[data-colour="{COLOURS[side]}"]')
        assert side.upper() in tile.inner_text().upper()
        assert "plays now" in tile.inner_text()
        assert tile.locator("use").get_attribute("href") == f"#symbol-{side}"
        screen.pass_ms(400)
        other = screen.page.locator(f'.side[data-colour="{COLOURS[other_side]}"]')
        ground = "t => getComputedStyle(t).backgroundColor"
        assert tile.evaluate(ground) != other.evaluate(ground)


@pytest.mark.parametrize(("path", "language"), [("/", "pl"), ("/director", "de")])
def test_screen_and_director_see_which_seal_of_the_evening_it_is(
    screen: Screen, path: str, language: str
) -> None:
    page = screen.open(f"{path}?lang={language}#setup")
    third = {"number": 3, "of_evening": "20261120-180000-abcd", "rehearsal": False}
    seen = {"seal-title": pictures.ready} | ({"proof-title": pictures.picture} if path == "/" else {})
    if path == "/director":
        page.locator('[data-is="status"]').click()
    told = [(third, Sentence("page.seal_number", number=3)), (None, Sentence("page.seal_title"))]
    for seq, ((place, shown), (seal, said)) in enumerate(product(seen.items(), told), 100):
        screen.stage.play(shown(seq=seq, seal=seal))
        expect(page.locator(f"[data-is={place}]")).to_have_text(words(said, language))


def test_claims_stand_in_press_order_and_settled_ones_below_an_open_one(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.claims_pause())
    lines = screen.page.locator('[data-is="claims"] li')
    assert [line.split("\n")[0] for line in lines.all_inner_texts()] == ["2.", "3."]
    assert lines.nth(0).locator(".claim-who").inner_text() == "A7"
    assert "17.0 s before the end" in lines.nth(0).inner_text()
    assert screen.text("claims-more") == "+2"
    settled = [
        pictures.claim(0, None, None, status="withdrawn"),
        pictures.claim(3, "B3", "moon", status="rejected", points=16),
    ]
    screen.play(pictures.paused("claim", seq=42, claims=[*settled, pictures.claim(1, "A7", "moon")]))
    texts = lines.all_inner_texts()
    assert [line.split("\n")[0] for line in texts] == ["3.", "1.", "2."]
    assert "withdrawn" in texts[1]
    assert "not confirmed · 16 points" in texts[2]


def test_ready_shows_times_seal_word_and_timer(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.ready(timer={"label": "Doors", "remaining_ms": 61_000, "running": True}))
    said = screen.visible_text()
    for text in ("Sun begins", "c1f3 90ab 77de 2b10 a95d 3c4e …", "lighthouse"):
        assert text in said
    assert screen.text("times") == "Rounds of 35 s, from round 11 on 45 s"
    assert screen.text("ready-timer-digits") == "1:01"
    screen.pass_ms(1_500)
    assert screen.text("ready-timer-digits") == "1:00"
    steps = [{"from_round": 1 + 5 * step, "seconds": 30 + step} for step in range(5)]
    screen.play(pictures.ready(seq=42, schedule=steps))
    assert screen.text("times") == "Rounds of 30 s, from round 6 on 31 s, from round 11 on 32 s …"


def test_the_end_names_the_deciding_step_and_the_record(screen: Screen) -> None:
    screen.open()
    for number, (step, sentence) in enumerate(DECIDED.items()):
        screen.play(pictures.ended(decided_by=step) | {"seq": 100 + number, "saved_seq": 100 + number})
        said = screen.visible_text()
        for text in ("A7", "Moon · 19 points", sentence):
            assert text in said
    assert "Record 3fa9 c1d2 7be0 4545 " in screen.text("opened")


def test_notices_messages_and_faults_come_and_go(screen: Screen) -> None:
    page = screen.open()
    warned = {"level": "warning", "messages": ["It is warm"]}
    screen.play(pictures.picture(notices=["robber_possible"], last_round=16, health=warned, public_word=None))
    assert "The robber can appear from now on" in screen.text("notices")
    assert "2 more rounds after this one" in screen.text("notices")
    assert "It is warm" not in screen.visible_text(), "the hall is told of faults only"
    assert screen.text("proof-word") == "none was spoken"
    full = {"level": "fault", "messages": ["The disk is full"]}
    message = {"text": "Short break", "until_ms": 1_001_000}
    screen.play(
        pictures.picture(seq=42, last_round=14, health=full, message=message),
    )
    assert screen.text("notices") == "Last round"
    assert screen.text("health") == "The disk is full"
    assert screen.text("says-text") == "Short break"
    screen.pass_ms(1_050)
    assert page.locator('[data-is="says"]').is_hidden()
    screen.play(HALL["pause-break"] | {"seq": 43, "as_of_ms": 1_001_050})
    screen.pass_ms(1_040)
    assert (screen.text("pause-timer-label"), screen.text("pause-timer-digits")) == ("Break", "4:58")


@pytest.mark.parametrize(("theme", "size"), [("dark", (1024, 768)), ("light", (1280, 720))])
def test_nothing_is_cut_off_or_weak_in_any_situation(
    new_screen: Callable[..., Screen], theme: str, size: tuple[int, int]
) -> None:
    """At the sizes that the other sweeps over all situations do not have."""
    screen = new_screen(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = screen.open(f"/?theme={theme}")
    wrong = {"waiting": weak_texts(page)}
    for number, (name, picture) in enumerate(HALL.items()):
        screen.play(picture | {"seq": 100 + number, "saved_seq": 100 + number})
        wrong[name] = cut_off(page) + weak_texts(page)
        if name == "ready":  # the sides differ also for an eye that sees no colours
            assert luminance_ratio(page, '.disc[data-colour="amber"]', '.disc[data-colour="blue"]') >= 3
    screen.lose_news()
    wrong["lost"] = weak_texts(page)
    assert {name: found for name, found in wrong.items() if found} == {}


# Black screens and the test picture: nothing of the game is seen under them, and it goes on.

TOP = "([x, y]) => document.elementFromPoint(innerWidth * x, innerHeight * y).className"


def marks(screen: Screen) -> tuple[str | None, str | None]:
    mark = screen.page.locator(".alive")
    return mark.get_attribute("data-step"), mark.get_attribute("data-fresh")


def test_black_shows_nothing_but_a_mark_that_moves_while_there_are_news(screen: Screen) -> None:
    page = screen.open()
    screen.play(pictures.picture(cover="black"))
    screen.pass_ms(40)
    assert [page.evaluate(TOP, at) for at in ([0.5, 0.5], [0.1, 0.1], [0.1, 0.95])] == ["blackout"] * 3
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.blackout')).backgroundColor")
        == "rgb(0, 0, 0)"
    )
    assert screen.page.locator(".round-number").is_hidden()
    first = marks(screen)
    screen.pass_ms(1_000)
    second = marks(screen)
    assert (first[1], second[1]) == ("true", "true")
    assert first[0] != second[0]


def test_a_hall_that_was_made_dark_stays_dark_without_news_and_comes_back_with_them(screen: Screen) -> None:
    page = screen.open()
    screen.play(pictures.picture(cover="black"))
    screen.pass_ms(2_450)
    assert screen.scene() == "lost"
    assert page.evaluate(TOP, [0.5, 0.5]) == "blackout"
    assert marks(screen)[1] == "false"
    screen.play(pictures.paused("button", seq=42, as_of_ms=1_002_450))
    assert screen.scene() == "pause"
    assert page.locator(".blackout").is_hidden()
    assert "PAUSE" in screen.visible_text()


@pytest.mark.parametrize("size", [(1920, 1080), (1024, 768), (390, 844)])
def test_the_test_picture_fits_and_names_size_and_letters(
    new_screen: Callable[..., Screen], size: tuple[int, int]
) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]})
    page = screen.open()
    screen.play(pictures.picture(cover="test"))
    screen.pass_ms(40)
    said = screen.visible_text()
    assert f"{size[0]} × {size[1]} pixels" in said
    assert "This screen has no name yet" in said
    assert "MOON" not in said.upper()
    edge = page.locator(".test-edge").bounding_box()
    assert edge == {"x": 0, "y": 0, "width": size[0], "height": size[1]}
    circle = page.locator(".test-circle").bounding_box()
    assert circle is not None
    assert circle["width"] == pytest.approx(circle["height"])
    unit = min(size[1] / 100, size[0] * 0.005625)
    heights = page.locator(".test-sample").evaluate_all(
        "all => all.map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    if size[0] > size[1]:
        assert heights == pytest.approx([percent * unit for percent in (4, 6, 9, 13)], rel=0.01)
    screen.lose_news()
    assert page.locator(".test-picture").is_hidden()
    assert page.locator(".cover").is_visible()


# The event's name, colours and logo on the hall screen, and the time of day.

EVENT = {"name": "Winter Marathon", "logo": True, "colours": ["#ffc94d", "#7fdcae"]}
NAMES = "names => names.map(name => [getComputedStyle(name).color, getComputedStyle(name).borderBottomColor])"


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_event_stands_in_its_colours_on_dark_ground(screen: Screen, theme: str) -> None:
    page = screen.open(f"/?theme={theme}")
    screen.play(pictures.ready(event=EVENT))
    names = page.locator(".event-name:visible")
    assert names.all_inner_texts() == ["Winter Marathon"]
    assert names.evaluate_all(NAMES) == [["rgb(255, 201, 77)", "rgb(127, 220, 174)"]]
    assert (
        page.locator(".scene.ready .event").evaluate("e => getComputedStyle(e).backgroundColor")
        == "rgb(11, 14, 20)"
    )
    page.wait_for_function("() => document.querySelector('.scene.ready .event-logo')?.naturalWidth === 8")
    screen.play(pictures.picture(seq=42, event=EVENT | {"colours": None, "logo": False}))
    assert page.locator(".event-name:visible").all_inner_texts() == ["Winter Marathon"]
    assert page.locator(".event-logo").count() == 0
    screen.play(pictures.picture(seq=43))
    assert page.locator(".event:visible").count() == 0


def test_the_time_of_day_goes_on(screen: Screen) -> None:
    """The clock of the page stands at 46 minutes and 40 seconds past the hour."""
    page = screen.open("/")
    screen.play(pictures.ready())
    seen = []
    for seconds in range(2, 24, 2):
        screen.pass_ms(2_000)
        screen.beat(1_000_000 + 1_000 * seconds)
        seen.append(page.locator(".scene.ready .time").inner_text().split(":")[1])
    assert (seen[0], seen[-1]) == ("46", "47")


# What matters on the hall screen is read from the back row: its letters are never lower than 1/25 of the picture.

CAPITALS = 0.05
"""Of the picture's height, of a board that claims: 10 cm on a picture of two metres, the 200th part of 20 m."""
CAPITAL_EM = 0.686
"""Height of a capital of Archivo, in em."""
SMALL = """
() => {
  const small = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!own || element.closest('.only-spoken, .languages, .theme-button, noscript')) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const share = parseFloat(getComputedStyle(element).fontSize) / innerHeight;
    if (share < 0.0399) small.push(`${element.textContent.trim().slice(0, 40)}: ${(100 * share).toFixed(2)} %`);
  }
  return small;
}
"""
MANY = [
    pictures.claim(number, board, side)
    for number, (board, side) in enumerate(
        [("HALL-NORTH-GALLERY-12AB", "moon"), ("C12", "sun"), ("A7", "moon"), ("A8", "sun")], 1
    )
]


@pytest.mark.parametrize("size", [(1366, 768), *further(((1920, 1080),))])
def test_nothing_that_matters_is_smaller_than_a_twenty_fifth(
    new_screen: Callable[..., Screen], size: tuple[int, int]
) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    screen.open()
    event = {"name": "Winter Marathon", "logo": False, "colours": None}
    captions = {"captions": [{"key": "voice.claim", "params": {}}], "spoken_until_ms": 1}
    sound = captions | {"muted": None, "ducked": False}
    small = {}
    shown = HALL | {"caption": pictures.picture(sound=sound), "claims": pictures.paused("claim", claims=MANY)}
    for number, (name, picture) in enumerate(shown.items()):
        screen.play(picture | {"seq": 100 + number, "saved_seq": 100 + number, "event": event})
        small[name] = screen.page.evaluate(SMALL)
    screen.lose_news()
    small["lost"] = screen.page.evaluate(SMALL)
    assert {name: found for name, found in small.items() if found} == {}


def test_a_board_that_claims_is_read_from_twenty_metres(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(reduced_motion="reduce")
    page = screen.open()
    settled = [pictures.claim(9, "B3", "sun", status="rejected", points=16)]
    boards = page.locator(".claim.open .claim-who")
    for count, more in {1: "", 2: "+1", 3: "+1", 4: "+2"}.items():
        claims: list[dict[str, Any]] = MANY[:count]
        screen.play(pictures.paused("claim", "button", seq=100 + count, claims=claims + settled))
        assert boards.count() == min(count, 3)
        sizes = boards.evaluate_all(
            "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize) / innerHeight)"
        )
        assert min(sizes) * CAPITAL_EM >= CAPITALS
        assert screen.text("claims-more") == more
        inside = "all => all.every((one) => one.scrollWidth <= one.clientWidth + 1)"
        assert boards.evaluate_all(inside)
