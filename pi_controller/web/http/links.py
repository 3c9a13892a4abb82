"""The book of log-ins: links for one device each, with role and name, until they are too old or revoked."""

import contextlib
import fcntl
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from pi_controller.journal.private import readable_by_others, write_private
from pi_controller.sentence import Sentence
from pi_controller.web.http.keys import Clocks, KeyFault, mark
from pi_controller.web.http.people import People
from pi_controller.web.http.roles import Role

LINK_LASTS_S = 12 * 3600.0
SESSION_LASTS_S = 16 * 3600.0
"""An event day; afterwards a new link is needed."""
MOST_LINKS = 256
"""The oldest unused one gives way, then the oldest."""
LONGEST_NAME = 40
FILE_NAME = "links"

Way = Literal["start", "link", "pin"]
"""How somebody gets in: by the link that a start prints, by one that was made for them, by the PIN."""


class Moment(msgspec.Struct, frozen=True):
    """A moment on all clocks that there are."""

    boot_s: float
    wall_s: float
    boot_id: str


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """`digest` is that of the link's token, and once that has been used that of its device's cookie."""

    id: str
    role: Role
    name: str
    way: Way
    digest: str
    since: Moment
    """When it was made, and once used when that was."""
    used: bool = False
    number: int = 0
    """Of its person, as sources say it; 0 without a name."""

    @property
    def lasts_s(self) -> float:
        """From `since` on."""
        return SESSION_LASTS_S if self.used else LINK_LASTS_S


class LinkBook:
    """`STATE/web/links`, as it was when it was looked at last: another process may have made or revoked some.

    `digest_of` says what is kept of a token; it ends all links by changing. Raises KeyFault when the file was
    damaged or readable by others. `look` and what changes links wait for the disk and for other processes,
    and are not for a loop; all else is.
    """

    def __init__(self, folder: Path, clocks: Clocks, digest_of: Callable[[str], str]) -> None:
        self._folder = folder
        self._path = folder / FILE_NAME
        self._clocks = clocks
        self._digest_of = digest_of
        self.people = People(folder, clocks.wall_s)
        self._seen: tuple[int, int] | None = None
        self._links: dict[str, Link] = {}
        self._fault: Sentence | None = None
        self._read()

    def look(self) -> None:
        """Read the file where it has changed. Raises OSError; then what was known stays."""
        try:
            self._read()
            self._fault = None
        except KeyFault as fault:
            self._seen, self._fault = None, fault.sentence

    def all(self) -> tuple[Link, ...]:
        """Those that are good, the oldest first."""
        if self._fault is not None:
            raise KeyFault(self._fault)
        return tuple(link for link in self._links.values() if self.left_s(link) > 0)

    def left_s(self, link: Link) -> float:
        """So much longer it is good; 0 when it has ended."""
        now, since = self._now(), link.since
        if now.boot_id == since.boot_id:
            return max(0.0, link.lasts_s - (now.boot_s - since.boot_s))
        # After a reboot only the wall clock is left; it may be behind on a machine without a battery.
        return max(0.0, link.lasts_s - abs(now.wall_s - since.wall_s))

    def make(self, role: Role, name: str, way: Way) -> tuple[Link, str]:
        """A link and its token. The one that a start prints takes the place of those of earlier starts."""
        token = secrets.token_urlsafe(32)
        link = self._new(role, name, way, token)
        with self._changing() as links:
            for old in [each for each in links.values() if way == "start" and _unused_start(each)]:
                del links[old.id]
            links[link.id] = link
        return link, token

    def let_in(self, role: Role, name: str) -> str:
        """The cookie of a device that has shown the PIN."""
        cookie = secrets.token_urlsafe(32)
        link = msgspec.structs.replace(self._new(role, name, "pin", cookie), used=True)
        with self._changing() as links:
            links[link.id] = link
        return cookie

    def enter(self, token: str) -> tuple[Link, str] | None:
        """The link that this token was of and the cookie of its device; None when it is used, too old or
        wrong."""
        self.look()
        found = self._found(token, used=False)
        if found is None:
            return None
        cookie = secrets.token_urlsafe(32)
        entered = msgspec.structs.replace(found, digest=self._digest_of(cookie), since=self._now(), used=True)
        with self._changing() as links:
            if links.get(found.id) != found:
                return None
            links[found.id] = entered
        return entered, cookie

    def device(self, cookie: str) -> Link | None:
        """Whose cookie this is, as long as it is good."""
        return self._found(cookie, used=True)

    def revoke(self, link: str) -> bool:
        """Whether there was such a link; it is over, and so is the log-in of its device."""
        with self._changing() as links:
            return links.pop(link, None) is not None

    def _new(self, role: Role, name: str, way: Way, token: str) -> Link:
        digest, number = self._digest_of(token), self.people.number_of(role, name)
        return Link(
            id=secrets.token_hex(4),
            role=role,
            name=name,
            way=way,
            digest=digest,
            since=self._now(),
            number=number,
        )

    def _found(self, token: str, *, used: bool) -> Link | None:
        """Looked up by digest, so that the time it takes says nothing about the token."""
        digest = self._digest_of(token)
        links = (link for link in self.all() if link.used is used and link.digest == digest)
        return next(links, None)

    def _now(self) -> Moment:
        return Moment(self._clocks.boot_s(), self._clocks.wall_s(), self._clocks.boot_id)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[dict[str, Link]]:
        """The links as they are, to be changed, while no other process changes them."""
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            self.look()
            links = {link.id: link for link in self.all()}
            yield links
            while len(links) > MOST_LINKS:
                oldest = next((link for link in links.values() if not link.used), None)
                del links[next(iter(links)) if oldest is None else oldest.id]
            write_private(self._path, msgspec.json.encode(list(links.values())))
            self.look()
        finally:
            os.close(folder)

    def _read(self) -> None:
        try:
            seen = mark(self._path)
        except FileNotFoundError:
            self._seen, self._links = None, {}
            return
        if seen == self._seen:
            return
        mode = readable_by_others(self._path)
        if mode is not None:
            raise KeyFault(Sentence("web.key_file_readable", path=str(self._path), mode=mode))
        try:
            found = msgspec.json.decode(self._path.read_bytes(), type=list[Link])
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise KeyFault(Sentence("web.key_file_damaged", path=str(self._path))) from problem
        self._seen, self._links = seen, {link.id: link for link in found}


def _unused_start(link: Link) -> bool:
    return link.way == "start" and not link.used


def login_path(token: str) -> str:
    """The page that asks whether to use this link."""
    return f"/login?token={token}"


def is_name(text: str) -> bool:
    """Whether this may stand beside what somebody does: short, printable, without spaces around it."""
    return len(text) <= LONGEST_NAME and text.isprintable() and text == text.strip()
