"""Lines and events: as records and back, and as `docs/journal.md` lists them."""

import ast
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_controller.core.game_loop.opening import header
from pi_controller.core.game_loop.pending import KeptAnswer
from pi_controller.core.tables.state import minute_note
from pi_controller.game.commands import (
    AddTime,
    Claim,
    Contribute,
    Resources,
    SetClaims,
    SetSchedule,
    Sheet,
    Step,
    Verdict,
)
from pi_controller.game.events import (
    EVENT_KINDS,
    Action,
    CommandApplied,
    Corrected,
    Ended,
    PhaseBegan,
    Resumed,
)
from pi_controller.game.game import Seal, new_game
from pi_controller.game.rule_sets import CONNECT
from pi_controller.journal.errors import DamagedLine, NewerJournal
from pi_controller.journal.record import (
    FORMAT,
    UnknownEventError,
    canonical,
    decode,
    decode_event,
    encode,
    encode_event,
    hash_of,
    known,
    seal,
)
from pi_controller.sentence import Sentence
from tests.journal.chains import chain, lines

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    data=st.dictionaries(st.text(st.characters(codec="utf-8")), values, max_size=4),
    seq=st.integers(1),
    boot_ns=st.integers(),
)
def test_every_record_comes_back(data, seq, boot_ns):
    record = seal(
        "did", data, seq=seq, game_ns=-1, boot_ns=boot_ns, boot_id="b", wall="Łódź", prev=chain(1)[0].hash
    )
    line = encode(record)
    assert decode(line) == record
    assert known(line) == record
    assert hash_of(line) == record.hash
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")


@given(st.binary(max_size=400))
def test_no_random_bytes_are_a_line(blob):
    with pytest.raises(DamagedLine):
        decode(blob + b"\n")


@given(seq=st.integers(0, 4), bit=st.integers(0, 8 * 250))
def test_no_flipped_bit_is_accepted(seq, bit):
    line = bytearray(lines(chain(5))[seq])
    line[bit // 8 % len(line)] ^= 1 << bit % 8
    with pytest.raises(DamagedLine):
        decode(bytes(line))


def resealed(**changes):
    """A line whose hash is right although its fields are not."""
    fields = json.loads(lines(chain(2))[1]) | changes
    del fields["hash"]
    fields = {name: value for name, value in fields.items() if value is not ...}
    return canonical(fields | {"hash": hashlib.sha256(canonical(fields)).hexdigest()}) + b"\n"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "cut off"),
        (lines(chain(2))[1][:-1], "cut off"),
        (b"\n", "not JSON"),
        (b"\0" * 100 + b"\n", "not JSON"),
        (b'{"seq":NaN}\n', "not JSON"),
        (b'{"seq":1e999}\n', "not JSON"),
        (b'"\\ud800"\n', "not JSON"),
        (b"[" * 100_000 + b"\n", "not JSON"),
        (b"1" * 5000 + b"\n", "not JSON"),
        (b"\xff\xfe{\0}\0\n", "not JSON"),
        (b"[]\n", "not a JSON object"),
        (b"{}\n", "hash does not fit"),
        (lines(chain(2))[1].replace(b'"seq":1', b'"seq": 1'), "canonical"),
        (lines(chain(2))[1].replace(b'"seq":1', b'"seq":1,"seq":1'), "canonical"),
        (lines(chain(2))[1].replace("ń".encode(), b"\\u0144"), "canonical"),
        (lines(chain(2))[1].replace(b'"seq":1', b'"seq":2'), "hash does not fit"),
        (resealed(seq=True), "field seq is of the wrong type"),
        (resealed(game_ns=1.0), "field game_ns is of the wrong type"),
        (resealed(data=[]), "field data is of the wrong type"),
        (resealed(more=1), "fields are not those"),
        (resealed(wall=...), "fields are not those"),
        (resealed(seq=-1), "negative"),
        (resealed(seq=0), "does not begin a game"),
        (resealed(seq=0, kind="game", data={"format": 0}), "does not begin a game"),
    ],
)
def test_a_damaged_line_says_why(line, reason):
    with pytest.raises(DamagedLine, match=reason) as caught:
        decode(line)
    assert reason in str(caught.value)


def test_a_newer_format_is_refused_in_one_sentence_also_with_other_fields():
    with pytest.raises(
        NewerJournal, match=f"format {FORMAT + 1}, but this version reads only up to {FORMAT}"
    ):
        decode(resealed(seq=0, kind="game", data={"format": FORMAT + 1}, signature="x", wall=...))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_what_is_not_json_is_no_record(value):
    with pytest.raises(ValueError, match=r"JSON|surrogates"):
        replace_data({"value": value})


def test_what_json_does_not_know_is_no_record():
    with pytest.raises(TypeError, match="not JSON serializable"):
        replace_data({"value": object()})


def replace_data(data):
    return seal("did", data, seq=1, game_ns=0, boot_ns=0, boot_id="", wall="", prev="")


def test_one_line_byte_for_byte():
    record = seal("did", {"b": 1, "a": "ü"}, seq=3, game_ns=1, boot_ns=2, boot_id="x", wall="w", prev="p")
    body = (
        '{"boot_id":"x","boot_ns":2,"data":{"a":"ü","b":1},"game_ns":1,'
        '"kind":"did","prev":"p","seq":3,"wall":"w"}'
    )
    assert canonical({name: getattr(record, name) for name in json.loads(body)}) == body.encode()
    # from sha256sum over the text above
    assert record.hash == "91dfb968177f372892ba234c0c6cf1c5af1af81ab07655f6745fee0818294bff"
    assert encode(replace(record, hash="h")).decode() == body.replace('"kind"', '"hash":"h","kind"') + "\n"


SHEET = Sheet(3, 2, foreign_left=True, victory_cards=1, resources=Resources(grain=2))
COMMANDS = [
    AddTime(-500),
    Claim("7", "sun"),
    Contribute("lantern"),
    SetSchedule((Step(1, 35), Step(11, 45.5))),
    SetClaims("pause"),
    Verdict("c3", sheet=SHEET),
    Verdict("c3", confirmed=False),
]
ACTIONS = st.builds(
    Action, st.integers(1, 999), st.sampled_from(COMMANDS), st.integers(0), st.integers(0), st.text()
)
EVENTS = st.one_of(
    st.builds(CommandApplied, ACTIONS),
    st.builds(
        Corrected,
        st.sampled_from(["undone", "redone"]),
        st.integers(0, 99),
        st.none() | ACTIONS,
        st.none() | ACTIONS,
        st.integers(0),
    ),
    st.just(PhaseBegan("robber", 11, 12, None, (3, 4), 0, "desert", (1, 6), 5, 6)),
    st.just(PhaseBegan("round", 12, 12, "moon", (3, 5), 1, None, None, 5, 6)),
    st.builds(Resumed, st.integers(0)),
    st.just(Ended(7, "verdict", ("c1", "c2"), "shared")),
)


@given(EVENTS)
def test_an_event_comes_back_the_same_through_json(event):
    kind, data = encode_event(event)
    assert decode_event(kind, json.loads(json.dumps(data))) == event


def test_the_public_word_has_a_kind_of_its_own():
    kind, data = encode_event(CommandApplied(Action(1, Contribute("lantern"), 5, 6, "web")))
    assert (kind, data["text"]) == ("contributed", "lantern")


def test_other_records_are_no_events():
    assert decode_event("note", {"text": "back"}) is None


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("did", {}),
        ("did", {"action": {"command": {"name": "fly", "body": {}}}}),
        ("turned", {"phase": "dawn"}),
        ("went_on", {"at_ns": "soon"}),
        ("corrected", {"removed": None}),
    ],
)
def test_data_that_do_not_fit_are_named(kind, data):
    with pytest.raises(UnknownEventError, match=f"kind {kind} does not fit"):
        decode_event(kind, data)


# `docs/journal.md` lists every kind of line with its fields, as the program writes them.

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
