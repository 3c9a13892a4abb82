"""`pi-controller broker`: what the broker of several halls needs, and what a hall needs of it."""

import re
import subprocess
from argparse import BooleanOptionalAction, Namespace
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from pi_controller.cli.broker_check import check, withdraw_all_of
from pi_controller.cli.broker_files import (
    FOLDER,
    BrokerFolder,
    HallFile,
    NotForHere,
    Users,
    Variant,
    find_mosquitto,
    fingerprint,
    read_hall_file,
)
from pi_controller.cli.setup import OWN_SETTINGS, check_place, show_difference, write_settings
from pi_controller.cli.usage import (
    BAD_USAGE,
    FAILED,
    REFUSED,
    Stop,
    argument,
    command,
    flag,
    no_argument,
    state_dir,
)
from pi_controller.journal.pairing import PairingKey, keep_key, key_from_text, read_key
from pi_controller.journal.store import private_folder, write_private
from pi_controller.language.words import words
from pi_controller.protocol.picture import HALL_NAME, LinkRole
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import file_text, from_table, load, table_of
from pi_controller.settings.sections import Settings
from pi_controller.web.http.addresses import outward_address, own_names

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
    print(words(Sentence("broker.halls", leader=leader, followers=_listed(followers))))
    print(words(Sentence("broker.may_lead", names=_listed(users.leaders))))
    print(words(Sentence("broker.listeners", names=_listed(users.listeners))))
    waiting = [one for one in (*users.halls, *users.listeners) if broker.hall_file(one).exists()]
    if waiting:
        print(words(Sentence("broker.files_lie_here", names=_listed(waiting), folder=str(broker.halls))))


def _how(variant: Variant | None, broker: BrokerFolder) -> Sentence:
    if variant is None:
        return Sentence("broker.is_edited", path=str(broker.configuration))
    port = str(variant.port)
    return Sentence("broker.encrypted", port=port) if variant.tls else Sentence("broker.plain", port=port)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "-"


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
