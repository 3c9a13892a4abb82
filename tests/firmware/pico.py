"""The firmware's drivers, imported over a fake Pico."""

import importlib
import sys
import time
from collections.abc import Iterator
from types import ModuleType

import pytest

from tests.firmware.fake_machine import FakePico

ONLY_ON_A_PICO = ("table_node.rs485", "table_node.readings", "table_node.board", "table_node.main")
PERIOD = 1 << 30


class Loaded:
    """Modules of the firmware that believe in the fake Pico."""

    def __init__(self, pico: FakePico, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pico = pico
        monkeypatch.setitem(sys.modules, "machine", pico.module())
        for name in ONLY_ON_A_PICO:
            monkeypatch.delitem(sys.modules, name, raising=False)
        for function in (self.sleep_us, self.ticks_us, self.ticks_diff, self.ticks_add):
            monkeypatch.setattr(time, function.__name__, function, raising=False)

    def module(self, name: str) -> ModuleType:
        return importlib.import_module(name)

    def forget(self) -> None:
        for name in ONLY_ON_A_PICO:
            sys.modules.pop(name, None)

    def sleep_us(self, us: int) -> None:
        self.pico.now_us += us

    def ticks_us(self) -> int:
        return self.pico.now_us % PERIOD

    @staticmethod
    def ticks_diff(later: int, earlier: int) -> int:
        return (later - earlier + PERIOD // 2) % PERIOD - PERIOD // 2

    @staticmethod
    def ticks_add(ticks: int, delta: int) -> int:
        return (ticks + delta) % PERIOD


def load(pico: FakePico, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loaded]:
    """For a fixture: loaded, and forgotten at the end."""
    loaded = Loaded(pico, monkeypatch)
    yield loaded
    loaded.forget()
