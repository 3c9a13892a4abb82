"""`pi-controller links promote` and `links step-down`: a follower takes the place of a leader that is gone,
with the game that came over the network; and is a follower again."""

import asyncio
import contextlib
import logging
import sys
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from aiomqtt import Message, MqttError

from pi_controller.cli.restore import settings_of
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    REFUSED,
    Stop,
    add_settings,
    add_state_dir,
    parser_for,
    state_dir,
)
from pi_controller.core.game_loop.recovery import choose, take_over
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.journal.copies import controller_id
from pi_controller.journal.errors import JournalError
from pi_controller.journal.pairing import read_key
from pi_controller.journal.store import Store, hand_over
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.links.broker import LinksFault, address_of, payload_of
from pi_controller.links.lease import MOST_OVER, LeaseClaim
from pi_controller.links.payloads import ROOT, Status, hall_and_name, read
from pi_controller.protocol.errors import Malformed
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load
from pi_controller.settings.sections import Links
from pi_controller.settings.standing import (
    COPY_NAME,
    Followed,
    Standing,
    forget_standing,
    keep_standing,
    read_followed,
    read_standing,
    signed,
)

LOG = logging.getLogger(__name__)

LISTEN_S = 3.0
"""A leader that plays is heard once a second."""


@dataclass(frozen=True, slots=True)
class LeaderSeen:
    """`heard`: it plays now. `certainly_off`: the broker is there and knows that no leader is."""

    hall: str | None
    heard: bool
    certainly_off: bool


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")), required=True)
    promote = tasks.add_parser("promote", help=words(Sentence("help.links_promote")))
    promote.add_argument(
        "--leader-is-off",
        metavar=words(Sentence("metavar.name")),
        help=words(Sentence("help.links_leader_is_off")),
    )
    step_down = tasks.add_parser("step-down", help=words(Sentence("help.links_step_down")))
    for task in (promote, step_down):
        add_settings(task)
        add_state_dir(task)
    arguments = parser.parse_args(given)
    folder = state_dir(arguments)
    try:
        with Store(folder).lock():
            hand_over(Store(folder).lock_path)  # core has to open it afterwards
            return _promote(arguments, folder) if arguments.task == "promote" else _step_down(folder)
    except (JournalError, LinksFault) as error:
        raise Stop(REFUSED, error.sentence) from error
    except SettingsFault as fault:
        print(fault, file=sys.stderr)
        return BAD_USAGE
    except OSError as error:
        raise Stop(FAILED, Sentence("restore.broke_off", path=str(folder), why=why(error))) from error


def _promote(arguments: Namespace, folder: Path) -> int:
    links, standing = load(settings_of(arguments, folder)).links, read_standing(folder)
    if standing.role(links) != "follower":
        raise Stop(REFUSED, Sentence("link.no_follower_here"))
    if not links.may_lead:
        raise Stop(REFUSED, Sentence("link.may_not_lead", hall=links.hall))
    key, followed = read_key(folder), read_followed(folder)
    if key is None:
        raise Stop(REFUSED, Sentence("link.no_pairing_key", hall=links.hall))
    print(words(Sentence("link.listening", seconds=LISTEN_S)), flush=True)
    seen = asyncio.run(look_for_leader(links, listen_s=LISTEN_S))
    _check(seen, arguments.leader_is_off, seen.hall or (None if followed is None else followed.hall))
    for told in take_over(choose(folder, folder / COPY_NAME), SystemClock(), roster=False):
        print(words(told))
    before = Followed(hall="", term=0, over=[]) if followed is None else followed
    term = max(standing.term, before.term) + 1
    over = tuple(dict.fromkeys((*before.over, *standing.over)))[:MOST_OVER]
    standing = Standing(term=term, over=over, promoted=True)
    keep_standing(folder, signed(standing, controller=controller_id(folder), lease_key=key.lease_key()))
    print(words(Sentence("link.promoted", hall=links.hall, term=term)))
    return ACCEPTED


def _check(seen: LeaderSeen, said: str | None, hall: str | None) -> None:
    """Raises Stop while the leader is heard, and where nobody has confirmed what cannot be known here."""
    if seen.heard:
        raise Stop(REFUSED, Sentence("link.leader_is_heard", hall=hall or "?"))
    if seen.certainly_off:
        return
    if said is None and sys.stdin.isatty():
        print(words(Sentence("link.may_be_cut_in_two", hall=hall or "?")))
        said = input("> ").strip()
    if said != (hall or "?"):
        raise Stop(REFUSED, Sentence("link.confirm_leader_is_off", hall=hall or "?"))


def _step_down(folder: Path) -> int:
    forget_standing(folder)
    print(words(Sentence("link.stepped_down")))
    return ACCEPTED


async def look_for_leader(links: Links, *, listen_s: float) -> LeaderSeen:
    """Listen for so long. A broker that is not reached knows nothing: then a leader may play beyond the
    cut."""
    address, known, claims = address_of(links), dict[str, Status](), list[LeaseClaim]()
    client = address.client()
    reached = False
    try:
        async with asyncio.timeout(listen_s), client:
            for name in ("status", "lease"):
                await client.subscribe(f"{ROOT}/+/{name}")
            reached = True
            async for message in client.messages:
                _note(message, known, claims)
    except (MqttError, OSError) as problem:  # the time is over, or there is no broker
        LOG.debug("no longer listened: %s", problem)
    leading = [claim.hall for claim in claims if claim.leads]
    told = [status.hall for status in known.values() if status.leads and status.state == "online"]
    return LeaderSeen(
        hall=next(iter((*leading, *told)), None),
        heard=bool(leading),
        certainly_off=reached and not told,
    )


def _note(message: Message, known: dict[str, Status], claims: list[LeaseClaim]) -> None:
    """What is not understood says nothing here."""
    of, payload = hall_and_name(str(message.topic)), payload_of(message)
    with contextlib.suppress(Malformed):
        if of is not None and of[1] == "status":
            known[of[0]] = read(payload, Status)
        elif of is not None and not message.retain:
            claims.append(read(payload, LeaseClaim))
