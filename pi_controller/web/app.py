"""Puts the web side together: every object of it is made here."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Never

from aiohttp import web

from pi_controller.hal.system.file_thread import FileThread
from pi_controller.journal.store import EXPORTS
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.paths import socket_path, tables_socket
from pi_controller.roster.seat_codes import SeatCodes
from pi_controller.settings.sections import Settings
from pi_controller.web.api.game import DirectingApi, GameApi
from pi_controller.web.api.games import GameReportsApi, GamesApi, VerifyPage
from pi_controller.web.api.links import JoinApi, LinksApi
from pi_controller.web.api.openapi import MetricsApi, OpenApi
from pi_controller.web.api.seats import SeatsApi, SheetsApi
from pi_controller.web.api.selftest import ReportsApi, Run, SelftestApi, SelftestHost, selftest_runner
from pi_controller.web.api.tables import HardwareTestApi, SimulatedPanelApi, TablesApi, VirtualTablesApi
from pi_controller.web.http.access import Clocks, PinFile, Tokens
from pi_controller.web.http.addresses import ClientAddresses, HostList
from pi_controller.web.http.connections import Listening
from pi_controller.web.http.guard import Guard, Login
from pi_controller.web.http.limits import ConnectionLimiter, DefectCounter, Misbehaviour
from pi_controller.web.http.routes import RequestLanguages, Route, routes_of
from pi_controller.web.http.static_files import Pages, StaticFile
from pi_controller.web.http.tls import Handshakes, Validity
from pi_controller.web.live.broadcaster import Broadcaster
from pi_controller.web.live.core_link import TABLES_BACKLOG_LIMIT, CoreLink, StaffPages
from pi_controller.web.live.directing import Directing, Notes
from pi_controller.web.live.screens import ScreenRegister, Screens


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSide:
    """The application and what runs beside it."""

    app: web.Application
    rows: tuple[Route, ...]
    limiter: ConnectionLimiter
    handshakes: Handshakes
    misbehaviour: Misbehaviour
    client: AsyncClient
    tokens: Tokens
    pin: PinFile
    link: CoreLink
    broadcasters: Mapping[str, Broadcaster]
    """By the name of their feed, as `/metrics` tells it."""
    host: SelftestHost
    screens: Screens
    seats: SeatsApi
    relays: tuple[Callable[[], Coroutine[Any, Any, Never]], ...]
    """Each is to be run for ever, beside the others."""
    sweeps: tuple[Callable[[], None], ...]

    def sweep(self) -> None:
        """To be called about once a second."""
        for each in self.sweeps:
            each()


def build_web(
    settings: Settings,
    state_dir: Path,
    listeners: Listening,
    *,
    clocks: Clocks,
    machine: str,
    pages: Path,
    verifier: StaticFile,
    logo: StaticFile | None,
    seat_codes: SeatCodes | None,
    fingerprint: str,
    validity: Validity | None,
    found_simulated: Callable[[], None],
    run_selftest: Run | None = None,
) -> WebSide:
    """Everything wired. Raises KeyFault.

    `machine`: its name in the network; `pages`: their folder; `verifier`: verify_game.py, for download;
    `logo`: of the event; `seat_codes`: None where the settings allow no claims of phones; `fingerprint` and
    `validity` of the certificate at the staff's address, empty and None where it is not encrypted;
    `found_simulated` is called once a session when core turns out to run with simulated hardware.
    """
    boot_s, folder, hall = clocks.boot_s, state_dir / "web", settings.hall.languages
    client, languages = AsyncClient(socket_path(state_dir)), RequestLanguages(hall)
    tokens, pin = Tokens(folder, clocks), PinFile(folder)
    defects = DefectCounter(boot_s)
    misbehaviour, limiter = Misbehaviour(boot_s, defects), ConnectionLimiter(boot_s)
    handshakes = Handshakes(boot_s, misbehaviour)
    exports = FileThread("exports")

    link = CoreLink(client, found_simulated=found_simulated, boot_s=boot_s)
    staff_pages = StaffPages(
        link, listeners.staff_address, fingerprint, validity=validity, wall_s=clocks.wall_s
    )
    screens = Screens(ScreenRegister(folder, tokens.files), boot_s=boot_s, wall_s=clocks.wall_s)
    directing = Directing(folder, tokens.links, clocks, tokens.files)
    notes = Notes(folder, clocks, tokens.files)
    selftests = Broadcaster(boot_s, backlog_limit=TABLES_BACKLOG_LIMIT)
    host = SelftestHost(run_selftest or selftest_runner(state_dir, pin), selftests, hall[0])
    shown_pages = Pages(pages, languages)
    login = Login(
        tokens=tokens, pin=pin, hall=settings.hall.name, pages=shown_pages, core=client, boot_s=boot_s
    )
    seats = SeatsApi(client, seat_codes, clocks, tokens.files, defects)
    sheets = SheetsApi(Broadcaster(boot_s), link, boot_s)
    hardware = HardwareTestApi(client)
    virtual = VirtualTablesApi(tables_socket(state_dir), link, boot_s, hall[0])
    broadcasters = {
        "picture": link.feed,
        "phone": link.phones,
        "panel": link.panel.feed,
        "tables": link.tables.feed,
        "virtual_tables": virtual.feed,
        "selftest": selftests,
        "notes": notes.feed,
        "directing": directing.told,
        "sheets": sheets.feed,
    }
    described = OpenApi(
        shown_pages.routes()
        + routes_of(
            login,
            LinksApi(tokens, login.sockets, listeners.staff_address),
            DirectingApi(directing),
            sheets,
            screens,
            notes,
            GameApi(link, directing, tokens.links.people, logo, boot_s),
            JoinApi(settings.web, listeners.hall_address, listeners.claims),
            seats,
            GamesApi(state_dir / EXPORTS, exports, link, boot_s),
            GameReportsApi(state_dir / EXPORTS, exports, state_dir=state_dir, languages=hall, login=login),
            VerifyPage(link.picture, listeners.hall_address, verifier),
            MetricsApi(link, broadcasters, defects, misbehaviour),
            TablesApi(link),
            SelftestApi(host, link, selftests, tokens),
            ReportsApi(link),
            hardware,
            SimulatedPanelApi(link),
            virtual,
        ),
        tokens.cookie,
    )
    guard = Guard(
        described.rows,
        languages=languages,
        hosts=HostList(
            (listeners.hall_address.bound, listeners.staff_address.bound), settings.web.allowed_hosts, machine
        ),
        addresses=ClientAddresses(settings.web.trusted_proxies),
        staff_address=listeners.staff_address,
        login=login,
        core=link,
        limiter=limiter,
        other_key=lambda request: screens.shown(request) or seats.shown(request),
        state_dir=state_dir,
        defects=defects,
    )

    async def close(_app: web.Application) -> None:
        feeds = (each.close() for each in broadcasters.values())
        await asyncio.gather(hardware.close(), host.close(), screens.close(), *feeds)

    guard.app.on_shutdown.append(close)
    return WebSide(
        app=guard.app,
        rows=described.rows,
        limiter=limiter,
        handshakes=handshakes,
        misbehaviour=misbehaviour,
        client=client,
        tokens=tokens,
        pin=pin,
        link=link,
        broadcasters=broadcasters,
        host=host,
        screens=screens,
        seats=seats,
        relays=(
            link.keep_feed,
            link.panel.keep,
            link.tables.keep,
            virtual.keep,
            staff_pages.keep,
            login.keep_looking,
        ),
        sweeps=(
            login.sockets.sweep,
            host.sweep,
            screens.sweep,
            seats.sweep,
            directing.tell,
            link.panel.sweep,
            link.tables.sweep,
            *(broadcaster.sweep for broadcaster in broadcasters.values()),
            limiter.sweep,
            handshakes.sweep,
            misbehaviour.sweep,
        ),
    )
