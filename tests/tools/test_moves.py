"""The rules page says of every command in every situation what the game itself answers there."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_controller.game.commands import (
    AddTime,
    Claim,
    Command,
    Contribute,
    Cover,
    End,
    LastRounds,
    Pause,
    Press,
    Resume,
    Say,
    SetClaims,
    SetSchedule,
    Sheet,
    Skip,
    Start,
    Step,
    Timer,
    Turn,
    Verdict,
    Withdraw,
)
from pi_controller.game.phases import TABLES, Situation
from pi_controller.language.words import words
from tests.game.hall import Hall

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
EXAMPLES: dict[str, Command] = {
    "add_time": AddTime(5_000),
    "claim": Claim("9", "sun"),
    "contribute": Contribute("lantern"),
    "end": End(confirm=True),
    "last_rounds": LastRounds(3),
    "pause": Pause(),
    "press": Press(),
    "resume": Resume(override=True),
    "say": Say("Hello"),
    "cover": Cover("black"),
    "set_claims": SetClaims("pause"),
    "set_schedule": SetSchedule((Step(1, 30),)),
    "skip": Skip(),
    "start": Start(),
    "timer": Timer("Doors", 60),
    "turn": Turn(),
    "verdict": Verdict("c2", sheet=Sheet(4, 5, foreign_left=True, foreign_right=True)),
    "withdraw": Withdraw("c2"),
}


def claimed() -> Hall:
    return Hall().started().do(Claim("7", "sun"), source="table")


HALLS: dict[str, Callable[[], Hall]] = {
    "before the start": Hall,
    "in the 3-2-1 before round 1": lambda: Hall().do(Start()).wait(1),
    "while that is paused": lambda: Hall().do(Start()).wait(1).do(Pause()),
    "while the clock runs": claimed,
    "while play is paused": lambda: claimed().do(Pause()),
    "in the 3-2-1 after a pause": lambda: claimed().do(Pause()).do(Resume(override=True)).wait(1),
    "while sheets are collected": lambda: claimed().do(LastRounds(0)).wait(35),
    "after the end": lambda: claimed().do(End(confirm=True)),
}


def told() -> dict[tuple[str, str], str]:
    """What the page says, by command and situation; a refusal with its sentence."""
    table = PAGE.split("<!-- table of moves")[1].split("<!-- end of the table -->")[0]
    notes = dict(re.findall(r"^(\d+)\. (.+)$", table, re.MULTILINE))
    head, _, *rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")]
    return {
        (row[0].strip("`"), where): re.sub(r"\((\d+)\)", lambda number: notes[number[1]], cell)
        for row in rows
        for where, cell in zip(head[1:], row[1:], strict=True)
    }


@pytest.mark.parametrize("where", HALLS)
def test_each_cell_of_the_page_is_what_the_game_decides(where: str) -> None:
    page = told()
    for name, command in EXAMPLES.items():
        decision = HALLS[where]().ask(command)
        answer = " ".join(map(words, decision.reasons)) or ("yes" if decision.events else "no effect")
        assert page[name, where] == answer, name


def test_the_page_has_every_command_of_the_table_and_every_situation() -> None:
    assert {name for name, _ in told()} == set(EXAMPLES)
    assert {type(command) for command in EXAMPLES.values()} == set(TABLES["rounds"][Situation.PLAYING])
    assert {where for _, where in told()} == set(HALLS)
