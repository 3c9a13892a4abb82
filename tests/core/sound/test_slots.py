from itertools import product

from pi_controller.core.sound import phrases
from pi_controller.core.sound.phrases import GAP_MS, SLOTS_MS, Lengths, NamedSeat, that_fit
from pi_controller.sentence import as_told

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


def said(
    known: Lengths, *callouts: phrases.Callout, room_ms: float = 30_000, standing: str = "pt"
) -> list[str]:
    chosen = that_fit(callouts, ("pt", "en"), known, room_ms=room_ms, standing=standing)
    return [f"{one.language} {one.sounds[0][1]}" for one in chosen]


def test_both_languages_follow_each_other() -> None:
    assert said(lengths(900, 800), ROUND, NOTICE) == [
        "pt round_sun_8",
        "en round_sun_8",
        "pt robber_possible",
        "en robber_possible",
    ]


def test_every_call_out_in_one_language_comes_before_any_second_language() -> None:
    assert said(lengths(900, 800), ROUND, NOTICE, room_ms=3_200) == ["pt round_sun_8", "pt robber_possible"]
    assert said(lengths(900, 800), ROUND, NOTICE, room_ms=4_300) == [
        "pt round_sun_8",
        "en round_sun_8",
        "pt robber_possible",
    ]


def test_the_standing_language_speaks_where_only_one_has_room() -> None:
    for standing in ("pt", "en"):
        assert said(lengths(900, 800), COUNT, standing=standing) == [f"{standing} count_3"]
        several = said(lengths(900, 800), ROUND, NOTICE, room_ms=3_200, standing=standing)
        assert several == [f"{standing} {ROUND_8}", f"{standing} {POSSIBLE}"]


def test_the_other_language_speaks_where_the_one_whose_turn_it_is_has_no_room() -> None:
    assert said(lengths(900, 500), ROUND, room_ms=600) == ["en round_sun_8"]


def test_what_has_no_room_is_left_out_whole() -> None:
    assert said(lengths(900, 800), ROUND, NOTICE, room_ms=500) == []
    assert said(lengths(900, 800, 6_500), ROUND, NOTICE) == ["pt round_sun_8", "en round_sun_8"], (
        "no call-out outlasts its slot"
    )


def test_what_was_not_rendered_is_left_out() -> None:
    known = {key: ms for key, ms in lengths(900, 800).items() if key[0] == "en"}
    assert said(known, ROUND) == ["en round_sun_8"]
    assert said({}, ROUND) == []


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
