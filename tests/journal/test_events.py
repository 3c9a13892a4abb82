"""Events survive the way into a record and back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from pi_controller.game.events import Action, Corrected, Did, Ended, Turned, WentOn
from pi_controller.journal.events import UnknownEventError, decode_event, encode_event

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
    st.builds(Did, ACTIONS),
    st.builds(
        Corrected,
        st.sampled_from(["undone", "redone"]),
        st.integers(0, 99),
        st.none() | ACTIONS,
        st.none() | ACTIONS,
        st.integers(0),
    ),
    st.just(Turned("robber", 11, 12, None, (3, 4), 0, "desert", (1, 6), 5, 6)),
    st.just(Turned("round", 12, 12, "moon", (3, 5), 1, None, None, 5, 6)),
    st.builds(WentOn, st.integers(0)),
    st.just(Ended(7, "verdict", ("c1", "c2"), "shared")),
)


@given(EVENTS)
def test_an_event_comes_back_the_same_through_json(event):
    kind, data = encode_event(event)
    assert decode_event(kind, json.loads(json.dumps(data))) == event


def test_the_public_word_has_a_kind_of_its_own():
    kind, data = encode_event(Did(Action(1, Contribute("lantern"), 5, 6, "web")))
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
