"""Settings and devices to the tests of the hardware; constructs, as `core.build` does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pi_controller.bus.values import SegmentPort
from pi_controller.control.probe_results import Fitted, PortView
from pi_controller.control.probe_results import Holder as HolderView
from pi_controller.core.build import all_simulated
from pi_controller.core.computer import Facts
from pi_controller.core.loop import GameLoop
from pi_controller.core.outputs import Outputs
from pi_controller.core.tables import Tables
from pi_controller.core.testing.bus_probes import BusProbes
from pi_controller.core.testing.disk import check_disk
from pi_controller.core.testing.edges import ButtonTap
from pi_controller.core.testing.journal_check import check_line
from pi_controller.core.testing.machine_probes import Machine, MachineProbes
from pi_controller.core.testing.panel_probes import PanelProbes
from pi_controller.core.testing.reports import ReportStore
from pi_controller.core.testing.table_tap import TableTap
from pi_controller.core.testing.testing import Testing
from pi_controller.core.testing.watchers import Watchers
from pi_controller.core.testing.work import HandOver, Work
from pi_controller.core.timers import Timers
from pi_controller.hal.roles import Clock, PauseButton, Sound, TableBus
from pi_controller.hal.serial.survey import SYSFS, survey
from pi_controller.hal.sim.adapters import LONG_MS, SHORT_MS, SimAdapters
from pi_controller.hal.sim.disk import SimDisk
from pi_controller.hal.sim.sound import SimSound
from pi_controller.hal.sound.aplay import AplaySound
from pi_controller.hal.sound.tone import tone_wav
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.store import Store
from pi_controller.settings.sections import Settings

PORT_GONE = (
    "The port {port} is not there: plug the adapter of segment {segment} in, or correct [tables] segments."
)
PORT_HELD = "{who} has the port of segment {segment} open too: end that program, or keep it off this port."


@dataclass(slots=True)
class SimulatedFaults:
    """What simulated hardware is tested on besides its panel."""

    sound: SimSound
    disk: SimDisk
    journal_disk: SimDisk
    adapters: SimAdapters
    ports: list[Path]
    adapters_shown: bool = field(default=False)

    def show_adapters(self, ms: int) -> None:
        """The ports are FTDI adapters with this latency timer from now on."""
        self.adapters.set_latency(self.ports, ms)
        self.adapters_shown = True
