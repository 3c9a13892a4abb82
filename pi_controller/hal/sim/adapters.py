"""Simulated serial adapters: what the kernel would say of them when something is wrong with one."""

from dataclasses import replace
from pathlib import Path

from pi_controller.hal.serial.holder import Holder
from pi_controller.hal.serial.survey import PortFacts, survey

DRIVER = "ftdi_sio"
LONG_MS, SHORT_MS = 16, 1
STRANGER = Holder(812, "minicom")


class SimAdapters:
    """`facts` are the port's real ones, as of a pseudo-terminal, until a fault is set."""

    def __init__(self) -> None:
        self._latency_ms: int | None = None
        self._held = False

    def facts(self, port: Path) -> PortFacts:
        """Raises OSError as `survey` does."""
        found = survey(port)
        if found.present and self._latency_ms is not None:
            found = replace(found, driver=DRIVER, latency_timer_ms=self._latency_ms)
        return replace(found, holder=STRANGER) if found.present and self._held else found

    def set_latency(self, ms: int) -> None:
        """From now on the ports are FTDI's, with this latency timer."""
        self._latency_ms = ms

    def hold(self, *, held: bool) -> None:
        """Another program has the ports, or has them no more."""
        self._held = held
