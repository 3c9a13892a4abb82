"""Real-time priority: taken, given back, refused with a sentence."""

import os

import pytest

from pi_controller.hal.errors import HardwareError
from pi_controller.hal.system.priority import give_back_realtime_priority, take_realtime_priority


def test_none_asked_for_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_setscheduler", lambda *_: pytest.fail("asked"))
    take_realtime_priority(0)


def test_taken_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(
        os, "sched_setscheduler", lambda _pid, policy, at: asked.append((policy, at.sched_priority))
    )
    take_realtime_priority(20)
    give_back_realtime_priority()
    assert asked == [(os.SCHED_FIFO, 20), (os.SCHED_OTHER, 0)]


def test_a_refusal_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    with pytest.raises(HardwareError) as refused:
        take_realtime_priority(20)
    assert str(refused.value) == (
        "The system gives this program no real-time priority 20 (Operation not permitted): set"
        " core.realtime_priority to 0, or allow it with LimitRTPRIO=20 in its unit."
    )
