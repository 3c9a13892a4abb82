from pathlib import Path

import pytest

from pi_controller.cli.game import MEANINGS
from pi_controller.cli.main import main
from pi_controller.cli.usage import COMMANDS
from pi_controller.protocol.commands import BODIES
from tests.cli.conftest import Run
from tests.protocol.fake_core import FakeCore, line

SHEET = '{"settlements": 3, "cities": 4, "foreign_left": true, "resources": {"ore": 2}}'

SENT = [
    (["arm"], "arm", {}),
    (
        ["arm", "--rule-set", "connect", "--first-side", "moon", "--schedule", "1:30"],
        "arm",
        {"rule_set": "connect", "first_side": "moon", "schedule": [{"from_round": 1, "seconds": 30}]},
    ),
    (["contribute", "lighthouse"], "contribute", {"text": "lighthouse"}),
    (["start"], "start", {}),
    (["start", "--override"], "start", {"override": True}),
    (["pause"], "pause", {}),
    (["resume"], "resume", {}),
    (["resume", "--override"], "resume", {"override": True}),
    (["skip"], "skip", {}),
    (["undo"], "undo", {}),
    (["undo", "--replace", "skip"], "undo", {"replace": {"name": "skip"}}),
    (
        ["undo", "--replace", "add-time", '{"ms": 5}'],
        "undo",
        {"replace": {"name": "add_time", "body": {"ms": 5}}},
    ),
    (["redo"], "redo", {}),
    (["add-time", "-5000"], "add_time", {"ms": -5000}),
    (
        ["set-schedule", "1:35,11:45.5"],
        "set_schedule",
        [{"from_round": 1, "seconds": 35}, {"from_round": 11, "seconds": 45.5}],
    ),
    (["set-claims", "pause"], "set_claims", {"mode": "pause"}),
    (["claim"], "claim", {}),
    (["claim", "12", "sun"], "claim", {"board": "12", "side": "sun"}),
    (
        ["claim", "12", "sun", "--press", "p3"],
        "claim",
        {"board": "12", "side": "sun", "press": "p3"},
    ),
    (
        ["verdict", "c1", "confirmed", "--board", "12", "--side", "sun"],
        "verdict",
        {"claim": "c1", "confirmed": True, "board": "12", "side": "sun"},
    ),
    (["withdraw", "c1"], "withdraw", {"claim": "c1"}),
    (["verdict", "c1", "confirmed"], "verdict", {"claim": "c1", "confirmed": True}),
    (["verdict", "c1", "rejected"], "verdict", {"claim": "c1", "confirmed": False}),
    (["last-rounds", "2"], "last_rounds", {"count": 2}),
    (["end", "--confirm"], "end", {"confirm": True}),
    (["close", "--confirm"], "close", {"confirm": True}),
    (["say", "The doors close"], "say", {"text": "The doors close"}),
    (["say", "Soon", "--seconds", "10"], "say", {"text": "Soon", "seconds": 10}),
    (["say", "Soon", "--not-on-tables"], "say", {"text": "Soon", "tables": False}),
    (["timer", "Break", "600"], "timer", {"label": "Break", "seconds": 600}),
    (["turn"], "turn", {}),
    (["turn", "red"], "turn", {"seat": "red"}),
    (
        ["arm", "--seats", "red:Anna, blue"],
        "arm",
        {"seats": [{"id": "red", "name": "Anna"}, {"id": "blue", "name": ""}]},
    ),
    (["timer", "--stop"], "timer", {"stop": True}),
    (["cover", "black"], "cover", {"kind": "black"}),
    (["identify", "--screen", "left"], "identify", {"screen": "left"}),
    (["identify", "--board", "12"], "identify", {"board": "12"}),
]


@pytest.mark.parametrize(("arguments", "name", "body"), SENT)
def test_words_become_the_published_body(
    core: FakeCore, arguments: list[str], name: str, body: object
) -> None:
    assert main(arguments) == 0
    sent = core.requests[-1]
    assert (sent["ask"], sent["name"], sent["body"], sent["source"]) == ("command", name, body, "cli")


def test_every_published_command_has_its_words() -> None:
    assert {name for _, name, _ in SENT} == set(BODIES)
    assert {name.replace("_", "-") for name in BODIES} <= set(COMMANDS)


FOR_PAGES = {"undo.claim", "say.line", "timer.prepared"}
OF_A_FUNCTION = {"verdict.confirmed", "verdict.sheet"}


def test_every_field_of_a_body_is_offered_but_those_of_pages() -> None:
    published = {
        f"{name}.{field}" for name, body in BODIES.items() for field in getattr(body, "__struct_fields__", ())
    }
    offered = {f"{name}.{field}" for name, meanings in MEANINGS.items() for field in meanings}
    assert published - offered == FOR_PAGES | OF_A_FUNCTION
    assert offered <= published


def test_a_claim_sheet_comes_from_a_file(core: FakeCore, state: Path) -> None:
    sheet = state / "sheet.json"
    sheet.write_text(SHEET, encoding="utf-8-sig")  # Windows puts a byte order mark before it
    assert main(["verdict", "c1", str(sheet)]) == 0
    assert core.requests[-1]["body"]["sheet"]["resources"] == {"ore": 2}


def test_a_claim_sheet_that_is_no_json_is_told_with_its_name(core: FakeCore, state: Path, run: Run) -> None:
    sheet = state / "sheet.json"
    sheet.write_text('{"cities": 1, "cities": 2}')
    assert run("verdict", "c1", sheet, status=2).err == f'{sheet}: "cities" is given twice in one object.\n'
    assert core.requests == []


def test_a_refusal_tells_its_reasons(core: FakeCore, run: Run) -> None:
    core.refuse("The game has not begun.", "A claim is open.")
    assert run("resume", status=3).err == "The game has not begun.\nA claim is open.\n"


def test_done_but_not_saved_has_a_status_of_its_own(core: FakeCore, run: Run) -> None:
    sentence = "It is done and shown, but not saved: check the memory card."
    answer = {"id": 1, "accepted": False, "seq": 8, "reasons": [sentence], "done": True}
    core.reply = lambda _: [line(answer)]
    assert run("pause", status=5).err == f"{sentence}\n"


def test_what_core_does_not_understand_is_bad_usage(core: FakeCore, run: Run) -> None:
    core.reply = lambda _: [line({"id": 1, "malformed": "arm: no such rule set"})]
    assert run("arm", status=2).err == "arm: no such rule set\n"


def test_a_trouble_of_core_is_a_failure(core: FakeCore, run: Run) -> None:
    core.reply = lambda _: [line({"id": 1, "error": "The disk is full."})]
    assert run("start", status=1).err == "The disk is full.\n"


@pytest.mark.parametrize(
    "typed",
    ["start", "status", "tables", "roster show", "power-budget", "links settle --lead --hall main"],
)
def test_without_a_core_the_status_is_4(state: Path, typed: str, run: Run) -> None:
    assert run(*typed.split(), status=4).err == (
        f"No controller answers at {state}/control.sock: start it with `pi-controller run`,"
        " or name its --state-dir.\n"
    )
