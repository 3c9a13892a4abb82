"""Tests of the hardware through the real programs: probed, refused during a game, and all given back."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_controller.bus.values import MeasureAsked, NodePing, PingAsked
from pi_controller.cli.main import _run
from pi_controller.cli.usage import REFUSED, Stop
from pi_controller.language.words import words
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble
from pi_controller.protocol.messages import AskPanel
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.probes import (
    BusProbe,
    IdentifyProbe,
    LampProbe,
    PortsProbe,
    TablePress,
)
from pi_controller.protocol.simulated import PanelPicture
from pi_controller.roster.store import load
from tests.protocol.asking import Probing
from tests.system.programs import PYTHON_PATH, Program, client_of, program, wait_until
from tests.system.virtual_tables import virtual_tables

ASKER = """
import sys
from pathlib import Path
from pi_controller.protocol.messages import AskProbe, AskTestBegin
from pi_controller.protocol.probes import LampProbe
from pi_controller.protocol.question import DEFAULT_TIMEOUT_S, BlockingConnection
core = BlockingConnection(Path(sys.argv[1]), DEFAULT_TIMEOUT_S)
begun = core.ask(AskTestBegin(who="Ada", purpose="hardware_test"), DEFAULT_TIMEOUT_S)
core.ask(AskProbe(probe=LampProbe(lamp="sun", lit=True), lease=begun.lease), DEFAULT_TIMEOUT_S)
print("lit", flush=True)
sys.stdin.read()
"""


@contextmanager
def core_at(state_dir: Path) -> Iterator[tuple[Program, Client]]:
    with program("core", "--hardware", "sim", "--state-dir", state_dir) as core:
        yield core, client_of(state_dir, core)


def panel_of(client: Client) -> PanelPicture:
    found = client.ask(AskPanel()).panel
    assert found is not None
    return found


def test_outputs_come_back_when_the_asker_is_killed_and_no_game_runs_meanwhile(tmp_path: Path) -> None:
    with core_at(tmp_path) as (core, client):
        asker = subprocess.Popen(
            [sys.executable, "-c", ASKER, str(socket_path(tmp_path))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": PYTHON_PATH},
        )
        with asker:
            assert asker.stdout is not None
            assert asker.stdout.readline() == "lit\n"
            assert panel_of(client).sun
            with Probing(socket_path(tmp_path)) as other:
                assert other.begin("Bob", "selftest").reasons == [
                    "Ada is using the hardware for a hardware test: wait until that is over, or take it over."
                ]
            refused = client.command("start", key="k")
            assert not refused.accepted
            assert refused.reasons[0].startswith(
                "Ada is using the hardware for a hardware test: no game can run"
            )
            asker.send_signal(signal.SIGKILL)
        wait_until(lambda: not panel_of(client).sun)
        assert client.command("start", key="k").reasons == refused.reasons
        assert client.command("start").accepted
        with Probing(socket_path(tmp_path)) as late:
            (reason,) = late.begin("Bob", "selftest").reasons
            assert reason.startswith("A game is under way (the countdown)")
            with pytest.raises(CoreTrouble, match="There is no such test"):
                late.probe(LampProbe(lamp="sun", lit=True))
        assert core.end() == 0
        assert core.faults() == []


def _clean(probing: Probing) -> tuple[NodePing, ...] | None:
    """Both nodes of a measurement into which no late answer of a busy machine's fell."""
    (result,) = probing.probe(BusProbe(job=PingAsked(frames=5))).results
    return None if len(result.nodes) < 2 or any(node.bad for node in result.nodes) else result.nodes


def test_tables_are_measured_and_walked_without_a_claim(tmp_path: Path) -> None:
    options = ("--hardware", "sim", "--nodes", "2", "--parts-seed=0", "--state-dir", tmp_path, "--port", "0")
    with program("run", *options) as run, virtual_tables(tmp_path) as tables:
        client = client_of(tmp_path, run)
        wait_until(lambda: [node.state for node in client.tables().nodes] == ["good", "good"])
        with Probing(socket_path(tmp_path)) as probing:
            assert probing.begin("Ada", "selftest").accepted
            nodes = wait_until(lambda: _clean(probing))
            assert [(node.sent, node.bad) for node in nodes] == [(5, 0), (5, 0)]
            assert all(node.answered for node in nodes), "a busy machine may miss some of them"
            port = probing.probe(PortsProbe()).ports[0]
            assert (port.present, port.holder, port.sentence) == (True, None, None)
            probing.probe(IdentifyProbe(what="walk", seconds=200))
            (uid,) = [node.uid for node in client.tables().nodes if node.board == "A2"]
            # Until the order to walk has reached the table, a press before the start is a touch and no claim.
            tables.until(lambda seen: seen[uid]["lamps"]["claim_moon"] > 0)
            press = _first_acknowledged(probing, lambda: tables.do("hold", uid, side="moon", value=2.0))
            assert (press.uid, press.board, press.side) == (uid, "A2", "moon")
            assert client.picture().claims == []
        _calibrate(tmp_path, uid)
        assert run.end() == 0


def _calibrate(folder: Path, uid: str) -> None:
    """The second table reads 24.0 V, its parts being ideal; from now on it reads what the multimeter says, until
    that is taken back."""

    def calibrate(node: str, volts: str) -> int:
        return _run(["tables", "calibrate", node, volts, "--state-dir", str(folder)])

    assert calibrate(uid, "24.2") == 0
    assert load(folder).gains == {uid: pytest.approx(24.2 / 24.0, abs=0.002)}
    for node, volts, why in (
        (uid, "26", "more than 5% apart"),
        (uid, "40", "A node's supply must be between 8 and 30 V, not 40 V."),
        ("0" * 16, "24", "gave no reading"),
    ):
        with pytest.raises(Stop) as refused:
            calibrate(node, volts)
        assert why in words(refused.value.sentence)
        assert refused.value.status == REFUSED
    with Probing(socket_path(folder)) as probing:
        assert probing.begin("Ada", "selftest").accepted
        (found,) = probing.probe(BusProbe(job=MeasureAsked(uids=(uid,)))).results
        assert [(round(node.supply_v, 1), node.calibrated) for node in found.measured] == [(24.2, True)]
        with pytest.raises(Stop) as refused:
            calibrate(uid, "24")
        assert "Ada" in words(refused.value.sentence)
    shown = {node.uid: node.gain for node in client_of(folder).tables().nodes}
    assert shown[uid] == pytest.approx(24.2 / 24.0, abs=0.002)
    assert [gain for node, gain in shown.items() if node != uid] == [None]
    assert _run(["tables", "calibrate", uid, "--remove", "--state-dir", str(folder)]) == 0
    assert load(folder).gains == {}
    assert {node.gain for node in client_of(folder).tables().nodes} == {None}


def _first_acknowledged(probing: Probing, act: Any) -> TablePress:
    """What the live news say of the first press that is acknowledged, after this was done."""
    with closing(probing.watch()) as news:
        next(news)
        act()
        for each in news:
            if each.pressed is not None and each.pressed.acknowledged_ms is not None:
                return each.pressed
    raise AssertionError("the news ended")
