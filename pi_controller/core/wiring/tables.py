"""Settings and options to the table nodes' bus and what looks after it; constructs, as `build` does."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from pi_controller.bus.values import BusEvent, SegmentPort
from pi_controller.core.game_loop.command_queue import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.recovery import Restored
from pi_controller.core.hardware_test.table_tap import TableTap
from pi_controller.core.runtime.threads import Threads
from pi_controller.core.tables.press_times import PressTimes, StoodStill
from pi_controller.core.tables.roster_keeper import RosterKeeper
from pi_controller.core.tables.tables import Tables
from pi_controller.core.wiring.start import Start
from pi_controller.hal.roles import Clock, TableBus
from pi_controller.hal.serial.bus import open_table_bus
from pi_controller.protocol.options import CoreOptions
from pi_controller.protocol.paths import virtual_port, virtual_segments, virtual_uid
from pi_controller.protocol.probe_results import TablePress
from pi_controller.roster.calibration import CalibrationFile
from pi_controller.roster.model import Board, Roster, Row
from pi_controller.roster.store import RosterStore
from pi_controller.settings.sections import Settings

OpenBus = Callable[[Callable[[BusEvent], None]], TableBus]


def segments(options: CoreOptions, settings: Settings) -> tuple[SegmentPort, ...]:
    """The ports of the segments: those of the virtual tables, where there are some, or the settings'."""
    if not options.virtual_tables:
        return settings.tables.segments
    state_dir = options.state_dir
    return tuple(
        SegmentPort(name=name, port=str(virtual_port(state_dir, name)))
        for name in virtual_segments(options.virtual_tables)
    )


def bus_opener(options: CoreOptions, settings: Settings, clock: Clock) -> OpenBus:
    """What opens the ports; one that is not there is a sentence in the snapshot, not an error."""
    return lambda on_event: open_table_bus(
        segments(options, settings), baud=settings.tables.baud, clock=clock, on_event=on_event
    )


@dataclass(frozen=True, slots=True)
class TableParts:
    """What runs for the tables."""

    tables: Tables
    tap: TableTap
    bus: TableBus

    def close(self) -> None:
        self.tables.stop()
        self.bus.close()


def make_tables(
    start: Start,
    *,
    loop: GameLoop,
    commands: CommandQueue,
    open_bus: OpenBus,
    pressed: Callable[[TablePress], None],
    times: PressTimes,
) -> TableParts:
    """The tables with what runs for them, which the caller closes. `pressed` is told of a test's presses."""
    options, settings, runtime = start.options, start.settings, start.runtime
    hearing = _Hearing(runtime.threads)
    bus = open_bus(hearing.event)
    keeper = RosterKeeper(
        RosterStore(options.state_dir), bus=bus, boards=loop.boards, threads=runtime.threads
    )
    tap = TableTap(keeper=keeper, timers=runtime.timers, pressed=pressed)
    tables = Tables(
        loop=loop,
        commands=commands,
        tasks=runtime.tasks,
        tap=tap,
        bus=bus,
        keeper=keeper,
        timers=runtime.timers,
        threads=runtime.threads,
        brightness=settings.tables.brightness,
        languages=settings.hall.languages,
        times=times,
        calibration=CalibrationFile(options.state_dir),
        replace_automatically=settings.tables.replace_automatically,
    )
    hearing.tell(tables)
    if options.virtual_tables and not keeper.found and keeper.trouble is None:
        keeper.change(virtual_roster(options.virtual_tables))
    return TableParts(tables, tap, bus)


class _Hearing:
    """From the segments' threads onto the loop, which gets to it when the tables are there."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._tables: list[Tables] = []

    def tell(self, tables: Tables) -> None:
        self._tables.append(tables)

    def event(self, event: BusEvent) -> None:
        self._threads.call_on_loop(lambda: self._tell(event))

    def _tell(self, event: BusEvent) -> None:
        for tables in self._tables:
            tables.heard(event)


def stood_still(restored: Restored | None) -> StoodStill | None:
    """How long the clock of a game stood still that was found in its journal."""
    if restored is None:
        return None
    down_ms = restored.restart.down_ms
    return StoodStill(restored.game.game_id, None if down_ms is None else down_ms * 1_000_000)


def virtual_roster(tables: int) -> Roster:
    """A row for each segment. Only virtual tables enrol by themselves: real ones stand where somebody puts
    them."""
    numbers = count(1)
    return Roster(
        rows=tuple(
            Row(
                name=name,
                boards=tuple(
                    Board(name=f"{name}{place}", node=virtual_uid(next(numbers)))
                    for place in range(1, nodes + 1)
                ),
            )
            for name, nodes in virtual_segments(tables).items()
        )
    )
