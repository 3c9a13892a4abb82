"""A test of the hardware as a whole: what its lease opens and closes."""

from pi_controller.core.control_server import Client
from pi_controller.core.loop import GameLoop
from pi_controller.core.tables import Tables
from pi_controller.core.testing.bus_probes import BusProbes
from pi_controller.core.testing.edges import ButtonTap
from pi_controller.core.testing.lease import HUNG_UP, Holding, Lease
from pi_controller.core.testing.machine_probes import MachineProbes
from pi_controller.core.testing.panel_probes import PanelProbes
from pi_controller.core.testing.table_tap import TableTap
from pi_controller.core.testing.watchers import Watchers
from pi_controller.core.timers import Timers
from pi_controller.game.state import State, Still
from pi_controller.protocol.probes import Purpose

PART = "test"
CONTROLLER_ENDS = "the controller ends"
GAME_RUNS = (
    "A game is under way ({what}): the hardware can be tested before a game's start and after its end."
)
LOCKED = "{doing}: no game can run meanwhile; end the test on the technician's page, or take it over there."
HEALTH = "{doing}: no game can start before that is over."


class Testing:
    """Called on the loop only. `attach` ties it to the loop and the tables."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        tables: Tables,
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
        self.lease = Lease(timers=timers, obstacle=self._obstacle, begun=self._begun, ended=self._ended)
        self._loop = loop
        self._timers = timers
        self._tables = tables
        self.button_tap = button_tap
        self._table_tap = table_tap

    def attach(self) -> None:
        """From now on a test locks the game, and the tables' presses come here."""
        self._loop.lock = self._lock
        self._table_tap.shown = self.shown
        self._tables.tap = self._table_tap

    def stop(self) -> None:
        """The controller ends, and with it the test; before the journal is closed, which notes it."""
        self.lease.end(CONTROLLER_ENDS)

    def begin(self, who: str, purpose: Purpose, *, take: bool, client: Client) -> Holding | str:
        """The lease, which ends when this client hangs up; or the sentence against it."""
        holding = self.lease.begin(who, purpose, take=take)
        if isinstance(holding, Holding):
            client.on_close.append(lambda: self.lease.end(HUNG_UP, holding.token))
        return holding

    def shown(self) -> None:
        """The game shows something new: should one run after all, it has the hardware for itself, once this
        change is through."""
        if self.lease.holding is not None and self._obstacle() is not None:
            self._timers.call_at(self._timers.boot_ns(), self._yield)

    def _yield(self) -> None:
        obstacle = self._obstacle()
        if obstacle is not None:
            self.lease.end(obstacle)

    def _obstacle(self) -> str | None:
        state = self._loop.game.state
        if state.phase in ("ready", "ended") and isinstance(state.clock, Still):
            return None
        return GAME_RUNS.format(what=_what(state))

    def _lock(self) -> str | None:
        holding = self.lease.holding
        return None if holding is None else LOCKED.format(doing=holding.doing)

    def _begun(self, holding: Holding) -> None:
        self.button_tap.begin()
        self._table_tap.begin(maintains=holding.purpose == "hardware_test")
        self.watchers.begin()
        self._loop.note({"test": "begun", "who": holding.who, "purpose": holding.purpose})
        self._loop.report(PART, "warning", HEALTH.format(doing=holding.doing))

    def _ended(self, holding: Holding, why: str) -> None:
        self.button_tap.end()
        self._table_tap.end()
        self.panel.end()
        self.bus.end()
        self.watchers.end(why)
        self._loop.note({"test": "ended", "who": holding.who, "why": why})
        self._loop.report(PART, "warning", None)


def _what(state: State) -> str:
    if state.phase == "robber":
        return "robber phase"
    return f"round {state.round}" if state.in_play else "the countdown"
