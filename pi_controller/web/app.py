"""Puts the web side together: all objects, the table of routes, and the guard before it."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Never

from aiohttp import web

from pi_controller.hal.system.file_thread import FileThread
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.roster.seat_codes import SeatCodes
from pi_controller.web.api.game import DirectingApi, EventApi, GameApi, HallsApi, NotesApi, SoundApi
from pi_controller.web.api.games import CopyApi, GameReportsApi, GamesApi, StickApi, VerifyPage
from pi_controller.web.api.metrics import MetricsApi
from pi_controller.web.api.openapi import OpenApi
from pi_controller.web.api.screens import JoinApi, LinksApi, PhonesApi, ScreensApi, Ways
from pi_controller.web.api.seats import SeatsApi, SheetsApi
from pi_controller.web.api.selftest import ReportsApi, Run, SelftestApi, SelftestHost
from pi_controller.web.api.tables import (
    NONE_HERE,
    ChangesBroadcaster,
    HardwareTestApi,
    SimulatedPanelApi,
    TablesApi,
    VirtualTablesApi,
)
from pi_controller.web.http.access import Clocks, Tokens
from pi_controller.web.http.addresses import ClientAddresses, HostList, PageAddress
from pi_controller.web.http.bodies import BODY_LIMIT, RequestLanguages
from pi_controller.web.http.guard import Guard, add_security_headers
from pi_controller.web.http.limits import (
    ConnectionLimiter,
    Defects,
    KnownAddresses,
    LoggedInSockets,
    Misbehaviour,
)
from pi_controller.web.http.login import Login, PinFile
from pi_controller.web.http.routes import Route, RouteTable
from pi_controller.web.http.static_files import Pages, StaticFile, page_routes
from pi_controller.web.http.tls import Handshakes, Validity
from pi_controller.web.live.broadcaster import Broadcaster
from pi_controller.web.live.core_link import TABLES_BACKLOG_LIMIT, CoreLink
from pi_controller.web.live.directing import Directing, Notes
from pi_controller.web.live.phones import PhoneBroadcaster, StaffPages
from pi_controller.web.live.screens import ScreenRegister, Screens
from pi_controller.web.live.worker import Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the web side is made of."""

    client: AsyncClient
    tokens: Tokens
    pin: PinFile
    hall: str
    """Its name, for those who log in; may be empty."""
    logo: StaticFile | None
    """Of the event."""
    languages: RequestLanguages
    pages: Pages
    seat_codes: SeatCodes | None
    """Of the seats that may claim; None where the settings allow no claims of phones."""
    join: Ways
    verifier: StaticFile
    """verify_game.py, for download."""
    staff_address: PageAddress
    fingerprint: str
    """Of the certificate at that address; empty where it is not encrypted."""
    validity: Validity | None
    """Of that certificate; None where nothing is encrypted."""
    hosts: HostList
    addresses: ClientAddresses
    clocks: Clocks
    found_simulated: Callable[[], None]
    """Called once a session when core turns out to run with simulated hardware."""
    tables_socket: Path
    """Where virtual tables listen, if there are any."""
    state_dir: Path
    """A core that does not start leaves its sentence there."""
    exports: Path
    """Where core writes its copies of the games."""
    run_selftest: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSide:
    """The application and what runs beside it."""

    app: web.Application
    limiter: ConnectionLimiter
    handshakes: Handshakes
    misbehaviour: Misbehaviour
    table: RouteTable
    link: CoreLink
    broadcasters: Mapping[str, Broadcaster]
    """By the name of their feed: `picture`, `phone`, `panel`, `tables`, `virtual_tables`, `selftest`,
    `notes`, `directing`, `sheets`."""
    sockets: LoggedInSockets
    host: SelftestHost
    screens: Screens
    seats: SeatsApi
    directing: Directing
    relays: tuple[Callable[[], Coroutine[Any, Any, Never]], ...]
    """Each is to be run for ever, beside the others."""

    def sweep(self) -> None:
        """To be called about once a second."""
        self.sockets.sweep()
        self.host.sweep()
        self.screens.sweep()
        self.seats.sweep()
        self.directing.tell()
        self.link.panel.sweep()
        self.link.tables.sweep()
        for broadcaster in self.broadcasters.values():
            broadcaster.sweep()
        self.limiter.sweep()
        self.handshakes.sweep()
        self.misbehaviour.sweep()


def build_web(parts: Parts) -> WebSide:
    """Everything wired."""
    boot_s = parts.clocks.boot_s
    feed, phones, panels = Broadcaster(boot_s), PhoneBroadcaster(boot_s), Broadcaster(boot_s)
    tables = Broadcaster(boot_s, backlog_limit=TABLES_BACKLOG_LIMIT)
    selftests = Broadcaster(boot_s, backlog_limit=TABLES_BACKLOG_LIMIT)
    notes, sheets, language = Broadcaster(boot_s), Broadcaster(boot_s), parts.languages.hall[0]
    changes = ChangesBroadcaster(boot_s, NONE_HERE, language)
    directing = Directing(parts.state_dir / "web", parts.tokens.links, parts.clocks, parts.tokens.files)
    broadcasters = {
        "picture": feed,
        "phone": phones,
        "panel": panels,
        "tables": tables,
        "virtual_tables": changes,
        "selftest": selftests,
        "notes": notes,
        "directing": directing.told,
        "sheets": sheets,
    }
    link, login = _link(parts, feed, phones, panels, tables), _login(parts)
    defects = Defects(boot_s)
    misbehaviour = Misbehaviour(boot_s, defects)
    staff_pages = StaffPages(
        link, parts.staff_address, parts.fingerprint, validity=parts.validity, wall_s=parts.clocks.wall_s
    )
    register = ScreenRegister(parts.state_dir / "web", parts.tokens.files)
    screens = Screens(register, boot_s=boot_s, wall_s=parts.clocks.wall_s)
    seats = SeatsApi(parts.client, parts.seat_codes, parts.clocks, parts.tokens.files, defects)
    virtual = VirtualTablesApi(parts.tables_socket, changes, link)
    host, hardware = SelftestHost(parts.run_selftest, selftests, language), HardwareTestApi(parts.client)
    rows = (
        *page_routes(parts.pages, parts.verifier),
        *_people(parts, login, directing),
        *SheetsApi(sheets, link, boot_s).routes(),
        *ScreensApi(screens).routes(),
        *NotesApi(_notes(parts, notes), notes).routes(),
        *GameApi(link, feed, directing, parts.tokens.links.people, boot_s).routes(),
        *EventApi(parts.logo).routes(),
        *PhonesApi(link, phones).routes(),
        *JoinApi(parts.join).routes(),
        *seats.routes(),
        *_past_games(parts, link, login),
        *MetricsApi(link, broadcasters, defects, misbehaviour).routes(),
        *TablesApi(link, tables).routes(),
        *SoundApi(link).routes(),
        *SelftestApi(host, link, selftests, parts.tokens).routes(),
        *ReportsApi(link).routes(),
        *hardware.routes(),
        *SimulatedPanelApi(link, panels).routes(),
        *virtual.routes(),
    )
    table = RouteTable((*rows, *OpenApi(rows, parts.tokens.cookie).routes()))
    guard = _guard(parts, table, login, link, screens=screens, seats=seats, defects=defects)
    return WebSide(
        app=_app(table, guard, _close(hardware, host, screens, *broadcasters.values())),
        limiter=guard.limiter,
        handshakes=Handshakes(boot_s, misbehaviour),
        misbehaviour=misbehaviour,
        table=table,
        link=link,
        broadcasters=broadcasters,
        sockets=login.sockets,
        host=host,
        screens=screens,
        seats=seats,
        directing=directing,
        relays=(
            *(link.keep_feed, link.panel.keep, link.tables.keep, virtual.keep, staff_pages.keep),
            login.keep_looking,
        ),
    )


def _notes(parts: Parts, broadcaster: Broadcaster) -> Notes:
    return Notes(parts.state_dir / "web", broadcaster, parts.clocks.wall_s, parts.tokens.files)


def _people(parts: Parts, login: Login, directing: Directing) -> tuple[Route, ...]:
    links = LinksApi(parts.tokens, login.sockets, parts.staff_address)
    return *login.routes(), *links.routes(), *DirectingApi(directing).routes()


def _past_games(parts: Parts, link: CoreLink, login: Login) -> tuple[Route, ...]:
    exports = FileThread("exports")
    reports = GameReportsApi(
        parts.exports,
        exports,
        state_dir=parts.state_dir,
        languages=parts.languages.hall,
        worker=Worker(),
        staff_worker=Worker(),
        login=login,
    )
    return (
        *GamesApi(parts.exports, exports, parts.clocks.boot_s).routes(),
        *reports.routes(),
        *StickApi(link).routes(),
        *CopyApi(link).routes(),
        *HallsApi(link).routes(),
        *VerifyPage(link.picture, parts.join.address).routes(),
    )


def _app(
    table: RouteTable, guard: Guard, close: Callable[[web.Application], Awaitable[None]]
) -> web.Application:
    app = web.Application(middlewares=[guard.middleware()], client_max_size=BODY_LIMIT)
    table.add_to(app)
    app.on_response_prepare.append(add_security_headers)
    app.on_shutdown.append(close)
    return app


def _link(
    parts: Parts, feed: Broadcaster, phones: PhoneBroadcaster, panels: Broadcaster, tables: Broadcaster
) -> CoreLink:
    return CoreLink(
        parts.client,
        feed=feed,
        phones=phones,
        panels=panels,
        tables=tables,
        found_simulated=parts.found_simulated,
        boot_s=parts.clocks.boot_s,
    )


def _login(parts: Parts) -> Login:
    return Login(
        tokens=parts.tokens,
        pin=parts.pin,
        hall=parts.hall,
        pages=parts.pages,
        core=parts.client,
        boot_s=parts.clocks.boot_s,
    )


def _guard(
    parts: Parts,
    table: RouteTable,
    login: Login,
    link: CoreLink,
    *,
    screens: Screens,
    seats: SeatsApi,
    defects: Defects,
) -> Guard:
    known = KnownAddresses()
    return Guard(
        table=table,
        languages=parts.languages,
        hosts=parts.hosts,
        addresses=parts.addresses,
        staff_address=parts.staff_address,
        login=login,
        core=link,
        limiter=ConnectionLimiter(parts.clocks.boot_s, known),
        known=known,
        is_good=parts.tokens.is_good,
        other_key=lambda request: screens.shown(request) or seats.shown(request),
        state_dir=parts.state_dir,
        defects=defects,
    )


def _close(
    *open_things: HardwareTestApi | SelftestHost | Screens | Broadcaster,
) -> Callable[[web.Application], Awaitable[None]]:
    async def close(_app: web.Application) -> None:
        await asyncio.gather(*(each.close() for each in open_things))

    return close
