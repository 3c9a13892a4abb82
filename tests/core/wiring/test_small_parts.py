"""Health, log limit, kept answers, header and options."""

import logging
from pathlib import Path

import msgspec
import pytest
from msgspec import to_builtins

from pi_controller.core.game_loop.opening import header, read_rules, rules_from
from pi_controller.core.game_loop.pending import MOST_KEPT, KeptAnswer, KeptAnswers, fingerprint
from pi_controller.core.runtime import Health
from pi_controller.core.wiring.devices import WrongOptions, check_options
from pi_controller.game.commands import Step
from pi_controller.game.game import new_game
from pi_controller.game.rule_sets import CONNECT
from pi_controller.hal.system.logs import MOST_LINES, WINDOW_S, LogLimit
from pi_controller.journal.verify_game import read_opening
from pi_controller.language.words import words
from pi_controller.protocol.commands import Arm
from pi_controller.protocol.options import CoreOptions
from pi_controller.sentence import Sentence, as_told
from pi_controller.settings.sections import GameSettings, Settings
from tests.core.hall import SEED
from tests.said import refuses

FULL = Sentence("computer.disk_full", free_mb=3.2)


def test_health_shows_faults_first_and_tells_changes_only() -> None:
    health = Health()
    assert health.report("lag", "warning", as_told("Late."))
    assert not health.report("lag", "warning", as_told("Late."))
    assert health.report("disk", "fault", FULL)
    assert to_builtins(health.picture) == {
        "level": "fault",
        "messages": [
            "The controller's disk is full (3 MB free): remove old games or use a larger card.",
            "Late.",
        ],
        "items": [
            {
                "key": "computer.disk_full",
                "params": {"free_mb": 3.2},
                "level": "fault",
                "text": "The controller's disk is full (3 MB free): remove old games or use a larger card.",
            },
            {"key": "told.as_it_is", "params": {"text": "Late."}, "level": "warning", "text": "Late."},
        ],
        "lost": False,
    }
    assert health.report("disk", "fault", None)
    assert (health.picture.level, health.picture.messages) == ("warning", ["Late."])
    assert not health.report("disk", "fault", None)


def test_health_is_told_in_the_language_of_the_hall() -> None:
    health = Health("en-XA")
    health.report("disk", "fault", FULL)
    assert health.picture.messages == [words(FULL, "en-XA")]
    assert [item.text for item in health.picture.items] == health.picture.messages


def test_a_storm_of_log_lines_is_cut_off_and_counted() -> None:
    now_s = [0.0]
    limit = LogLimit(now_s=lambda: now_s[0])
    records = [
        logging.LogRecord("x", logging.INFO, "x", 1, "line", None, None) for _ in range(MOST_LINES + 51)
    ]
    assert [limit.filter(record) for record in records[:-1]].count(True) == MOST_LINES
    now_s[0] = WINDOW_S
    assert limit.filter(records[-1])
    assert records[-1].msg == "(50 lines were left out) line"


def test_the_oldest_answers_go_first() -> None:
    answers = KeptAnswers()
    for number in range(MOST_KEPT + 1):
        answers.keep(f"k{number}", KeptAnswer("f", accepted=True))
    assert answers.get("k0") is None
    assert answers.get("k1") is not None


def test_a_fingerprint_knows_the_command_and_not_its_spelling() -> None:
    assert fingerprint("say", {"a": 1, "b": 2}) == fingerprint("say", {"b": 2, "a": 1})
    assert fingerprint("say", {"a": 1}) != fingerprint("say", {"a": 2})
    assert fingerprint("skip", None) != fingerprint("pause", None)


def test_the_header_brings_the_rules_back_and_satisfies_the_verifier() -> None:
    rules = rules_from(
        Settings(game=GameSettings(robber_seconds=8.5, schedule=(Step(1, 20),))), Arm(first_side="moon")
    )
    assert (rules.robber_ms, rules.first_side, rules.schedule) == (8500, "moon", (Step(1, 20),))
    game = new_game("g1", rules, SEED)
    data = msgspec.json.decode(msgspec.json.encode(header(game)))
    assert read_rules(data["rules"]) == rules
    line_1 = {"kind": "game", "data": {**data, "format": 2, "game_id": "g1"}}
    assert read_opening(line_1) == (2, rules.after_robber)
    assert data["commitment"] == game.dice.commitment


def test_default_settings_are_the_default_rules() -> None:
    assert rules_from(Settings()) == CONNECT


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"speed": 2.0}, "--speed"),
        ({"seed_hex": "00" * 32}, "--seed-hex makes rolls"),
        ({"virtual_tables": 40}, "--virtual-tables puts simulated table nodes"),
    ],
)
def test_what_is_only_for_simulations(options: dict[str, object], sentence: str) -> None:
    with refuses(WrongOptions, sentence):
        check_options(CoreOptions(state_dir=Path("x"), **options), Settings())  # type: ignore[arg-type]
