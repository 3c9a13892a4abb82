import ast
from typing import get_args

import pytest
from msgspec.structs import replace

from pi_controller.game.commands import COMMANDS as ALL_COMMANDS
from pi_controller.language.words import all_texts, speaking
from pi_controller.protocol.game_report import GameReport
from pi_controller.report.printed import COMMANDS, ROLES, SOURCES, clock, effect, print_report, source_text
from pi_controller.vocabulary import Phase
from pi_controller.web.http.routes import Role
from tests.architecture.sources import python
from tests.paper.reading import pages


def test_a_report_is_printed_in_the_language_that_is_spoken(report: GameReport) -> None:
    pdf = print_report(report)
    assert pdf == print_report(report)
    assert "Claims and verdicts" in " ".join(pages(pdf))
    with speaking("de"):
        assert "Siegmeldungen und Urteile" in " ".join(pages(print_report(report)))


def test_each_effect_has_words(report: GameReport) -> None:
    keys = [effect(one).key.removeprefix("page.report_") for one in report.commands]
    assert keys[0:2] == ["then_ready", "then_paused"]
    assert keys[-3:] == ["taken_back", "then_round", "then_over"]


def test_what_stood_after_a_command_is_told_apart_in_every_phase(report: GameReport) -> None:
    told = {
        phase: effect(replace(report.commands[0], phase=phase, paused=False)) for phase in get_args(Phase)
    }
    assert len(set(told.values())) == len(get_args(Phase))


def test_long_times_have_hours() -> None:
    assert [clock(ms) for ms in (0, 61_999, 3_661_000)] == ["0:00", "1:01", "1:01:01"]


def test_every_command_has_a_name_on_paper_and_on_the_page() -> None:
    assert set(COMMANDS) == set(ALL_COMMANDS)
    assert {f"page.command_{name}" for name in ALL_COMMANDS if name != "press"} <= all_texts("en").keys()


def test_every_source_has_a_name_on_paper_and_on_the_page() -> None:
    """What core calls those who give commands, and the roles of who logs in."""
    given = set()
    for _, module in python("pi_controller/core"):
        for node in ast.walk(module):
            if (
                isinstance(node, ast.keyword)
                and node.arg == "source"
                and isinstance(node.value, ast.Constant)
            ):
                given.add(node.value.value)
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SOURCE":
                given.add(ast.literal_eval(node.value))
    assert given >= {"button", "system", "table", "seat", "hall"}
    assert set(SOURCES) == given | {"web", "cli"}
    assert set(ROLES) == set(get_args(Role))
    assert {f"page.by_{source}" for source in SOURCES} <= all_texts("en").keys()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("web", "director"),
        ("web:judge", "Judge"),
        ("web:judge:Anna", "Anna · Judge"),
        ("web:judge:0", "Judge"),
        ("web:Bea", "Bea"),
        ("seat", "a player's phone"),
        ("", ""),
    ],
)
def test_a_source_is_told_in_words(source: str, text: str) -> None:
    assert source_text(source) == text
