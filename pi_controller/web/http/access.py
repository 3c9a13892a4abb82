"""What lets somebody in, as files in `STATE/web` keep it: keys, people, the PIN, links, sessions."""

import contextlib
import fcntl
import hashlib
import hmac
import logging
import os
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from pi_controller.hal.system.file_thread import FileThread
from pi_controller.journal.files import sync_folder
from pi_controller.journal.store import private_folder, readable_by_others, write_private
from pi_controller.language.words import WordedError
from pi_controller.selftest.core import GUESSED_FIRST
from pi_controller.sentence import Sentence
from pi_controller.web.http.routes import Person, Role

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class KeyFault(WordedError, ValueError):  # noqa: N818 - like SettingsFault
    """A key file cannot be used; the sentence has the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """`boot_s`: seconds since the machine started, sleep included; `wall_s`: Unix time, which may jump."""

    boot_s: Callable[[], float]
    wall_s: Callable[[], float]
    boot_id: str


def machine_clocks() -> Clocks:
    """The clocks of this machine."""
    return Clocks(
        boot_s=lambda: time.clock_gettime(time.CLOCK_BOOTTIME),
        wall_s=time.time,
        boot_id=BOOT_ID.read_text(encoding="ascii").strip(),
    )


class KeyFile:
    """A key that is kept, as its file was when it was looked at last: another one ends what the old one let
    in. `look` waits for the disk, `now` for nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key = (_checked_key(path) if path.exists() else new_key(path)).encode()
        """Made on the first start."""
        self._seen: tuple[int, int] | None = mark(path)
        self._fault: Sentence | None = None

    def now(self) -> bytes:
        """Raises KeyFault when the file was damaged, gone or readable by others."""
        if self._fault is not None:
            raise KeyFault(self._fault)
        return self._key

    def look(self) -> None:
        """Raises OSError; then what was known stays."""
        try:
            seen = mark(self._path)
            if seen != self._seen:
                self._key = _checked_key(self._path).encode()
        except FileNotFoundError:
            self._seen, self._fault = None, Sentence("web.key_file_gone", path=str(self._path))
        except KeyFault as fault:
            self._seen, self._fault = None, fault.sentence
        else:
            self._seen, self._fault = seen, None


def new_key(path: Path) -> str:
    """Put a new key in this file. Raises OSError."""
    key = secrets.token_urlsafe(32)
    write_private(path, f"{key}\n".encode("ascii"))
    return key


def mark(path: Path) -> tuple[int, int]:
    """Another one when the file has been replaced or written. Raises FileNotFoundError."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """For the length of the block no other process that asks for this changes the files there."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _checked_key(path: Path) -> str:
    mode = readable_by_others(path)
    if mode is not None:
        raise KeyFault(Sentence("web.key_file_readable", path=str(path), mode=mode))
    key = path.read_text(encoding="ascii", errors="replace").strip()
    if len(key) < 32 or not key.isascii() or not key.isprintable():
        raise KeyFault(Sentence("web.key_file_damaged", path=str(path)))
    return key


# Who stands behind the number in a command's source. The journal, which anybody may have, holds no names.


PEOPLE_FILE = "people"
A_DAY_S = 24 * 3600.0
"""A log-in ends within a day: so much longer than a game its director's name is kept."""


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """`number` is never given again, also when the name has gone."""

    number: int
    role: Role
    name: str
    last_s: float
    """Wall clock, when a link for them was last made."""

    @property
    def source(self) -> str:
        """As who may see names reads it."""
        return f"web:{self.name}" if self.role == "director" else f"web:{self.role}:{self.name}"


class PeopleFile(msgspec.Struct, kw_only=True):
    next: int = 1
    people: list[Named] = []


class People:
    """`STATE/web/people`, as it was when it was looked at last: the command line makes links, too. A file
    that cannot be read holds no names; its numbers go on from the clock, so that none is given twice.
    `name_of` and `sources` wait for no disk."""

    def __init__(self, folder: Path, wall_s: Callable[[], float]) -> None:
        self._folder = folder
        self._wall_s = wall_s
        self.look()

    def look(self) -> None:
        """Read the file."""
        self._kept = self._read()

    def number_of(self, role: Role, name: str) -> int:
        """The same for the same role and name; 0 without a name. Raises OSError."""
        if name == "":
            return 0
        with self._changing() as kept:
            found = next((one for one in kept.people if (one.role, one.name) == (role, name)), None)
            number = kept.next if found is None else found.number
            kept.next = max(kept.next, number + 1)
            others = [one for one in kept.people if one is not found]
            kept.people = [*others, Named(number=number, role=role, name=name, last_s=self._wall_s())]
        return number

    def name_of(self, number: int) -> str:
        """Empty for nobody, and for a name that has gone."""
        return next((one.name for one in self._kept.people if one.number == number), "")

    def sources(self) -> dict[str, str]:
        """What stands in journals, and what it is for who may see names."""
        return {f"web:{one.role}:{one.number}": one.source for one in self._kept.people}

    def forget(self, *, keep_days: int) -> None:
        """Names go when no game can be left in which they did something. 0 days: never. Raises OSError."""
        if keep_days == 0:
            return
        oldest_s = self._wall_s() - (keep_days + 1) * A_DAY_S
        if any(one.last_s < oldest_s for one in self._read().people):
            with self._changing() as kept:
                kept.people = [one for one in kept.people if one.last_s >= oldest_s]

    @contextlib.contextmanager
    def _changing(self) -> Iterator[PeopleFile]:
        """While no other process changes them."""
        with _alone(self._folder):
            kept = self._read()
            yield kept
            write_private(self._folder / PEOPLE_FILE, msgspec.json.encode(kept))
            self._kept = kept

    def _read(self) -> PeopleFile:
        try:
            return msgspec.json.decode((self._folder / PEOPLE_FILE).read_bytes(), type=PeopleFile)
        except FileNotFoundError:
            return PeopleFile()
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return PeopleFile(next=int(self._wall_s()))


# The PIN for director and technician: six digits that somebody types in. Only their scrypt hash is kept.


DIGITS = 6
PIN_FILE = "pin"
SALT_BYTES = 16
HASH_BYTES = 32
COST = {"n": 2**14, "r": 8, "p": 1}
"""16 MiB and about a tenth of a second on a Pi 4. A million PINs are few: the limit on guesses protects the
pages, and the file's mode protects the hash."""


class PinFault(WordedError, ValueError):  # noqa: N818 - like KeyFault
    """The file with the PIN's hash cannot be used; the sentence has the remedy."""


class PinFile:
    """`STATE/web/pin`; read afresh each time, so that a new PIN counts at once. `known` alone waits for no
    disk."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / PIN_FILE
        self.known = False
        """Whether there was one when somebody looked last."""

    def is_set(self) -> bool:
        """Raises OSError."""
        self.known = self.path.exists()
        return self.known

    def matches(self, pin: str) -> bool:
        """Whether this is the PIN; takes its time on purpose. False when none is set. PinFault, OSError."""
        salt, digest = self._read() or (b"", b"")
        return bool(digest) and hmac.compare_digest(_pin_digest(pin, salt), digest)

    def keep(self, pin: str) -> None:
        """This PIN from now on. Raises OSError."""
        salt = os.urandom(SALT_BYTES)
        private_folder(self.path.parent)
        line = f"scrypt {salt.hex()} {_pin_digest(pin, salt).hex()}\n"
        write_private(self.path, line.encode("ascii"))
        self.known = True

    def remove(self) -> bool:
        """No PIN from now on; whether there was one. Raises OSError."""
        if not self.is_set():
            return False
        self.known = False
        self.path.unlink()
        sync_folder(self.path.parent)
        return True

    def _read(self) -> tuple[bytes, bytes] | None:
        """Salt and digest."""
        if not self.is_set():
            return None
        mode = readable_by_others(self.path)
        if mode is not None:
            raise PinFault(Sentence("web.pin_file_readable", path=str(self.path), mode=mode))
        words = self.path.read_text(encoding="ascii", errors="replace").split()
        try:
            name, salt, digest = words[0], bytes.fromhex(words[1]), bytes.fromhex(words[2])
        except (IndexError, ValueError):
            name, salt, digest = "", b"", b""
        if name != "scrypt" or (len(salt), len(digest)) != (SALT_BYTES, HASH_BYTES):
            raise PinFault(Sentence("web.pin_file_damaged", path=str(self.path)))
        return salt, digest


def new_pin() -> str:
    """Six random digits, but none of those that everybody tries first."""
    while True:
        pin = f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"
        if pin not in GUESSED_FIRST:
            return pin


def is_pin(text: object) -> bool:
    """Whether this could be a PIN: six digits 0 to 9."""
    return isinstance(text, str) and len(text) == DIGITS and text.isascii() and text.isdigit()


def _pin_digest(pin: str, salt: bytes) -> bytes:
    return hashlib.scrypt(pin.encode("ascii"), salt=salt, dklen=HASH_BYTES, **COST)


# The book of log-ins: links for one device each, with role and name, until they are too old or revoked.


LINK_LASTS_S = 12 * 3600.0
SESSION_LASTS_S = 16 * 3600.0
"""An event day; afterwards a new link is needed."""
MOST_LINKS = 256
"""The oldest unused one gives way, then the oldest."""
LONGEST_NAME = 40
LINKS_FILE = "links"

Way = Literal["start", "link", "pin"]
"""How somebody gets in: by the link that a start prints, by one that was made for them, by the PIN."""


class ClockReading(msgspec.Struct, frozen=True):
    """A moment on all clocks that there are."""

    boot_s: float
    wall_s: float
    boot_id: str


class LogInLink(msgspec.Struct, frozen=True, kw_only=True):
    """`digest` is that of the link's token, and once that has been used that of its device's cookie."""

    id: str
    role: Role
    name: str
    way: Way
    digest: str
    since: ClockReading
    """When it was made, and once used when that was."""
    used: bool = False
    number: int = 0
    """Of its person, as sources say it; 0 without a name."""

    @property
    def lasts_s(self) -> float:
        """From `since` on."""
        return SESSION_LASTS_S if self.used else LINK_LASTS_S

    @property
    def person(self) -> Person:
        return Person(self.role, self.name, self.id, self.number)


class LinkBook:
    """`STATE/web/links`, as it was when it was looked at last: another process may have made or revoked some.

    `digest_of` says what is kept of a token; it ends all links by changing. Raises KeyFault when the file was
    damaged or readable by others. `look` and what changes links wait for the disk and for other processes,
    and are not for a loop; all else is.
    """

    def __init__(self, folder: Path, clocks: Clocks, digest_of: Callable[[str], str]) -> None:
        self._folder = folder
        self._path = folder / LINKS_FILE
        self._clocks = clocks
        self._digest_of = digest_of
        self.people = People(folder, clocks.wall_s)
        self._seen: tuple[int, int] | None = None
        self._links: dict[str, LogInLink] = {}
        self._fault: Sentence | None = None
        self._read()

    def look(self) -> None:
        """Read the file where it has changed. Raises OSError; then what was known stays."""
        try:
            self._read()
            self._fault = None
        except KeyFault as fault:
            self._seen, self._fault = None, fault.sentence

    def all(self) -> tuple[LogInLink, ...]:
        """Those that are good, the oldest first."""
        if self._fault is not None:
            raise KeyFault(self._fault)
        return tuple(link for link in self._links.values() if self.left_s(link) > 0)

    def left_s(self, link: LogInLink) -> float:
        """So much longer it is good; 0 when it has ended."""
        now, since = self._now(), link.since
        if now.boot_id == since.boot_id:
            return max(0.0, link.lasts_s - (now.boot_s - since.boot_s))
        # After a reboot only the wall clock is left; it may be behind on a machine without a battery.
        return max(0.0, link.lasts_s - abs(now.wall_s - since.wall_s))

    def make(self, role: Role, name: str, way: Way) -> tuple[LogInLink, str]:
        """A link and its token. The one that a start prints takes the place of those of earlier starts."""
        token = secrets.token_urlsafe(32)
        link = self._new(role, name, way, token)
        with self._changing() as links:
            for old in tuple(links.values()) if way == "start" else ():
                if old.way == "start" and not old.used:
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

    def enter(self, token: str) -> tuple[LogInLink, str] | None:
        """The link that this token was of and the cookie of its device; None when it is used, too old or
        wrong. It is used up with that."""
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

    def device(self, cookie: str) -> LogInLink | None:
        """Whose cookie this is, as long as it is good."""
        return self._found(cookie, used=True)

    def revoke(self, link: str) -> bool:
        """Whether there was such a link; it is over, and so is the log-in of its device."""
        with self._changing() as links:
            return links.pop(link, None) is not None

    def _new(self, role: Role, name: str, way: Way, token: str) -> LogInLink:
        return LogInLink(
            id=secrets.token_hex(4),
            role=role,
            name=name,
            way=way,
            digest=self._digest_of(token),
            since=self._now(),
            number=self.people.number_of(role, name),
        )

    def _found(self, token: str, *, used: bool) -> LogInLink | None:
        """Looked up by digest, so that the time it takes says nothing about the token."""
        digest = self._digest_of(token)
        links = (link for link in self.all() if link.used is used and link.digest == digest)
        return next(links, None)

    def _now(self) -> ClockReading:
        return ClockReading(self._clocks.boot_s(), self._clocks.wall_s(), self._clocks.boot_id)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[dict[str, LogInLink]]:
        """The links as they are, to be changed, while no other process changes them."""
        with _alone(self._folder):
            self.look()
            links = {link.id: link for link in self.all()}
            yield links
            while len(links) > MOST_LINKS:
                oldest = next((link for link in links.values() if not link.used), None)
                del links[next(iter(links)) if oldest is None else oldest.id]
            write_private(self._path, msgspec.json.encode(list(links.values())))
            self.look()

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
            found = msgspec.json.decode(self._path.read_bytes(), type=list[LogInLink])
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise KeyFault(Sentence("web.key_file_damaged", path=str(self._path))) from problem
        self._seen, self._links = seen, {link.id: link for link in found}


def login_path(token: str) -> str:
    """The page that asks whether to use this link."""
    return f"/login?token={token}"


def is_name(text: str) -> bool:
    """Whether this may stand beside what somebody does: short, printable, without spaces around it."""
    return len(text) <= LONGEST_NAME and text.isprintable() and text == text.strip()


# Who may do something: tokens of links, cookies of devices and the scripts' bearer token.


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

    def person(self, credential: Credential) -> Person | None:
        """Whom it lets in. Raises KeyFault."""
        if credential.kind == "bearer":
            shown = credential.value.encode("utf-8", "surrogateescape")
            return Person("director") if hmac.compare_digest(shown, self._bearer.now()) else None
        link = self.links.device(credential.value) if credential.value else None
        return None if link is None else link.person

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


def end_all_sessions(folder: Path) -> None:
    """Every session cookie, log-in link and bearer token that was ever given out is worthless from now on.

    Raises OSError.
    """
    private_folder(folder)
    for name in (BEARER, SIGNING_KEY):
        new_key(folder / name)
    (folder / LINKS_FILE).unlink(missing_ok=True)
