"""Who may command: tokens of one-time links, signed session cookies and the scripts' bearer token."""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pi_controller.journal.private import private_folder, readable_by_others, write_private
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence

LINK_LASTS_S = 12 * 3600.0
SESSION_LASTS_S = 16 * 3600.0
"""An event day; afterwards a new link is needed."""

LINKS_KEPT = 32
"""Links that are issued and not used yet; the oldest gives way."""

ENDED_KEPT = 1000
SIGNING_KEY = "secret"
"""File name."""
BEARER = "token"
"""File name."""
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


@dataclass(frozen=True, slots=True)
class Credential:
    """What shows that somebody may: a session cookie or the bearer token."""

    kind: Literal["session", "bearer"]
    value: str = field(repr=False)


class Tokens:
    """Keeps its files (0600) in `folder` (0700), so that a restart keeps the director logged in.

    Raises KeyFault when a file is damaged or readable by others.
    """

    def __init__(self, folder: Path, clocks: Clocks) -> None:
        private_folder(folder)
        self._clocks = clocks
        self._secret = _KeyFile(folder / SIGNING_KEY)
        self._bearer = _KeyFile(folder / BEARER)
        self._ended_file = folder / "ended_sessions"
        self._ended = _ended_sessions(self._ended_file)
        self._links: dict[bytes, _Link] = {}

    def new_link_token(self) -> str:
        """A token for one log-in within the next 12 hours. Raises KeyFault."""
        token = secrets.token_urlsafe(32)
        self._links[_digest(token)] = _Link(self._clocks.boot_s() + LINK_LASTS_S, self._secret.now())
        while len(self._links) > LINKS_KEPT:
            del self._links[next(iter(self._links))]
        return token

    def redeem(self, token: str) -> bool:
        """Whether this is a link token that is still good; it is used up with that. Raises KeyFault."""
        link = self._links.pop(_digest(token), None)
        return link is not None and self._clocks.boot_s() < link.expires_s and link.key == self._secret.now()

    def holds(self, credential: Credential) -> bool:
        """Whether it lets its holder in. Raises KeyFault."""
        if credential.kind == "bearer":
            return self.is_bearer(credential.value)
        return self.is_session(credential.value)

    def is_good(self, credential: Credential) -> bool:
        """The same, and False when the key files cannot be used."""
        try:
            return self.holds(credential)
        except KeyFault:
            return False

    def is_bearer(self, token: str) -> bool:
        """Whether this is the scripts' token. Raises KeyFault."""
        return hmac.compare_digest(token.encode("utf-8", "surrogateescape"), self._bearer.now())

    def new_session(self) -> str:
        """The value of a session cookie that is good from now on."""
        clocks = self._clocks
        body = f"{secrets.token_hex(16)}.{int(clocks.boot_s())}.{int(clocks.wall_s())}.{clocks.boot_id}"
        return f"{body}.{self._signature(body)}"

    def is_session(self, cookie: str) -> bool:
        """Whether we signed this cookie, it is not too old and nobody logged it out. Raises KeyFault."""
        body, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(
            signature.encode("utf-8", "surrogateescape"), self._signature(body).encode()
        ):
            return False
        session, boot_s, wall_s, boot_id = body.split(".")
        if session in self._ended:
            return False
        if boot_id == self._clocks.boot_id:
            return self._clocks.boot_s() - int(boot_s) < SESSION_LASTS_S
        # After a reboot only the wall clock is left; it may be behind on a machine without a battery.
        return abs(self._clocks.wall_s() - int(wall_s)) < SESSION_LASTS_S

    def this_generation(self) -> Callable[[], bool]:
        """Says later on whether the sessions that are in force now have not been ended all together."""
        key = self._secret.now()

        def in_force() -> bool:
            try:
                return self._secret.now() == key
            except KeyFault:
                return False

        return in_force

    def end_session(self, cookie: str) -> None:
        """Log this session out for good, also across a restart."""
        self._ended[cookie.partition(".")[0]] = None
        while len(self._ended) > ENDED_KEPT:
            del self._ended[next(iter(self._ended))]
        write_private(self._ended_file, "".join(f"{session}\n" for session in self._ended).encode("ascii"))

    def _signature(self, body: str) -> str:
        text = body.encode("utf-8", "surrogateescape")
        return hmac.new(self._secret.now(), text, hashlib.sha256).hexdigest()


def _digest(token: str) -> bytes:
    """Links are looked up by digest, so that the time a look-up takes says nothing about the token."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


@dataclass(frozen=True, slots=True)
class _Link:
    expires_s: float
    key: bytes = field(repr=False)
    """What signed sessions when it was made: it ends with them."""


class _KeyFile:
    """A key that is kept. Its file is looked at each time: another one ends what the old one let in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key = _kept_key(path).encode()
        self._seen = _mark(path)

    def now(self) -> bytes:
        """Raises KeyFault when the file is damaged, gone or readable by others."""
        try:
            mark = _mark(self._path)
        except FileNotFoundError:
            raise KeyFault(Sentence("web.key_file_gone", path=str(self._path))) from None
        if mark != self._seen:
            self._key = _checked_key(self._path).encode()
            self._seen = mark
        return self._key


def end_all_sessions(folder: Path) -> None:
    """Every session cookie, log-in link and bearer token that was ever given out is worthless from now on.

    Raises OSError.
    """
    private_folder(folder)
    for name in (BEARER, SIGNING_KEY):
        _new_key(folder / name)


def _mark(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def _kept_key(path: Path) -> str:
    """The key in this file; made on the first start."""
    return _checked_key(path) if path.exists() else _new_key(path)


def _new_key(path: Path) -> str:
    key = secrets.token_urlsafe(32)
    write_private(path, f"{key}\n".encode("ascii"))
    return key


def _checked_key(path: Path) -> str:
    mode = readable_by_others(path)
    if mode is not None:
        raise KeyFault(Sentence("web.key_file_readable", path=str(path), mode=mode))
    key = path.read_text(encoding="ascii", errors="replace").strip()
    if len(key) < 32 or not key.isascii() or not key.isprintable():
        raise KeyFault(Sentence("web.key_file_damaged", path=str(path)))
    return key


def _ended_sessions(path: Path) -> dict[str, None]:
    """In the order in which they ended."""
    if not path.exists():
        return {}
    return dict.fromkeys(path.read_text(encoding="ascii", errors="replace").split())
