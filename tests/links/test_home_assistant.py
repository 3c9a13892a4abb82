"""The templates before real Jinja, on pictures of a game, beside what the panel's own lamps show."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import jinja2
import pytest

from pi_controller.core.panel.view import BLINK_HALF_NS, panel_at, view_of
from pi_controller.links.withdrawal import discovery
from tests.protocol.pictures import claim, picture, typed

NOW = datetime(2026, 11, 24, 20, 0, tzinfo=UTC)
READY = {"phase": "ready", "side": None, "running": False, "round": 0, "dice": None, "sum": None}
ROBBER = {"phase": "robber", "side": None, "dice": [3, 4], "sum": 7, "robber_target": 5}
PAUSED = {"paused": True, "running": False, "pause_reasons": ["button"]}
SHEETS = {"phase": "collecting", "side": None, "running": False, "dice": None, "sum": None}
PHASES: dict[str, dict[str, Any]] = {
    "ready": READY,
    "sun": {},
    "moon": {"side": "moon"},
    "paused": PAUSED,
    "robber": ROBBER,
    "paused robber": {**ROBBER, **PAUSED},
    "sheets": SHEETS,
    "ended": {**SHEETS, "phase": "ended"},
    "going on": {"paused": True, "running": False, "resume_in_ms": 2000},
    "before the first round": {**READY, "paused": True, "resume_in_ms": 2000},
}


def components() -> dict[str, dict[str, Any]]:
    _, payload = discovery("north")
    found: dict[str, dict[str, Any]] = json.loads(payload)["components"]
    return found


def rendered(template: str, payload: dict[str, Any]) -> str:
    """As Home Assistant does it: undefined names are mistakes here, though."""
    made = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False).from_string(template)  # noqa: S701
    return made.render(value_json=payload, now=lambda: NOW, timedelta=timedelta)


def states(**changes: Any) -> dict[str, str]:
    """Of every sensor that reads the picture, after one with these changes."""
    shown = json.loads(json.dumps(picture(**changes)))
    return {
        name: rendered(one["value_template"], shown)
        for name, one in components().items()
        if one["state_topic"] == "controller/north/picture"
    }


def test_a_round() -> None:
    assert states(claims=[claim(), claim(id="c2", status="withdrawn"), claim(id="c3")]) == {
        "side": "sun",
        "phase": "round",
        "round": "3",
        "roll": "8",
        "claims": "2",
        "remaining": "23.456",
        "phase_ends": "2026-11-24T20:00:23.456000+00:00",
        "paused": "OFF",
        "sun_lamp": "on",
        "moon_lamp": "off",
        "pause_lamp": "on",
        "health": "ok",
    }


def test_a_pause_stops_the_time_and_a_faster_game_ends_sooner() -> None:
    assert states(**PAUSED)["phase_ends"] == "None"
    assert states(rate=4)["phase_ends"] == "2026-11-24T20:00:05.864000+00:00"
    assert states(duration_ms=0, remaining_ms=0)["phase_ends"] == "None", "a turn without a limit"


@pytest.mark.parametrize("changes", PHASES.values(), ids=PHASES)
def test_lamps_are_those_of_the_panel(changes: dict[str, Any]) -> None:
    view = view_of(typed(**changes), offset_ns=0, before=None)
    first, second = (panel_at(view, view.as_of_ns + half * BLINK_HALF_NS) for half in (0, 1))
    found = states(**changes)
    for name, levels in {
        "sun_lamp": (first.sun, second.sun),
        "moon_lamp": (first.moon, second.moon),
        "pause_lamp": (first.pause_lamp, second.pause_lamp),
    }.items():
        expected = {(False, False): "off", (True, True): "on"}.get(levels, "blinking")
        assert found[name] == expected, name


@pytest.mark.parametrize("changes", PHASES.values(), ids=PHASES)
def test_every_state_is_one_that_was_announced(changes: dict[str, Any]) -> None:
    for name, state in states(**changes).items():
        one = components()[name]
        assert state in one.get("options", [state])
        assert state in ("ON", "OFF") or one["platform"] == "sensor"


def test_the_health_has_its_sentences() -> None:
    ill = {"level": "fault", "messages": ["The journal is not being saved.", 'A "quoted" one.']}
    found = states(health=ill)
    assert found["health"] == "fault"
    attributes = components()["health"]
    assert attributes["json_attributes_topic"] == "controller/north/picture"
    assert json.loads(rendered(attributes["json_attributes_template"], picture(health=ill))) == {
        "messages": ill["messages"]
    }


@pytest.mark.parametrize(("state", "connected"), [("online", "ON"), ("offline", "OFF")])
def test_whether_the_hall_is_there(state: str, connected: str) -> None:
    status = {"state": state, "role": "leader", "term": 1}
    found = components()
    assert rendered(found["online"]["value_template"], status) == connected
    assert "availability" not in found["online"], "it says offline, where the others say unavailable"
    for name in found.keys() - {"online"}:
        (availability,) = found[name]["availability"]
        assert availability["topic"] == "controller/north/status"
        assert rendered(availability["value_template"], status) == state


def test_two_halls_are_two_devices() -> None:
    (north, described), (south, other) = discovery("north"), discovery("south")
    assert north == "homeassistant/device/pi_controller_north/config"
    assert south == "homeassistant/device/pi_controller_south/config"
    ids = [
        {one["unique_id"] for one in json.loads(payload)["components"].values()}
        for payload in (described, other)
    ]
    assert len(ids[0]) == len(components())
    assert not ids[0] & ids[1]
