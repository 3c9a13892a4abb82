"""Whose request it is: the address of the connection, or the one that a trusted proxy names."""

import functools
import ipaddress
from collections.abc import Iterable

from aiohttp import web

FORWARDED_FOR = "X-Forwarded-For"
SIGNS_OF_A_PROXY = (FORWARDED_FOR, "Forwarded", "X-Real-IP", "Via")
BEHIND_A_PROXY = "behind a proxy"
"""In the place of an address that nobody trustworthy names: all of these are limited as if they were one."""

KEPT = 512
"""Addresses that were looked at before: a flood comes from the same few, again and again."""


class Addresses:
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


@functools.lru_cache(KEPT)
def plain(address: str) -> str:
    """As it is compared and counted: an IPv4 address in IPv6 clothes is what it is, no address is empty."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(parsed)


@functools.lru_cache(KEPT)
def is_loopback(address: str) -> bool:
    """Whether this is the machine itself."""
    known = plain(address)
    return bool(known) and ipaddress.ip_address(known).is_loopback
