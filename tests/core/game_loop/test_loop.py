from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.game_loop import loop as game_loop
from pi_controller.core.game_loop import loop as loop_module
from pi_controller.core.game_loop import picture as showing_module
from pi_controller.core.game_loop.loop import SAVED_SHOWN_AFTER_NS, STALLED, JournalNews
from pi_controller.core.game_loop.pending import KEY_REUSED
from pi_controller.core.wiring.service import LAST_LINES_S
from pi_controller.game.commands import PREPARED_LINES
from pi_controller.game.events import Event
from pi_controller.game.game import new_game
from pi_controller.game.room import Message
from pi_controller.game.rule_sets import CLASSIC
from pi_controller.journal.errors import Part, Trouble
from pi_controller.journal.record import encode_event
from pi_controller.language.words import words
from pi_controller.protocol.picture import EventView
from pi_controller.sentence import Sentence, as_told
from tests.core.disk import DiskHall
from tests.core.hall import SEED, Hall, accepted
from tests.core.hand import MS, S, settle
from tests.core.hand_threads import HandThreads


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


def test_a_repeat_with_the_same_key_is_answered_and_not_done() -> None:
    hall = Hall().play()
    assert accepted(hall.ask("add_time", {"ms": 10_000}, key="k1"))
    assert hall.picture.remaining_ms == 45_000
    assert accepted(hall.ask("add_time", {"ms": 10_000}, key="k1"))
    assert hall.picture.remaining_ms == 45_000
    other = hall.ask("add_time", {"ms": 20_000}, key="k1")
    assert other[0].reasons == (KEY_REUSED,)
    assert hall.log.kinds().count("answered") == 1


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
    assert (hall.picture.game_id, hall.picture.next_side, hall.picture.phase) == ("g2", "moon", "ready")
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


def test_other_settings_show_in_the_next_picture_and_count_from_the_next_end() -> None:
    hall = Hall(close_after_minutes=10).play()
    hall.loop.report("part", "warning", Sentence("health.late", ms=1.0))
    event = EventView(name="Fair", lines=["Cake"])
    hall.loop.use(("de", "pl"), event, close_after_minutes=0)
    hall.loop.changed()
    assert (hall.picture.languages, hall.picture.event) == (["de", "pl"], event)
    assert hall.picture.health.messages == [words(Sentence("health.late", ms=1.0), "de")]
    hall.ask("end", {"confirm": True})
    assert hall.picture.closes_at_ms is None
    hall.loop.use(("de",), event, close_after_minutes=5)
    hall.ask("undo")
    hall.ask("end", {"confirm": True})
    assert hall.picture.closes_at_ms == hall.picture.as_of_ms + 300_000


def test_the_journals_head_is_shown_in_a_pause_and_not_while_the_clock_runs() -> None:
    hall = Hall().play()
    assert (hall.picture.journal_head, hall.picture.journal_head_full) == (None, None)
    hall.press()
    head = f"{len(hall.log.lines):064x}"
    assert (hall.picture.journal_head, hall.picture.journal_head_full) == (head[:8], head)


def test_presses_are_measured() -> None:
    hall = Hall().play()
    hall.move(S)
    hall.press(late_ns=4 * MS)
    numbers = hall.loop.metrics.numbers()
    freeze = numbers["press_to_freeze_seconds"]
    assert isinstance(freeze, dict)
    assert (freeze["count"], freeze["sum"], freeze['le="0.002"'], freeze['le="0.005"']) == (1, 0.004, 0, 1)


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


# A change of which no line can be written never counts as saved, and neither does what came after it.


WORD = {"text": "a word nobody can write down"}


class Broken:
    """The next event that is to be encoded raises, and so does each try of it again until `mend`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._first: Event | None = None
        self._mended = False
        monkeypatch.setattr(game_loop, "encode_event", self._encode)

    def mend(self) -> None:
        self._mended = True

    def _encode(self, event: Event) -> tuple[str, dict[str, object]]:
        if not self._mended and (self._first is None or event is self._first):
            self._first = event
            raise LookupError("a defect")
        return encode_event(event)


def test_a_change_that_cannot_be_written_is_told_and_never_acknowledged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hall = Hall().play()
    before = hall.picture.saved_seq
    assert before == hall.picture.seq
    Broken(monkeypatch)
    claimed = hall.ask("claim", {"board": "A1"})
    assert [(answer.accepted, answer.done) for answer in claimed] == [(False, True)]
    assert claimed[0].reasons[0].key == "answer.done_but_not_saved"
    hall.ask("say", {"text": "later"})
    hall.move(S)
    picture = hall.picture
    assert [claim.board for claim in picture.claims] == ["A1"], "what is shown holds"
    assert picture.message.text == "later"
    assert (picture.saved_seq, picture.seq > before) == (before, True)
    assert picture.paused
    assert [item.key for item in picture.health.items if item.level == "fault"] == [
        "journal.change_not_written"
    ]
    assert picture.allowed["resume"].override, "who goes on knows that nothing is kept"
    assert hall.loop.metrics.numbers()["defects"] == 1, "each try of it again is the same defect"


def test_once_it_can_be_written_everything_goes_to_the_disk_in_its_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hall = Hall().play()
    broken = Broken(monkeypatch)
    hall.ask("claim", {"board": "A1"})
    hall.ask("say", {"text": "later"})
    known = len(hall.log.lines)
    broken.mend()
    assert accepted(hall.ask("say", {"text": "again"}))
    tags = [tag for tag, _, _ in hall.log.lines[known:]]
    assert tags == sorted(tags)
    given = [data["action"]["command"]["name"] for _, kind, data in hall.log.lines[known:] if kind == "did"]
    assert given in (["claim", "say", "pause", "say"], ["claim", "pause", "say", "say"]), given
    assert hall.picture.saved_seq == hall.picture.seq
    assert hall.picture.health.level == "ok"


def test_a_restart_tells_the_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(10 * S)
    hall.log.prompt = False
    with monkeypatch.context() as patch:
        Broken(patch)
        hall.ask("claim", {"board": "A1"})
        hall.ask("say", {"text": "later"})
        settle()
        saved = hall.picture.saved_seq
        hall.beat()
    later = hall.again()
    assert saved < hall.picture.seq
    assert later.picture.claims == []
    told = {item.key: item.params["count"] for item in later.picture.health.items}
    assert told["journal.unsaved"] >= 3, "claim, pause because of the fault, and the word said later"


def test_a_new_game_does_not_take_the_place_of_one_whose_end_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hall = Hall().begin()
    Broken(monkeypatch)
    assert not hall.ask("say", {"text": "hello"})[0].accepted
    armed = hall.ask("arm")
    assert [(answer.accepted, answer.reasons[0].key) for answer in armed] == [(False, "answer.nothing_done")]
    assert (hall.log.opened, hall.picture.game_id) == ([], "g1")


def test_a_game_of_which_no_first_line_can_be_made_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall().begin()
    with monkeypatch.context() as patch:
        patch.setattr(hall.arming, "open", raising)
        armed = hall.ask("arm")
    assert [(answer.accepted, answer.reasons[0].key) for answer in armed] == [(False, "defect.broken_off")]
    assert accepted(hall.ask("say", {"text": "hello"})), "the disk is well"
    assert accepted(hall.ask("arm"))


def raising(*_given: object, **_named: object) -> None:
    raise LookupError("a defect")


@pytest.mark.parametrize(
    "end", [lambda hall: hall.loop.saves.hand_over_at_last(), lambda hall: hall.loop.stop()]
)
def test_what_is_decided_once_the_journal_closes_is_no_defect(
    tmp_path: Path, end: Callable[[DiskHall], None], caplog: pytest.LogCaptureFixture
) -> None:
    """The watchdog has closed the journal, and the loop wakes after all."""
    hall = DiskHall(tmp_path).play()
    hall.log.prompt = False
    saved = hall.picture.saved_seq
    end(hall)
    hall.writer.close(LAST_LINES_S)
    hall.press()
    answers = hall.ask("say", {"text": "hello"})
    assert hall.loop.picture().paused, "the button stops the game as long as it is there"
    assert [answer.accepted for answer in answers] in ([], [False])
    assert hall.loop.saves.saved_seq(hall.loop.seq) == saved
    assert hall.loop.metrics.numbers()["defects"] == 0
    assert [record.message for record in caplog.records if record.exc_info] == []


# A press that is worked out before it counts does and shows what any other press does.


COUNTS_NS = 4 * MS


def pressed(*, expected: bool, between: Callable[[Hall], object] = lambda _: None) -> Hall:
    """A hall in whose round the button was pressed; `between` happens while the contact settles."""
    hall = Hall().play()
    hall.move(10 * S)
    at_ns = hall.timers.boot_ns()
    if expected:
        hall.loop.expect_press(at_ns, at_ns + COUNTS_NS)
    between(hall)
    hall.move(COUNTS_NS)
    hall.loop.press(at_ns)
    return hall


def test_it_is_the_same_press_without_any_further_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing_is_left_to_do(hall: Hall) -> None:
        monkeypatch.setattr(hall.loop, "decide", None)
        monkeypatch.setattr(loop_module, "picture_at", None)
        monkeypatch.setattr(showing_module, "view_of", None)

    plain = pressed(expected=False)
    ahead = pressed(expected=True, between=nothing_is_left_to_do)
    assert ahead.pictures == plain.pictures
    assert ahead.log.lines == plain.log.lines
    assert ahead.log.boot_ns == plain.log.boot_ns
    assert (ahead.pause_lamp.lit, ahead.buzzer.on) == (plain.pause_lamp.lit, plain.buzzer.on) == (False, True)
    assert ahead.loop.game == plain.loop.game


@pytest.mark.parametrize(
    "between",
    [
        lambda hall: hall.loop.report("stick", "warning", as_told("no stick")),
        lambda hall: hall.loop.obstacles.set("test", as_told("not now")),
        lambda hall: accepted(hall.ask("say", {"text": "five minutes left"})),
        lambda hall: accepted(hall.ask("pause")),
    ],
    ids=["a report", "an obstacle", "a message", "a pause"],
)
def test_what_happens_meanwhile_is_in_the_picture(between: Callable[[Hall], object]) -> None:
    plain, ahead = pressed(expected=False, between=between), pressed(expected=True, between=between)
    assert ahead.pictures == plain.pictures
    assert ahead.log.lines == plain.log.lines


def test_a_phase_that_ends_first_has_ended() -> None:
    hall = Hall().play()
    hall.move(35 * S - 2 * MS)
    at_ns = hall.timers.boot_ns()
    hall.loop.expect_press(at_ns, at_ns + COUNTS_NS)
    hall.move(COUNTS_NS)
    hall.loop.press(at_ns)
    assert hall.picture.round == 2
    assert hall.picture.claims[0].pressed_ms_before_end == 2


def test_an_expected_press_that_never_counts_leaves_no_trace() -> None:
    hall = Hall().play()
    hall.move(10 * S)
    seen, at_ns = hall.picture, hall.timers.boot_ns()
    hall.loop.expect_press(at_ns, at_ns + COUNTS_NS)
    hall.move(COUNTS_NS)
    assert hall.picture is seen
    assert hall.loop.picture().running
    later_ns = hall.timers.boot_ns()
    hall.loop.press(later_ns)
    assert hall.picture.remaining_ms == 24_996


def test_a_press_that_rolls_dice_is_not_worked_out_before_it_counts() -> None:
    """Nobody has seen that roll; once it was undone somebody has."""
    expected: list[Any] = []
    hall = Hall(game=new_game("g1", replace(CLASSIC, first_side="red"), SEED)).begin()
    hall.loop.showing.show_to(as_told("whoever may be told"), lambda _: None, expect=expected.append)
    hall.ask("start")
    hall.move(0)
    while not hall.loop.game.state.to_roll:
        hall.press()
        hall.move(1 * S)
    at_ns = hall.timers.boot_ns()
    hall.loop.expect_press(at_ns, at_ns + COUNTS_NS)
    assert expected == []
    hall.press()
    assert accepted(hall.ask("undo"))
    hall.loop.expect_press(at_ns, at_ns + COUNTS_NS)
    assert [picture.dice for picture in expected] == [hall.loop.game.dice.round_roll(1, 0).dice]


# What the journal's threads report reaches the health, and leaves it when it is mended.


@pytest.mark.parametrize(
    ("part", "level", "pauses"),
    [
        ("journal", "fault", True),
        ("space", "warning", True),
        ("files", "warning", False),
        ("second_copy", "warning", False),
        ("heartbeat", "warning", False),
    ],
)
def test_a_trouble_is_told_and_its_end_too(part: Part, level: str, pauses: bool) -> None:
    hall = Hall().play()
    news = JournalNews(HandThreads())
    news.tell(hall.loop)
    news.trouble(Trouble(as_told("Something is not in order."), fatal=level == "fault", part=part))
    health = hall.picture.health
    assert (health.level, health.messages) == (level, ["Something is not in order."])
    assert hall.picture.paused is pauses
    news.mended(part)
    assert hall.picture.health.messages == []


def test_that_a_change_is_on_the_disk_is_shown_once_and_a_little_later() -> None:
    hall = Hall().begin()
    hall.log.prompt = False
    for text in ("one", "two"):
        hall.ask("say", {"text": text})
    shown = len(hall.pictures)
    for seq in (hall.picture.seq - 1, hall.picture.seq):
        hall.loop.saves.saved(seq, "")
    hall.timers.move(SAVED_SHOWN_AFTER_NS - 1)
    assert len(hall.pictures) == shown
    assert hall.picture.saved_seq < hall.picture.seq
    hall.timers.move(1)
    assert len(hall.pictures) == shown + 1
    assert hall.picture.saved_seq == hall.picture.seq
    hall.timers.move(SAVED_SHOWN_AFTER_NS)
    assert len(hall.pictures) == shown + 1


def test_nothing_is_shown_of_the_disk_after_the_stop() -> None:
    hall = Hall().begin()
    hall.log.prompt = False
    hall.ask("say", {"text": "one"})
    hall.loop.saves.saved(hall.picture.seq, "")
    shown = len(hall.pictures)
    hall.loop.stop()
    hall.timers.move(SAVED_SHOWN_AFTER_NS)
    assert len(hall.pictures) == shown
