"""The moderator's page: what to say in each phase, claims as they come, notes that are read."""

from typing import Any

import pytest

from tests.browser import pictures
from tests.browser.acts import READY, director
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.situations import HALL

pytestmark = pytest.mark.browser

SPOKEN: tuple[tuple[dict[str, Any], str, list[str], list[str]], ...] = (
    (
        pictures.ready(),
        "The game begins soon",
        [
            "As soon as you have 18 points while your side is active, call out.",
            "From round 1 on a round lasts 35 s.",
        ],
        ["The game starts: three, two, one.", "Round 1: Sun, 35 s."],
    ),
    (
        pictures.sun_round(round=1),
        "Round 1: Sun. 6 and 5, that is 11.",
        ["Everybody takes what the number 11 brings. Only this side builds, buys and plays one card: Sun."],
        ["Stop. Hands off, please.", "Round 2: Moon, 35 s."],
    ),
    (
        pictures.sun_round(round=10, last_round=12),
        "Round 10: Sun. 6 and 5, that is 11.",
        ["2 more rounds."],
        ["Round 11: Moon, 45 s.", "From round 11 on a round lasts 45 s."],
    ),
    (
        pictures.picture(claims=[pictures.claim(1, "A7", "moon")], last_round=14),
        "Round 14: Moon. 5 and 3, that is 8.",
        ["Board A7, Moon: victory is claimed. The clock runs on until the director decides.", "Last round."],
        ["After this round the game stops, and the sheets are checked."],
    ),
    (
        pictures.robber_phase(9),
        "A 7: the robber comes. Nobody is active for 12 s.",
        ["More than 7 resources? Give back half, rounded down.", "Robber to 9.", "Nobody steals."],
        ["Stop. Hands off, please.", "Round 15: Sun, 45 s."],
    ),
    (pictures.robber_phase("desert"), "A 7: the robber comes.", ["Robber to the desert."], []),
    (
        pictures.claims_pause(),
        "Pause. Hands off the boards, please.",
        ["Board C12, Moon: victory is claimed, and the sheet is being checked.", "17.3 s are left."],
        ["If the sheet is right, the game ends at once. If not, play goes on with the 17.3 s that are left."],
    ),
    (
        pictures.paused("claim", claims=[pictures.claim(1, "B3", "moon", status="rejected", points=16)]),
        "Pause.",
        ["The claim was not confirmed."],
        ["Three, two, one, and play goes on with the 17.3 s that are left."],
    ),
    (HALL["ended-shared"], "Shared victory", ["Board A7, Moon", "Equal in every count"], []),
)


def test_each_phase_has_its_sentences(screen: Screen) -> None:
    page = screen.open("/moderator")
    for number, (picture, lead, now, then) in enumerate(SPOKEN):
        screen.play(picture | {"seq": 100 + number, "as_of_ms": 0})
        screen.pass_ms(100)
        assert page.locator(".now .said").inner_text().startswith(lead)
        for sentence in now:
            assert sentence in screen.text("speak-now"), lead
        for sentence in then:
            assert sentence in page.locator('[data-is="speak-then"]').inner_text(), lead


def test_claims_and_what_is_good_to_know_stand_beside(screen: Screen) -> None:
    page = screen.open("/moderator?lang=de")
    quiet = {
        "cover": "black",
        "sound": {"captions": [], "muted": {"until_ms": None}, "ducked": False},
        "message": {"text": "Short break", "until_ms": None, "line": "break"},
    }
    screen.play(pictures.claims_pause(as_of_ms=0, **quiet))
    screen.pass_ms(100)
    claims = page.locator('[data-is="claims"] li')
    expect(claims).to_have_count(3)  # without the one that was taken back
    expect(claims.locator("b")).to_have_text(["2.", "3.", "4."])  # in the order of the presses
    expect(claims.first).to_contain_text("A7")
    expect(page.locator('[data-is="claims"] [data-open="true"]')).to_have_count(2)
    for said in ("Die Bildschirme sind schwarz.", "Zu hören ist nur die Moderation.", "„Kurze Pause“"):
        expect(page.locator('[data-is="quiet"]')).to_contain_text(said)


def test_a_note_stands_above_all_until_it_is_read(screen: Screen) -> None:
    stage = screen.stage
    page = screen.open("/moderator", still=False)
    stage.notes(pictures.note(1), pictures.note(2, "Board A7 asks for a judge."))
    notes = page.locator('[data-is="notes"]')
    expect(notes.locator(".note-text")).to_have_text(
        ["Please thank the hosts before the last rounds.", "Board A7 asks for a judge."]
    )
    notes.get_by_role("button").first.click()
    (post,) = stage.wait_for_posts(1)
    assert (post["kind"], post["name"], post["body"]) == ("notes", "read", {"id": "n1"})
    stage.notes(pictures.note(1, read_ms=pictures.NOTED_MS, read_by="Ann"))
    expect(notes).to_be_hidden()
    expect(page.locator('[data-is="past-notes"]')).to_contain_text("Ann")


def test_the_director_writes_to_the_moderator_in_the_same_field(screen: Screen) -> None:
    stage = screen.stage
    page = director(screen, READY, still=False)
    page.locator('[data-is="say-for"]').select_option("moderator")
    field = page.locator('[data-is="say-text"]')
    expect(page.locator(".preview")).to_have_count(0)
    field.fill("Please slow down.")
    page.locator('[data-is="note-send"]').click()
    (post,) = stage.wait_for_posts(1)
    assert (post["kind"], post["name"], post["body"]) == ("notes", "write", {"text": "Please slow down."})
    expect(field).to_have_value("")
    stage.notes(pictures.note(1, "Please slow down."))
    sent = page.locator('[data-is="sent-notes"] li')
    expect(sent).to_contain_text("Please slow down. not read yet")
    stage.notes(pictures.note(1, "Please slow down.", read_ms=pictures.NOTED_MS, read_by="Ann"))
    expect(sent).to_contain_text("Ann")
    sent.get_by_role("button").click()
    assert stage.wait_for_posts(2)[1]["body"] == {"id": "n1"}
    page.locator('[data-is="say-for"]').select_option("")
    expect(page.locator('[data-is="newest-note"]')).to_contain_text("Ann")
    screen.allowed = ("409",)
    stage.answers["write"] = (409, {"accepted": False, "reasons": ["20 notes have not been read."]})
    page.locator('[data-is="say-for"]').select_option("moderator")
    field.fill("One more.")
    page.locator('[data-is="note-send"]').click()
    expect(page.locator('[data-is="fold-message"] [data-is="answer"]')).to_contain_text("20 notes")
    expect(field).to_have_value("One more.")
