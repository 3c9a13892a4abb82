"""`pi-controller links forget`: what the broker keeps of a hall that is no more is withdrawn."""

import asyncio
import contextlib
import re
import sys
from argparse import Namespace
from dataclasses import dataclass

from aiomqtt import Client

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
from pi_controller.language.words import words
from pi_controller.links.broker import Address, LinksFault, address_of, payload_of
from pi_controller.links.payloads import ROOT, Status, read, topic
from pi_controller.links.withdrawal import BrokerFault, retained_of, talking_to, withdraw
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.picture import HALL_NAME
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load

LISTEN_S = 3.0
"""A hall that plays tells something each second."""


@dataclass(frozen=True, slots=True)
class HallSeen:
    """`heard`: it has told something just now. `online`: the broker says so, perhaps of a connection that it
    knows over a bridge or from before its own end."""

    heard: bool
    online: bool


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")), required=True)
    task = tasks.add_parser("forget", help=words(Sentence("help.links_forget")))
    task.add_argument("hall", metavar=words(Sentence("metavar.name")))
    task.add_argument("--is-off", action="store_true", help=words(Sentence("help.links_is_off")))
    add_settings(task)
    add_state_dir(task)
    arguments = parser.parse_args(given)
    try:
        return _forget(arguments)
    except LinksFault as fault:
        raise Stop(REFUSED, fault.sentence) from fault
    except SettingsFault as fault:
        print(fault, file=sys.stderr)
        return BAD_USAGE


def _forget(arguments: Namespace) -> int:
    links, hall = load(settings_of(arguments, state_dir(arguments))).links, arguments.hall
    if links.role == "none":
        raise Stop(REFUSED, Sentence("link.none_is_set"))
    if not re.fullmatch(HALL_NAME, hall):
        raise Stop(BAD_USAGE, Sentence("broker.no_name", text=repr(hall[:40])))
    if hall == links.hall:
        raise Stop(REFUSED, Sentence("link.own_hall", hall=hall))
    address = address_of(links)
    try:
        seen, refused = asyncio.run(_ask(address, hall, is_off=arguments.is_off))
    except BrokerFault as fault:
        raise Stop(REFUSED if fault.refuses else FAILED, fault.sentence) from fault
    if seen.heard:
        raise Stop(REFUSED, Sentence("link.hall_is_heard", hall=hall))
    if seen.online and not arguments.is_off:
        raise Stop(REFUSED, Sentence("link.hall_is_online", hall=hall))
    if refused:
        raise Stop(REFUSED, Sentence("link.may_not_withdraw", hall=hall))
    print(words(Sentence("link.withdrawn", hall=hall)))
    return ACCEPTED


async def _ask(address: Address, hall: str, *, is_off: bool) -> tuple[HallSeen, list[str]]:
    """Who is there keeps what it has told."""
    async with talking_to(address) as client:
        seen = await look_at(client, hall, listen_s=LISTEN_S)
        if seen.heard or (seen.online and not is_off):
            return seen, []
        return seen, await withdraw(client, retained_of(hall))


async def look_at(client: Client, hall: str, *, listen_s: float) -> HallSeen:
    """Listen for so long whether this hall is there. Raises MqttError."""
    heard = online = False
    await client.subscribe(f"{ROOT}/{hall}/#")
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(listen_s):
            async for message in client.messages:
                heard = heard or not message.retain
                if str(message.topic) == topic(hall, "status"):
                    with contextlib.suppress(Malformed):  # of an earlier release, or nobody's
                        online = read(payload_of(message), Status).state == "online"
    return HallSeen(heard, online)
