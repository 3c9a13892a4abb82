"""Several halls in one game: `pi-controller links forget`, `promote`, `step-down` and `settle`, and what
`run --halls N` prepares on one machine."""

import asyncio
import contextlib
import logging
import re
import sys
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from aiomqtt import Client, Message, MqttError
from msgspec.structs import replace

from pi_controller.cli.ask import core_of
from pi_controller.cli.broker_files import CONFIGURATION, find_mosquitto, free_port, try_out_text
from pi_controller.cli.processes import LARGEST_PORT
from pi_controller.cli.usage import (
    BAD_USAGE,
    FAILED,
    REFUSED,
    SETTINGS,
    Stop,
    argument,
    command,
    flag,
    of_system,
    one_of,
    settings_of,
    state_dir,
)
from pi_controller.core.game_loop.recovery import choose, take_over
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.journal.copies import controller_id
from pi_controller.journal.errors import JournalError
from pi_controller.journal.pairing import read_key
from pi_controller.journal.store import Store, hand_over, private_folder, write_private
from pi_controller.language.words import words
from pi_controller.links.broker import Address, address_of, payload_of
from pi_controller.links.lease import MOST_OVER, LeaseClaim
from pi_controller.links.payloads import ROOT, Status, hall_and_name, read, topic
from pi_controller.links.withdrawal import BrokerFault, retained_of, talking_to, withdraw
from pi_controller.protocol.client import Client as Core
from pi_controller.protocol.errors import CoreTrouble, Malformed, SocketPathTooLong
from pi_controller.protocol.messages import AskSettle
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.picture import HALL_NAME, LEADS_NOT, LinkRole
from pi_controller.sentence import Sentence
from pi_controller.settings.load import file_text, load
from pi_controller.settings.sections import LinkSettings, Settings
from pi_controller.settings.standing import (
    COPY_NAME,
    Followed,
    HallRole,
    forget_standing,
    keep_standing,
    read_followed,
    read_standing,
    signed,
)

LOG = logging.getLogger(__name__)

LISTEN_S = 3.0
"""A hall that plays tells something each second, and a leader that it leads."""
NAME = Sentence("metavar.name")


# What the broker keeps of a hall that is no more is withdrawn.


@dataclass(frozen=True, slots=True)
class HallSeen:
    """`heard`: it has told something just now. `online`: the broker says so, perhaps of a connection that it
    knows over a bridge or from before its own end."""

    heard: bool
    online: bool


@command(
    "links forget",
    argument("hall", shown=NAME),
    flag("--is-off", Sentence("help.links_is_off")),
    SETTINGS,
    meaning=Sentence("help.links_forget"),
)
def forget(arguments: Namespace) -> None:
    """Refused while the hall is there."""
    links, hall = load(settings_of(arguments)).links, arguments.hall
    if links.role == "none":
        raise Stop(REFUSED, Sentence("link.none_is_set"))
    if not re.fullmatch(HALL_NAME, hall):
        raise Stop(BAD_USAGE, Sentence("broker.no_name", text=repr(hall[:40])))
    if hall == links.hall:
        raise Stop(REFUSED, Sentence("link.own_hall", hall=hall))
    address = address_of(links)
    try:
        seen, refused = asyncio.run(_withdraw(address, hall, is_off=arguments.is_off))
    except BrokerFault as fault:
        raise Stop(REFUSED if fault.refuses else FAILED, fault.sentence) from fault
    if seen.heard:
        raise Stop(REFUSED, Sentence("link.hall_is_heard", hall=hall))
    if seen.online and not arguments.is_off:
        raise Stop(REFUSED, Sentence("link.hall_is_online", hall=hall))
    if refused:
        raise Stop(REFUSED, Sentence("link.may_not_withdraw", hall=hall))
    print(words(Sentence("link.withdrawn", hall=hall)))


async def _withdraw(address: Address, hall: str, *, is_off: bool) -> tuple[HallSeen, list[str]]:
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


# A follower takes the place of a leader that is gone, with the game that came over the network; and is a
# follower again.


@dataclass(frozen=True, slots=True)
class LeaderSeen:
    """`heard`: it plays now. `certainly_off`: the broker is there and knows that no leader is."""

    hall: str | None
    heard: bool
    certainly_off: bool


def _broke_off(path: str, why: Sentence) -> Sentence:
    return Sentence("restore.broke_off", path=path, why=why)


@command(
    "links promote",
    argument("--leader-is-off", shown=NAME, meaning=Sentence("help.links_leader_is_off")),
    SETTINGS,
    meaning=Sentence("help.links_promote"),
    refused=JournalError,
    failed=_broke_off,
)
def promote(arguments: Namespace) -> None:
    """Refused while a leader is heard, and where nobody has confirmed what cannot be known here."""
    folder = state_dir(arguments)
    with Store(folder).lock():
        hand_over(Store(folder).lock_path)  # core has to open it afterwards
        links, standing = load(settings_of(arguments)).links, read_standing(folder)
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
        own = HallRole(term=term, over=over, promoted=True)
        keep_standing(folder, signed(own, controller=controller_id(folder), lease_key=key.lease_key()))
        print(words(Sentence("link.promoted", hall=links.hall, term=term)))


def _check(seen: LeaderSeen, said: str | None, hall: str | None) -> None:
    """Raises Stop where this hall must not lead."""
    if seen.heard:
        raise Stop(REFUSED, Sentence("link.leader_is_heard", hall=hall or "?"))
    if seen.certainly_off:
        return
    if said is None and sys.stdin.isatty():
        print(words(Sentence("link.may_be_cut_in_two", hall=hall or "?")))
        said = input("> ").strip()
    if said != (hall or "?"):
        raise Stop(REFUSED, Sentence("link.confirm_leader_is_off", hall=hall or "?"))


async def look_for_leader(links: LinkSettings, *, listen_s: float) -> LeaderSeen:
    """Listen for so long from when the broker tells what it keeps; to come to that it has as much time. A
    broker that is not reached knows nothing: then a leader may play beyond the cut."""
    address, known, claims = address_of(links), dict[str, Status](), list[LeaseClaim]()
    client = address.client()
    reached = False
    try:
        async with asyncio.timeout(listen_s) as limit, client:
            for name in ("status", "lease"):
                await client.subscribe(f"{ROOT}/+/{name}")
            reached = True
            limit.reschedule(asyncio.get_running_loop().time() + listen_s)
            async for message in client.messages:
                _note(message, known, claims)
    except (MqttError, OSError) as problem:  # the time is over, or there is no broker
        LOG.debug("no longer listened: %s", problem)
    leading = [claim.hall for claim in claims if claim.leads]
    told = [status.hall for status in known.values() if status.leads and status.state == "online"]
    return LeaderSeen(
        hall=next(iter((*leading, *told)), None), heard=bool(leading), certainly_off=reached and not told
    )


def _note(message: Message, known: dict[str, Status], claims: list[LeaseClaim]) -> None:
    """What is not understood says nothing here."""
    of, payload = hall_and_name(str(message.topic)), payload_of(message)
    with contextlib.suppress(Malformed):
        if of is not None and of[1] == "status":
            known[of[0]] = read(payload, Status)
        elif of is not None and not message.retain:
            claims.append(read(payload, LeaseClaim))


@command(
    "links step-down",
    SETTINGS,
    meaning=Sentence("help.links_step_down"),
    refused=JournalError,
    failed=_broke_off,
)
def step_down(arguments: Namespace) -> None:
    """What was promoted here follows again."""
    folder = state_dir(arguments)
    with Store(folder).lock():
        hand_over(Store(folder).lock_path)  # core has to open it afterwards
        forget_standing(folder)
        print(words(Sentence("link.stepped_down")))


# A person decides which of two controllers that lead one game does.


@command(
    "links settle",
    one_of(
        flag("--lead", Sentence("help.links_settle_lead")),
        flag("--give-way", Sentence("help.links_settle_give_way")),
        required=True,
    ),
    argument("--hall", shown=NAME, meaning=Sentence("help.links_settle_hall")),
    meaning=Sentence("help.links_settle"),
)
def settle(arguments: Namespace) -> None:
    """With the name of the hall that shall lead; on a terminal it is asked for."""
    core = core_of(arguments)
    hall = _typed(core, arguments)
    try:
        core.ask(AskSettle(lead=arguments.lead, hall=hall))
    except CoreTrouble as refusal:
        raise Stop(REFUSED, refusal.sentence) from refusal
    print(words(Sentence("page.settle_done")))


def _typed(core: Core, arguments: Namespace) -> str:
    """What will follow is said first, where there is something to decide."""
    if arguments.hall is not None or not sys.stdin.isatty():
        return arguments.hall or ""
    link = core.picture().link
    if link is None or link.state not in LEADS_NOT:
        return ""
    other = link.leader or "?"
    if arguments.lead:
        print(words(Sentence("page.settle_lead_help", own=link.hall, hall=other)))
    else:
        print(words(Sentence("page.settle_give_way_help", hall=other)))
    print(words(Sentence("link.type_the_leader", hall=link.hall if arguments.lead else other)))
    return input("> ").strip()


# `run --halls N`: several controllers with simulated hardware on one machine, and a broker.

FOLDER = "halls"
NAMES = ("main", "east", "west", "north", "south", "upper", "lower", "outer")


@dataclass(frozen=True, slots=True)
class TriedHall:
    """One of the halls; the first leads."""

    name: str
    role: LinkRole
    state_dir: Path
    settings: Path
    port: int
    """Of its pages."""


def prepare(arguments: Namespace, count: int) -> tuple[list[TriedHall], list[str]]:
    """Check everything, write settings and the broker's configuration, say where the pages will
    be; the halls, and the broker's command.

    Raises Stop and SettingsFault before anything is started.
    """
    if arguments.hardware not in (None, "sim"):
        raise Stop(BAD_USAGE, Sentence("halls.simulated_only"))
    mosquitto = find_mosquitto()
    settings = load(arguments.settings, "sim")
    folder = state_dir(arguments) / FOLDER
    host = settings.web.host if arguments.host is None else arguments.host
    broker_port = free_port("127.0.0.1")
    first = settings.web.port if arguments.port is None else arguments.port
    if first + count - 1 > LARGEST_PORT:
        raise Stop(BAD_USAGE, Sentence("halls.ports_end", halls=count, port=first, most=LARGEST_PORT))
    try:
        halls = [
            _hall(
                folder / name,
                first + place if first else free_port(host),
                name=name,
                settings=settings,
                broker_port=broker_port,
            )
            for place, name in enumerate(NAMES[:count])
        ]
        configuration = folder / CONFIGURATION
        write_private(configuration, try_out_text(broker_port).encode(), mode=0o644)
    except SocketPathTooLong as error:
        raise Stop(BAD_USAGE, error.sentence) from error
    except OSError as error:
        raise Stop(FAILED, of_system(error, folder)) from error
    print(words(Sentence("halls.broker_is_at", address=f"127.0.0.1:{broker_port}")))
    means = {"leader": Sentence("halls.leader"), "follower": Sentence("halls.follower")}
    for hall in halls:
        address = f"http://{f'[{host}]' if ':' in host else host}:{hall.port}/"
        what, state = means[hall.role], str(hall.state_dir)
        told = Sentence("halls.hall_is_at", hall=hall.name, what=what, address=address, state=state)
        print(words(told))
    print(flush=True)
    return halls, [mosquitto, "-c", str(configuration)]


def _hall(folder: Path, port: int, *, name: str, settings: Settings, broker_port: int) -> TriedHall:
    role: LinkRole = "leader" if name == NAMES[0] else "follower"
    socket_path(folder)
    private_folder(folder)
    path = folder / "settings.toml"
    own = _own(settings, name=name, role=role, broker_port=broker_port)
    write_private(path, file_text(own).encode())
    return TriedHall(name, role, folder, path, port)


def _own(settings: Settings, *, name: str, role: LinkRole, broker_port: int) -> Settings:
    """The given ones, where two halls of one machine would be in each other's way each its own: names, the
    staff's port, and the second copy, which is the leader's."""
    place = NAMES.index(name)
    web, journal = settings.web, settings.journal
    return replace(
        settings,
        hall=replace(settings.hall, name=settings.hall.name or name),
        web=replace(web, staff_port=web.staff_port and web.staff_port + place),
        journal=journal if role == "leader" else replace(journal, second_copy=""),
        links=replace(
            settings.links,
            role=role,
            hall=name,
            broker="127.0.0.1",
            port=broker_port,
            user="",
            password_file="",
            ca_file="",
        ),
    )
