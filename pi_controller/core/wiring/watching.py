"""Which parts of a running core are watched, and what is done when one of them falls silent."""

from collections.abc import Callable
from functools import partial

from msgspec import Struct

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.inputs.button import ButtonWatch
from pi_controller.core.monitoring.health_monitor import HealthMonitor
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.runtime.supervise import Part, Supervisor, Watchdog
from pi_controller.core.runtime.timers import Timers
from pi_controller.core.wiring.tables import TableParts
from pi_controller.hal.system.systemd import Notices
from pi_controller.journal.exports import Exports
from pi_controller.journal.heartbeat import HeartbeatWriter
from pi_controller.journal.writer import JournalWriter
from pi_controller.protocol.messages import Request
from pi_controller.protocol.server import LineServer

LAST_LINES_S = 0.25
"""Of the 0.3 s that the watchdog waits for its last acts."""


class Watched(Struct, frozen=True, kw_only=True):
    """The parts. Without `restart_display` there is no display, without `parts` there are no tables."""

    loop: GameLoop
    outputs: Outputs
    writer: JournalWriter
    exports: Exports
    heartbeat: HeartbeatWriter
    button: ButtonWatch
    servers: tuple[LineServer[Request], ...]
    parts: TableParts | None
    restart_display: Callable[[], None] | None


def watch(
    watched: Watched,
    *,
    lost_part_ns: int,
    timers: Timers,
    notices: Notices,
    give_up: Callable[[str], None],
) -> tuple[HealthMonitor, Watchdog]:
    """Both run already; the caller stops them."""
    supervisor = Supervisor(lost_part_ns=lost_part_ns, give_up=give_up)
    for part in _indispensable(watched, timers):
        supervisor.add(part)
    for part in _restartable(watched, timers):
        supervisor.add(part)
    loop, outputs = watched.loop, watched.outputs
    watchdog = Watchdog(timers=timers, limit_ns=lost_part_ns, make_safe=lambda: make_safe(watched))
    supervisor.add(Part("the loop's watchdog", _while(watchdog.alive, timers)))
    watchdog.start()
    monitor = HealthMonitor(
        loop=loop,
        outputs=outputs,
        supervisor=supervisor,
        watchdog=watchdog,
        notices=notices,
        timers=timers,
        keep=partial(_keep, watched.servers),
    )
    monitor.go()
    loop.metrics.gauge("restarts", supervisor.restarts)
    return monitor, watchdog


def _keep(servers: tuple[LineServer[Request], ...]) -> None:
    for server in servers:
        server.keep()


def make_safe(watched: Watched) -> None:
    """The loop hangs and the process ends: everything dark and silent, and what was decided on the disk."""
    watched.outputs.darken()
    watched.loop.saves.hand_over_at_last()
    watched.writer.close(LAST_LINES_S)


def _indispensable(watched: Watched, timers: Timers) -> list[Part]:
    loop = watched.loop
    return [
        Part("the journal writer", _while(watched.writer.alive, timers)),
        Part("the heartbeat writer", _while(watched.heartbeat.alive, timers)),
        Part(
            "the control server",
            _while(lambda: all(server.serving() for server in watched.servers), timers),
        ),
        Part("the game clock", lambda: timers.boot_ns() - loop.overdue_ns()),
        Part("the room picture", _while(lambda: loop.showing.pictured, timers)),
    ]


def _restartable(watched: Watched, timers: Timers) -> list[Part]:
    button, outputs, tables = watched.button, watched.outputs, watched.parts
    parts = [
        Part("the button watch", button.beat_ns, restart=button.poll),
        Part("the exports", _while(watched.exports.alive, timers), restart=watched.exports.start),
    ]
    if watched.restart_display is not None:
        parts.append(
            Part(
                "the local display",
                lambda: outputs.display.beat_ns() if outputs.display else timers.boot_ns(),
                restart=watched.restart_display,
            )
        )
    if tables is not None:
        parts.append(Part("the table nodes' segments", tables.bus.beat_ns, restart=tables.bus.revive))
    return parts


def _while(alive: Callable[[], bool], timers: Timers) -> Callable[[], int | None]:
    """The sign of life of what can only say whether it lives."""
    return lambda: timers.boot_ns() if alive() else None
