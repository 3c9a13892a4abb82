"""The player's process: whatever it does, it is there again soon."""

import sys
import threading
from collections.abc import Iterator

import pytest

from pi_controller.hal.sound import process
from pi_controller.hal.sound.orders import Load
from pi_controller.hal.sound.process import PlayerProcess

DEADLINE_S = 120.0
DEAF = """
import sys, time
while True:
    print('{"trouble":null,"late":0,"underruns":0,"errno":null}', flush=True)
    time.sleep(0.05)
"""
"""It reports, and reads no order."""
LONG = Load(files={f"sound {number}": "x" * 100 for number in range(5000)})
"""Longer than a pipe."""


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> Iterator[PlayerProcess]:
    monkeypatch.setattr(process, "SILENT_S", 0.3)
    monkeypatch.setattr(process, "AGAIN_S", 0.0)
    player = PlayerProcess("none", delay_ms=0, news=lambda _report: None, start=[sys.executable, "-c", DEAF])
    yield player
    player.close()


def test_a_player_that_takes_no_order_longer_than_a_pipe_is_started_again(player: PlayerProcess) -> None:
    seen: set[int] = set()
    player.send(LONG)
    tries = 0
    while len(seen) < 3 and tries < DEADLINE_S * 100:
        seen |= {player.pid} - {None}  # type: ignore[arg-type]
        threading.Event().wait(0.01)
        tries += 1
    assert len(seen) >= 3
