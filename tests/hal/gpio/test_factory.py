"""A library that is named is used or the start stops; nothing else is tried."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pi_controller.hal.gpio import PinFactory, open_pins
from pi_controller.hal.roles import HardwareMissing
from tests.patience import DEADLINE_S

ROOT = Path(__file__).parents[3]


def test_mock_pins_ignore_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_MOCK_REVISION", "0002")
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "native")
    with open_pins("mock") as pins:
        assert pins.factory.board_info.model == "4B"
    pins.close()


def test_real_pins_cannot_be_driven_from_outside() -> None:
    with pytest.raises(TypeError, match='opened with "lgpio" are real'):
        _ = PinFactory("lgpio", object(), ()).simulated


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(HardwareMissing, match='"pigpio" is not known: set pin_factory'):
        open_pins("pigpio")


def test_lgpio_needs_a_folder() -> None:
    with pytest.raises(HardwareMissing, match="needs a folder"):
        open_pins("lgpio")


@pytest.mark.parametrize("name", ["lgpio", "rpigpio"])
def test_a_missing_library_is_one_sentence_with_the_remedy(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "lgpio" if name == "lgpio" else "RPi", None)
    monkeypatch.delitem(sys.modules, f"gpiozero.pins.{name}", raising=False)
    monkeypatch.setenv("LG_WD", "")
    before = Path.cwd()
    with pytest.raises(HardwareMissing, match=f"{name} is not installed .*: install"):
        open_pins(name, pipe_folder=tmp_path)
    assert Path.cwd() == before


def _in_a_child(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """lgpio starts a thread and a pipe when it is imported: only ever in a process of its own."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


OPEN_LGPIO = """
import os
from pathlib import Path
from pi_controller.hal.roles import HardwareMissing
from pi_controller.hal.gpio import open_pins
try:
    open_pins("lgpio", pipe_folder=Path("{folder}"))
except HardwareMissing as error:
    print(error)
print(os.getcwd())
"""


@pytest.mark.skipif(Path("/dev/gpiochip0").exists(), reason="has real GPIO: tests/on_pi covers it")
def test_lgpio_off_a_pi_is_one_sentence_and_leaves_the_working_directory(tmp_path: Path) -> None:
    result = _in_a_child(OPEN_LGPIO.format(folder="pipes/here"), tmp_path)
    assert result.returncode == 0, result.stderr
    sentence, folder = result.stdout.splitlines()
    # lgpio has no wheel for Python 3.13: there the other sentence stands.
    there = importlib.util.find_spec("_lgpio") is not None
    assert sentence.startswith(
        "lgpio finds no GPIO chip it can open" if there else "Pin factory lgpio is not installed"
    )
    assert folder == str(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["pipes"]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HardwareMissing, match=r"lgpio cannot make its pipe in .*: make the folder writable"):
        open_pins("lgpio", pipe_folder=tmp_path / "file" / "pipes")


def test_rpi_gpio_that_does_not_run_here_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "RPi"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "GPIO.py").write_text('raise RuntimeError("Cannot determine SOC peripheral base address")')
    monkeypatch.syspath_prepend(str(tmp_path))
    for module in ("RPi", "RPi.GPIO", "gpiozero.pins.rpigpio"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(HardwareMissing, match=r"does not run on this machine .*base address.*--hardware sim"):
        open_pins("rpigpio")
    sys.modules.pop("RPi", None)
