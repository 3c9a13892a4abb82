"""The firmware's drivers, imported over a fake Pico."""

import importlib
import sys
import time
from collections.abc import Iterator
from types import ModuleType

import pytest

from tests.firmware.fake_machine import FakePico

USE_MACHINE = ("table_node.board", "table_node.main")


class Loaded:
    """Modules of the firmware that believe in the fake Pico."""

    def __init__(self, pico: FakePico, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pico = pico
        monkeypatch.setitem(sys.modules, "machine", pico.module())
        for name in USE_MACHINE:
            monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.setattr(time, "sleep_us", self._sleep, raising=False)
        self._monkeypatch = monkeypatch
        for name in ("table_node.rs485", "table_node.board"):
            monkeypatch.setattr(self.module(name), "ticks_us", lambda: pico.now_us)

    def module(self, name: str) -> ModuleType:
        return importlib.import_module(name)

    def forget(self) -> None:
        for name in USE_MACHINE:
            sys.modules.pop(name, None)

    def _sleep(self, us: int) -> None:
        self.pico.now_us += us


def load(pico: FakePico, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loaded]:
    """For a fixture: loaded, and forgotten at the end."""
    loaded = Loaded(pico, monkeypatch)
    yield loaded
    loaded.forget()
