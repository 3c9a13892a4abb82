"""Every command, every request of the control socket and every probe: a mistake inside is answered with a sentence and
counted, and the next one of the same kind works. Whoever adds one says here what is inside it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.button import ButtonChooser
from pi_controller.core.following import Follower, Leader
from pi_controller.core.game_loop.commands import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.hardware_test import testing
from pi_controller.core.hardware_test.firmware import FirmwareUpdate
from pi_controller.core.hardware_test.news import Watchers
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.panel.simulation import Simulation
from pi_controller.core.runtime import Metrics
from pi_controller.core.server import requests, stick
from pi_controller.core.server import settings as server_settings
from pi_controller.core.server.requests import ArchiveRequests, RequestHandler
from pi_controller.core.sound.speaker import Speaker
from pi_controller.core.tables import state as tables_report
from pi_controller.core.tables.claims import PressTimes, SeatClaims
from pi_controller.core.tables.roster import TableActions
from pi_controller.core.tables.tables import TableChanges
from pi_controller.defects import named
from pi_controller.hal.gpio import open_pins
from pi_controller.hal.sim.panel import PanelWiring, SimPanel
from pi_controller.protocol.commands import BODIES
from pi_controller.protocol.messages import REQUESTS
from pi_controller.roster.store import RosterStore
from pi_controller.settings import standing
from tests.core.hall import Hall
from tests.protocol.test_server import Desk, Line, connect, run

KEYS = {
    "defect.broken_off",
    "archive.broken_off",
    "defect.broken_off_unnamed",
    "stick.not_looked",
    "tables.not_looked",
    "tables.roster_broken_off",
}


class BrokenError(Exception):
    """What no code expects."""


def broken(*_given: object, **_named: object) -> Any:
    raise BrokenError("a defect")


BODY: dict[str, Any] = {
    "contribute": {"text": "sheep"},
    "add_time": {"ms": 1000},
    "set_schedule": [{"from_round": 1, "seconds": 35}],
    "set_claims": {"mode": "ask"},
    "claim": {"board": "A1"},
    "withdraw": {"claim": "c1"},
    "verdict": {"claim": "c1", "confirmed": True},
    "last_rounds": {"count": 1},
    "end": {"confirm": True},
    "close": {"confirm": True},
    "say": {"text": "hello"},
    "cover": {"kind": "black"},
    "timer": {"seconds": 60},
    "identify": {"screen": "north"},
}
"""Bodies of those that need one."""


@pytest.mark.parametrize("name", BODIES)
def test_every_command_is_answered_whatever_breaks_off_inside(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = Hall().begin()
    body = BODY.get(name)
    inside = {"arm": "note", "identify": "show_name", "contribute": "decide"}.get(name, "decide")
    for count in (1, 2):
        with monkeypatch.context() as patch:
            patch.setattr(hall.loop, inside, broken)
            answers = hall.ask(name, body, key="once")
        assert [answer.accepted for answer in answers] == [False]
        assert answers[0].reasons[0].key == "defect.broken_off"
        assert hall.loop.metrics.numbers()["defects"] == count
    again = hall.ask(name, body, key="once")
    assert len(again) == 1, "it is answered"
    assert all(reason.key != "defect.broken_off" for reason in again[0].reasons), (
        "and was not refused for good"
    )
    assert "health.something_failed" in {item.key for item in hall.picture.health.items}


ASKED: dict[str, dict[str, Any]] = {
    "command": {"name": "say", "body": {"text": "hello"}},
    "sim": {"do": "tap"},
    "export_lines": {"game": "g1"},
    "set_roster": {"roster": {"version": 1, "rows": []}},
    "table": {"deed": {"do": "stop_enrolment"}},
    "test_begin": {"who": "Ada", "purpose": "selftest", "take": True},
    "probe": {"probe": {"do": "settings"}},
    "show_pin": {"pin": "123456"},
    "staff_pages": {"address": "http://10.0.0.1:80", "fingerprint": ""},
    "sound": {"do": "mute"},
    "pin_guesses": {"wrong": 1},
    "set_settings": {"changes": [{"key": "event.name", "value": "Fair"}]},
    "copy": {"deed": {"do": "take_over", "game": "g1"}},
    "seat_claim": {"code": "A5-sun", "key": "claim-0001", "pressed_us": 1, "error_us": 1},
    "seat_taken": {"code": "A5-sun"},
    "link": {"state": "looking"},
    "follow": {"leader": "main", "term": 1, "offset_us": None, "error_us": 0, "heard_us": None},
    "uplink_done": {"key": "k1", "accepted": True},
    "hall_command": {"hall": "east", "uplink": {"key": "k1", "do": "press", "at_us": 1, "source": "button"}},
    "settle": {"lead": False, "hall": "main"},
    "keep_term": {"term": 2, "over": []},
}
"""Fields of those that need some."""

INSIDE: dict[str, tuple[tuple[Any, str], ...]] = {
    "picture": ((GameLoop, "picture"),),
    "watch": ((GameLoop, "picture"),),
    "command": ((CommandQueue, "_do"), (CommandQueue, "carry_out"), (requests, "parse_command")),
    "actions": ((requests, "answer_about_actions"),),
    "panel": ((Simulation, "watch"),),
    "sim": ((Simulation, "do"),),
    "games": ((ArchiveRequests, "_read"),),
    "export_lines": ((ArchiveRequests, "_read"),),
    "metrics": ((Metrics, "numbers"),),
    "tables": ((TableChanges, "ask"), (tables_report, "snapshot")),
    "watch_tables": ((TableChanges, "ask"), (tables_report, "snapshot")),
    "roster": ((RequestHandler, "_of_the_tables"),),
    "firmware": ((FirmwareUpdate, "_view"),),
    "set_roster": ((TableActions, "set_roster"), (RosterStore, "save")),
    "table": ((TableActions, "do"),),
    "test_begin": ((testing.Testing, "_begin"), (Watchers, "begin")),
    "test_keep": ((testing.Testing, "refusal"),),
    "test_end": ((testing.Testing, "refusal"), (Watchers, "end")),
    "probe": ((testing.Testing, "_give"),),
    "watch_test": ((testing.Testing, "refusal"), (Watchers, "add")),
    "show_pin": ((Outputs, "show_pin"),),
    "staff_pages": ((Outputs, "show_staff_pages"),),
    "sound": ((Speaker, "do"),),
    "button": ((ButtonChooser, "_view"),),
    "copy": ((stick.CopyDecision, "answer"), (stick, "encode_change")),
    "stick": ((stick, "mounted_sticks"), (stick.StickJob, "_answered")),
    "settings": ((server_settings, "views"),),
    "set_settings": ((server_settings, "mistakes"), (server_settings, "changed"), (server_settings, "keep")),
    "restart": ((server_settings.SettingsRequests, "_against"),),
    "pin_guesses": ((RequestHandler, "_tell_guesses"),),
    "seat_claim": ((SeatClaims, "_seat"),),
    "seat_taken": ((SeatClaims, "taken"),),
    "seat_codes": ((SeatClaims, "printed"),),
    "link": ((Follower, "tell"),),
    "follow": ((Follower, "hear"),),
    "watch_uplink": ((Follower, "_view"),),
    "uplink_done": ((Follower, "done"),),
    "hall_command": ((Leader, "hall_command"), (Leader, "decided")),
    "settle": ((Leader, "settle"),),
    "keep_term": ((standing, "keep_standing"),),
}
"""What may break off inside each, sooner or later, on the loop or on a thread."""


def test_nothing_that_may_be_asked_is_left_out() -> None:
    assert INSIDE.keys() == REQUESTS.keys()


@pytest.fixture
def panel() -> Iterator[SimPanel]:
    wiring = PanelWiring(sun_lamp=12, moon_lamp=13, buzzer=16, pause_lamp=26, pause_no=6, pause_nc=None)
    with open_pins("mock") as pins, SimPanel(pins, wiring) as panel:
        yield panel


def ready(at: Desk, ask: str, panel: SimPanel) -> None:
    """What answers this request is there."""
    hall = at.hall
    asyncio.get_running_loop().set_exception_handler(
        lambda _loop, context: hall.loop.defect(named(context["exception"]))
    )
    if ask in ("panel", "sim"):
        at.asks._simulation = Simulation(panel, lambda: None, wire="no")
    elif ask == "sound":
        at.asks._speaker = Speaker.__new__(Speaker)
    elif ask in ("link", "follow", "watch_uplink", "uplink_done"):
        at.asks._halls = at.hall_requests(Follower(hall="east", loop=hall.loop, timers=hall.timers))
    elif ask in ("hall_command", "settle", "keep_term"):
        times = PressTimes(loop=hall.loop, timers=hall.timers, stood_still=None)
        leader = Leader(hall="main", loop=hall.loop, commands=hall.commands, times=times, timers=hall.timers)
        at.asks._halls = at.hall_requests(leader)


async def lease(line: Line) -> str:
    line.ask(ask="test_begin", **ASKED["test_begin"])
    return str((await line.read())["lease"])


@pytest.mark.parametrize(
    "inside",
    [(ask, *one) for ask, found in INSIDE.items() for one in found],
    ids=[f"{ask}-{one[1]}" for ask, found in INSIDE.items() for one in found],
)
def test_every_request_is_answered_whatever_breaks_off_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, panel: SimPanel, inside: tuple[str, Any, str]
) -> None:
    ask, owner, name = inside

    async def talk(at: Desk) -> None:
        ready(at, ask, panel)
        line = await connect(at)
        fields = dict(ASKED.get(ask, {}))
        if ask in ("test_keep", "test_end", "watch_test"):
            fields["lease"] = await lease(line)
        with monkeypatch.context() as patch:
            if ask == "watch_uplink":
                patch.setattr(at.asks._halls._end.outbox, "watch", broken)  # type: ignore[union-attr]
            else:
                patch.setattr(owner, name, broken)
            line.ask(ask=ask, **fields)
            answer = await line.read()
        told = answer.get("error_key") or answer["reason_keys"][0]
        assert (answer["id"], told["key"] in KEYS) == (7, True), answer
        other = await connect(at)
        defects = 0
        while (
            defects == 0
        ):  # what broke off on a thread is told a moment later; the test's deadline ends this
            other.ask(ask="metrics")
            defects = (await other.read())["metrics"]["defects"]
        assert defects == 1
        if "lease" in fields:
            fields["lease"] = await lease(line)
        if ask == "sound":
            monkeypatch.setattr(Speaker, "do", lambda *_given, **_named: None)
        line.ask(ask=ask, **fields)
        again = await line.read()
        assert (again.get("error_key") or {}).get("key") not in KEYS, again
        assert [len(client.under_way) for client in at.server._clients] == [0, 0], "nothing stays under way"

    run(tmp_path, talk)
