"""Settings to what this core is among the halls."""

from pi_controller.core.following.follower import Follower
from pi_controller.core.following.leading import Leader
from pi_controller.core.game_loop.command_queue import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.tables.press_times import PressTimes
from pi_controller.core.wiring.start import Start


def make_end(
    start: Start, *, loop: GameLoop, commands: CommandQueue, times: PressTimes
) -> Leader | Follower | None:
    """None: it plays for itself. The loop goes by it from now on."""
    links, timers = start.settings.links, start.runtime.timers
    role = start.standing.role(links)
    if role == "none":
        return None
    if role == "follower":
        follower = Follower(hall=links.hall, loop=loop, timers=timers)
        loop.follow(follower)
        loop.metrics.family(follower.figures)
        start.closing.callback(follower.stop)
        return follower
    leader = Leader(hall=links.hall, loop=loop, commands=commands, times=times, timers=timers)
    loop.lead(leader.view, named=links.hall if start.standing.promoted else None)
    start.closing.callback(leader.stop)
    return leader
