from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.game import commands as game
from pi_controller.game.commands import Resources, Sheet, Step
from pi_controller.protocol.commands import BODIES, NOT_A_REPLACEMENT, Arm, Identify, parse_command
from pi_controller.protocol.errors import Malformed
from pi_controller.sentence import Sentence

ACCEPTED = [
    ("arm", None, Arm()),
    (
        "arm",
        {"rule_set": "connect", "first_side": "drawn", "schedule": [{"from_round": 1, "seconds": 35}]},
        Arm("connect", "drawn", (Step(1, 35),)),
    ),
    ("contribute", {"text": "lighthouse"}, game.Contribute("lighthouse")),
    ("start", None, game.Start()),
    ("start", {}, game.Start()),
    ("pause", {}, game.Pause("director")),
    ("resume", None, game.Resume()),
    ("resume", {"override": True}, game.Resume(override=True)),
    ("add_time", {"ms": -5000}, game.AddTime(-5000)),
    (
        "set_schedule",
        [{"from_round": 1, "seconds": 35}, {"from_round": 11, "seconds": 45.5}],
        game.SetSchedule((Step(1, 35), Step(11, 45.5))),
    ),
    ("set_claims", {"mode": "pause"}, game.SetClaims("pause")),
    ("skip", None, game.Skip()),
    ("undo", None, game.Undo()),
    ("undo", {"replace": None}, game.Undo()),
    ("undo", {"replace": {"name": "skip"}}, game.Undo(game.Skip())),
    ("undo", {"replace": {"name": "add_time", "body": {"ms": 7}}}, game.Undo(game.AddTime(7))),
    ("redo", {}, game.Redo()),
    ("turn", {"seat": "red"}, game.Turn("red")),
    ("turn", None, game.Turn()),
    ("claim", {"board": "12", "side": "moon"}, game.Claim("12", "moon")),
    ("claim", None, game.Claim()),
    ("withdraw", {"claim": "c1"}, game.Withdraw("c1")),
    ("verdict", {"claim": "c1", "confirmed": False}, game.Verdict("c1", confirmed=False)),
    (
        "verdict",
        {"claim": "c1", "sheet": {"settlements": 2, "cities": 4, "resources": {"ore": 3}}},
        game.Verdict("c1", sheet=Sheet(2, 4, resources=Resources(ore=3))),
    ),
    ("last_rounds", {"count": 2}, game.LastRounds(2)),
    ("end", {"confirm": True}, game.End(confirm=True)),
    ("close", {"confirm": True}, game.Close(confirm=True)),
    ("say", {"text": "Door closes"}, game.Say("Door closes")),
    ("say", {"text": "", "seconds": 5}, game.Say("", 5)),
    ("say", {"line": "break", "seconds": 5}, game.Say(line="break", seconds=5)),
    ("cover", {"kind": "test"}, game.Cover("test")),
    ("timer", {"label": "Break", "seconds": 600}, game.Timer("Break", 600)),
    ("timer", {"stop": True}, game.Timer(stop=True)),
    ("identify", {"screen": "left"}, Identify(screen="left")),
    ("identify", {"board": "12"}, Identify(board="12")),
]

REFUSED = [
    ("fly", {}, '"fly" is not a command; the commands are arm, contribute, start,'),
    ("press", {}, '"press" is not a command'),
    ("start", [], "start: The body must be an object, not a list"),
    ("start", {"now": 1}, "start: `now` is not known; known here: `override`"),
    ("pause", {"reason": "fault"}, "pause: `reason` is not known; nothing is expected here"),
    ("resume", {"override": 1}, "resume: `override` must be true or false, not 1"),
    ("add_time", None, "add_time: `ms` is missing; it must be a whole number"),
    ("add_time", {"ms": 1.0}, "add_time: `ms` must be a whole number, not 1.0"),
    ("add_time", {"ms": True}, "add_time: `ms` must be a whole number, not true"),
    ("add_time", {"ms": 3_600_001}, "add_time: ms must be from -3600000 to 3600000, not 3600001"),
    ("add_time", {"ms": 2**53}, "add_time: A number is too large; the largest is 9007199254740991"),
    ("contribute", {"text": ["a"]}, "contribute: `text` must be a text, not a list"),
    ("set_schedule", None, "set_schedule: The body must be a list, not null"),
    ("set_claims", {}, 'set_claims: `mode` is missing; it must be "ask" or "pause"'),
    ("cover", {"kind": "red"}, 'cover: `kind` must be "black", "none" or "test", not "red"'),
    ("set_claims", {"mode": "stop"}, 'set_claims: `mode` must be "ask" or "pause", not "stop"'),
    ("set_schedule", [], "set_schedule: A schedule must begin with from_round 1"),
    ("set_schedule", [{"from_round": 1}], "set_schedule: `[0].seconds` is missing; it must be a number"),
    (
        "set_schedule",
        [{"from_round": 1, "seconds": 35}, {"from_round": 2, "seconds": 0}],
        "set_schedule: At `[1]`: seconds must be from 1 to 3600, not 0.0",
    ),
    (
        "arm",
        {"first_side": "left"},
        'arm: `first_side` must be "blue", "brown", "drawn", "green", "highest", "moon",',
    ),
    ("arm", {"rule_set": ""}, "arm: rule_set must be 1 to 60 characters"),
    ("arm", {"schedule": [{"from_round": 2, "seconds": 3}]}, "arm: A schedule must begin with from_round 1"),
    (
        "claim",
        {"board": "1", "side": "left"},
        'claim: `side` must be "blue", "brown", "green", "moon", "orange",',
    ),
    ("verdict", {"claim": "c1"}, "verdict: A verdict is either `confirmed` or a `sheet`"),
    (
        "verdict",
        {"claim": "c1", "sheet": {"settlements": "four", "cities": 1}},
        'verdict: `sheet.settlements` must be a whole number, not "four"',
    ),
    (
        "verdict",
        {"claim": "c1", "sheet": {"settlements": 1, "cities": 1, "resources": {"gold": 1}}},
        "verdict: `sheet.resources.gold` is not known; known here: `grain`, `ore`, `brick`, `lumber`, `wool`",
    ),
    (
        "verdict",
        {"claim": "c1", "sheet": {"settlements": 1, "cities": 100}},
        "verdict: At `sheet`: cities must be from 0 to 99, not 100",
    ),
    ("end", None, "end: `confirm` is missing; it must be true or false"),
    ("close", {"confirm": False}, "close: confirm must be true: closing the game takes two steps"),
    ("end", {"confirm": False}, "end: confirm must be true: ending the game takes two steps"),
    ("identify", {}, "identify: Identify takes either `screen` or `board`"),
    ("identify", {"board": ""}, "identify: A screen or board has a name of 1 to 60 printable characters"),
    ("undo", {"replace": {}}, "undo: `replace.name` is missing; it must be a text"),
    (
        "undo",
        {"replace": {"name": "withdraw", "body": {"claim": 3}}},
        "undo: `replace`: withdraw: `claim` must be a text, not 3",
    ),
    ("say", {}, r"say: Say takes either `text` or `line`"),
    ("say", {"text": "Short break", "line": "break"}, r"say: Say takes either `text` or `line`"),
    ("say", {"text": "\ud800"}, r'say: "\ud800" contains half of a surrogate pair, which is not a character'),
    ("timer", {"seconds": float("nan")}, "timer: A number is not finite; NaN and infinity are not JSON"),
    ("timer", {"seconds": b"1"}, "timer: a bytes is not a JSON value"),
    ("start", {1: 2}, 'start: 1 is not a key that is used here; keys are plain words such as "board"'),
]


@pytest.mark.parametrize(("name", "body", "command"), ACCEPTED)
def test_a_body_as_published_becomes_its_command(name: str, body: object, command: object) -> None:
    assert parse_command(name, body) == command


@pytest.mark.parametrize(("name", "body", "sentence"), REFUSED)
def test_a_mistake_is_told_with_its_place_and_value(name: str, body: object, sentence: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_command(name, body)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def test_every_command_has_an_accepted_example() -> None:
    assert {name for name, _, _ in ACCEPTED} == set(BODIES)


@pytest.mark.parametrize("name", sorted(NOT_A_REPLACEMENT))
def test_what_changes_no_game_cannot_replace(name: str) -> None:
    with pytest.raises(Malformed, match=f"`replace.name`: {name} cannot stand in for another command"):
        parse_command("undo", {"replace": {"name": name}})


def test_deep_nesting_is_refused() -> None:
    body: object = {}
    for _ in range(5000):
        body = {"replace": body}
    with pytest.raises(Malformed, match="nested deeper than 16 levels"):
        parse_command("undo", body)


KEYS = st.sampled_from(
    ["ms", "text", "claim", "sheet", "replace", "name", "body", "seconds", "from_round", "side", "a`.b", ""]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(alphabet=st.characters())
    | st.sampled_from(["\ud800", "sun", "x` - at `$.side", "add_time", "undo", 10**400, b"", float("inf")]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(name=st.sampled_from(sorted(BODIES)) | st.text(max_size=8), body=VALUES)
def test_nothing_but_malformed_is_ever_raised(name: str, body: object) -> None:
    with suppress(Malformed):
        parse_command(name, body)


FIELDS = {
    "add_time": "ms",
    "claim": "side",
    "say": "text",
    "cover": "kind",
    "verdict": "sheet",
    "timer": "seconds",
    "arm": "schedule",
    "undo": "replace",
    "set_claims": "mode",
}


@given(name=st.sampled_from(sorted(FIELDS)), value=VALUES)
def test_any_value_in_a_known_field_is_read_or_refused(name: str, value: object) -> None:
    with suppress(Malformed):
        parse_command(
            name, {FIELDS[name]: value, "claim": "c"} if name == "verdict" else {FIELDS[name]: value}
        )


def test_what_is_out_of_range_is_a_sentence_by_its_key() -> None:
    with pytest.raises(Malformed) as wrong:
        parse_command("verdict", {"claim": "c1", "sheet": {"settlements": 3, "cities": 100}})
    within = Sentence("range.within", name="cities", least=0, most=99, value=100)
    place = Sentence("request.at_place", path="sheet", problem=within)
    assert wrong.value.sentence == Sentence("request.of_command", command="verdict", problem=place)
