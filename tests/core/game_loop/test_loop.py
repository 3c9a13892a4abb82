from typing import Any

import pytest

from pi_controller.core.game_loop.loop import STALLED
from pi_controller.core.game_loop.pending import KEY_REUSED
from pi_controller.game.commands import PREPARED_LINES
from pi_controller.game.room import Message
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from tests.core.hall import Hall, accepted
from tests.core.hand import MS, S


def test_a_game_starts_with_the_321_and_turns_by_itself() -> None:
    hall = Hall().begin()
    assert (hall.picture.phase, hall.picture.running) == ("ready", False)
    assert accepted(hall.ask("start"))
    assert hall.picture.resume_in_ms == 3000
    hall.move(3 * S)
    assert (hall.picture.phase, hall.picture.round, hall.picture.side) == ("round", 1, "sun")
    assert (hall.sun.lit, hall.moon.lit, hall.pause_lamp.lit) == (True, False, True)
    hall.move(35 * S)
    assert (hall.picture.round, hall.picture.side, hall.picture.remaining_ms) == (2, "moon", 35_000)
    assert (hall.sun.lit, hall.moon.lit) == (False, True)


def test_a_press_freezes_the_time_at_its_first_edge() -> None:
    hall = Hall().play()
    hall.move(10 * S)
    hall.press(late_ns=4 * MS)
    assert hall.picture.remaining_ms == 25_004
    assert hall.picture.pause_reasons == ["button"]
    assert not hall.pause_lamp.lit
    assert hall.buzzer.on
    hall.move(3600 * S)
    assert hall.picture.remaining_ms == 25_004


def test_a_press_before_the_start_only_flashes_the_lamp() -> None:
    hall = Hall().begin()
    seq = hall.picture.seq
    hall.press()
    assert hall.pause_lamp.lit
    hall.move(400 * MS)
    assert not hall.pause_lamp.lit
    assert hall.picture.seq == seq


def test_a_late_press_freezes_the_phase_that_is_on() -> None:
    hall = Hall().play()
    hall.move(35 * S + 2 * MS)
    hall.press(late_ns=4 * MS)
    assert (hall.picture.round, hall.picture.remaining_ms, hall.picture.paused) == (2, 35_000, True)
    claim = hall.picture.claims[0]
    assert (claim.round, claim.pressed_ms_before_end) == (1, 2)


def test_a_press_freezes_though_the_disk_stands_still() -> None:
    hall = Hall().play()
    hall.log.prompt = False
    hall.move(10 * S)
    seen = hall.picture.seq
    hall.press()
    assert (hall.picture.paused, hall.picture.seq, hall.picture.saved_seq) == (True, seen + 1, seen)
    assert not hall.pause_lamp.lit
    hall.save()
    assert hall.picture.saved_seq == hall.picture.seq


def test_holding_the_button_goes_on_with_a_321() -> None:
    hall = Hall().play()
    hall.move(10 * S)
    hall.press(late_ns=0)
    hall.hold()
    assert hall.picture.resume_in_ms == 3000
    hall.move(3 * S)
    assert (hall.picture.running, hall.picture.remaining_ms) == (True, 25_000)


def test_accepted_waits_for_the_disk_and_the_freeze_does_not() -> None:
    hall = Hall().play()
    hall.log.prompt = False
    answers = hall.ask("pause")
    assert hall.picture.paused
    assert answers == []
    repeated = hall.ask("pause")
    assert repeated == [], "also an effectless repeat waits for the pause to be saved"
    hall.save()
    assert accepted(answers)
    assert accepted(repeated)


def test_a_command_that_is_not_saved_in_time_is_not_accepted_and_the_hall_stays_paused() -> None:
    hall = Hall().play()
    hall.log.prompt = False
    answers = hall.ask("pause")
    hall.move(3 * S)
    assert [answer.reasons for answer in answers] == [
        (Sentence("answer.done_but_not_saved", trouble=STALLED),)
    ]
    assert not answers[0].accepted
    assert hall.picture.pause_reasons == ["director", "fault"]
    health = hall.picture.health
    assert (health.level, health.messages) == ("fault", [words(STALLED)])
    hall.save()
    assert hall.picture.health.level == "ok"
    assert hall.picture.paused, "going on is the director's business"


def test_a_disk_that_stalls_pauses_the_game_by_itself() -> None:
    hall = Hall().play()
    hall.log.prompt = False
    hall.move(35 * S)
    assert (hall.picture.round, hall.picture.running) == (2, True)
    hall.move(3 * S)
    assert (hall.picture.pause_reasons, hall.picture.remaining_ms) == (["fault"], 32_000)


def test_with_a_dead_disk_resuming_takes_an_override() -> None:
    hall = Hall().play()
    hall.log.prompt = False
    sentence = Sentence("journal.not_written", why="no medium", seconds=1.0)
    hall.loop.saves.troubled(sentence)
    assert hall.picture.pause_reasons == ["fault"]
    refused = hall.ask("resume")
    assert not accepted(refused)
    assert refused[0].reasons == (Sentence("resume.without_a_record", trouble=sentence),)
    hall.ask("resume", {"override": True})
    assert hall.picture.resume_in_ms == 3000
    hall.loop.saves.troubled(None)
    assert hall.picture.health.level == "ok"


def test_a_start_that_the_disk_does_not_take_does_not_happen() -> None:
    hall = Hall(prompt=False)
    hall.loop.begin()
    answers = hall.ask("start")
    assert (answers, hall.picture.resume_in_ms) == ([], None)
    hall.move(3 * S)
    assert [answer.reasons for answer in answers] == [(Sentence("answer.nothing_done", trouble=STALLED),)]
    hall.save()
    hall.move(60 * S)
    assert hall.picture.phase == "ready"
    hall.log.prompt = True
    assert accepted(hall.ask("start"))


def test_commands_behind_a_waiting_start_keep_their_order() -> None:
    hall = Hall(prompt=False)
    hall.loop.begin()
    first = hall.ask("start")
    second = hall.ask("say", {"text": "welcome"})
    assert hall.picture.message is None
    hall.save()
    hall.save()
    assert accepted(first)
    assert accepted(second)
    assert hall.picture.message.text == "welcome"


def test_a_line_carries_one_moment_in_both_times_however_long_the_picture_takes() -> None:
    hall = Hall()

    def slow(_picture: dict[str, Any]) -> None:
        hall.timers.now_ns += 3 * MS

    hall.loop.showing.show_to(Sentence("part.tables"), slow)
    hall.play()
    hall.ask("say", {"text": "hello"})
    hall.loop.note({"test": "begun"})
    assert len(set(hall.log.game_ns)) > 2
    assert hall.log.boot_ns == hall.log.game_ns


def test_a_refusal_leaves_everything_as_it_was() -> None:
    hall = Hall().begin()
    lines = len(hall.log.lines)
    refused = hall.ask("skip")
    assert not accepted(refused)
    assert refused[0].reasons
    assert len(hall.log.lines) == lines


def test_a_repeat_with_the_same_key_is_answered_and_not_done() -> None:
    hall = Hall().play()
    assert accepted(hall.ask("add_time", {"ms": 10_000}, key="k1"))
    assert hall.picture.remaining_ms == 45_000
    assert accepted(hall.ask("add_time", {"ms": 10_000}, key="k1"))
    assert hall.picture.remaining_ms == 45_000
    other = hall.ask("add_time", {"ms": 20_000}, key="k1")
    assert other[0].reasons == (KEY_REUSED,)
    assert hall.log.kinds().count("answered") == 1


def test_a_refusal_is_kept_with_its_key_too() -> None:
    hall = Hall().begin()
    refused = hall.ask("skip", key="k1")
    hall.ask("start")
    hall.move(3 * S)
    again = hall.ask("skip", key="k1")
    assert again[0].reasons == refused[0].reasons
    assert hall.picture.round == 1


def test_a_machine_that_stood_still_comes_back_paused_where_the_hall_saw_it() -> None:
    hall = Hall().play()
    hall.move(30 * S)
    sounds = len(hall.buzzer.steps)
    hall.timers.jump(10 * S)
    hall.save()
    assert (hall.picture.round, hall.picture.remaining_ms) == (1, 5_000)
    assert hall.picture.pause_reasons == ["recovery"]
    assert [item.key for item in hall.picture.health.items] == ["health.stood_still_paused"]
    assert ("note", {"stood_still_ms": 10_000}) in [(kind, data) for _, kind, data in hall.log.lines]
    hall.move(S)
    tones = [on for _, on in hall.buzzer.steps[sounds:]]
    assert tones == [False, True, False, True, False], "only that of a pause"
    hall.ask("resume")
    for seconds in (3, 2, 3):
        hall.move(seconds * S)
    assert (hall.picture.round, hall.picture.running) == (2, True)


@pytest.mark.parametrize(
    ("rate", "after_s", "away_ms", "plays"),
    [
        (1, 10, 1_700, True),
        (1, 10, 2_100, False),
        (1, 34.9, 1_700, True),  # one change of phase, which is late
        (30, 9, 700, True),
        (30, 9, 1_600, False),  # 48 s: more than one change
        (1000, 9, 700, True),  # 20 rounds within a hiccup: the loop is alive
        (1000, 9, 1_100, False),
    ],
)
def test_play_goes_on_only_over_what_the_hall_could_watch(
    rate: float, after_s: float, away_ms: int, plays: bool
) -> None:
    hall = Hall(rate=rate).play()
    hall.move(round(after_s * S / rate))
    hall.timers.jump(away_ms * MS)
    hall.save()
    assert hall.picture.running == plays
    assert hall.picture.pause_reasons == ([] if plays else ["recovery"])


@pytest.mark.parametrize("first", ["press", "ask", "tick"])
def test_whoever_comes_first_after_a_standstill_finds_play_paused(first: str) -> None:
    hall = Hall().play()
    hall.move(10 * S)
    rolls = len(hall.picture.history)
    hall.timers.now_ns += 60 * S
    if first == "press":
        hall.press()
    elif first == "ask":
        assert accepted(hall.ask("add_time", {"ms": 1_000}))
    hall.move(0)
    hall.save()
    left_ms = 26_000 if first == "ask" else 25_000
    assert (hall.picture.round, hall.picture.remaining_ms, len(hall.picture.history)) == (1, left_ms, rolls)
    assert "recovery" in hall.picture.pause_reasons


def test_the_count_in_before_the_start_waits_after_a_standstill_and_what_stands_still_anyway_stays() -> None:
    hall = Hall().begin()
    hall.timers.jump(60 * S)
    assert not hall.picture.paused
    hall.ask("start")
    hall.timers.jump(60 * S)
    hall.save()
    assert (hall.picture.phase, hall.picture.pause_reasons) == ("ready", ["recovery"])
    hall.ask("resume")
    hall.move(3 * S)
    hall.ask("pause")
    hall.timers.jump(60 * S)
    assert hall.picture.pause_reasons == ["director"]


def test_a_message_goes_away_by_itself() -> None:
    hall = Hall().begin()
    hall.ask("say", {"text": "ten minutes", "seconds": 5})
    assert hall.picture.message.until_ms == hall.timers.boot_ns() // MS + 5000
    seen = len(hall.pictures)
    hall.move(5 * S)
    assert len(hall.pictures) > seen
    assert hall.picture.message is None


def test_arming_puts_a_new_game_in_place_when_its_journal_is_on_the_disk() -> None:
    hall = Hall(prompt=False)
    hall.loop.begin()
    answers = hall.ask("arm", {"first_side": "moon"}, key="k1")
    hall.save()
    assert accepted(answers)
    assert (hall.picture.game_id, hall.picture.next_side, hall.picture.phase) == (
        "g2",
        "moon",
        "ready",
    )
    assert hall.log.kinds() == ["note", "game", "answered"]
    assert hall.picture.saved_seq == hall.picture.seq


def test_arming_on_a_stalled_disk_changes_nothing() -> None:
    hall = Hall(prompt=False)
    hall.loop.begin()
    answers = hall.ask("arm")
    hall.move(3 * S)
    assert not accepted(answers)
    assert hall.log.opened == []
    assert hall.picture.game_id == "g1"
    hall.save()
    hall.log.prompt = True
    assert accepted(hall.ask("say", {"text": "still here"}))


def test_arming_is_refused_while_a_game_is_under_way() -> None:
    hall = Hall().play()
    assert hall.ask("arm")[0].reasons == (Sentence("game.end_it_first"),)


def test_arming_an_unknown_rule_set_is_refused() -> None:
    hall = Hall().begin()
    (refused,) = hall.ask("arm", {"rule_set": "chess"})
    assert [reason.key for reason in refused.reasons] == ["arm.no_such_rule_set"]


def test_arming_that_stalls_half_way_shows_the_new_game_only_when_the_disk_has_it() -> None:
    hall = Hall(prompt=False)
    hall.loop.begin()
    answers = hall.ask("arm")
    tag, hall.log.waiting = hall.log.waiting, None
    hall.saved(tag or 0, "0" * 64)
    assert hall.log.opened == ["g2"]
    hall.move(3 * S)
    assert not accepted(answers)
    assert hall.picture.game_id == "g1"
    hall.save()
    assert hall.picture.game_id == "g2"


def test_the_seed_stands_in_the_journal_only_when_the_game_is_closed() -> None:
    hall = Hall().play()
    hall.ask("contribute", {"text": "too late"})
    assert "seed" not in hall.log.kinds()
    assert hall.picture.seed is None
    assert accepted(hall.ask("end", {"confirm": True}))
    assert "seed" not in hall.log.kinds()
    assert (hall.picture.closed, hall.picture.seed) == (False, None)
    assert accepted(hall.ask("close", {"confirm": True}))
    assert hall.log.kinds()[-1] == "seed"
    assert hall.picture.closed
    assert hall.picture.seed == hall.log.lines[-1][2]["seed"] == bytes(range(32)).hex()
    assert (hall.sun.lit, hall.moon.lit) == (True, True)


def test_closed_and_the_seed_are_shown_only_when_they_are_on_the_disk() -> None:
    hall = Hall().play()
    hall.ask("end", {"confirm": True})
    hall.log.prompt = False
    hall.ask("close", {"confirm": True}, key="k")
    assert (hall.picture.phase, hall.picture.closed, hall.picture.seed) == ("ended", False, None)
    hall.save()
    assert hall.picture.closed
    assert hall.picture.seed is not None


def test_arming_closes_the_ended_game_first() -> None:
    hall = Hall().play()
    hall.ask("end", {"confirm": True})
    assert accepted(hall.ask("arm"))
    assert hall.log.kinds()[-2:] == ["seed", "game"]
    assert (hall.picture.phase, hall.picture.closed, hall.picture.seed) == ("ready", False, None)
    assert accepted(hall.ask("arm"))
    assert hall.log.kinds().count("seed") == 1


def test_an_ended_game_is_closed_by_itself_after_the_minutes_of_the_settings() -> None:
    hall = Hall(close_after_minutes=10).play()
    assert hall.picture.closes_at_ms is None
    hall.ask("end", {"confirm": True})
    at_ms = hall.picture.as_of_ms + 600_000
    assert hall.picture.closes_at_ms == at_ms
    hall.move(400 * S)
    hall.ask("undo")
    assert hall.picture.closes_at_ms is None
    hall.move(400 * S)
    hall.ask("end", {"confirm": True})
    hall.move(600 * S - 1)
    assert (hall.picture.phase, hall.picture.closed) == ("ended", False)
    hall.move(1)
    assert (hall.picture.closed, hall.picture.closes_at_ms) == (True, None)
    assert hall.log.kinds()[-1] == "seed"


def test_the_journals_head_is_shown_in_a_pause_and_not_while_the_clock_runs() -> None:
    hall = Hall().play()
    assert (hall.picture.journal_head, hall.picture.journal_head_full) == (None, None)
    hall.press()
    head = f"{len(hall.log.lines):064x}"
    assert (hall.picture.journal_head, hall.picture.journal_head_full) == (head[:8], head)


def test_fast_games_turn_fast() -> None:
    hall = Hall(rate=60).begin()
    hall.ask("start")
    hall.move(S)
    assert (hall.picture.round, hall.picture.rate) == (2, 60)


def test_presses_are_measured() -> None:
    hall = Hall().play()
    hall.move(S)
    hall.press(late_ns=4 * MS)
    numbers = hall.loop.metrics.numbers()
    freeze = numbers["press_to_freeze_seconds"]
    assert isinstance(freeze, dict)
    assert (freeze["count"], freeze["sum"], freeze['le="0.002"'], freeze['le="0.005"']) == (1, 0.004, 0, 1)


def test_fifty_minutes_of_pauses_add_up_to_nothing() -> None:
    hall = Hall().play()
    began, paused = hall.timers.boot_ns(), 0
    for _ in range(1000):
        hall.move(3 * S)
        hall.press(late_ns=4 * MS)
        before = hall.timers.boot_ns() - 4 * MS
        hall.hold()
        hall.move(3 * S)
        paused += hall.timers.boot_ns() - before
    played = hall.timers.boot_ns() - began - paused
    shown = sum(45 if past > 10 else 35 for past in range(1, hall.picture.round))
    robbers = sum(roll.kind == "robber" for roll in hall.picture.history)
    left = (hall.picture.duration_ms - hall.loop.picture().remaining_ms) * MS
    rounds_only = played - left - shown * S
    assert rounds_only % (12 * S) == 0
    assert rounds_only // (12 * S) >= robbers


def test_after_the_stop_the_clock_turns_no_more() -> None:
    hall = Hall().play()
    hall.loop.stop()
    lines = len(hall.log.lines)
    hall.move(100 * S)
    assert hall.picture.round == 1
    assert len(hall.log.lines) == lines, "the journal is closed by then"
    hall.loop.changed()
    hall.move(100 * S)
    assert hall.picture.round == 1
    hall.loop.note({"segment": "A", "condition": "gone"})  # as from a thread that had something to tell
    assert len(hall.log.lines) == lines


def test_a_prepared_line_is_in_the_first_language_of_the_hall_and_has_its_name() -> None:
    hall = Hall(languages=("pl", "en")).begin()
    assert accepted(hall.ask("say", {"line": "break"}))
    text = words(PREPARED_LINES["break"], "pl")
    assert hall.picture.message == Message(text=text, until_ms=None, line="break")
