"""`pi-controller broker check`: tries what each account may do and what it may not.

The broker keeps no password but its own in clear, so the rights of all accounts are tried at a copy of it,
with the same list of rights and passwords made for the trial. At the running broker it tries the accounts
whose files still lie here, and whether that list is the one in force.
"""

import asyncio
import contextlib
import os
import pwd
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from aiomqtt import Client, Topic

from pi_controller.cli.broker_files import (
    ACCOUNT,
    CONFIGURATION,
    PASSWORDS,
    RIGHTS,
    UPKEEP,
    BrokerFolder,
    Rights,
    Users,
    copy_text,
    find_mosquitto,
    free_port,
    mark_in,
    new_password,
    password_line,
    reached_at,
    read_hall_file,
    rights_of,
    topics_of,
)
from pi_controller.cli.usage import ACCEPTED, REFUSED, Stop, table_of
from pi_controller.language.words import words
from pi_controller.links.broker import Address
from pi_controller.links.withdrawal import BrokerFault, publish_each, retained_of, talking_to, withdraw
from pi_controller.sentence import Sentence

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
    print("\n".join(table_of(shape, rights_of(users))))
    untried = [name for name in rights_of(users) if running.tried and name not in running.tried]
    if untried:
        print(words(Sentence("broker.check_list_only", names=", ".join(untried))))
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
