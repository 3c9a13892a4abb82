"""`pi-controller broker`: what the broker of several halls needs, and what a hall needs of it."""

import asyncio
import contextlib
import os
import pwd
import re
import socket
import ssl
import subprocess
import sys
import time
from argparse import BooleanOptionalAction, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

from aiomqtt import Client, Topic
from msgspec.structs import replace

from pi_controller.cli.broker_files import (
    ACCOUNT,
    CONFIGURATION,
    FOLDER,
    PASSWORDS,
    RIGHTS,
    UPKEEP,
    BrokerFolder,
    HallFile,
    NotForHere,
    Rights,
    Users,
    Variant,
    copy_text,
    find_mosquitto,
    fingerprint,
    free_port,
    mark_in,
    new_password,
    password_line,
    reached_at,
    read_hall_file,
    rights_of,
    topics_of,
)
from pi_controller.cli.setup import OWN_SETTINGS, check_place, show_difference, write_settings
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    REFUSED,
    Stop,
    argument,
    command,
    flag,
    lines_of_table,
    no_argument,
    state_dir,
)
from pi_controller.journal.pairing import PairingKey, keep_key, key_from_text, read_key
from pi_controller.journal.store import private_folder, write_private
from pi_controller.language.words import words
from pi_controller.links.broker import Address
from pi_controller.links.withdrawal import BrokerFault, publish_each, retained_of, talking_to, withdraw
from pi_controller.protocol.picture import HALL_NAME, LinkRole
from pi_controller.sentence import Sentence, listed
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import file_text, from_table, load, table_of
from pi_controller.settings.sections import Settings
from pi_controller.web.http.addresses import outward_address, own_names

# `pi-controller broker check`: tries what each account may do and what it may not.

HERE = "127.0.0.1"
NOBODYS = "nobodys"
"""A topic at which nobody publishes."""
STARTS_S = 10.0
LOOK_S = 0.02
SHOWN = 10
"""Faults of one account; a list that allows everything has hundreds."""


@dataclass(slots=True)
class Column:
    """What came of trying: by account how much was tried, and what is wrong."""

    tried: dict[str, int] = field(default_factory=dict)
    wrong: dict[str, list[Sentence]] = field(default_factory=dict)
    faults: list[Sentence] = field(default_factory=list)
    """What concerns no single account."""

    def note(self, account: str, tried: int, wrong: Iterable[Sentence]) -> None:
        self.tried[account] = self.tried.get(account, 0) + tried
        self.wrong.setdefault(account, []).extend(wrong)

    def cell(self, account: str) -> Sentence:
        if account not in self.tried:
            return Sentence("broker.check_not_tried")
        count, wrong = self.tried[account], len(self.wrong[account])
        return (
            Sentence("broker.check_wrong", tried=count, wrong=wrong)
            if wrong
            else Sentence("broker.check_right", tried=count)
        )

    def told(self) -> Iterator[Sentence]:
        for found in (self.faults, *self.wrong.values()):
            yield from found[:SHOWN]
            if len(found) > SHOWN:
                yield Sentence("broker.check_more", more=len(found) - SHOWN)


def check(folder: Path) -> int:
    """Try all and tell it; REFUSED where something is wrong. Raises Stop, NotForHere, OSError."""
    broker = BrokerFolder(folder)
    users, own = broker.users(), broker.own_password()
    if not users.halls:
        raise Stop(REFUSED, Sentence("broker.not_set_up"))
    if own is None or not mark_in(broker.rights()):
        raise Stop(REFUSED, Sentence("broker.no_own_account"))
    by_list, running = _by_the_list(broker, users), _at_the_running(broker, users, own)
    shape: dict[Sentence, Callable[[str], str]] = {
        Sentence("broker.check_account"): lambda name: name,
        Sentence("broker.check_may"): lambda name: words(_kind(name, users)),
        Sentence("broker.check_list"): lambda name: words(by_list.cell(name)),
        Sentence("broker.check_running"): lambda name: words(running.cell(name)),
    }
    print("\n".join(lines_of_table(shape, rights_of(users))))
    untried = [name for name in rights_of(users) if running.tried and name not in running.tried]
    if untried:
        print(words(Sentence("broker.check_list_only", names=listed(untried))))
    of_list, faults = list(by_list.told()), list(running.told())
    if of_list:
        of_list.append(Sentence("broker.check_failed", path=str(broker.server / RIGHTS)))
    for fault in (*of_list, *faults):
        print(words(fault), file=sys.stderr)
    if of_list or faults:
        return REFUSED
    print(words(Sentence("broker.check_passed")))
    return ACCEPTED


def running_at(broker: BrokerFolder) -> Callable[[str | None, str | None], Address]:
    """The running broker, for a user with a password. Raises Stop where its configuration has no listener."""
    found = reached_at(broker.configuration_text())
    if found is None:
        raise Stop(REFUSED, Sentence("broker.is_edited", path=str(broker.configuration)))
    host, port, encrypted = found
    tls = ssl.create_default_context(cadata=broker.authority()) if encrypted else None
    if tls is not None:
        tls.check_hostname = False  # this authority signs for this broker alone
    return lambda user, password: Address(host or HERE, port, user, password, tls)


def withdraw_all_of(broker: BrokerFolder, hall: str) -> Sentence:
    """Whoever listens hears that it is gone; what came of it. Raises OSError."""
    own = broker.own_password()
    if own is None:
        return Sentence("broker.no_own_account")
    try:
        at = running_at(broker)(UPKEEP, own)
        refused = asyncio.run(_withdraw(at, hall))
    except Stop as stop:
        return stop.sentence
    except BrokerFault as fault:
        return fault.sentence if fault.refuses else Sentence("broker.nothing_is_kept", broker=str(at))
    return Sentence("broker.another_is_in_force") if refused else Sentence("link.withdrawn", hall=hall)


async def _withdraw(address: Address, hall: str) -> list[str]:
    async with talking_to(address) as client:
        return await withdraw(client, retained_of(hall))


def _kind(name: str, users: Users) -> Sentence:
    if name == UPKEEP:
        return Sentence("broker.check_upkeep")
    if name in users.leaders:
        return Sentence("broker.check_leads")
    return Sentence("broker.check_follows") if name in users.halls else Sentence("broker.check_reads")


def _by_the_list(broker: BrokerFolder, users: Users) -> Column:
    """All accounts, with everything that they may do and may not."""
    found = Column()
    passwords = {account: new_password() for account in rights_of(users)}
    with _copy(passwords, broker.rights()) as (port, trouble):
        if port is None:
            found.faults.append(
                Sentence("broker.list_is_not_read", path=str(broker.server / RIGHTS), why=trouble)
            )
            return found
        at = {name: Address(HERE, port, name, password) for name, password in passwords.items()}
        try:
            asyncio.run(_try_list(at, users, found))
        except BrokerFault as fault:
            found.faults.append(fault.sentence)
    return found


async def _try_list(at: dict[str, Address], users: Users, found: Column) -> None:
    topics = topics_of(users)
    for name, rights in rights_of(users).items():
        refused = await refused_to(at[name], topics)
        found.note(name, len(topics), _wrongly_written(name, rights, topics, refused))
    heard = await delivered_to(at, at[UPKEEP], topics)
    for name, rights in rights_of(users).items():
        found.note(name, len(topics), _wrongly_read(name, rights, topics, heard[name]))


def _at_the_running(broker: BrokerFolder, users: Users, own: str) -> Column:
    found, at = Column(), running_at(broker)
    try:
        asyncio.run(_try_running(broker, users, own, at, found))
    except BrokerFault as fault:
        found.faults.append(fault.sentence)
    return found


async def _try_running(
    broker: BrokerFolder,
    users: Users,
    own: str,
    at: Callable[[str | None, str | None], Address],
    found: Column,
) -> None:
    """What a hall may do is tried at an answer to somebody whom there is not: nobody else hears it."""
    if not await lets_in(at(UPKEEP, own)):
        found.note(UPKEEP, 1, [Sentence("broker.another_is_in_force")])
        return
    mark = mark_in(broker.rights())
    refused = await refused_to(at(UPKEEP, own), [mark])
    found.note(UPKEEP, 1, [Sentence("broker.another_is_in_force")] if refused else [])
    if await lets_in(at(None, None)):
        found.faults.append(Sentence("broker.lets_anybody_in"))
    if await lets_in(at(users.halls[0], new_password())):
        found.faults.append(Sentence("broker.lets_wrong_in", name=users.halls[0]))
    for name, rights in rights_of(users).items():
        path = broker.hall_file(name)
        if not path.exists():
            continue
        address = at(name, read_hall_file(path).password)
        if not await lets_in(address):
            found.note(name, 1, [Sentence("broker.check_not_let_in", name=name, path=str(path))])
            continue
        topics = [
            one for one in topics_of(users) if one.endswith(f"/{UPKEEP}") or not is_among(one, rights.write)
        ]
        refused = await refused_to(address, topics)
        found.note(name, len(topics), _wrongly_written(name, rights, topics, refused))


def _wrongly_written(
    name: str, rights: Rights, topics: Iterable[str], refused: set[str]
) -> Iterator[Sentence]:
    for one in topics:
        may = is_among(one, rights.write)
        if may and one in refused:
            yield Sentence("broker.may_not_write", name=name, topic=one)
        elif not may and one not in refused:
            yield Sentence("broker.may_write", name=name, topic=one)


def _wrongly_read(name: str, rights: Rights, topics: Iterable[str], heard: set[str]) -> Iterator[Sentence]:
    for one in topics:
        may = is_among(one, rights.read)
        if may and one not in heard:
            yield Sentence("broker.may_not_read", name=name, topic=one)
        elif not may and one in heard:
            yield Sentence("broker.may_read", name=name, topic=one)


@contextlib.contextmanager
def _copy(passwords: dict[str, str], rights: str) -> Iterator[tuple[int | None, str]]:
    """Port of a broker on this machine alone with these passwords and rights; or None, and what it says."""
    port, program = free_port(HERE), find_mosquitto()
    with TemporaryDirectory(prefix="pi-controller-broker-") as made:
        folder = Path(made)
        lines = "".join(f"{password_line(*one)}\n" for one in passwords.items())
        for name, text in ((CONFIGURATION, copy_text(port, folder)), (PASSWORDS, lines), (RIGHTS, rights)):
            (folder / name).write_text(text)
        if os.geteuid() == 0:
            account = pwd.getpwnam(ACCOUNT)
            for path in (folder, *folder.iterdir()):
                os.chown(path, account.pw_uid, account.pw_gid)
        said = folder / "said"
        with said.open("wb") as log:
            process = subprocess.Popen(
                [program, "-c", str(folder / CONFIGURATION)], stdout=subprocess.DEVNULL, stderr=log
            )
        try:
            listens = _until_it_listens(process, port)
            trouble, *_ = [*said.read_text(errors="replace").splitlines(), "-"]
            yield port if listens else None, trouble.partition(": ")[2] or trouble
        finally:
            process.kill()
            process.wait()


def _until_it_listens(process: subprocess.Popen[bytes], port: int) -> bool:
    ends = time.monotonic() + STARTS_S
    while process.poll() is None and time.monotonic() < ends:
        with contextlib.suppress(OSError), socket.create_connection((HERE, port), STARTS_S):
            return True
        time.sleep(LOOK_S)
    return False


def is_among(topic: str, patterns: Iterable[str]) -> bool:
    """The patterns have wildcards."""
    return any(Topic(topic).matches(pattern) for pattern in patterns)


async def lets_in(address: Address) -> bool:
    """Raises BrokerFault where the broker is not reached."""
    try:
        async with talking_to(address):
            return True
    except BrokerFault as fault:
        if fault.refuses:
            return False
        raise


async def refused_to(address: Address, topics: Iterable[str]) -> set[str]:
    """Where this account may not publish: without a payload, and nothing is retained. Raises BrokerFault."""
    async with talking_to(address) as client:
        return set(await publish_each(client, topics))


async def delivered_to(
    readers: Mapping[str, Address], writer: Address, topics: Iterable[str]
) -> dict[str, set[str]]:
    """Which of these topics each of them hears when the writer publishes there. Raises BrokerFault."""
    async with contextlib.AsyncExitStack() as stack:
        clients = {name: await stack.enter_async_context(talking_to(one)) for name, one in readers.items()}
        for client in clients.values():
            await client.subscribe("#")
        await publish_each(await stack.enter_async_context(talking_to(writer)), topics)
        return {name: await _heard(client) for name, client in clients.items()}


async def _heard(client: Client) -> set[str]:
    """What the broker has sent until now: it answers a further subscription after that."""
    await client.subscribe(NOBODYS)
    messages = client.messages
    return {str((await anext(messages)).topic) for _ in range(len(messages))}


LISTENER = "listener"
UNIT, DEBIANS = "pi-controller-broker.service", "mosquitto.service"
UNITS = Path("/etc/systemd/system")
RUNS_SYSTEMD = Path("/run/systemd/system")


NAMES = Sentence("metavar.names")
BROKER_FOLDER = argument(
    "--folder", type=Path, default=FOLDER, shown="D", meaning=Sentence("help.broker_folder", path=str(FOLDER))
)


def _names(text: str) -> tuple[str, ...]:
    found = tuple(text.split(","))
    for name in found:
        if not re.fullmatch(HALL_NAME, name):
            raise no_argument(Sentence("broker.no_name", text=repr(name[:40])))
        if found.count(name) > 1:
            raise no_argument(Sentence("broker.named_twice", name=name))
    return found


@command(
    "broker setup",
    argument("--halls", type=_names, default=(), shown=NAMES, meaning=Sentence("help.broker_halls")),
    argument("--listeners", type=_names, shown=NAMES, meaning=Sentence("help.broker_listeners")),
    argument("--leaders", type=_names, default=(), shown=NAMES, meaning=Sentence("help.broker_leaders")),
    argument("--tls", action=BooleanOptionalAction, meaning=Sentence("help.broker_tls")),
    argument("--address", shown="A", meaning=Sentence("help.broker_address")),
    BROKER_FOLDER,
    meaning=Sentence("help.broker_setup"),
    refused=NotForHere,
)
def set_up(arguments: Namespace) -> None:
    """Everything that is missing; what is right already stays."""
    find_mosquitto()
    broker = BrokerFolder(arguments.folder)
    known = broker.users()
    if not known.halls and not arguments.halls:
        raise Stop(BAD_USAGE, Sentence("broker.name_the_halls"))
    listeners = (
        (() if known.listeners else (LISTENER,)) if arguments.listeners is None else arguments.listeners
    )
    wanted = Users(arguments.halls, listeners, arguments.leaders)
    _check_kinds(known, wanted)
    address = arguments.address or outward_address()
    if address is None:
        raise Stop(BAD_USAGE, Sentence("broker.no_address"))
    reached_by = sorted({*own_names(), address})
    broker.set_up(
        wanted,
        datetime.now(UTC),
        tls=arguments.tls,
        address=address,
        reached_by=reached_by,
        pairing_key=read_key(state_dir(arguments)),
    )
    for path, beside in broker.kept:
        print(words(Sentence("broker.was_edited", path=str(path), kept=str(beside))))
    for path in broker.changed:
        if path.parent == broker.halls:
            print(words(Sentence("broker.file_for", user=path.stem, path=str(path))))
    for hall in broker.new_leaders:
        print(words(Sentence("broker.may_lead_now", hall=hall)))
    if not broker.changed:
        print(words(Sentence("broker.as_it_should_be")))
    _start(broker)
    show(arguments)


def _check_kinds(known: Users, wanted: Users) -> None:
    """A hall may write, a listener may not: one cannot silently become the other."""
    halls, listeners = {*known.halls, *wanted.halls}, {*known.listeners, *wanted.listeners}
    for name in sorted(halls & listeners):
        raise Stop(BAD_USAGE, Sentence("broker.both_kinds", name=name))
    for name in wanted.leaders:
        if name not in halls:
            raise Stop(BAD_USAGE, Sentence("broker.leader_is_no_hall", name=name))


def _start(broker: BrokerFolder) -> None:
    """By the installed unit; its files elsewhere are for who starts Mosquitto without it."""
    if broker.folder != FOLDER or not (UNITS / UNIT).exists() or not RUNS_SYSTEMD.is_dir():
        print(words(Sentence("broker.start_it_by_hand", path=str(broker.configuration))))
        return
    if _systemctl("is-enabled", DEBIANS) or _systemctl("is-active", DEBIANS):
        _systemctl("disable", "--now", DEBIANS)
        print(words(Sentence("broker.debians_is_off", unit=DEBIANS)))
    started = _systemctl("enable", UNIT) and _systemctl("restart" if broker.changed else "start", UNIT)
    if not started:
        raise Stop(FAILED, Sentence("broker.does_not_start", unit=UNIT))


def _systemctl(*words_: str) -> bool:
    done = subprocess.run(["systemctl", "--quiet", *words_], check=False, capture_output=True)
    return done.returncode == 0


@command("broker show", BROKER_FOLDER, meaning=Sentence("help.broker_show"), in_state_dir=False)
def show(arguments: Namespace) -> None:
    """How it is reached, and by whom."""
    broker = BrokerFolder(arguments.folder)
    users, variant = broker.users(), broker.variant()
    if not users.halls:
        raise Stop(REFUSED, Sentence("broker.not_set_up"))
    print(words(_how(variant, broker)))
    if variant is not None and variant.tls:
        print(words(Sentence("broker.fingerprint", fingerprint=fingerprint(broker.authority()))))
    leader = users.leaders[0] if users.leaders else "-"
    followers = [hall for hall in users.halls if hall != leader]
    print(words(Sentence("broker.halls", leader=leader, followers=listed(followers or ["-"]))))
    print(words(Sentence("broker.may_lead", names=listed(users.leaders or ["-"]))))
    print(words(Sentence("broker.listeners", names=listed(users.listeners or ["-"]))))
    waiting = [one for one in (*users.halls, *users.listeners) if broker.hall_file(one).exists()]
    if waiting:
        print(words(Sentence("broker.files_lie_here", names=listed(waiting), folder=str(broker.halls))))


def _how(variant: Variant | None, broker: BrokerFolder) -> Sentence:
    if variant is None:
        return Sentence("broker.is_edited", path=str(broker.configuration))
    port = str(variant.port)
    return Sentence("broker.encrypted", port=port) if variant.tls else Sentence("broker.plain", port=port)


@command(
    "broker forget",
    argument("user", shown=Sentence("metavar.name")),
    BROKER_FOLDER,
    meaning=Sentence("help.broker_forget"),
    in_state_dir=False,
)
def forget(arguments: Namespace) -> None:
    """Nobody gets in with this one's password any more."""
    broker = BrokerFolder(arguments.folder)
    users = broker.users()
    if arguments.user not in (*users.halls, *users.listeners):
        raise Stop(BAD_USAGE, Sentence("broker.unknown", name=arguments.user))
    if arguments.user in users.halls:
        print(words(withdraw_all_of(broker, arguments.user)))
    broker.forget(arguments.user)
    print(words(Sentence("broker.forgotten", name=arguments.user)))
    _start(broker)


@command(
    "broker check",
    BROKER_FOLDER,
    meaning=Sentence("help.broker_check"),
    refused=NotForHere,
    in_state_dir=False,
)
def try_all(arguments: Namespace) -> int:
    """What each account may do and what it may not."""
    return check(arguments.folder)


# A hall's controller joins.

PASSWORD, AUTHORITY = Path("links") / "password", Path("links") / "ca.pem"
"""In the state folder, where the installed process reads them."""


@command(
    "broker join",
    argument("file", type=Path, shown="F", meaning=Sentence("help.broker_file")),
    OWN_SETTINGS,
    flag("--replace-pairing-key", Sentence("help.broker_replace_key")),
    meaning=Sentence("help.broker_join"),
    refused=NotForHere,
)
def join(arguments: Namespace) -> None:
    """A controller takes the file that was made for it at the broker. The settings are written last."""
    file, path = read_hall_file(arguments.file), arguments.settings
    if file.role not in get_args(LinkRole):
        raise NotForHere(Sentence("broker.is_for_a_listener", path=str(arguments.file)))
    check_place(path)
    folder = state_dir(arguments)
    key = _pairing_key(file, folder, replace_it=arguments.replace_pairing_key)
    try:
        before = load(path) if path.exists() else Settings()
        text = file_text(_joined(before, file, folder))
        from_table(table_of(text, path), file=str(path))
    except SettingsFault as fault:
        raise Stop(BAD_USAGE, Sentence("setup.mistakes", problems=str(fault))) from fault
    private_folder(folder / PASSWORD.parent)
    write_private(folder / PASSWORD, f"{file.password}\n".encode())
    if file.ca:
        write_private(folder / AUTHORITY, file.ca.encode())
    if key is not None:
        keep_key(folder, key)
    show_difference(path, text)
    for told in write_settings(path, text):
        print(words(told))
    if key is not None:
        print(words(Sentence("pair.paired", mark=key.mark)))
    print(words(Sentence("broker.joined", hall=file.user, path=str(arguments.file))))


def _pairing_key(file: HallFile, folder: Path, *, replace_it: bool) -> PairingKey | None:
    """The file's, where it is to be kept here. Raises Stop where another one would be lost."""
    if not file.pairing_key:
        return None
    key, before = key_from_text(file.pairing_key), read_key(folder)
    if before is None:
        return key
    if before.mark == key.mark:
        return None
    if not replace_it:
        raise Stop(REFUSED, Sentence("broker.other_pairing_key", own=before.mark, mark=key.mark))
    return key


def _joined(before: Settings, file: HallFile, folder: Path) -> Settings:
    links = replace(
        before.links,
        role=file.role,
        hall=file.user,
        broker=file.broker,
        port=file.port,
        user=file.user,
        password_file=str(folder / PASSWORD),
        ca_file=str(folder / AUTHORITY) if file.ca else "",
        may_lead=file.may_lead,
    )
    return replace(before, links=links)
