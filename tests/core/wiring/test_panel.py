"""Settings to the panel's parts, on simulated pins."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_controller.core.panel.outputs import ToneLimit
from pi_controller.core.wiring import devices as wiring
from pi_controller.core.wiring.devices import PanelDevices, open_panel
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.settings.load import load
from pi_controller.settings.sections import HardwareChoice
from tests.core.hand import HandTimers
from tests.core.hand_threads import HandThreads
from tests.patience import DEADLINE_S


class WatchedLimit(ToneLimit):
    """The real one; `asked_s` are the seconds after which it was to end tones, `ended` is set when it has."""

    asked_s: list[float]
    ended: threading.Event

    def start(self, after_s: float, act: Callable[[], None]) -> object:  # type: ignore[override]
        self.asked_s.append(after_s)

        def end() -> None:
            act()
            self.ended.set()

        return super().start(after_s, end)


def panel_of(folder: Path, text: str, hardware: HardwareChoice = "sim") -> PanelDevices:
    file = folder / "settings.toml"
    file.write_text(text)
    return open_panel(
        load(file, hardware),
        clock=SystemClock(),
        timers=HandTimers(),
        threads=HandThreads(),
        state_dir=folder,
        on_callback_error=lambda error: pytest.fail(str(error)),
    )


def test_without_a_panel_nothing_is_missing_and_nothing_is_simulated(tmp_path: Path) -> None:
    """An evening on a laptop: its pins lead nowhere, and no wire of a button counts as broken."""
    panel = panel_of(tmp_path, "", "none")
    try:
        assert (panel.simulation, panel.display, panel.shutdown_button) == (None, None, None)
        assert panel.shortfalls == []
        contacts = panel.button.contacts()
        assert (contacts.no_closed, contacts.nc_closed) == (False, True)
    finally:
        panel.close()


@pytest.mark.parametrize("longest_ms", [50, 120])
def test_the_driver_itself_ends_a_tone_after_the_time_in_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, longest_ms: int
) -> None:
    """Nobody else is there to end it: time stands still for the loop, as it does when the loop hangs."""
    WatchedLimit.asked_s, WatchedLimit.ended = [], threading.Event()
    monkeypatch.setattr(wiring, "ToneLimit", WatchedLimit)
    panel = panel_of(tmp_path, f"[buzzer]\nlongest_tone_ms = {longest_ms}\n")
    try:
        assert panel.outputs.buzzer is not None
        assert panel.outside is not None
        panel.outputs.buzzer.sound(on=True)
        assert panel.outside.level(16)
        assert WatchedLimit.ended.wait(DEADLINE_S)
        assert not panel.outside.level(16)
        assert WatchedLimit.asked_s == [longest_ms / 1000]
    finally:
        panel.close()


def test_a_buzzer_that_is_switched_off_never_sounds(tmp_path: Path) -> None:
    panel = panel_of(tmp_path, "[buzzer]\nenabled = false\n")
    assert panel.outputs.buzzer is None
    panel.close()
