"""Settings and devices to the tests of the hardware."""

from collections.abc import Callable
from pathlib import Path

from pi_controller.bus.values import SegmentPort
from pi_controller.core.hardware_test.news import ButtonTap, Watchers
from pi_controller.core.hardware_test.parts import ComputerUnderTest, Parts, Work
from pi_controller.core.hardware_test.storage import ReportStore, check_disk, check_line
from pi_controller.core.hardware_test.testing import Testing
from pi_controller.core.monitoring import Facts
from pi_controller.core.panel.simulation import Simulation
from pi_controller.core.wiring.devices import CoreStart, PanelDevices, all_simulated, segments
from pi_controller.core.wiring.game import OpenGame
from pi_controller.hal.ina226 import Ina226
from pi_controller.hal.roles import CurrentSensor, Sound
from pi_controller.hal.serial.port import PortFacts, survey
from pi_controller.hal.sim.machine import LONG_MS, SHORT_MS, SimAdapters, SimDisk, SimIna226, SimSound
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.store import Store
from pi_controller.language.words import words
from pi_controller.protocol.options import CoreOptions
from pi_controller.protocol.probes import Fitted, PortView
from pi_controller.protocol.sentences import view
from pi_controller.protocol.simulated import SimAction
from pi_controller.sentence import Sentence
from pi_controller.settings.sections import Settings


def make_testing(
    start: CoreStart,
    panel: PanelDevices,
    game: OpenGame,
    *,
    facts: Facts,
    sound: Sound | None,
    tap: ButtonTap,
    watchers: Watchers,
) -> Testing:
    """Tests of this hardware."""
    runtime = start.runtime
    parts = Parts(
        outputs=panel.outputs,
        tap=tap,
        watchers=watchers,
        bus=game.tables.bus,
        machine=make_machine(
            start.options, start.settings, simulation=panel.simulation, facts=facts, sound=sound
        ),
        loop=game.loop,
        work=Work(loop=game.loop, timers=runtime.timers, threads=runtime.threads),
        timers=runtime.timers,
        threads=runtime.threads,
        clock=runtime.clock,
        state_dir=start.options.state_dir,
    )
    return Testing(
        loop=game.loop,
        timers=runtime.timers,
        tasks=runtime.tasks,
        table_tap=game.tables.tap,
        parts=parts,
    )


def _faults(
    sound: SimSound, *, disk: SimDisk, journal_disk: SimDisk, adapters: SimAdapters
) -> dict[SimAction, Callable[[], object]]:
    def disks(*, slow: bool = False, damaged: bool = False, journal: bool = False) -> None:
        disk.spoil(slow=slow, damaged=damaged)
        journal_disk.spoil(damaged=journal)

    return {
        "disk_slow": lambda: disks(slow=True),
        "disk_damaged": lambda: disks(damaged=True),
        "journal_damaged": lambda: disks(journal=True),
        "disk_mend": disks,
        "sound_dead": lambda: sound.pull(dead=True),
        "sound_mend": lambda: sound.pull(dead=False),
        "latency_long": lambda: adapters.set_latency(LONG_MS),
        "latency_mend": lambda: adapters.set_latency(SHORT_MS),
        "port_held": lambda: adapters.hold(held=True),
        "port_free": lambda: adapters.hold(held=False),
    }


def make_machine(
    options: CoreOptions,
    settings: Settings,
    *,
    simulation: Simulation | None,
    facts: Facts,
    sound: Sound | None = None,
) -> ComputerUnderTest:
    """What is tested besides panel and tables. `sound` is the speaker's card, if it is a real one. Where all
    is simulated, disk and ports are, too; their faults are added to `simulation`, for its watchers to set."""
    if settings.hardware.sound == "sim":
        sound = SimSound()
    disk: DiskFiles = DiskFiles()
    journal_disk: DiskFiles = DiskFiles()
    look_at_port: Callable[[Path], PortFacts] = survey
    if simulation is not None and all_simulated(settings):
        disk, journal_disk, adapters = SimDisk(), SimDisk(), SimAdapters()
        look_at_port = adapters.facts
        spoilt = sound if isinstance(sound, SimSound) else SimSound()
        simulation.add(_faults(spoilt, disk=disk, journal_disk=journal_disk, adapters=adapters))
    store, ports = Store(options.state_dir), segments(options, settings)
    reports = ReportStore(options.state_dir, files=DiskFiles())
    return ComputerUnderTest(
        check_line=lambda game_id, token: check_line(store.folder(game_id), token, files=journal_disk),
        check_disk=lambda writes, size: check_disk(options.state_dir, writes=writes, size=size, files=disk),
        facts=facts.read,
        ports=lambda: [port_view(segment, look_at_port(Path(segment.port))) for segment in ports],
        fitted=_fitted(settings, ports),
        sound=sound,
        reports=reports,
        current=_current(settings, simulation),
    )


def _current(settings: Settings, simulation: Simulation | None) -> CurrentSensor | None:
    at = settings.panel_current
    if settings.hardware.panel_current == "ina226":
        return Ina226(port=at.i2c_port, address=at.i2c_address)
    if settings.hardware.panel_current == "none" or simulation is None:
        return None
    chip = SimIna226(simulation.power, address=at.i2c_address)
    return Ina226(port=at.i2c_port, address=at.i2c_address, open_bus=lambda _port: chip)


def _fitted(settings: Settings, ports: tuple[SegmentPort, ...]) -> Fitted:
    simulated = settings.hardware.sound == "sim"
    device = settings.sound.device
    return Fitted(
        simulated=all_simulated(settings),
        contacts=settings.pause_button.contacts,
        buzzer=settings.buzzer.enabled,
        longest_tone_ms=settings.buzzer.longest_tone_ms,
        display=None if settings.hardware.display == "none" else settings.display.controller,
        sound="simulated" if simulated else None if device == "none" else device,
        segments=[segment.name for segment in ports],
        baud=settings.tables.baud,
        second_copy=bool(settings.journal.second_copy),
        panel_current=settings.hardware.panel_current != "none",
    )


def port_view(segment: SegmentPort, facts: PortFacts) -> PortView:
    """A port with the sentence that says what is wrong with it; None: nothing is."""
    sentence = None
    if not facts.present:
        sentence = Sentence("test.port_gone", port=segment.port, segment=segment.name)
    elif facts.holder is not None:
        pid, name = facts.holder.pid, facts.holder.name
        sentence = (
            Sentence("test.port_held_by", pid=pid, name=name, segment=segment.name)
            if name
            else Sentence("test.port_held", pid=pid, segment=segment.name)
        )
    return PortView(
        segment=segment.name,
        port=segment.port,
        present=facts.present,
        driver=facts.driver,
        latency_timer_ms=facts.latency_timer_ms,
        holder=facts.holder,
        sentence=None if sentence is None else words(sentence),
        sentence_key=None if sentence is None else view(sentence),
    )
