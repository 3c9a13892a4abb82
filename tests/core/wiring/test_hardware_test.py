"""Settings to what is tested, on simulated hardware."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pi_controller.bus.values import SegmentPort
from pi_controller.core.hardware_test.parts import ComputerUnderTest
from pi_controller.core.panel.simulation import Simulation
from pi_controller.core.wiring.service import make_machine, port_view
from pi_controller.hal.gpio import open_pins
from pi_controller.hal.serial.port import Holder, PortFacts
from pi_controller.hal.sim.machine import LONG_MS, SHORT_MS, SimFacts, SimSound
from pi_controller.hal.sim.panel import PanelWiring, SimPanel
from pi_controller.protocol.options import CoreOptions
from pi_controller.settings.load import load

SEGMENT = SegmentPort(name="A", port="/dev/tablebus/row-A")


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (PortFacts(present=True, driver="ftdi_sio", latency_timer_ms=1), None),
        (
            PortFacts(present=False),
            "The port /dev/tablebus/row-A is not there: plug the adapter of segment A in, or correct [tables] segments.",
        ),
        (
            PortFacts(present=True, holder=Holder(812, "minicom")),
            "Process 812 (minicom) also uses the port of segment A: end that program, and keep it off this port.",
        ),
        (
            PortFacts(present=True, holder=Holder(812, "")),
            "Process 812 also uses the port of segment A: end that program, and keep it off this port.",
        ),
    ],
)
def test_what_is_wrong_with_a_port_is_a_sentence(facts: PortFacts, sentence: str | None) -> None:
    view = port_view(SEGMENT, facts)
    assert view.sentence == sentence
    assert view.holder == facts.holder


WIRING = PanelWiring(sun_lamp=12, moon_lamp=13, buzzer=16, pause_lamp=26, pause_no=6, pause_nc=5)


@contextmanager
def machine_of(
    folder: Path, text: str, *, hardware: bool = True
) -> Iterator[tuple[ComputerUnderTest, Simulation]]:
    """What these settings give, on simulated hardware."""
    file = folder / "settings.toml"
    file.write_text(text)
    settings = load(file, "sim" if hardware else None)
    with open_pins("mock") as pins, SimPanel(pins, WIRING) as panel:
        simulation = Simulation(panel, lambda: None, wire="nc")
        options = CoreOptions(state_dir=folder)
        yield make_machine(options, settings, simulation=simulation, facts=SimFacts(folder)), simulation


def test_simulated_faults_of_disk_and_journal(tmp_path: Path) -> None:
    with machine_of(tmp_path, "") as (machine, simulation):
        assert machine.check_disk(2, 16).verified
        simulation.do("disk_damaged")
        assert not machine.check_disk(2, 16).verified
        simulation.do("journal_damaged")
        assert machine.check_disk(2, 16).verified
        (tmp_path / "games" / "g1").mkdir(parents=True)
        assert machine.check_line("g1", "0" * 32) is not None
        simulation.do("disk_slow")
        assert machine.check_disk(2, 16).verified
        simulation.do("disk_mend")


def test_simulated_faults_of_sound_and_ports(tmp_path: Path) -> None:
    (tmp_path / "port").symlink_to("/dev/null")
    text = f'[tables]\nsegments = [{{ name = "A", port = "{tmp_path}/port" }}]'
    with machine_of(tmp_path, text) as (machine, simulation):
        assert machine.sound is not None
        simulation.do("sound_dead")
        assert machine.sound.play_tone(50) is not None
        simulation.do("sound_mend")
        assert machine.sound.play_tone(50) is None
        assert machine.ports()[0].latency_timer_ms is None
        for action, latency_ms in (("latency_long", LONG_MS), ("latency_mend", SHORT_MS)):
            simulation.do(action)  # type: ignore[arg-type]
            assert machine.ports()[0].latency_timer_ms == latency_ms
        simulation.do("port_held")
        assert machine.ports()[0].holder == Holder(pid=812, name="minicom")


def test_what_is_fitted_is_what_the_settings_say(tmp_path: Path) -> None:
    text = '[pause_button]\ncontacts = "no"\n[buzzer]\nenabled = false\n[display]\ncontroller = "sh1106"'
    with machine_of(tmp_path, text) as (machine, _):
        fitted = machine.fitted
        assert isinstance(machine.sound, SimSound)
    assert (fitted.simulated, fitted.contacts, fitted.buzzer) == (True, "no", False)
    assert (fitted.display, fitted.sound) == ("sh1106", "simulated")
    assert (fitted.segments, fitted.second_copy) == ([], False)


@pytest.mark.parametrize("device", ["default", "none"])
def test_real_sound(tmp_path: Path, device: str) -> None:
    drivers = "".join(f'{role} = "sim"\n' for role in ("lamps", "buzzer", "pause_button"))
    for lamps in (drivers, ""):
        text = f'[hardware]\n{lamps}display = "none"\n[sound]\ndevice = "{device}"\n'
        with machine_of(tmp_path, text, hardware=False) as (machine, _):
            assert machine.sound is None, "it comes with the speaker"
            assert machine.fitted.sound == (None if device == "none" else device)
            assert machine.fitted.display is None
            assert machine.fitted.simulated is bool(lamps)
