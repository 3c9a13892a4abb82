"""Commands that wait for the disk are answered in time or never done; answers are kept for repeats."""

from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.game_loop.commands import ASKER_GONE, TOO_LATE
from pi_controller.core.game_loop.loop import STALLED
from pi_controller.core.game_loop.pending import KeptAnswer, KeptAnswers
from pi_controller.language.words import all_words
from pi_controller.sentence import Sentence
from tests.core.disk import DiskHall
from tests.core.hall import Hall, accepted
from tests.core.hand import S

# A command that waits for the disk, or behind one that does, is answered in time or never done.


class Leaving:
    """Gives a command and hangs up."""

    gone = False


def half_armed() -> Hall:
    """The disk has taken the note of an `arm`, and stalls before the new game's first line."""
    hall = Hall(prompt=False)
    hall.loop.begin()
    hall.ask("arm")
    tag, hall.log.waiting = hall.log.waiting, None
    hall.saved(tag or 0, "0" * 64)
    assert hall.log.opened == ["g2"]
    return hall


def test_behind_a_stalled_arm_a_start_is_refused_in_time_and_never_done() -> None:
    hall = half_armed()
    hall.move(4 * S)
    answers = hall.ask("start")
    hall.move(5 * S)
    assert hall.picture.game_id == "g1", "the new game is shown when the disk has it"
    assert [answer.reasons for answer in answers] == [(TOO_LATE,)]
    assert not answers[0].done
    hall.move(55 * S)
    hall.save()
    hall.log.prompt = True
    hall.move(60 * S)
    assert (hall.picture.game_id, hall.picture.phase, hall.picture.round) == ("g2", "ready", 0)
    assert accepted(hall.ask("start"))


def test_each_command_behind_a_stalled_arm_has_its_own_deadline() -> None:
    hall = half_armed()
    first = hall.ask("say", {"text": "one"})
    hall.move(2 * S)
    second = hall.ask("say", {"text": "two"})
    hall.move(3 * S)
    assert ([answer.reasons for answer in first], second) == ([(TOO_LATE,)], [])
    hall.save()
    hall.save()
    assert accepted(second)
    assert hall.picture.message.text == "two"


def test_a_press_passes_by_a_closed_gate() -> None:
    hall = half_armed()
    hall.press()
    assert hall.pause_lamp.lit


def test_a_slow_disk_gives_a_start_no_more_than_its_deadline() -> None:
    hall = Hall(prompt=False)
    hall.loop.begin()
    hall.ask("contribute", {"text": "word"})
    start = hall.ask("start")
    hall.move(2_900_000_000)
    hall.saved(hall.log.waiting or 0, "0" * 64)
    hall.move(2_100_000_000)
    assert [answer.reasons for answer in start] == [(TOO_LATE,)]
    hall.save()
    hall.move(60 * S)
    assert hall.picture.phase == "ready"


@pytest.mark.parametrize("waits_behind", [False, True])
def test_a_start_whose_asker_has_gone_is_not_done(waits_behind: bool) -> None:
    hall = Hall(prompt=False)
    hall.loop.begin()
    if waits_behind:
        hall.ask("contribute", {"text": "word"})
    asker = Leaving()
    answers = hall.ask("start", asker=asker)
    asker.gone = True
    hall.save()
    hall.move(60 * S)
    hall.save()
    assert hall.picture.phase == "ready"
    assert [answer.reasons for answer in answers] == [(ASKER_GONE,)]


def test_the_same_key_twice_behind_a_closed_gate_counts_once() -> None:
    hall = Hall(prompt=False)
    hall.loop.begin()
    hall.ask("contribute", {"text": "word"})
    answers = [hall.ask("say", {"text": "hello"}, key="k1") for _ in range(2)]
    hall.save()
    hall.save()
    assert all(accepted(each) for each in answers)
    assert hall.log.kinds().count("answered") == 1


def test_a_key_whose_command_came_too_late_may_be_used_again() -> None:
    hall = half_armed()
    hall.ask("start", key="k1")
    hall.move(5 * S)
    hall.save()
    hall.log.prompt = True
    assert accepted(hall.ask("start", key="k1"))


def test_done_but_not_saved_is_repeated_under_its_key_until_it_is_saved() -> None:
    hall = Hall().play()
    hall.log.prompt = False
    first = hall.ask("pause", key="k1")
    hall.move(3 * S)
    again = hall.ask("pause", key="k1")
    for answers in (first, again):
        assert [(answer.accepted, answer.done) for answer in answers] == [(False, True)]
        assert answers[0].reasons == (Sentence("answer.done_but_not_saved", trouble=STALLED),)
    lines = len(hall.log.lines)
    hall.save()
    saved = hall.ask("pause", key="k1")
    assert [(answer.accepted, answer.reasons) for answer in saved] == [(True, ())]
    assert len(hall.log.lines) == lines, "it was done once"


def test_an_unknown_rule_set_is_refused_with_the_known_ones() -> None:
    refused = Hall().begin().ask("arm", {"rule_set": "chess"})
    assert all_words(refused[0].reasons) == ["There is no rule set chess: choose one of connect, classic."]


def test_covered_screens_stay_so_with_the_next_game_and_that_is_in_its_journal() -> None:
    hall = Hall().begin()
    hall.ask("cover", {"kind": "black"})
    hall.ask("arm")
    assert (hall.picture.game_id, hall.picture.cover) == ("g2", "black")
    assert [data["action"]["command"]["name"] for _, kind, data in hall.log.lines if kind == "did"] == [
        "cover"
    ] * 2


def test_a_free_timer_runs_on_into_the_next_game_and_is_in_its_journal() -> None:
    hall = Hall().begin()
    hall.ask("timer", {"label": "Break", "seconds": 60})
    hall.move(20 * S)
    assert accepted(hall.ask("arm"))
    assert (hall.picture.timer.label, hall.picture.timer.remaining_ms) == ("Break", 40_000)
    assert hall.picture.game_id == "g2"
    assert "Break" in str(hall.log.lines[-1])
    hall.move(50 * S)
    assert not hall.picture.timer.running


def test_what_broke_off_before_it_was_done_is_done_by_its_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall().begin()

    def broken(*_given: object, **_named: object) -> None:
        raise LookupError("a defect")

    with monkeypatch.context() as patch:
        patch.setattr(hall.loop, "commit", broken)
        assert not accepted(hall.ask("say", {"text": "hello"}, key="once"))
    assert accepted(hall.ask("say", {"text": "hello"}, key="once"))
    assert hall.picture.message.text == "hello"


# Kept answers in the journal: the reasons in English as ever, and beside them as sentences.


REFUSED = KeptAnswer("f", accepted=False, reasons=(Sentence("claim.unknown", claim="c9"),))


def test_what_was_done_has_the_line_of_all_journals() -> None:
    line = KeptAnswer("f", accepted=True).data("k1")
    assert line == {"key": "k1", "fingerprint": "f", "accepted": True, "reasons": []}


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"reason_keys": [{"key": "claim.of_another_release", "params": {}}]},
        {"reason_keys": [{"key": "claim.unknown", "params": {}}]},
        {"reason_keys": [{"key": "health.late", "params": {"ms": "many"}}]},
        {"reason_keys": "claim.none_open"},
        {"reason_keys": []},
    ],
)
def test_a_refusal_of_another_release_is_told_as_it_was(keys: dict[str, Any]) -> None:
    answers = KeptAnswers()
    line = {"key": "k1", "fingerprint": "f", "accepted": False, "reasons": ["No claim is open."]}
    answers.restore(line | keys)
    kept = answers.get("k1")
    assert kept is not None
    assert all_words(kept.reasons) == ["No claim is open."]


def test_a_refusal_with_a_fraction_is_the_same_after_a_restart(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path)
    hall.loop.begin()
    hall.loop.obstacles.set("heat", Sentence("computer.too_hot", celsius=82.51))
    first = hall.ask("start", key="k1")
    hall.settle()
    hall.crash()
    later = hall.again()
    again = later.ask("start", key="k1")
    later.crash()
    assert [answer.reasons for answer in (*first, *again)] == [
        (Sentence("computer.too_hot", celsius=82.51),)
    ] * 2
