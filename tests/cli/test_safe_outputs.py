from pathlib import Path
from typing import Any

import pytest

from pi_controller.cli.main import main
from pi_controller.hal import gpio
from pi_controller.hal.gpio import GpioLamp, PinFactory, open_pins
from pi_controller.hal.roles import HardwareMissing
from pi_controller.sentence import as_told
from tests.cli.conftest import Run


class Board:
    """Pins that something outside holds high while nobody drives them; what is asked of the opener."""

    def __init__(self) -> None:
        self.pins = open_pins("mock")
        self.asked: list[tuple[str, Path]] = []
        for pin in (12, 13, 16, 26):
            self.pins.simulated.drive(pin, high=True)
        self.became: list[tuple[bool, ...]] = []
        self.pins.simulated.watch(lambda: self.became.append(self.levels()))

    def levels(self) -> tuple[bool, ...]:
        return tuple(self.pins.simulated.level(pin) for pin in (12, 13, 16, 26))

    def open(self, name: str, *, pipe_folder: Path) -> PinFactory:
        self.asked.append((name, pipe_folder))
        return self.pins


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Board:
    """What the command opens in place of real pins."""
    board = Board()
    monkeypatch.setattr(gpio, "open_pins", board.open)
    return board


def settings(folder: Path, text: str) -> list[str]:
    path = folder / "settings.toml"
    path.write_text(text)
    return ["--settings", str(path), "--state-dir", str(folder)]


def test_all_output_pins_of_the_settings_go_low(
    board: Board, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert board.levels() == (True, True, True, True)
    given = settings(tmp_path, '[hardware]\npin_factory = "rpigpio"\n')
    assert main(["safe-outputs", *given]) == 0
    assert board.asked == [("rpigpio", tmp_path / "pins")]
    assert [all(levels) for levels in zip(*board.became, strict=True)] == [False] * 4, "each was seen low"
    assert capsys.readouterr().out == (
        "Low now: Sun lamp (GPIO12), Moon lamp (GPIO13), Pause lamp (GPIO26) and Buzzer (GPIO16).\n"
    )


def test_a_pin_that_another_program_holds_is_named(board: Board, tmp_path: Path, run: Run) -> None:
    _held = GpioLamp(board.pins, 13, "Somebody's lamp")  # closed with the pins, by the command
    said = run("safe-outputs", *settings(tmp_path, ""), status=1)
    assert said.out == ""
    assert said.err.startswith("Moon lamp on GPIO13 cannot be used")
    assert len(said.err.splitlines()) == 1


def test_only_what_is_real_is_driven(board: Board, tmp_path: Path, run: Run) -> None:
    given = settings(tmp_path, '[hardware]\nlamps = "sim"\n')
    assert run("safe-outputs", *given).out == "Low now: Buzzer (GPIO16).\n"


def test_a_simulated_panel_needs_nothing(tmp_path: Path, run: Run) -> None:
    given = settings(tmp_path, '[hardware]\nlamps = "sim"\nbuzzer = "sim"\n')
    assert run("safe-outputs", *given).out == "All outputs are simulated: there is nothing to switch off.\n"


def test_a_missing_driver_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    def missing(*_: Any, **__: Any) -> PinFactory:
        raise HardwareMissing(as_told("lgpio finds no GPIO chip: run it on a Raspberry Pi."))

    monkeypatch.setattr(gpio, "open_pins", missing)
    assert "lgpio finds no GPIO chip" in run("safe-outputs", *settings(tmp_path, ""), status=2).err


def test_wrong_settings_are_told_all_at_once(tmp_path: Path, run: Run) -> None:
    given = settings(tmp_path, "[pins]\nsun_lamp = 99\n[hardwear]\n")
    assert len(run("safe-outputs", *given, status=2).err.splitlines()) == 2
