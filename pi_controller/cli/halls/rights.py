"""Who may do what at the broker, and with which password: the list of rights and the passwords that Mosquitto
reads. Pure but for the randomness of a password."""

import base64
import hashlib
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from pi_controller.links.home_assistant import discovery
from pi_controller.links.payloads import OF_HALLS, OF_LEADERS, ROOT, topic

ROUNDS = 101
"""As `mosquitto_passwd` has it: passwords made here cannot be guessed with more rounds or with fewer."""
SALT_BYTES = 12
PASSWORD_BYTES = 18

READ_BY_ALL = ("picture", "beat", "health", "tables", "status")
READ_BY_HALLS = (*READ_BY_ALL, "lease")
ADDRESSED = ("answer", "result")
"""Their topics end with the name of the hall that has asked."""
OWN_LINES = "# Lines of your own below this one stay."
UPKEEP = "_broker"
"""The broker's own account, which withdraws what is retained and tries the rights; no name of a hall."""
MARK = "rights"
"""Below it the broker's own account may write one topic, which names the list that is in force."""


@dataclass(frozen=True, slots=True)
class Users:
    """Who has a password. Of the halls that may lead the first one does."""

    halls: tuple[str, ...] = ()
    listeners: tuple[str, ...] = ()
    """They only read."""
    leaders: tuple[str, ...] = ()
    """Those of the halls that may lead."""


@dataclass(frozen=True, slots=True)
class Rights:
    """Topics of one account, with wildcards."""

    write: tuple[str, ...] = ()
    read: tuple[str, ...] = ()


def rights_of(users: Users) -> dict[str, Rights]:
    """By account. A hall writes below its own name only, and as a leader only where it may lead."""
    rights = {hall: _of_hall(hall, leads=hall in users.leaders) for hall in users.halls}
    read = (*(topic("+", name) for name in READ_BY_ALL), "homeassistant/#")
    rights |= {listener: Rights(read=read) for listener in users.listeners}
    return rights | {UPKEEP: Rights(write=(f"{ROOT}/#", "homeassistant/#"))}


def _of_hall(hall: str, *, leads: bool) -> Rights:
    write = tuple(topic(hall, name) for name in OF_HALLS)
    read = [topic("+", name) for name in READ_BY_HALLS]
    read += [topic("+", name, hall) for name in ADDRESSED]
    read.append(topic(hall, "ask"))  # another controller may have its name
    if not leads:
        return Rights(write, tuple(read))
    as_leader = (*(topic(hall, name) for name in OF_LEADERS), discovery(hall)[0])
    asked = [topic("+", name) for name in OF_HALLS if name not in READ_BY_HALLS]
    return Rights((*write, *as_leader), (*read, *asked))


def rights_text(users: Users, own_lines: str = "") -> str:
    """Mosquitto's `acl_file`."""
    parts = ["# Written by `pi-controller broker setup`."]
    for account, rights in rights_of(users).items():
        lines = [f"topic write {name}" for name in rights.write]
        parts.append("\n".join([f"user {account}", *lines, *(f"topic read {name}" for name in rights.read)]))
    mark = hashlib.sha256("\n\n".join(parts).encode()).hexdigest()[:16]
    parts[-1] += f"\ntopic write {MARK}/{mark}"
    return "\n\n".join([*parts, f"{OWN_LINES}\n{own_lines}"])


def mark_in(rights: str) -> str:
    """The topic that only a broker with this list in force lets its own account write; empty without one."""
    found = re.search(rf"^topic write ({MARK}/\w+)$", rights.partition(OWN_LINES)[0], re.MULTILINE)
    return found[1] if found else ""


def topics_of(users: Users) -> list[str]:
    """What can be written at this broker, one by one: all topics of all halls, and one that nobody has."""
    askers = (*users.halls, UPKEEP)
    found = []
    for hall in users.halls:
        found += [topic(hall, name) for name in (*OF_HALLS, *OF_LEADERS, "other") if "+" not in name]
        found += [topic(hall, f"{name}/{asker}") for name in ADDRESSED for asker in askers]
        found.append(discovery(hall)[0])
    return found


def users_in(rights: str) -> Users:
    """Those of a list that was written here, also by a release in which every hall might lead."""
    halls: list[str] = []
    listeners: list[str] = []
    leaders: list[str] = []
    written = rights.partition(OWN_LINES)[0]
    for block in written.split("\n\n"):
        first, *rest = block.splitlines() or [""]
        word, _, name = first.partition(" ")
        if word != "user" or name == UPKEEP:
            continue
        earlier = f"topic write {topic(name, '#')}" in rest
        is_hall = earlier or f"topic write {topic(name, OF_HALLS[0])}" in rest
        (halls if is_hall else listeners).append(name)
        if earlier or f"topic write {topic(name, 'lease')}" in rest:
            leaders.append(name)
    return Users(tuple(halls), tuple(listeners), tuple(leaders))


def own_lines_in(rights: str) -> str:
    """What a technician has added."""
    return rights.partition(f"{OWN_LINES}\n")[2]


def new_password() -> str:
    return secrets.token_urlsafe(PASSWORD_BYTES)


def password_line(user: str, password: str) -> str:
    """As in Mosquitto's `password_file`: PBKDF2 with SHA-512 (`$7$`)."""
    salt = secrets.token_bytes(SALT_BYTES)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, ROUNDS)
    return f"{user}:$7${ROUNDS}${_text(salt)}${_text(digest)}"


def without(passwords: str, users: Iterable[str]) -> list[str]:
    """The lines of all others."""
    left_out = set(users)
    return [line for line in passwords.splitlines() if line.partition(":")[0] not in left_out]


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
