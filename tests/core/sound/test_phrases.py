import re
from itertools import product
from typing import Any

import pytest

from pi_controller.core.sound import phrases
from pi_controller.core.sound.phrases import (
    GAP_MS,
    SLOTS_MS,
    Lengths,
    NamedSeat,
    callouts_between,
    moments,
    named,
    next_round,
    that_fit,
)
from pi_controller.core.sound.voice import wanted
from pi_controller.game.room import SeatView
from pi_controller.game.rule_sets import CLASSIC, CLASSIC_SEATS, RULE_SETS, seated
from pi_controller.language.languages import EVERY
from pi_controller.language.words import words
from pi_controller.protocol.picture import Picture
from pi_controller.sentence import as_told
from tests.core.hand import MS, S, room

SEATS = tuple(NamedSeat(name, as_told(name)) for name in ("red", "green", "blue"))


def test_each_phrase_has_a_name_of_its_own() -> None:
    everything = phrases.every_phrase(SEATS, (5, "desert"))
    names = [phrase.name for phrase in everything]
    assert len(set(names)) == len(names)
    assert {"round_red_2", "round_blue_12", "next_green", "robber_desert", "last_rounds_20", "sign_z"} <= set(
        names
    )


def test_everything_that_can_be_said_is_rendered() -> None:
    known = {phrase.name for phrase in phrases.every_phrase(SEATS, (5, "desert"))}
    possible = [*phrases.every_callout(SEATS, (5, "desert")), phrases.winner("Ab-9", SEATS[1])]
    assert {phrase.name for callout in possible for phrase in callout.phrases} <= known


def test_seats_have_their_word_or_the_name_of_their_rule_set() -> None:
    seats = [
        SeatView(id="sun", name="?", sign="sun", colour="amber"),
        SeatView(id="p3", name="Red", sign="x", colour="red"),
    ]
    assert [phrases.next_side(seat).phrases[0].text("en") for seat in phrases.named(seats)] == [
        "Next: Sun.",
        "Next: Red.",
    ]


def test_what_has_no_letter_is_silent() -> None:
    assert phrases.Phrase("x", as_told(" .")).text("en") == ""


def test_every_seat_that_may_sit_at_one_table_is_announced() -> None:
    rules = seated(CLASSIC, [(seat, "") for seat, _ in CLASSIC_SEATS])
    called = named(
        SeatView(id=seat, name=sign.name, sign=sign.symbol, colour=sign.colour) for seat, sign in rules.sides
    )
    rendered = {(one.name, one.text) for one in wanted(["en"], CLASSIC.name, CLASSIC.robber_targets)}
    for seat in called:
        assert {(phrase.name, phrase.text("en")) for phrase in next_round(8, seat).phrases} <= rendered
    assert ("round_brown_8", "Eight. Brown.") in rendered


# What is said when, in English words.


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
    assert said(paused, room(**PAUSED, claims=[rejected])) == ["The claim was not confirmed."]
    assert said(paused, room(**PAUSED, claims=[CLAIM | {"status": "withdrawn"}])) == []


def test_the_end() -> None:
    assert said(room(), ended()) == ["The game is over."]
    assert said(room(), ended(winners=[winner("A1", "sun")])) == ["Winner: board A1, Sun."]
    assert said(room(), ended(winners=[winner(None, None)])) == ["We have a winner."]
    assert said(ended(), ended()) == []


def test_the_last_round_is_over_once() -> None:
    collecting = ended(phase="collecting")
    assert said(room(), collecting) == ["The last round is over."]
    assert said(collecting, collecting) == []
    assert said(ended(), collecting) == [], "an end that was undone"
    assert said(collecting, ended(winners=[winner("A1", "sun")])) == ["Winner: board A1, Sun."]


def test_the_winners_board_is_spelled() -> None:
    (callout,) = callouts_between(room(), ended(winners=[winner("a-12", "moon")]))
    names = [phrase.name for phrase in callout.phrases]
    assert names == ["winner_moon_before", "sign_a", "sign_12", "winner_moon_after"]
    assert [phrase.text("en") for phrase in callout.phrases] == ["Winner: board", "A", "twelve", ", Moon."]


@pytest.mark.parametrize(
    ("board", "spelled"),
    [("Ab-9", "A B nine"), ("12-30", "twelve thirty"), ("A07", "A zero seven"), ("X123", "X one two three")],
)
def test_a_number_is_said_whole_where_it_has_no_more_than_two_digits(board: str, spelled: str) -> None:
    between = phrases.winner(board, SUN).phrases[1:-1]
    assert " ".join(phrase.text("en") for phrase in between) == spelled


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Noch eíne Runde. Noch zwei Runden."),
        ("es", "Queda una ronda. Quedan dos rondas."),
        ("pt", "Falta uma ronda. Faltam duas rondas."),
        ("pt-BR", "Falta úma rodada. Faltam duas rodadas."),
        ("pl", "Jeszcze jedna runda. Jeszcze dwie rundy."),
    ],
)
def test_a_count_has_the_gender_of_what_it_counts(language: str, said: str) -> None:
    callouts = [phrases.last_rounds(left) for left in (1, 2)]
    assert " ".join(callout.phrases[0].text(language) for callout in callouts) == said


@pytest.mark.parametrize("language", EVERY)
def test_the_voice_is_given_no_digits(language: str) -> None:
    for rules in RULE_SETS.values():
        told = wanted([language], rules.name, rules.robber_targets)
        assert [one for one in told if not one.text or re.search(r"\d", one.text)] == []


T = 1000 * S


def heard(early_ms: int = 0, **changes: Any) -> list[tuple[str, float]]:
    """What sounds so many milliseconds after the picture."""
    picture = room(as_of_ms=T // MS, **changes)
    return [
        (one.what if isinstance(one.what, str) else one.what.phrases[0].name, (one.at_ns - T) / MS)
        for one in moments(picture, name_side_early_ns=early_ms * MS)
    ]


TICKS = [("last_three", 17_000), ("last_three", 18_000), ("last_three", 19_000)]


def test_the_last_ten_and_the_last_three_seconds() -> None:
    assert heard() == [("last_ten", 10_000), *TICKS]


def test_a_robber_phase_has_its_last_three_seconds_only() -> None:
    assert heard(phase="robber", side=None, remaining_ms=12_000) == [
        ("last_three", 9_000),
        ("last_three", 10_000),
        ("last_three", 11_000),
    ]


def test_the_321_is_spoken_and_ends_with_a_tone() -> None:
    counts = [("count_3", 0), ("count_2", 1_000), ("count_1", 2_000)]
    assert heard(**PAUSED, resume_in_ms=3_000) == [*counts, ("go", 3_000)]
    assert heard(phase="ready", **PAUSED, resume_in_ms=3_000) == counts, "the first round is called out then"


def test_the_next_side_is_named_early() -> None:
    assert heard(4_000) == [("last_ten", 10_000), ("next_moon", 16_000), *TICKS]
    assert heard(4_000, last_round=3) == heard(), "no round comes any more"
    assert heard(4_000, phase="robber", side=None) == heard(phase="robber", side=None)


def test_game_time_may_pass_faster() -> None:
    assert heard(rate=10) == [
        ("last_ten", 1_000),
        ("last_three", 1_700),
        ("last_three", 1_800),
        ("last_three", 1_900),
    ]


SUN = NamedSeat("sun", as_told("Sun"))
ROUND, NOTICE, COUNT = phrases.next_round(8, SUN), phrases.ROBBER_POSSIBLE, phrases.count(3)
ROUND_8, POSSIBLE = "round_sun_8", "robber_possible"


def lengths(pt: int, en: int, notice: int = 2_000) -> Lengths:
    return {
        ("pt", ROUND_8): pt,
        ("en", ROUND_8): en,
        ("pt", POSSIBLE): notice,
        ("en", POSSIBLE): notice,
        ("pt", "count_3"): 700,
        ("en", "count_3"): 600,
    }


def fitting(
    known: Lengths, *callouts: phrases.Callout, room_ms: float = 30_000, standing: str = "pt"
) -> list[str]:
    chosen = that_fit(callouts, ("pt", "en"), known, room_ms=room_ms, standing=standing)
    return [f"{one.language} {one.sounds[0][1]}" for one in chosen]


def test_both_languages_follow_each_other() -> None:
    assert fitting(lengths(900, 800), ROUND, NOTICE) == [
        "pt round_sun_8",
        "en round_sun_8",
        "pt robber_possible",
        "en robber_possible",
    ]


def test_every_call_out_in_one_language_comes_before_any_second_language() -> None:
    assert fitting(lengths(900, 800), ROUND, NOTICE, room_ms=3_200) == [
        "pt round_sun_8",
        "pt robber_possible",
    ]
    assert fitting(lengths(900, 800), ROUND, NOTICE, room_ms=4_300) == [
        "pt round_sun_8",
        "en round_sun_8",
        "pt robber_possible",
    ]


def test_the_standing_language_speaks_where_only_one_has_room() -> None:
    for standing in ("pt", "en"):
        assert fitting(lengths(900, 800), COUNT, standing=standing) == [f"{standing} count_3"]
        several = fitting(lengths(900, 800), ROUND, NOTICE, room_ms=3_200, standing=standing)
        assert several == [f"{standing} {ROUND_8}", f"{standing} {POSSIBLE}"]


def test_the_other_language_speaks_where_the_one_whose_turn_it_is_has_no_room() -> None:
    assert fitting(lengths(900, 500), ROUND, room_ms=600) == ["en round_sun_8"]


def test_what_has_no_room_is_left_out_whole() -> None:
    assert fitting(lengths(900, 800), ROUND, NOTICE, room_ms=500) == []
    assert fitting(lengths(900, 800, 6_500), ROUND, NOTICE) == ["pt round_sun_8", "en round_sun_8"], (
        "no call-out outlasts its slot"
    )


def test_what_was_not_rendered_is_left_out() -> None:
    known = {key: ms for key, ms in lengths(900, 800).items() if key[0] == "en"}
    assert fitting(known, ROUND) == ["en round_sun_8"]
    assert fitting({}, ROUND) == []


def test_a_board_name_is_said_whole_or_not_at_all() -> None:
    winner = phrases.winner("A1", SUN)
    known = {("en", phrase.name): 400 for phrase in winner.phrases}
    assert len(that_fit([winner], ("en",), known, room_ms=30_000, standing="en")[0].sounds) == 4
    del known["en", "sign_a"]
    assert that_fit([winner], ("en",), known, room_ms=30_000, standing="en") == ()


def test_whatever_the_lengths_nothing_runs_over() -> None:
    for pt, en, room_ms in product((300, 1_700, 2_900), (300, 1_700, 2_900), range(0, 9_000, 250)):
        chosen = that_fit((ROUND, NOTICE), ("pt", "en"), lengths(pt, en), room_ms=room_ms, standing="pt")
        total = sum(one.ms for one in chosen) + GAP_MS * max(0, len(chosen) - 1)
        assert total <= room_ms
        for callout in (ROUND, NOTICE):
            parts = [one.ms for one in chosen if one.callout == callout]
            assert sum(parts) + GAP_MS * max(0, len(parts) - 1) <= SLOTS_MS[callout.kind]
