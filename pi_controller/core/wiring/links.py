"""Settings to what this core is among the halls."""

import logging

from pi_controller.core.following.follower import Follower
from pi_controller.core.following.leading import Leader
from pi_controller.core.game_loop.command_queue import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.tables.press_times import PressTimes
from pi_controller.core.wiring.start import Start
from pi_controller.journal.pairing import PairingFault, read_key

log = logging.getLogger(__name__)


def lease_key(start: Start) -> str | None:
    """By what this controller proves its term. A key that cannot be used is told of with the second copy."""
    try:
        key = read_key(start.options.state_dir)
    except (PairingFault, OSError) as error:
        log.warning("there is no pairing key for the halls: %s", error)
        return None
    return None if key is None else key.lease_key()


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
