"""The local display is opened by one thread at a time, and tried again whatever broke off."""

from types import SimpleNamespace
from typing import Any

import pytest

from pi_controller.core.wiring.service import Service
from tests.core.hand_threads import HandThreads


def test_one_opening_at_a_time_and_another_after_one_that_broke_off() -> None:
    threads = HandThreads(at_once=False)
    opened: list[object] = []
    outputs = SimpleNamespace(display=None, replace_display=opened.append)
    service: Any = Service.__new__(Service)
    service._runtime, service._opening_display = SimpleNamespace(threads=threads), False
    panel: Any = SimpleNamespace(outputs=outputs)

    def broken() -> object:
        raise RuntimeError("a defect of a driver")

    def begin(open_device: Any) -> None:
        service._open_display(panel, SimpleNamespace(open=open_device))

    begin(broken)
    begin(broken)
    assert len(threads.waiting) == 1
    with pytest.raises(RuntimeError):
        threads.work()
    begin(lambda: "a display")
    threads.work()
    assert opened == ["a display"]
