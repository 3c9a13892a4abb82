"""The file with which the Pico starts: its watchdog runs before anything that may be torn is imported."""

import subprocess
from pathlib import Path

import pytest

from pi_controller.flashing.build import build
from table_node import pins
from tests.firmware import micropython

WIRES = Path(__file__).parent / "wires"
LAMPS = (pins.SUN_LAMP, pins.MOON_LAMP, pins.SUN_CLAIM_LAMP, pins.MOON_CLAIM_LAMP)
POWER, WATCHDOG = "1", "3"
ALL_LIT, ALL_DARK = "lamps 1 1 1 1", "lamps 0 0 0 0"
STARTED = f"""
import sys
sys.path[:0] = [{str(WIRES)!r}, {str(WIRES / "pio")!r}]
import machine, rp2, time
for name in [name for name in sys.modules if name.startswith("table_node")]:
    del sys.modules[name]
sys.path[:] = [sys.argv[2], ".frozen"]
machine.reset_cause = lambda: int(sys.argv[3])
class Pin(machine.Pin):
    def __init__(self, number, *how, **more):
        super().__init__(number, *how, **more)
        if number == {LAMPS[-1]} and "value" in more:
            print("lamps", *[machine.levels[each] for each in {LAMPS}])
machine.Pin = Pin
left_ms = 8000
def sleep_ms(ms):
    global left_ms
    left_ms -= ms
    if left_ms <= 0:
        raise SystemExit
time.sleep_ms = sleep_ms
try:
    import main
except KeyboardInterrupt:
    print("stopped", hex(machine.mem32[0x4005B000]))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    build(folder)
    return folder


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "start.py"
    path.write_text(STARTED)
    return path


def test_a_whole_node_goes_on_with_the_shorter_watchdog_and_whoever_comes_by_usb_stops_it(
    made: Path, script: Path
) -> None:
    said = micropython.run(script, "none", str(made), POWER).splitlines()
    assert [line for line in said if not line.startswith(("spi", "lamp "))] == [
        "watchdog 8000",
        "watchdog 2000",
        "stopped 0x40000000",
    ]


@pytest.mark.parametrize("torn", ["__init__", "main", "node", "pins", "glyphs"])
@pytest.mark.parametrize("left", ["nothing", "its head"])
def test_all_lamps_blink_for_a_torn_module_until_the_watchdog_bites(
    made: Path, script: Path, torn: str, left: str
) -> None:
    module = made / "table_node" / f"{torn}.mpy"
    whole = module.read_bytes()
    module.write_bytes(b"" if left == "nothing" else whole[:3])
    try:
        said = micropython.run(script, "none", str(made), POWER).splitlines()
    finally:
        module.write_bytes(whole)
    assert said[0] == "watchdog 8000"
    assert "watchdog 2000" not in said
    assert [line for line in said if line.startswith("lamps")] == [ALL_LIT, ALL_DARK] * 8


def test_a_module_cut_in_its_middle_hangs_with_the_watchdog_armed_and_the_lamps_lit_from_the_second_time_on(
    made: Path, script: Path
) -> None:
    """MicroPython reads on behind the end of the file for ever."""
    module = made / "table_node" / "node.mpy"
    whole = module.read_bytes()
    module.write_bytes(whole[: len(whole) // 2])
    try:
        with subprocess.Popen(
            [micropython.interpreter(), script, "none", made, WATCHDOG],
            env=micropython.environment(),
            stdout=subprocess.PIPE,
            text=True,
        ) as node:
            assert node.stdout is not None
            said = [node.stdout.readline().strip() for _ in range(2)]
            node.kill()
    finally:
        module.write_bytes(whole)
    assert said == ["watchdog 8000", ALL_LIT]
