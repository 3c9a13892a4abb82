"""Puts the web side together: the table of routes with the access each needs, and the gate before it."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Never

from aiohttp import web

from pi_controller.protocol import refusal
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.web import api_routes, technician_routes
from pi_controller.web.addresses import Addresses
from pi_controller.web.admissions import Admissions
from pi_controller.web.answers import BODY_LIMIT
from pi_controller.web.audience import Audience
from pi_controller.web.changes import Changes
from pi_controller.web.clocks import Clocks
from pi_controller.web.commands import Commands
from pi_controller.web.core_link import CoreLink
from pi_controller.web.door import Door
from pi_controller.web.feed import Feed
from pi_controller.web.games import Games
from pi_controller.web.guard import Gate, add_security_headers
from pi_controller.web.hardware_test import HardwareTest
from pi_controller.web.keys import Keys
from pi_controller.web.known_addresses import KnownAddresses
from pi_controller.web.login import Credential, Login
from pi_controller.web.metrics import Metrics
from pi_controller.web.openapi import OpenApi
from pi_controller.web.origin import HostList
from pi_controller.web.page_routes import page_routes
from pi_controller.web.pages import Pages, StaticFile
from pi_controller.web.pin import PinFile
from pi_controller.web.routes import RouteTable
from pi_controller.web.selftest import Selftest
from pi_controller.web.selftest_host import Host, Run
from pi_controller.web.selftest_reports import Reports
from pi_controller.web.sim import Sim
from pi_controller.web.tables import Tables
from pi_controller.web.tables_link import BACKLOG_LIMIT, keep_tables
from pi_controller.web.throttle import Throttle
from pi_controller.web.virtual_tables import NONE_HERE, VirtualTables


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the web side is made of."""

    client: AsyncClient
    keys: Keys
    pin: PinFile
    hall: str
    """Its name, for those who log in; may be empty."""
    pages: Pages
    verifier: StaticFile
    """verify_game.py, for download."""
    hosts: HostList
    addresses: Addresses
    clocks: Clocks
    found_simulated: Callable[[], None]
    """Called once a session when core turns out to run with simulated hardware."""
    tables_socket: Path
    """Where virtual tables listen, if there are any."""
    control_socket: Path
    """Where core listens: the hardware test needs a line of its own."""
    exports: Path
    """Where core writes its copies of the games."""
    run_selftest: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSide:
    """The application and what runs beside it."""

    app: web.Application
    table: RouteTable
    link: CoreLink
    audiences: Mapping[str, Audience]
    """By the name of their feed: `picture`, `panel`, `tables`, `virtual_tables`."""
    admissions: Admissions[Credential]
    known: KnownAddresses[Credential]
    host: Host
    relays: tuple[Callable[[], Coroutine[Any, Any, Never]], ...]
    """Each is to be run for ever, beside the others."""

    def sweep(self) -> None:
        """To be called about once a second."""
        self.admissions.sweep()
        self.host.sweep()
        for audience in self.audiences.values():
            audience.sweep()


def build_web(parts: Parts, door: Door) -> WebSide:
    """Everything wired; the connections come through `door`."""
    boot_s = parts.clocks.boot_s
    feed, panels = Audience(boot_s), Audience(boot_s)
    tables = Audience(boot_s, backlog_limit=BACKLOG_LIMIT)
    changes = Changes(boot_s, NONE_HERE)
    selftests = Audience(boot_s, backlog_limit=BACKLOG_LIMIT)
    audiences = {
        "picture": feed,
        "panel": panels,
        "tables": tables,
        "virtual_tables": changes,
        "selftest": selftests,
    }
    found = parts.found_simulated
    link = CoreLink(parts.client, feed=feed, panels=panels, found_simulated=found, boot_s=boot_s)
    virtual = VirtualTables(parts.tables_socket, changes, lambda: link.simulated)
    login = _login(parts)
    host, hardware = Host(parts.run_selftest, selftests), HardwareTest(parts.control_socket)
    description = OpenApi()
    table = RouteTable(
        (
            *page_routes(parts.pages, parts.verifier, login),
            *api_routes.public(Feed(link, feed), Games(parts.exports, boot_s), Metrics(link, audiences)),
            *api_routes.director(Commands(link), login),
            *api_routes.tables(Tables(link, tables)),
            *technician_routes.selftest(Selftest(host, link, selftests, parts.keys), Reports(link)),
            *technician_routes.hardware(hardware),
            *api_routes.virtual_hall(Sim(link, panels), virtual),
            api_routes.openapi(description),
        )
    )
    description.describe(table)
    known = KnownAddresses(login.is_good)
    gate = Gate(
        table=table,
        hosts=parts.hosts,
        addresses=parts.addresses,
        login=login,
        link=link,
        door=door,
        known=known,
        not_started=lambda: refusal.read(parts.control_socket.parent),
    )
    app = web.Application(middlewares=[gate.middleware()], client_max_size=BODY_LIMIT)
    table.add_to(app)
    app.on_response_prepare.append(add_security_headers)
    app.on_shutdown.append(_close(hardware, host, *audiences.values()))
    relays = (link.keep_feed, link.keep_panel, lambda: keep_tables(parts.client, tables), virtual.keep)
    return WebSide(
        app=app,
        table=table,
        link=link,
        audiences=audiences,
        admissions=login.admissions,
        known=known,
        host=host,
        relays=relays,
    )


def _login(parts: Parts) -> Login:
    boot_s = parts.clocks.boot_s
    return Login(
        keys=parts.keys,
        pin=parts.pin,
        hall=parts.hall,
        pages=parts.pages,
        throttle=Throttle(boot_s),
        pin_throttle=Throttle(boot_s),
        tell_core=parts.client.pin_guesses,
    )


def _close(*open_things: HardwareTest | Host | Audience) -> Callable[[web.Application], Awaitable[None]]:
    async def close(_app: web.Application) -> None:
        await asyncio.gather(*(each.close() for each in open_things))

    return close
