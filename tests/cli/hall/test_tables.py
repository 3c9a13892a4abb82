import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from pi_controller.bus.values import DisplaysView, LinkState, NodeState
from pi_controller.cli.main import main
from pi_controller.cli.tables import LINKS, STATES, describe
from pi_controller.core.tables.state import snapshot
from pi_controller.protocol.tables import EnrolmentView, TablesSnapshot
from pi_controller.roster import model
from pi_controller.roster.store import Calibration, load, save
from pi_controller.sentence import as_told
from tests.cli.conftest import Run
from tests.core.hand_bus import SEGMENT, node, roster_of, uid
from tests.protocol.fake_core import FakeCore, line

HALL = """\
SEGMENT  PORT        LINK  BAUD    BUSY  GOOD  CRC  MISSED  TRIP ms
A        /dev/row-A  open  250000  25%   100   1    2       1.5/3.0

BOARD  NODE              SEG  STATE  AGE s  FIRMWARE  SUPPLY V  GAIN    °C  MISSED  CRC  TRIP ms  NOTES
A1     0000000000000001  A    good   0.0    1.0       5.0       -       30  1       0    -
A2     0000000000000002  A    lost   9.5    1.0       5.1       1.0174  30  1       0    1.5/3.0  swapped, safe mode, was reset by its watchdog, Moon display does not answer
-      0000000000000003  A    good   0.0    1.0       5.0       -       30  1       0    -

A claim waits for the director.
! Table A2 is cut off."""


def tables(**changes: Any) -> TablesSnapshot:
    ill = node(
        2,
        state="lost",
        age_ms=9500,
        swapped=True,
        safe_mode=True,
        reset="watchdog",
        displays=DisplaysView(sun=True, moon=False),
        round_trip_ms=SEGMENT.round_trip,
    )
    made = snapshot(
        [replace(SEGMENT, nodes=(node(3), ill, node(1)))],
        model.swap(roster_of(1, 2), "A2"),
        doctor=[as_told("Table A2 is cut off.")],
        enrolment=None,
        claims_mode="ask",
        language="en",
        gains={uid(2): 1.01742},
    )
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def test_people_get_a_table() -> None:
    assert "\n".join(describe(tables())) == HALL


def test_a_walk_and_the_mode_are_told() -> None:
    walk = EnrolmentView(row="A", next_board="A2", done=["A1"])
    lines = list(describe(tables(enrolment=walk, claims_mode="pause")))
    assert "A claim pauses at once." in lines
    assert "Enrolling row A: press the Sun button of board A2." in lines


def test_what_is_wrong_with_a_segment_is_told_once() -> None:
    found = tables()
    found.segments[0].sentence = "Segment A: the adapter is gone"
    assert list(describe(found)).count("! Segment A: the adapter is gone") == 1
    found.doctor, found.doctor_keys = ["Segment A: the adapter is gone"], []
    assert list(describe(found)).count("! Segment A: the adapter is gone") == 1


def test_without_tables_the_remedy_is_told() -> None:
    lines = list(describe(tables(segments=[], nodes=[])))
    assert lines[0] == "There are no table nodes: name their segments under [tables] in the settings."


def test_the_command_asks_core(core: FakeCore, run: Run) -> None:
    made = msgspec.to_builtins(tables())
    core.reply = lambda _: [line({"id": 1, "tables": made})]
    assert run("tables").out == HALL + "\n"
    assert json.loads(run("tables", "--json").out) == json.loads(json.dumps(made))


def test_every_state_has_its_text() -> None:
    assert set(LINKS) == set(get_args(LinkState))
    assert set(STATES) == set(get_args(NodeState))


SENT = [
    (["identify"], {"do": "identify"}),
    (["identify", "A1", "--seconds", "5"], {"do": "identify", "board": "A1", "seconds": 5}),
    (["identify", uid(7)], {"do": "identify", "uid": uid(7)}),
    (["swap", "A1"], {"do": "swap", "board": "A1"}),
    (["clear", "A1"], {"do": "clear", "board": "A1"}),
    (["replace", "A1", uid(7)], {"do": "replace", "board": "A1", "uid": uid(7)}),
    (["enrol", "A"], {"do": "enrol", "row": "A"}),
    (["enrol", "A", "--from", "A5"], {"do": "enrol", "row": "A", "board": "A5"}),
    (["stop-enrolment"], {"do": "stop_enrolment"}),
    (["order", uid(7), "reboot"], {"do": "order", "uid": uid(7), "what": "reboot"}),
]


@pytest.mark.parametrize(("given", "action"), SENT)
def test_each_deed_is_sent(core: FakeCore, given: list[str], action: dict[str, object]) -> None:
    assert main(["table", *given]) == 0
    assert {key: value for key, value in core.requests[-1]["deed"].items() if value is not None} == action


def test_a_gain_is_taken_back_without_the_node_and_without_core(state: Path, run: Run) -> None:
    save(Calibration(gains={uid(1): 1.02}), state)
    told = run("tables", "calibrate", uid(1), "--remove").out
    assert told == f"The gain of node {uid(1)} was removed; its readings are used uncorrected.\n"
    assert load(state).gains == {}
    again = run("tables", "calibrate", uid(1), "--remove", status=3).err
    assert again.startswith(f"No gain is kept for node {uid(1)};")


def test_a_refusal_is_exit_3(core: FakeCore, run: Run) -> None:
    core.refuse("There is no board A9 in the roster: add it there first.")
    assert (
        run("table", "swap", "A9", status=3).err
        == "There is no board A9 in the roster: add it there first.\n"
    )
