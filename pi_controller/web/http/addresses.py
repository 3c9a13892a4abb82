"""Names and addresses: how they are compared, and what a person's own device must open for our pages."""

import functools
import ipaddress
import socket
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web
from msgspec import Struct

from pi_controller.settings.sections import WebSettings

HOST_NAMES_KEPT = 64
"""Names that were looked at before."""
ADDRESSES_KEPT = 512
"""Addresses that were looked at before: a flood comes from the same few, again and again."""
WILDCARDS = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to


@functools.lru_cache(HOST_NAMES_KEPT)
def host_name(netloc: str) -> str:
    """The name or address of `name:port`, in lower case; empty when there is none."""
    try:
        parts = urlsplit(f"//{netloc}")
        if parts.username is not None or parts.path or parts.query or parts.fragment:
            return ""
        _ = parts.port
        return (parts.hostname or "").rstrip(".")
    except ValueError:
        return ""


@functools.lru_cache(ADDRESSES_KEPT)
def plain(address: str) -> str:
    """As it is compared and counted: an IPv4 address mapped into IPv6 is itself, what is none is empty."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(parsed)


@functools.lru_cache(ADDRESSES_KEPT)
def is_loopback(address: str) -> bool:
    """Whether this is the machine itself."""
    known = plain(address)
    return bool(known) and ipaddress.ip_address(known).is_loopback


ELSEWHERE = ("192.0.2.1", 9)
"""An address of documentation (RFC 5737): nothing is sent to it, it only chooses the way out."""

MULTICAST_NAMES = Path("/run/avahi-daemon/socket")
"""Of the service that answers for `name.local`."""


class PageAddress(Struct, frozen=True):
    """Where pages are served, as seen from another device."""

    bound: str
    """The address that is listened on."""
    port: int
    secure: bool = False
    name: str = ""
    """That of the site's own certificate, which goes before this machine's address."""

    def for_asker(self, request: web.Request) -> str:
        """By the name that whoever asks used for this machine; where that is one which only this machine
        knows, by its address in the network."""
        name = host_name(request.headers.get("Host", ""))
        local = name == "localhost" or is_loopback(name)
        return self._at(self._own() if local else name)

    def printed(self) -> str:
        """For who reads it elsewhere than in a browser."""
        return self._at(self._own())

    def on_this_machine(self) -> str:
        """To be opened here."""
        return self._at("127.0.0.1" if self.bound in WILDCARDS else self.bound)

    def from_elsewhere(self) -> str | None:
        """As another device opens it; None without a network, and where only this machine is listened to."""
        outward = None if self.is_here() else outward_address()
        return None if outward is None else self._at(self.name or outward)

    def by_name(self) -> str | None:
        """As devices of the same network open it that ask for names by multicast (RFC 6762); None where this
        machine does not answer them."""
        return self._at(f"{socket.gethostname().lower()}.local") if MULTICAST_NAMES.exists() else None

    def _own(self) -> str:
        return self.bound if self.is_here() else self.name or outward_address() or "127.0.0.1"

    def is_here(self) -> bool:
        """Whether only this machine is listened to."""
        return self.bound == "localhost" or is_loopback(self.bound)

    def _at(self, host: str) -> str:
        shown = f"[{host}]" if ":" in host else host
        scheme = "https" if self.secure else "http"
        return f"{scheme}://{shown}:{self.port}"


def staff_address(settings: WebSettings) -> PageAddress:
    """Of a web side that was started with nothing but these settings."""
    if settings.staff_port:
        host = settings.staff_host or settings.host
        return PageAddress(host, settings.staff_port, secure=settings.staff_tls, name=site_name(settings))
    return PageAddress(settings.host, settings.port)


def site_name(settings: WebSettings) -> str:
    """By which the site's own certificate knows this machine; empty without one."""
    return next(iter(settings.allowed_hosts), "") if settings.staff_certificate else ""


def own_names(more: Iterable[str] = ()) -> list[str]:
    """Names and addresses under which this machine may be asked now, and these more."""
    machine = socket.gethostname().lower()
    outward = outward_address()
    found = ["localhost", "127.0.0.1", "::1", machine, f"{machine}.local", *more]
    return found if outward is None else [*found, outward]


def outward_address() -> str | None:
    """This machine's address in its network; None without one."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(ELSEWHERE)
        except OSError:
            return None
        return str(probe.getsockname()[0])
