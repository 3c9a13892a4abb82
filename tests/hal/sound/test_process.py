"""The player's process: whatever it does, it is there again soon."""

import queue
import sys

import pytest

from pi_controller.hal.sound import process
from pi_controller.hal.sound.orders import LoadOrder, PlayerReport
from pi_controller.hal.sound.process import PlayerProcess
from tests.patience import DEADLINE_S

DEAF = """
import sys, time
for _ in range(40):
    print('{"trouble":null,"late":0,"underruns":0,"errno":null}', flush=True)
    time.sleep(0.05)
"""
"""It reports for 2 s, and reads no order. One that is left alone ends by itself, so that the test ends, too."""
LONG = LoadOrder(files={f"sound {number}": "x" * 100 for number in range(5000)})
"""Longer than a pipe."""


def test_a_player_that_takes_no_order_longer_than_a_pipe_is_started_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(process, "SILENT_S", 0.3)
    monkeypatch.setattr(process, "AGAIN_S", 0.0)
    reports: queue.SimpleQueue[PlayerReport | None] = queue.SimpleQueue()
    player = PlayerProcess("none", delay_ms=0, news=reports.put, start=[sys.executable, "-c", DEAF])
    try:
        player.send(LONG)
        seen: set[int | None] = {None}
        while len(seen) < 4:
            reports.get(timeout=DEADLINE_S)
            seen.add(player.pid)
    finally:
        player.close()
    assert "has taken no order" in caplog.text, "and not because a busy machine kept it from reporting"
