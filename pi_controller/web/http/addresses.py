"""The address that a person's own device must open, which is not always the one that was asked."""

import socket
from collections.abc import Iterable
from contextlib import closing

from aiohttp import web
from msgspec import Struct

from pi_controller.settings.sections import Web
from pi_controller.web.http.origin import host_name, is_loopback

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


def staff_address(settings: Web) -> PageAddress:
    """Of a web side that was started with nothing but these settings."""
    if settings.staff_port:
        host = settings.staff_host or settings.host
        return PageAddress(host, settings.staff_port, secure=settings.staff_tls, name=site_name(settings))
    return PageAddress(settings.host, settings.port)


def site_name(settings: Web) -> str:
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
