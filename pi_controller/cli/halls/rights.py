"""Who may do what at the broker, and with which password: the list of rights and the passwords that Mosquitto
reads. Pure but for the randomness of a password."""

import base64
import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from pi_controller.links.home_assistant import discovery
from pi_controller.links.payloads import ROOT, topic

ROUNDS = 101
"""As `mosquitto_passwd` has it: passwords made here cannot be guessed with more rounds or with fewer."""
SALT_BYTES = 12
PASSWORD_BYTES = 18

READ_BY_ALL = ("picture", "beat", "health", "tables", "status")
OWN_LINES = "# Lines of your own below this one stay."


@dataclass(frozen=True, slots=True)
class Users:
    """Who has a password; the first hall leads."""

    halls: tuple[str, ...] = ()
    listeners: tuple[str, ...] = ()
    """They only read."""


def rights_text(users: Users, own_lines: str = "") -> str:
    """Mosquitto's `acl_file`. Each hall may lead, since one takes the place of a leader that is gone."""
    parts = ["# Written by `pi-controller broker setup`."]
    for hall in users.halls:
        lines = [f"user {hall}", *(f"topic write {name}" for name in _written(hall)), f"topic read {ROOT}/#"]
        parts.append("\n".join(lines))
    for listener in users.listeners:
        lines = [f"topic read {topic('+', name)}" for name in READ_BY_ALL]
        parts.append("\n".join([f"user {listener}", *lines, "topic read homeassistant/#"]))
    return "\n\n".join([*parts, f"{OWN_LINES}\n{own_lines}"])


def _written(hall: str) -> list[str]:
    """A hall's own topics, those by which a leader answers others, and what Home Assistant finds it by."""
    return [topic(hall, "#"), topic("+", "answer"), topic("+", "result"), discovery(hall)[0]]


def users_in(rights: str) -> Users:
    """Those of a list that was written here."""
    halls: list[str] = []
    listeners: list[str] = []
    written = rights.partition(OWN_LINES)[0]
    for block in written.split("\n\n"):
        first, *rest = block.splitlines() or [""]
        word, _, name = first.partition(" ")
        if word == "user":
            (halls if f"topic write {topic(name, '#')}" in rest else listeners).append(name)
    return Users(tuple(halls), tuple(listeners))


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
