"""Settings to what this core is among the halls."""

import hashlib
import logging
from pathlib import Path

from msgspec.structs import replace

from pi_controller.core.following.follower import Follower
from pi_controller.core.following.leading import Leader
from pi_controller.core.game_loop.command_queue import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.server.hall_requests import HallRequests
from pi_controller.core.tables.press_times import PressTimes
from pi_controller.core.wiring.start import Start
from pi_controller.journal.pairing import PairingFault, read_key
from pi_controller.journal.second_copy import controller_id
from pi_controller.protocol.answer_types import LinkAnswer
from pi_controller.protocol.messages import AskKeepTerm
from pi_controller.settings.standing import believed, keep_standing, signed

log = logging.getLogger(__name__)

SERIAL = Path("/sys/firmware/devicetree/base/serial-number")
"""Of a Raspberry Pi."""


def make_hall_requests(start: Start, end: Leader | Follower | None) -> HallRequests:
    """With what this controller is known by among the halls: its state folder on this computer, since a card
    may be copied. Raises OSError."""
    folder, key = start.options.state_dir, _lease_key(start.options.state_dir)
    drawn = controller_id(folder)
    serial = SERIAL.read_bytes() if SERIAL.exists() else b""
    lease = believed(start.standing, controller=drawn, lease_key=key)

    def keep(asked: AskKeepTerm) -> None:
        kept = replace(start.standing, term=asked.term, over=tuple(asked.over))
        keep_standing(folder, kept if key is None else signed(kept, controller=drawn, lease_key=key))

    own = LinkAnswer(
        id=0,
        controller=hashlib.sha256(drawn.encode() + serial).hexdigest()[:16],
        term=lease.term,
        over=lease.over,
        lease_key=key,
    )
    runtime = start.runtime
    return HallRequests(end, tasks=runtime.tasks, threads=runtime.threads, own=own, keep=keep)


def _lease_key(state_dir: Path) -> str | None:
    """By what this controller proves its term. A key that cannot be used is told of with the second copy."""
    try:
        key = read_key(state_dir)
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
