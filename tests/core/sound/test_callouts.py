"""What is said when, in English words."""

from typing import Any

from pi_controller.core.sound.phrases import callouts_between
from pi_controller.language.words import words
from pi_controller.protocol.picture import Picture
from tests.core.hand import room

PAUSED = {"paused": True, "running": False}
CLAIM = {
    "id": "c1",
    "board": "A1",
    "side": "sun",
    "round": 3,
    "pressed_ms_before_end": 900,
    "on_active_side": True,
    "status": "open",
    "points": None,
}


def said(before: Picture | None, after: Picture) -> list[str]:
    return [words(callout.sentence) for callout in callouts_between(before, after)]


def robber(**changes: Any) -> Picture:
    return room(
        **{"phase": "robber", "side": None, "robber_target": 5, "dice": [3, 4], "sum": 7, "round": 10}
        | changes
    )


def ended(**changes: Any) -> Picture:
    return room(
        **{"phase": "ended", "running": False, "side": None, "next_side": None, "sum": None} | changes
    )


def winner(board: str | None, side: str | None) -> dict[str, Any]:
    return {"claim": "c1", "board": board, "side": side, "points": 18}


def test_a_round_with_its_number_first() -> None:
    assert said(room(), room(round=4, side="moon", sum=11)) == ["11, Moon."]
    assert said(room(phase="ready", **PAUSED, resume_in_ms=5), room(round=1)) == ["8, Sun."]


def test_nothing_is_said_after_a_restart_or_of_another_game() -> None:
    assert said(None, room(**PAUSED)) == []
    assert said(room(), room(game_id="g2", round=4)) == []
    assert said(room(), room(remaining_ms=5)) == []


def test_the_robber_and_its_target() -> None:
    assert said(room(), robber()) == ["Robber to 5."]
    assert said(room(), robber(robber_target="desert")) == ["Robber to the desert."]


def test_a_robber_phase_after_a_robber_phase_is_said() -> None:
    past = {"kind": "robber", "round": 10, "side": None, "dice": [3, 4], "sum": 7, "robber_target": 5}
    assert said(robber(history=[past]), robber(history=[past, past])) == ["Robber to 5."]


def test_the_robber_is_announced_once_whatever_begins() -> None:
    """Rule C8."""
    notice = {"notices": ["robber_possible"]}
    assert said(room(round=10), room(round=11, **notice)) == ["8, Sun.", "From now on the robber can appear."]
    assert said(room(round=10), robber(**notice)) == ["Robber to 5.", "From now on the robber can appear."]
    assert said(robber(**notice), room(round=11, **notice)) == ["8, Sun."]


def test_the_last_rounds_are_counted() -> None:
    assert said(room(), room(round=4, last_round=6)) == ["8, Sun.", "2 more rounds."]
    assert said(room(), room(round=4, last_round=5)) == ["8, Sun.", "1 more round."]
    assert said(room(), room(round=4, last_round=4)) == ["8, Sun.", "Last round."]
    assert said(room(), room(round=4, last_round=99)) == ["8, Sun."]


def test_a_pause_and_a_claim() -> None:
    assert said(room(), room(**PAUSED)) == ["Pause."]
    assert said(room(), room(**PAUSED, claims=[CLAIM])) == ["Pause.", "A claim is being checked."]
    assert said(room(**PAUSED), room(**PAUSED, claims=[CLAIM])) == ["A claim is being checked."]
    assert said(room(**PAUSED, resume_in_ms=900), room(**PAUSED)) == ["Pause."]


def test_a_rejected_claim() -> None:
    rejected = CLAIM | {"status": "rejected"}
    paused = room(**PAUSED, claims=[CLAIM])
    assert said(paused, room(**PAUSED, claims=[rejected])) == ["The claim is rejected."]
    assert said(paused, room(**PAUSED, claims=[CLAIM | {"status": "withdrawn"}])) == []


def test_resuming_says_nothing_by_itself() -> None:
    assert said(room(**PAUSED), room(**PAUSED, resume_in_ms=3_000)) == []
    assert said(room(**PAUSED, resume_in_ms=1), room()) == []


def test_the_end() -> None:
    assert said(room(), ended()) == ["The game is over."]
    assert said(room(), ended(winners=[winner("A1", "sun")])) == ["Board A1, Sun, wins."]
    assert said(room(), ended(winners=[winner(None, None)])) == ["We have a winner."]
    assert said(ended(), ended()) == []


def test_the_last_round_is_over_once() -> None:
    collecting = ended(phase="collecting")
    assert said(room(), collecting) == ["The last round is over."]
    assert said(collecting, collecting) == []
    assert said(ended(), collecting) == [], "an end that was undone"
    assert said(collecting, ended(winners=[winner("A1", "sun")])) == ["Board A1, Sun, wins."]


def test_the_winners_board_is_spelled() -> None:
    (callout,) = callouts_between(room(), ended(winners=[winner("a-12", "moon")]))
    names = [phrase.name for phrase in callout.phrases]
    assert names == ["winner_moon_before", "sign_a", "sign_1", "sign_2", "winner_moon_after"]
    assert [phrase.text("en") for phrase in callout.phrases] == ["Board", "A", "1", "2", ", Moon, wins."]
