"""The file with which the Pico starts: its watchdog runs before anything that may be torn is imported."""

import subprocess
from pathlib import Path

import pytest

from pi_controller.flashing.build import START, FirmwarePart, build
from table_node import pins
from tests.firmware import micropython

WIRES = Path(__file__).parent / "wires"
LAMPS = (pins.SUN_LAMP, pins.MOON_LAMP, pins.SUN_CLAIM_LAMP, pins.MOON_CLAIM_LAMP)
POWER, WATCHDOG = "1", "3"
ALL_LIT, ALL_DARK = "lamps 1 1 1 1", "lamps 0 0 0 0"
STARTED = f"""
import sys, os
sys.path[:0] = [{str(WIRES)!r}, {str(WIRES / "pio")!r}]
import machine, rp2, time
for name in [name for name in sys.modules if name.startswith("table_node")]:
    del sys.modules[name]
os.chdir(sys.argv[2])
sys.path[:] = ["", ".frozen"]
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
def reset():
    print("reset")
    raise SystemExit
machine.reset = reset
with open("main.py") as file:
    source = file.read()
try:
    exec(source, {{"__name__": "__main__"}})
except KeyboardInterrupt:
    print("stopped", hex(machine.mem32[0x4005B000]))
"""
TRIALS = {
    "raises": "def run():\n    raise ValueError",
    "is torn": "def run(",
    "has no run": "",
    "comes back, as one for a newer MicroPython does": "def run():\n    pass",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    install(build(folder / "built"), folder)
    return folder


def install(parts: tuple[FirmwarePart, ...], folder: Path, where: str = "a") -> None:
    """As on a Pico."""
    for part in parts:
        path = folder / (part.path if part.path == START else f"{where}/{part.path}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(part.data)


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
    module = made / "a" / "table_node" / f"{torn}.mpy"
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
    module = made / "a" / "table_node" / "node.mpy"
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


def on_trial(made: Path, tmp_path: Path, program: str, slot: str = "a b 0 7") -> Path:
    """A Pico whose folder b is on trial with this program."""
    pico = tmp_path / "pico"
    for path, text in {
        "main.py": (made / "main.py").read_text(),
        "slot": slot,
        "a/table_node/__init__.py": "",
        "a/table_node/main.py": "def run():\n    print('old')",
        "b/table_node/__init__.py": "",
        "b/table_node/main.py": program,
    }.items():
        (pico / path).parent.mkdir(parents=True, exist_ok=True)
        (pico / path).write_text(text)
    return pico


def started(script: Path, pico: Path) -> list[str]:
    return micropython.run(script, "none", str(pico), POWER).splitlines()


def test_a_trial_is_counted_before_it_runs(made: Path, script: Path, tmp_path: Path) -> None:
    looks = "def run():\n    print(open('slot').read())\n    raise KeyboardInterrupt"
    pico = on_trial(made, tmp_path, looks)
    assert started(script, pico) == ["watchdog 8000", "a b 1 7", "stopped 0x40000000"]
    assert started(script, pico) == ["watchdog 8000", "a b 2 7", "stopped 0x40000000"]
    assert started(script, pico) == ["watchdog 8000", "old"]
    assert (pico / "slot").read_text() == "a - 9 7"


@pytest.mark.parametrize("program", TRIALS.values(), ids=TRIALS)
def test_a_trial_that_fails_goes_back_at_once(made: Path, script: Path, tmp_path: Path, program: str) -> None:
    pico = on_trial(made, tmp_path, program)
    assert started(script, pico)[-1] == "reset"
    assert (pico / "slot").read_text() == "a - 9 7"
    assert started(script, pico)[-1] == "old"


def test_a_trial_that_cannot_be_counted_does_not_run(made: Path, script: Path, tmp_path: Path) -> None:
    pico = on_trial(made, tmp_path, "def run():\n    print('new')")
    (pico / "slot.new").mkdir()
    assert started(script, pico) == ["watchdog 8000", "old"]


@pytest.mark.parametrize("slot", ["", "b", "b + 0 7", "\0"])
def test_the_folder_that_is_named_runs(made: Path, script: Path, tmp_path: Path, slot: str) -> None:
    pico = on_trial(made, tmp_path, "def run():\n    print('new')", slot)
    assert started(script, pico) == ["watchdog 8000", "new" if slot[:1] == "b" else "old"]
    assert (pico / "slot").read_text() == slot
