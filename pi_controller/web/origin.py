"""Which names and pages a request may come from: against DNS rebinding, foreign forms and sockets."""

import functools
from collections.abc import Iterable
from urllib.parse import urlsplit

from aiohttp import web

from pi_controller.web.answers import Refusal

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
WILDCARDS = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to
KEPT = 64
"""Names that were looked at before."""


class HostList:
    """Names under which this machine may be asked: loopback, the bound name, the settings' names, and the
    address at which the connection arrived (a page can bend a name to it, never the number itself)."""

    def __init__(self, bound: str, allowed: Iterable[str], machine_name: str) -> None:
        names = {name.lower().rstrip(".") for name in (*allowed, machine_name) if name}
        names.add(f"{machine_name.lower()}.local")
        self._names = LOCAL_NAMES | names | ({bound.lower()} - WILDCARDS)

    def check(self, request: web.Request) -> None:
        """Raise a Refusal (421) unless the Host header names this machine."""
        host = host_name(request.headers.get("Host", ""))
        if host in self._names or (host and host == _arrival_address(request)):
            return
        raise Refusal(
            421,
            "This address is not one of the controller's: use a name or address listed in web.allowed_hosts.",
        )


def check_origin(request: web.Request, *, with_cookie: bool) -> None:
    """Raise a Refusal (403) when a foreign page sent this.

    A browser says where a POST or a socket comes from; one that does not may not act with a session cookie.
    """
    origin = request.headers.get("Origin")
    site = request.headers.get("Sec-Fetch-Site")
    if origin is not None and not _same_host(origin, request.headers.get("Host", "")):
        raise Refusal(403, "Another site sent this request: open the controller's own page and do it there.")
    if site is not None and site not in {"same-origin", "none"}:
        raise Refusal(403, "Another site sent this request: open the controller's own page and do it there.")
    if with_cookie and origin is None and site is None:
        raise Refusal(
            403, "The request does not say which page sent it: scripts use the bearer token instead."
        )


@functools.lru_cache(KEPT)
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


def _same_host(origin: str, host: str) -> bool:
    scheme, separator, netloc = origin.partition("://")
    return bool(separator) and scheme in {"http", "https"} and netloc.lower() == host.lower()


def _arrival_address(request: web.Request) -> str:
    transport = request.transport
    name = None if transport is None else transport.get_extra_info("sockname")
    return str(name[0]).removeprefix("::ffff:") if isinstance(name, tuple) else ""
