"""Where a request comes from, and the address that a person's own device must open for our pages."""

import functools
import ipaddress
import socket
from collections.abc import Iterable
from contextlib import closing
from urllib.parse import urlsplit

from aiohttp import web
from msgspec import Struct

from pi_controller.sentence import Sentence
from pi_controller.settings.sections import WebSettings
from pi_controller.web.http.routes import Refusal

# Where a request comes from: the name it was sent to, the page that sent it, the client's address.
#
# Against DNS rebinding, forms and sockets of foreign pages, and clients that hide behind others.


LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
WILDCARDS = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to
HOST_NAMES_KEPT = 64
"""Names that were looked at before."""
FORWARDED_FOR = "X-Forwarded-For"
SIGNS_OF_A_PROXY = (FORWARDED_FOR, "Forwarded", "X-Real-IP", "Via")
BEHIND_A_PROXY = "behind a proxy"
"""In the place of an address that nobody trustworthy names: all of these are limited as if they were one."""
ADDRESSES_KEPT = 512
"""Addresses that were looked at before: a flood comes from the same few, again and again."""


class HostList:
    """Names under which this machine may be asked: loopback, the bound name, the settings' names, and the
    address at which the connection arrived (a page can bend a name to it, never the number itself)."""

    def __init__(self, bound: Iterable[str], allowed: Iterable[str], machine_name: str) -> None:
        names = {name.lower().rstrip(".") for name in (*allowed, machine_name) if name}
        names.add(f"{machine_name.lower()}.local")
        self._names = LOCAL_NAMES | names | ({host.lower() for host in bound} - WILDCARDS)

    def check(self, request: web.Request) -> None:
        """Raise a Refusal (421) unless the Host header names this machine."""
        host = host_name(request.headers.get("Host", ""))
        if host in self._names or (host and host == _arrival_address(request)):
            return
        raise Refusal(421, Sentence("web.other_name"))


class ClientAddresses:
    """`trusted`: addresses of the proxies whose X-Forwarded-For is believed (`web.trusted_proxies`)."""

    def __init__(self, trusted: Iterable[str]) -> None:
        self._trusted = frozenset(map(plain, trusted))

    def of(self, request: web.Request) -> str:
        """The address that limits count. This machine's own only when no other one asked through it."""
        peer = plain(request.remote or "")
        if peer in self._trusted:
            return self._asked_for(request) or peer
        if is_loopback(peer) and any(name in request.headers for name in SIGNS_OF_A_PROXY):
            return BEHIND_A_PROXY
        return peer

    def _asked_for(self, request: web.Request) -> str | None:
        """The last address that is no proxy of ours: what stands before it anybody may have written."""
        named = ",".join(request.headers.getall(FORWARDED_FOR, [])).split(",")
        for address in (plain(text.strip()) for text in reversed(named)):
            if address not in self._trusted:
                return address or (None if named == [""] else BEHIND_A_PROXY)
        return None


def check_origin(request: web.Request, *, with_cookie: bool) -> None:
    """Raise a Refusal (403) when a foreign page sent this.

    A browser says where a POST or a socket comes from; one that does not may not act with a session cookie.
    """
    origin = request.headers.get("Origin")
    site = request.headers.get("Sec-Fetch-Site")
    if origin is not None and not _same_host(origin, request.headers.get("Host", "")):
        raise Refusal(403, Sentence("web.other_site"))
    if site is not None and site not in {"same-origin", "none"}:
        raise Refusal(403, Sentence("web.other_site"))
    if with_cookie and origin is None and site is None:
        raise Refusal(403, Sentence("web.page_not_said"))


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


def _same_host(origin: str, host: str) -> bool:
    scheme, separator, netloc = origin.partition("://")
    return bool(separator) and scheme in {"http", "https"} and netloc.lower() == host.lower()


def _arrival_address(request: web.Request) -> str:
    transport = request.transport
    name = None if transport is None else transport.get_extra_info("sockname")
    return str(name[0]).removeprefix("::ffff:") if isinstance(name, tuple) else ""


ELSEWHERE = ("192.0.2.1", 9)
"""An address of documentation (RFC 5737): nothing is sent to it, it only chooses the way out."""


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

    def from_elsewhere(self) -> str | None:
        """As another device opens it; None without a network, and where only this machine is listened to."""
        outward = None if self._local() else outward_address()
        return None if outward is None else self._at(self.name or outward)

    def _own(self) -> str:
        return self.bound if self._local() else self.name or outward_address() or "127.0.0.1"

    def _local(self) -> bool:
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
