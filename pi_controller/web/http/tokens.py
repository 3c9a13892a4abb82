"""Who may do something: tokens of links, cookies of devices and the scripts' bearer token."""

import hashlib
import hmac
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pi_controller.hal.system.file_thread import FileThread
from pi_controller.journal.private import private_folder
from pi_controller.web.http.keys import Clocks, KeyFault, KeyFile, new_key
from pi_controller.web.http.links import FILE_NAME, Link, LinkBook
from pi_controller.web.http.roles import Person, Role

SIGNING_KEY = "secret"
"""File name."""
BEARER = "token"
"""File name."""
COOKIE_PREFIX = "pi_controller_session_"
"""Of the cookie's name. Browsers send a cookie to every port of a machine (RFC 6265, 8.5): under one name,
controllers on one machine would overwrite each other's."""

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Credential:
    """What shows that somebody may: a session cookie or the bearer token."""

    kind: Literal["session", "bearer"]
    value: str = field(repr=False)


class Tokens:
    """Keeps its files (0600) in `folder` (0700), so that a restart keeps everybody logged in.

    Raises KeyFault when a file was damaged or readable by others. What asks who somebody is answers by what
    was known when the files were looked at last; what changes something waits for the disk, on the thread
    `files` where there is a loop.
    """

    def __init__(self, folder: Path, clocks: Clocks) -> None:
        private_folder(folder)
        self.files = FileThread("log-ins")
        self._trouble = ""
        """Why the files could not be looked at last time."""
        self._secret = KeyFile(folder / SIGNING_KEY)
        self._bearer = KeyFile(folder / BEARER)
        self.links = LinkBook(folder, clocks, self._digest)
        self.cookie = COOKIE_PREFIX + self._digest("cookie")[:8]
        """Name of the session cookie: this controller's own, the same after a restart."""

    def look(self) -> None:
        """Another process may have made or revoked links, or ended all of them. What cannot be read now stays
        as it was known."""
        try:
            for part in (self._secret, self._bearer, self.links, self.links.people):
                part.look()
            self._trouble = ""
        except OSError as error:
            if str(error) != self._trouble:
                LOG.warning("The files of those who are logged in cannot be read: %s", error)
            self._trouble = str(error)

    def new_start_link(self) -> str:
        """The token of a director's link for who reads what a start prints. Raises KeyFault."""
        return self.links.make("director", "", "start")[1]

    def redeem(self, token: str) -> tuple[Person, str] | None:
        """Who this link's token is for, and the cookie of the device; it is used up with that. None: it was
        used, is too old or wrong. Raises KeyFault."""
        entered = self.links.enter(token)
        if entered is None:
            return None
        link, cookie = entered
        return _person(link), cookie

    def person(self, credential: Credential) -> Person | None:
        """Whom it lets in. Raises KeyFault."""
        if credential.kind == "bearer":
            return Person("director") if self.is_bearer(credential.value) else None
        link = self.links.device(credential.value) if credential.value else None
        return None if link is None else _person(link)

    def left_s(self, person: Person) -> float | None:
        """How much longer this log-in lasts; None for the scripts' token, which does not end by itself."""
        if person.link is None:
            return None
        return sum(self.links.left_s(link) for link in self.links.all() if link.id == person.link)

    def is_good(self, credential: Credential) -> bool:
        """Whether it lets its holder in; False when the key files cannot be used."""
        try:
            return self.person(credential) is not None
        except KeyFault:
            return False

    def is_bearer(self, token: str) -> bool:
        """Whether this is the scripts' token. Raises KeyFault."""
        return hmac.compare_digest(token.encode("utf-8", "surrogateescape"), self._bearer.now())

    def new_session(self, role: Role = "director", name: str = "") -> str:
        """The cookie of a device that is let in without a link. Raises KeyFault."""
        return self.links.let_in(role, name)

    def this_generation(self) -> Callable[[], bool]:
        """Says later on whether the sessions that are in force now have not been ended all together."""
        key = self._secret.now()

        def in_force() -> bool:
            try:
                return self._secret.now() == key
            except KeyFault:
                return False

        return in_force

    def _digest(self, token: str) -> str:
        text = token.encode("utf-8", "surrogateescape")
        return hmac.new(self._secret.now(), text, hashlib.sha256).hexdigest()


def _person(link: Link) -> Person:
    return Person(link.role, link.name, link.id, link.number)


def end_all_sessions(folder: Path) -> None:
    """Every session cookie, log-in link and bearer token that was ever given out is worthless from now on.

    Raises OSError.
    """
    private_folder(folder)
    for name in (BEARER, SIGNING_KEY):
        new_key(folder / name)
    (folder / FILE_NAME).unlink(missing_ok=True)
