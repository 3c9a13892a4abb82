"""`docs/journal.md` lists every kind of line with its fields, as the program writes them."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_controller.core.game_loop.opening import header
from pi_controller.core.game_loop.pending import KeptAnswer
from pi_controller.core.tables.state import minute_note
from pi_controller.game.commands import Contribute
from pi_controller.game.events import EVENT_KINDS, Action, CommandApplied
from pi_controller.game.game import Seal, new_game
from pi_controller.game.rule_sets import CONNECT
from pi_controller.journal.record import encode_event
from pi_controller.sentence import Sentence

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "journal.md").read_text(encoding="utf-8").split("### Kinds of lines")[1]
TABLE = PAGE.split("\n| `kind`")[1].split("\n\n")[0].splitlines()[2:]
KINDS = {
    row[0].strip("`"): set(re.findall(r"`(\w+)`", row[1]))
    for row in (line.strip("| ").split(" | ") for line in TABLE)
}
NOTES = set(re.findall(r"`(\w+)`", PAGE.split("The first field of a note")[1].split("\n\n")[0]))
WORD = CommandApplied(Action(1, Contribute("lantern"), 0, 0, "web"))


def written_by_the_code() -> dict[str, set[str]]:
    fields = {
        kind: {field.name for field in msgspec.structs.fields(made)} for kind, made in EVENT_KINDS.items()
    }
    game = new_game("g", CONNECT, bytes(32), seal=Seal(1, "g", None))
    return fields | {
        "game": {"format", "game_id", *header(game)},
        "contributed": set(encode_event(WORD)[1]),
        "answered": set(KeptAnswer("f", accepted=False, reasons=(Sentence("game.not_begun"),)).data("k")),
        "note": set(),
    }


def test_the_page_lists_each_kind_with_its_fields() -> None:
    assert written_by_the_code() == KINDS


def test_an_action_has_the_fields_of_the_page() -> None:
    told = PAGE.split("*Action* is an object with")[1].split("What of this")[0]
    action = encode_event(WORD)[1]["action"]
    assert {*action, *action["command"]} == set(re.findall(r"`(\w+)`", told))


@pytest.mark.parametrize("name", ["export-v1-played.jsonl", "export-v2.jsonl"])
def test_games_that_were_played_have_these_lines_and_no_other(name: str) -> None:
    """By releases whose seals had no numbers."""
    lines = [json.loads(line) for line in (ROOT / "tests" / "vectors" / name).read_text().splitlines()]
    for line in lines:
        known = KINDS[line["kind"]] - {"seal"}
        if line["kind"] == "note":
            assert next(iter(line["data"])) in NOTES
        elif line["data"].get("format") == 1:
            assert set(line["data"]) == known - {"derivation"} | {"after_robber"}
        else:
            assert set(line["data"]) == known, line["kind"]
    assert {line["kind"] for line in lines} >= {
        "game",
        "contributed",
        "did",
        "corrected",
        "turned",
        "ended",
        "seed",
    }


def test_every_note_of_the_program_is_on_the_page() -> None:
    about = {"recovery", *list(minute_note((), ()))[:1]}
    for path in sorted((ROOT / "pi_controller" / "core").rglob("*.py")):
        about |= {_subject(call) for call in ast.walk(ast.parse(path.read_text())) if _is_note(call)}
    assert about - {None} == NOTES


def _is_note(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("note", "_note")
    )


def _subject(call: Any) -> str | None:
    """The first field of a note that is written out where it is made."""
    data = call.args[0]
    return data.keys[0].value if isinstance(data, ast.Dict) else None
