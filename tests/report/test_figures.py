"""The figures of a recorded game."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from pi_controller.game.rule_sets import CONNECT
from pi_controller.journal.witnesses import GameSummary
from pi_controller.language.languages import LANGUAGES
from pi_controller.language.words import words
from pi_controller.protocol.game_report import GameReport
from pi_controller.protocol.sentences import sentence
from pi_controller.replay.changes import ReplayedChange, changes_of
from pi_controller.report.figures import (
    NODES,
    NOTED,
    PARTS,
    SUMS,
    WAYS,
    distribution,
    kind_of,
    note_said,
    pauses_of,
    report_of,
)
from tests.core.disk import DiskHall
from tests.core.hand import MS, S
from tests.replay.test_recorded_dice import phase
from tests.report.played import recorded, records_of


def test_a_game_in_short(report: GameReport) -> None:
    told = (report.rule_set, report.phase, report.ended_by, report.rounds)
    assert told == ("connect", "ended", "director", 2)
    assert (report.length_ms, report.played_ms) == (50_000, 43_000)
    assert report.winners == []
    rolls = [(roll.round, roll.side, roll.at_ms) for roll in report.rolls]
    assert rolls == [(1, "sun", 3_000), (2, "moon", 45_004)]
    assert sum(one.count for one in report.distribution) == 2


def test_claims_stand_as_they_stood_last(report: GameReport) -> None:
    told = [(one.board, one.side, one.status, one.verdict_ms) for one in report.claims]
    assert told[1] == ("B2", "moon", "rejected", 5_000)
    assert report.claims[0].pressed_ms_before_end == 25_004


def test_the_other_games_of_the_evening_are_named(changes: list[ReplayedChange]) -> None:
    others = [GameSummary("g9", rounds=4, ended=True), GameSummary(changes[0].game.game_id)]
    assert [(one.game_id, one.rounds) for one in report_of(changes, others=others).games] == [("g9", 4)]


def test_a_claim_was_made_as_long_before_the_end_as_the_pages_say(tmp_path: Path) -> None:
    """A millisecond that has begun counts whole, as in every countdown."""
    hall = DiskHall(tmp_path).play()
    hall.move(10 * S)
    hall.press(late_ns=4 * MS + 1)
    (shown,) = hall.picture.claims
    (told,) = report_of(changes_of(records_of(hall))).claims
    assert told.pressed_ms_before_end == shown.pressed_ms_before_end == 25_005


def test_at_another_speed_all_times_are_the_games(tmp_path: Path) -> None:
    usual = recorded(tmp_path)
    began_ns = usual[0].boot_ns
    quick = [replace(line, boot_ns=began_ns + (line.boot_ns - began_ns) // 10) for line in usual]
    at_speed, at_usual = (to_builtins(report_of(changes_of(lines))) for lines in (quick, usual))
    assert (at_speed.pop("rate"), at_usual.pop("rate")) == (10, 1)
    for told, factor in ((at_speed, 10), (at_usual, 1)):
        assert [one.pop("press_to_seen_ms") for one in told["commands"]][1] == 4 / factor
        assert next(one["worst_ms"] for one in told.pop("latencies")) == 4 / factor
    assert at_speed == at_usual


NOTES: list[tuple[dict[str, Any], str]] = [
    ({"recovery": {"down_ms": 2_140, "cut": []}}, "report.restarted_after"),
    ({"recovery": {"down_ms": None}}, "report.restarted"),
    ({"recovery": {"unsaved_lines": 2}}, "report.restarted_lines_missing"),
    ({"recovery": {"lost": {"commands": 1, "lines": 3, "unreadable": 0, "since": ""}}},
     "report.restarted_lines_missing"),
    ({"recovery": {"lost": "yes"}}, "report.note_of_another_release"),
    ({"stood_still_ms": 2_500}, "health.stood_still"),
    ({"segment": "A", "condition": None}, "report.segment_well"),
    ({"segment": "A", "condition": "Segment A: no tables answer"}, "told.as_it_is"),
    *(({"node": "e66", "name": "A2", "on": "A", "state": state}, f"report.node_{state}") for state in NODES),
    ({"node": "e66", "name": "A2", "on": "A", "state": "asleep"}, "report.note_of_another_release"),
    *(({"computer": part, "condition": None}, said.key) for part, said in PARTS.items()),
    ({"computer": "heat", "condition": "The computer is too hot"}, "told.as_it_is"),
    ({"power_off": "asked for"}, "report.switch_off"),
    ({"power_off": "no such unit"}, "report.not_switched_off"),
    ({"forgotten": ["g1", "g2"]}, "report.removed"),
]  # fmt: skip


@pytest.mark.parametrize(("note", "key"), NOTES)
def test_what_the_controller_noted_is_told_in_words(note: dict[str, Any], key: str) -> None:
    what = next(name for name in NOTED if name in note)
    said = note_said(what, note)
    assert said.key == key
    for language in LANGUAGES:
        assert "{" not in words(said, language)
        assert '"' not in words(said, language)


def test_every_note_of_a_report_has_its_sentence_beside_the_text(tmp_path: Path) -> None:
    again = DiskHall(tmp_path).play().again()
    notes = report_of(changes_of(records_of(again))).notes
    assert [one.what for one in notes] == ["recovery"]
    assert notes[0].text == words(sentence(notes[0].said))
    assert notes[0].said.key.startswith("report.restarted")


def test_every_command_has_source_press_and_effect(report: GameReport) -> None:
    told = [(one.name, one.source, one.press_to_seen_ms, one.round, one.paused) for one in report.commands]
    assert told[:4] == [
        ("start", "cli", 0, 0, True),
        ("press", "button", 4, 1, True),
        ("verdict", "cli", 0, 1, True),
        ("resume", "web", 0, 1, True),
    ]
    assert [one.name for one in report.commands[4:]] == ["claim", "verdict", "say", "add_time", "undo", "end"]


def test_what_was_taken_back_is_marked(report: GameReport) -> None:
    assert [one.name for one in report.commands if one.undone] == ["add_time"]
    (undo,) = [one for one in report.commands if one.name == "undo"]
    assert undo.body == {"took_back": "add_time"}


def test_names_and_free_texts_are_left_out_unless_asked_for(
    changes: list[ReplayedChange], report: GameReport
) -> None:
    named = report_of(changes, names=True)
    assert "Ann" not in str(report)
    assert {one.source for one in report.commands if one.name == "claim"} == {"web"}
    assert {one.source for one in named.commands if one.name == "claim"} == {"web:director:1"}
    (said,) = [one.body for one in named.commands if one.name == "say"]
    assert said == {"text": "Ann comes to the desk", "tables": True}
    assert (report.names, named.names) == (False, True)


def test_without_names_the_role_is_left_of_a_source() -> None:
    told = {
        "web:judge:2": "web:judge",
        "web:director:1": "web",
        "web:Ann": "web",
        "table": "table",
        "web:judge": "web",
        "": "",
    }
    assert {source: kind_of(source) for source in told} == told


def test_latencies_are_told_for_each_source(report: GameReport) -> None:
    told = [(one.source, one.count, one.p50_ms, one.worst_ms) for one in report.latencies]
    assert told == [("button", 1, 4.0, 4.0), ("web", 1, 0.0, 0.0)]


def test_36_rolls_with_sevens_are_expected_as_two_dice_fall() -> None:
    told = distribution([phase(11, 0, (1, 1))] * 36, CONNECT)
    assert {one.sum: one.expected for one in told} == {total: WAYS[total] for total in SUMS}
    assert [one.count for one in told] == [36] + [0] * 10


def test_where_a_7_is_drawn_again_none_is_expected() -> None:
    told = distribution([phase(10, 0, (6, 6))] * 30, CONNECT)
    assert {one.sum: one.expected for one in told} == {**WAYS, 7: 0}


def test_a_pause_has_its_length_and_all_its_reasons(report: GameReport) -> None:
    pauses = [(one.at_ms, one.length_ms, one.round, one.reasons) for one in report.pauses]
    assert pauses == [(13_000, 7_000, 1, ["button"])], (
        "the 3-2-1 of the start is none, that of going on belongs to it"
    )


def test_a_pause_that_still_stands_has_no_length(changes: list[ReplayedChange]) -> None:
    paused = next(at for at, change in enumerate(changes) if pauses_of(changes[: at + 1]))
    assert [one.length_ms for one in pauses_of(changes[: paused + 1])] == [None]
