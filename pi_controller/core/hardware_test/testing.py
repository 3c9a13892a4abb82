"""A test of the hardware as a whole: what its lease opens and closes."""

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.hardware_test.bus_probes import BusProbes
from pi_controller.core.hardware_test.edges import ButtonTap
from pi_controller.core.hardware_test.lease import HUNG_UP, Holding, Lease
from pi_controller.core.hardware_test.machine_probes import MachineProbes
from pi_controller.core.hardware_test.panel_probes import PanelProbes
from pi_controller.core.hardware_test.table_tap import TableTap
from pi_controller.core.hardware_test.watchers import Watchers
from pi_controller.core.runtime.timers import Timers
from pi_controller.language.words import words
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.probes import Purpose
from pi_controller.protocol.server import Client
from pi_controller.sentence import Sentence

PART = "test"
CONTROLLER_ENDS = Sentence("test.controller_ends")


class Testing:
    """Called on the loop only."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        lease: Lease,
        timers: Timers,
        watchers: Watchers,
        button_tap: ButtonTap,
        table_tap: TableTap,
        panel: PanelProbes,
        bus: BusProbes,
        machine: MachineProbes,
    ) -> None:
        self.watchers = watchers
        self.panel = panel
        self.bus = bus
        self.machine = machine
        self.lease = lease
        self.loop = loop
        self._timers = timers
        self.button_tap = button_tap
        self._table_tap = table_tap
        lease.tell(self)

    def stop(self) -> None:
        """The controller ends, and with it the test; before the journal is closed, which notes it."""
        self.lease.end(CONTROLLER_ENDS)

    def begin(self, who: str, purpose: Purpose, *, take: bool, client: Client) -> Holding | Sentence:
        """The lease, which ends when this client hangs up; or the sentence against it."""
        holding = self.lease.begin(who, purpose, take=take)
        if isinstance(holding, Holding):
            client.on_close.append(lambda: self.lease.end(HUNG_UP, holding.token))
        return holding

    def shown(self, _picture: Picture) -> None:
        """The game shows something new: should one run after all, it has the hardware for itself, once this
        change is through."""
        if self.lease.holding is not None and self.lease.obstacle() is not None:
            self._timers.call_at(self._timers.boot_ns(), self.lease.end_for_a_game)

    def begun(self, holding: Holding) -> None:
        self.button_tap.begin()
        self._table_tap.begin(maintains=holding.purpose == "hardware_test")
        self.watchers.begin()
        self.loop.note({"test": "begun", "who": holding.who, "purpose": holding.purpose})
        self.loop.report(PART, "warning", Sentence("test.no_start_before", doing=holding.doing))

    def ended(self, holding: Holding, why: Sentence, over: Sentence) -> None:
        self.button_tap.end()
        self._table_tap.end()
        self.panel.end()
        self.bus.end()
        self.watchers.end(over)
        self.loop.note({"test": "ended", "who": holding.who, "why": words(why)})
        self.loop.report(PART, "warning", None)
