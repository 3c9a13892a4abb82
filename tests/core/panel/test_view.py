from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from pi_controller.core.game_loop.recovery import Shortfall
from pi_controller.core.panel.view import PanelView, panel_at, seconds_shown, view_of
from pi_controller.core.runtime import Health
from pi_controller.language.words import words
from pi_controller.sentence import Sentence, as_told
from tests.core.hand import MS, S, room
from tests.protocol.pictures import link

T = 1000 * S


def view(before: PanelView | None = None, at: int = T, rate: float = 1, **changes: Any) -> PanelView:
    return view_of(room(as_of_ms=at // MS, rate=rate, **changes), offset_ns=0, before=before)


def ill_with(*said: Sentence) -> dict[str, Any]:
    """The health of a picture that says these."""
    health = Health()
    for number, sentence in enumerate(said):
        health.report(str(number), "fault", sentence)
    return to_builtins(health.picture)


def lamps(seen: PanelView, now: int = T) -> tuple[bool, bool, bool]:
    picture = panel_at(seen, now)
    return picture.sun, picture.moon, picture.pause_lamp


def test_the_active_sides_lamp_is_lit_and_the_pause_lamp_while_the_clock_runs() -> None:
    assert lamps(view(side="sun")) == (True, False, True)
    assert lamps(view(side="moon")) == (False, True, True)


def test_without_the_leading_hall_the_display_shows_no_pause_of_its_game() -> None:
    still = {"running": False, "paused": True, "pause_reasons": ["fault"]}

    def headline(**changes: Any) -> str:
        return panel_at(view(**still, link=link(**changes)), T).face.headline

    assert headline(lost_ms=5, frozen=True) == "No link"
    assert headline(heard_ms=None) == "No link yet"
    assert headline(lost_ms=5, frozen=True, stopped=True) == "Pause: fault"
    assert headline() == "Pause: fault"


def test_before_the_start_everything_is_dark() -> None:
    assert lamps(view(phase="ready", side=None, running=False, remaining_ms=0)) == (False, False, False)


def test_while_sheets_are_collected_both_sides_are_lit_and_the_first_is_named() -> None:
    first = {"claim": "c1", "place": 1, "board": "B12", "side": "moon", "points": 15, "decided_by": "points"}
    fields = {"phase": "collecting", "side": None, "running": False, "dice": None, "remaining_ms": 0}
    shown = view(**fields, ranking=[first])
    assert lamps(shown) == (True, True, False)
    face = panel_at(shown, T).face
    assert (face.headline, face.big, face.footer, face.symbol) == ("Sheets", "", "B12 Moon", "ended")
    assert panel_at(view(**fields), T).face.footer == ""


def test_a_winner_at_one_table_has_no_board() -> None:
    rules = {"play": "turns", "settlements": 5, "cities": 4, "roads": 15, "foreign_bonus": False}
    won = {"claim": "c1", "board": None, "side": "blue", "points": 10}
    seats = [
        {"id": seat, "name": name, "sign": "x", "colour": seat}
        for seat, name in (("red", "Red"), ("blue", "Ben"))
    ]
    fields = {
        "phase": "ended",
        "side": None,
        "running": False,
        "dice": None,
        "remaining_ms": 0,
        "seats": seats,
    }
    assert panel_at(view(**fields, rules=rules, winners=[won]), T).face.footer == "Ben"
    assert panel_at(view(**fields, winners=[won]), T).face.footer == "? Ben"


def test_in_a_pause_the_side_stays_lit_and_the_pause_lamp_blinks_slowly_beginning_dark() -> None:
    paused = view(paused=True, running=False, pause_reasons=["button"])
    levels = [lamps(paused, T + step * 100 * MS) for step in range(20)]
    assert {level[:2] for level in levels} == {(True, False)}
    assert [level[2] for level in levels] == [False] * 5 + [True] * 5 + [False] * 5 + [True] * 5


def test_in_the_robber_phase_both_sides_blink_and_stand_still_in_a_pause() -> None:
    robber = view(phase="robber", side=None, robber_target=9, dice=[3, 4], sum=7)
    assert lamps(robber, T)[:2] == (True, True)
    assert lamps(robber, T + 500 * MS)[:2] == (False, False)
    frozen = view(robber, phase="robber", side=None, robber_target=9, paused=True, running=False)
    assert {lamps(frozen, T + step * 100 * MS)[:2] for step in range(20)} == {(True, True)}


def test_a_further_picture_of_the_same_pause_does_not_restart_the_blinking() -> None:
    paused = view(paused=True, running=False)
    again = view(paused, at=T + 700 * MS, paused=True, running=False)
    assert again.blink_from_ns == T
    assert view(again, at=T + 800 * MS).blink_from_ns == T + 800 * MS


def test_the_face_counts_down_and_says_when_it_changes() -> None:
    running = view(remaining_ms=20_000)
    picture = panel_at(running, T)
    assert (picture.face.headline, picture.face.big, picture.face.footer) == ("Round 3", "20", "3 + 5 = 8")
    assert picture.face.symbol == "sun"
    assert picture.next_change_ns == T + S
    assert panel_at(running, T + S - 1).face.big == "20"
    assert panel_at(running, T + S).face.big == "19"
    last = panel_at(running, T + 30 * S)
    assert (last.face.big, last.next_change_ns) == ("0", None)


def test_a_fast_game_counts_down_fast() -> None:
    fast = view(remaining_ms=20_000, rate=60)
    assert panel_at(fast, T).next_change_ns == T + -(-S // 60)
    assert panel_at(fast, T + -(-S // 6)).face.big == "10"


def test_a_pause_shows_the_frozen_time_and_its_reasons() -> None:
    face = panel_at(
        view(paused=True, running=False, pause_reasons=["button", "claim"], remaining_ms=12_300), T
    ).face
    assert (face.headline, face.big, face.symbol) == ("Pause: pause button, claim", "13", "pause")


def test_the_321_is_shown_instead_of_the_remaining_time() -> None:
    counting = view(paused=True, running=False, resume_in_ms=3_000)
    assert [panel_at(counting, T + step * S).face.big for step in range(4)] == ["3", "2", "1", "0"]
    assert panel_at(counting, T).face.headline == "Resuming"
    starting = view(phase="ready", side=None, paused=True, running=False, resume_in_ms=3_000)
    assert panel_at(starting, T).face.headline == "Starting"


def test_the_robber_face_names_the_target() -> None:
    assert panel_at(view(phase="robber", side=None, robber_target=9), T).face.footer == "to hex 9"
    desert = panel_at(view(phase="robber", side=None, robber_target="desert"), T).face
    assert (desert.headline, desert.footer, desert.symbol) == ("Robber", "to the desert", "robber")


def test_trouble_takes_the_footer() -> None:
    ill = view(paused=True, running=False, health=ill_with(as_told("The disk is full.")))
    assert panel_at(ill, T).face.footer == "The disk is full."
    assert panel_at(ill, T).face.symbol == "fault"


def test_what_a_start_had_to_do_without_is_a_code_before_the_game() -> None:
    health = ill_with(
        Shortfall("settings", as_told("The settings file has mistakes.")).told(), as_told("The disk is full.")
    )
    ready = view(phase="ready", side=None, running=False, dice=None, health=health)
    assert panel_at(ready, T).face.big == "E2"
    assert panel_at(ready, T).face.footer == "E2: The settings file has mistakes."
    assert panel_at(view(health=health), T).face.big == "20"
    assert panel_at(view(phase="ready", side=None, running=False), T).face.big == ""


@given(
    st.integers(0, 4_000_000), st.integers(0, 5_000 * S), st.booleans(), st.sampled_from(["round", "robber"])
)
def test_nothing_blinks_faster_than_3_hz_and_every_change_is_announced(
    remaining_ms: int, later: int, paused: bool, phase: str
) -> None:
    seen = view(phase=phase, paused=paused, running=not paused, remaining_ms=remaining_ms, robber_target=4)
    picture = panel_at(seen, T + later)
    if picture.next_change_ns is None:
        assert panel_at(seen, T + later + 7_777 * MS) == picture
        return
    assert picture.next_change_ns > T + later
    before = panel_at(seen, picture.next_change_ns - 1)
    assert (before.sun, before.moon, before.pause_lamp, before.face) == (
        picture.sun,
        picture.moon,
        picture.pause_lamp,
        picture.face,
    )


@given(st.integers(1, 10**13))
def test_a_countdown_shows_one_until_the_last_instant(left: int) -> None:
    assert (seconds_shown(left) - 1) * S < left <= seconds_shown(left) * S
    assert seconds_shown(0) == 0


def test_the_words_are_those_of_the_hall() -> None:
    picture = room(as_of_ms=T // MS, phase="robber", side=None, robber_target="desert")
    seen = view_of(picture, offset_ns=0, before=None, language="pl")
    assert (seen.headline, seen.footer) == ("Złodziej", "na pustynię")


def test_so_is_what_is_wrong() -> None:
    ill = ill_with(Sentence("display.bus_hangs"))
    seen = view_of(room(as_of_ms=T // MS, health=ill), offset_ns=0, before=None, language="de")
    assert seen.trouble == words(Sentence("display.bus_hangs"), "de")


def test_a_winner_is_named_with_the_side() -> None:
    winners = [
        {"claim": "1", "board": "A5", "side": "moon", "points": 18},
        {"claim": "2", "board": "B1", "side": "star", "points": 18},
    ]
    picture = room(as_of_ms=T // MS, phase="ended", side=None, dice=None, sum=None, winners=winners)
    seen = view_of(picture, offset_ns=0, before=None, language="pl")
    assert (seen.footer, panel_at(seen, T).face.symbol) == ("A5 Księżyc, B1 star", "ended")
