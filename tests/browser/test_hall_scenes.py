"""What the hall screen says in each situation."""

from collections.abc import Callable

import pytest

from pi_controller.language.languages import LANGUAGES
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from tests.browser import pictures
from tests.browser.looks import cut_off, luminance_ratio, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.situations import HALL

pytestmark = pytest.mark.browser

SIZES = {"projector": (1920, 1080), "small": (1280, 720), "old projector": (1024, 768), "phone": (390, 844)}
COLOURS = {"sun": "amber", "moon": "blue"}
TRICK = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize("side", ["sun", "moon"])
def test_the_side_has_colour_shape_and_word(screen: Screen, side: str) -> None:
    screen.open()
    screen.play(pictures.picture(side=side, next_side="moon" if side == "sun" else "sun"))
    tile = screen.page.locator(f'.side[data-colour="{COLOURS[side]}"]')
    assert side.upper() in tile.inner_text().upper()
    assert "plays now" in tile.inner_text()
    assert tile.locator("use").get_attribute("href") == f"#symbol-{side}"
    screen.pass_ms(400)
    other = screen.page.locator(".side", has_text="next")
    assert tile.evaluate("t => getComputedStyle(t).backgroundColor") != other.first.evaluate(
        "t => getComputedStyle(t).backgroundColor"
    )


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
    assert "Give back half, rounded down" in said
    assert "hex shown" in said
    assert "Nobody steals" in said
    assert screen.page.locator('.side[data-colour="amber"]').inner_text().split() == ["SUN", "next"]
    screen.play(pictures.robber_phase("desert", seq=42))
    assert screen.page.locator('[data-is="target-number"]').is_hidden()
    assert "to the desert of your start territory" in screen.visible_text()


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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", ["/", "/director"])
def test_screen_and_director_see_which_seal_of_the_evening_it_is(
    screen: Screen, path: str, language: str
) -> None:
    page = screen.open(f"{path}?lang={language}#setup")
    third = {"number": 3, "of_evening": "20261120-180000-abcd", "rehearsal": False}
    seen = {
        "/": {"proof-title": pictures.picture, "seal-title": pictures.ready},
        "/director": {"seal-title": pictures.ready},
    }
    expected = {
        3: words(Sentence("page.seal_number", number=3), language),
        None: words(Sentence("page.seal_title"), language),
    }
    seq = 100
    for place, shown in seen[path].items():
        for number, said in expected.items():
            seq += 1
            screen.stage.play(shown(seq=seq, seal=None if number is None else third))
            expect(page.locator(f"[data-is={place}]")).to_have_text(said)


def test_the_end_shows_sixteen_digits_of_the_record(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.ended())
    assert "Record 3fa9 c1d2 7be0 4545 " in screen.text("opened")


def test_a_game_without_a_word_says_so(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(public_word=None))
    assert screen.text("proof-word") == "none was spoken"


def test_claims_stand_in_press_order(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.claims_pause())
    lines = screen.page.locator('[data-is="claims"] li')
    assert [line.split("\n")[0] for line in lines.all_inner_texts()] == ["2.", "3."]
    assert "Board A7" in lines.nth(0).inner_text()
    assert "17.0 s before the end" in lines.nth(0).inner_text()
    assert screen.text("claims-more") == "+2"


def test_settled_claims_stand_below_an_open_one(screen: Screen) -> None:
    screen.open()
    settled = [
        pictures.claim(0, None, None, status="withdrawn"),
        pictures.claim(3, "B3", "moon", status="rejected", points=16),
    ]
    screen.play(pictures.paused("claim", claims=[*settled, pictures.claim(1, "A7", "moon")]))
    lines = screen.page.locator('[data-is="claims"] li').all_inner_texts()
    assert [line.split("\n")[0] for line in lines] == ["3.", "1.", "2."]
    assert "withdrawn" in lines[1]
    assert "not confirmed · 16 points" in lines[2]


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


def test_ready_shows_the_round_times(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.ready())
    assert screen.text("times") == "Rounds of 35 s, from round 11 on 45 s"
    steps = [{"from_round": 1 + 5 * step, "seconds": 30 + step} for step in range(5)]
    screen.play(pictures.ready(seq=42, schedule=steps))
    assert screen.text("times") == "Rounds of 30 s, from round 6 on 31 s, from round 11 on 32 s …"


def test_ready_shows_seal_word_and_timer(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.ready(timer={"label": "Doors", "remaining_ms": 61_000, "running": True}))
    said = screen.visible_text()
    assert "Sun begins" in said
    assert "c1f3 90ab 77de 2b10 a95d 3c4e …" in said
    assert "lighthouse" in said
    assert screen.text("ready-timer-digits") == "1:01"
    screen.pass_ms(1_500)
    assert screen.text("ready-timer-digits") == "1:00"


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


def test_the_end_names_the_deciding_step(screen: Screen) -> None:
    screen.open()
    for number, (step, sentence) in enumerate(DECIDED.items()):
        screen.play(pictures.ended(decided_by=step) | {"seq": 100 + number, "saved_seq": 100 + number})
        said = screen.visible_text()
        assert "Board A7" in said
        assert "Moon · 19 points" in said
        assert sentence in said


def test_notices_and_announced_end(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(notices=["robber_possible"], last_round=16))
    assert "The robber can appear from now on" in screen.text("notices")
    assert "2 more rounds after this" in screen.text("notices")
    screen.play(pictures.picture(last_round=14, seq=42))
    assert screen.text("notices") == "Last round"


def test_the_last_rolls_carry_their_sides(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture())
    tiles = screen.page.locator('[data-is="history"] li')
    assert tiles.count() == 12
    assert tiles.nth(0).locator("use").get_attribute("href") == "#symbol-moon"
    assert tiles.nth(0).inner_text() == "8"
    assert tiles.nth(2).get_attribute("aria-label") == "Round 12 Robber 9"
    assert tiles.nth(5).locator("use").last.get_attribute("href") == "#symbol-desert"


def test_a_message_goes_when_its_time_is_over(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(message={"text": "Short break", "until_ms": 1_001_000}))
    assert screen.text("says-text") == "Short break"
    screen.pass_ms(1_050)
    assert screen.page.locator('[data-is="says"]').is_hidden()


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


def test_the_last_five_seconds_pulse_calmly(new_screen: Callable[..., Screen]) -> None:
    period = "d => [getComputedStyle(d).animationName, parseFloat(getComputedStyle(d).animationDuration)]"
    screen = new_screen()
    screen.open()
    screen.play(pictures.picture(remaining_ms=4_000))
    name, seconds = screen.page.locator('[data-is="digits"]').evaluate(period)
    assert name == "swell"
    assert 1 / seconds < 3
    still = new_screen(reduced_motion="reduce")
    still.open()
    still.play(pictures.picture(remaining_ms=4_000))
    assert still.page.locator('[data-is="digits"]').evaluate(period)[0] == "none"


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


def test_the_hall_is_told_of_faults_only(screen: Screen) -> None:
    page = screen.open()
    screen.play(pictures.picture(health={"level": "warning", "messages": ["It is warm"]}))
    assert "It is warm" not in screen.visible_text()
    screen.play(pictures.picture(seq=42, health={"level": "fault", "messages": ["The disk is full"]}))
    assert "The disk is full" in screen.visible_text()
    assert page.locator('[data-is="health"]').is_visible()


def test_light_theme_by_address_and_by_key(screen: Screen) -> None:
    page = screen.open("/?theme=light")
    theme = "() => document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "light"
    page.keyboard.press("t")
    assert page.evaluate(theme) == "dark"
    page.locator('[data-is="theme"]').click()
    assert page.evaluate(theme) == "light"


def test_a_break_in_a_pause_shows_its_timer(screen: Screen) -> None:
    screen.open()
    screen.play(HALL["pause-break"])
    screen.pass_ms(1_040)
    assert (screen.text("pause-timer-label"), screen.text("pause-timer-digits")) == ("Break", "4:58")


def test_a_picture_that_cannot_be_shown_never_counts_as_news(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture())
    screen.pass_ms(2_000)
    screen.play({**pictures.picture(seq=42, as_of_ms=1_002_000), "history": None})
    screen.pass_ms(600)
    assert screen.scene() == "lost"
    assert len(screen.complaints) == 1
    screen.complaints.clear()


@pytest.mark.parametrize(
    "want",
    [
        "fetch('http://192.0.2.1/a').catch(() => {})",
        "new WebSocket('ws://127.0.0.1:1/a')",
        "new Image().src = '//127.0.0.1:1/a'",
    ],
)
def test_what_a_page_wants_from_elsewhere_is_a_complaint(screen: Screen, want: str) -> None:
    screen.page.goto(screen.stage.address + "/login")
    with screen.page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        screen.page.evaluate(f"() => {{ try {{ {want} }} catch {{}} }}")
    assert screen.complaints
    screen.complaints.clear()


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut_off(new_screen: Callable[..., Screen], size: str) -> None:
    width, height = SIZES[size]
    screen = new_screen(viewport={"width": width, "height": height}, reduced_motion="reduce")
    screen.open()
    wrong = {}
    for number, (name, picture) in enumerate(HALL.items()):
        screen.play(picture | {"seq": 100 + number, "saved_seq": 100 + number})
        if found := cut_off(screen.page):
            wrong[name] = found
    assert wrong == {}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_text_stands_out(new_screen: Callable[..., Screen], theme: str) -> None:
    screen = new_screen(reduced_motion="reduce")
    screen.open(f"/?theme={theme}")
    weak = {"waiting": weak_texts(screen.page)}
    for number, (name, picture) in enumerate(HALL.items()):
        screen.play(picture | {"seq": 100 + number})
        weak[name] = weak_texts(screen.page)
    screen.lose_news()
    weak["lost"] = weak_texts(screen.page)
    assert {name: found for name, found in weak.items() if found} == {}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_sides_differ_without_colours(screen: Screen, theme: str) -> None:
    screen.open(f"/?theme={theme}")
    screen.play(pictures.ready())
    assert luminance_ratio(screen.page, '.disc[data-colour="amber"]', '.disc[data-colour="blue"]') >= 3


def test_a_new_roll_moves_the_tiles_on_and_draws_none_of_them_anew(screen: Screen) -> None:
    screen.open()
    twice = [pictures.robber_roll(14, 9), pictures.robber_roll(14, 9), *pictures.HISTORY[:3]]
    screen.play(pictures.robber_phase(history=twice))
    tiles = screen.page.locator('[data-is="history"] .tile')
    assert tiles.count() == len(twice)
    screen.page.evaluate("window.kept = [...document.querySelectorAll('.tile')]")
    newest = pictures.roll(15, "sun", (2, 1))
    screen.play(pictures.picture(seq=42, saved_seq=42, round=15, side="sun", history=[newest, *twice[:-1]]))
    assert tiles.count() == len(twice)
    assert screen.page.evaluate(
        "[...document.querySelectorAll('.tile')].slice(1).every((tile, at) => tile === kept[at])"
    )
    assert tiles.first.get_attribute("class") == "tile current"
    assert screen.page.locator(".tile.current").count() == 1
