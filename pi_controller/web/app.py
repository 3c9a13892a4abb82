"""Puts the web side together: every object of it is made here."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Never

from aiohttp import web

from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.paths import socket_path, tables_socket
from pi_controller.roster.seat_codes import SeatCodes
from pi_controller.settings.sections import Settings
from pi_controller.web.api.game import Directing, GameApi
from pi_controller.web.api.games import GamesApi, VerifyPage
from pi_controller.web.api.links import LinksApi
from pi_controller.web.api.openapi import MetricsApi, OpenApi
from pi_controller.web.api.seats import SeatsApi, SheetsApi
from pi_controller.web.api.selftest import ReportsApi, Run, SelftestApi, selftest_runner
from pi_controller.web.api.tables import HardwareTestApi, TablesApi, VirtualHallApi
from pi_controller.web.http.access import Clocks, PinFile, Tokens
from pi_controller.web.http.addresses import plain
from pi_controller.web.http.connections import Listening
from pi_controller.web.http.guard import Guard, Login, host_names
from pi_controller.web.http.limits import ConnectionLimiter, DefectCounter, Misbehaviour
from pi_controller.web.http.routes import RequestLanguages, routes_of
from pi_controller.web.http.static_files import Pages, StaticFile
from pi_controller.web.http.tls import Handshakes, Validity
from pi_controller.web.live.broadcaster import Broadcaster
from pi_controller.web.live.core_link import CoreLink, StaffPages
from pi_controller.web.live.notes import Notes
from pi_controller.web.live.screens import Screens


class WebSide:
    """The application and what runs beside it."""

    def __init__(
        self,
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
    ) -> None:
        """Everything wired. Raises KeyFault.

        `machine`: its name in the network; `pages`: their folder; `verifier`: verify_game.py, for download;
        `logo`: of the event; `seat_codes`: None where the settings allow no claims of phones; `fingerprint`
        and `validity` of the certificate at the staff's address, empty and None where it is not encrypted;
        `found_simulated` is called once a session when core turns out to run with simulated hardware.
        """
        boot_s, folder, hall = clocks.boot_s, state_dir / "web", settings.hall.languages
        self.client, languages = AsyncClient(socket_path(state_dir)), RequestLanguages(hall)
        self.tokens, self.pin = Tokens(folder, clocks), PinFile(folder)
        files, defects = self.tokens.files, DefectCounter(boot_s)
        self.misbehaviour, self.limiter = Misbehaviour(boot_s, defects), ConnectionLimiter(boot_s)
        self.handshakes = Handshakes(boot_s, self.misbehaviour)

        self.link = link = CoreLink(self.client, found_simulated=found_simulated, boot_s=boot_s)
        staff_pages = StaffPages(
            link=link,
            address=listeners.staff_address,
            fingerprint=fingerprint,
            validity=validity,
            wall_s=clocks.wall_s,
        )
        self.screens = Screens(folder, files, boot_s=boot_s, wall_s=clocks.wall_s)
        directing = Directing(folder, self.tokens.links, clocks, files)
        notes = Notes(folder, clocks, files)
        self.selftest = SelftestApi(
            run_selftest or selftest_runner(state_dir, self.pin),
            self.client,
            self.tokens,
            boot_s,
            hall[0],
        )
        shown_pages = Pages(pages, languages)
        login = Login(
            tokens=self.tokens,
            pin=self.pin,
            hall=settings.hall.name,
            pages=shown_pages,
            core=self.client,
            boot_s=boot_s,
        )
        self.seats = SeatsApi(self.client, seat_codes, clocks, files, defects)
        sheets = SheetsApi(link, boot_s)
        hardware = HardwareTestApi(self.client)
        virtual = VirtualHallApi(tables_socket(state_dir), link, boot_s, hall[0])
        self.broadcasters: Mapping[str, Broadcaster] = {
            "picture": link.feed,
            "phone": link.phones,
            "panel": link.panel.feed,
            "tables": link.tables.feed,
            "virtual_tables": virtual.feed,
            "selftest": self.selftest.feed,
            "notes": notes.feed,
            "directing": directing.told,
            "sheets": sheets.feed,
        }
        """By the name of their feed, as `/metrics` tells it."""
        described = OpenApi(
            shown_pages.routes()
            + routes_of(
                login,
                LinksApi(login, listeners, settings.web),
                sheets,
                self.screens,
                notes,
                GameApi(link, directing, self.tokens.links.people, logo, boot_s),
                self.seats,
                GamesApi(state_dir, hall, link, login, boot_s),
                VerifyPage(link.picture, listeners.hall_address, verifier),
                MetricsApi(link, self.broadcasters, defects, self.misbehaviour),
                TablesApi(link),
                self.selftest,
                ReportsApi(self.client),
                hardware,
                virtual,
            ),
            self.tokens.cookie,
        )
        self.rows = described.rows
        bound = (listeners.hall_address.bound, listeners.staff_address.bound)
        guard = Guard(
            rows=self.rows,
            languages=languages,
            host_names=host_names(bound, settings.web.allowed_hosts, machine),
            trusted_proxies=frozenset(map(plain, settings.web.trusted_proxies)),
            staff_address=listeners.staff_address,
            login=login,
            core=link,
            limiter=self.limiter,
            other_key=lambda request: self.screens.shown(request) or self.seats.shown(request),
            state_dir=state_dir,
            defects=defects,
        )

        async def close(_app: web.Application) -> None:
            feeds = (each.close() for each in self.broadcasters.values())
            await asyncio.gather(hardware.close(), self.selftest.close(), self.screens.close(), *feeds)

        self.app = guard.app
        self.app.on_shutdown.append(close)
        self.relays: tuple[Callable[[], Coroutine[Any, Any, Never]], ...] = (
            link.keep_feed,
            link.panel.keep,
            link.tables.keep,
            virtual.keep,
            staff_pages.keep,
            login.keep_looking,
        )
        """Each is to be run for ever, beside the others."""
        self._sweeps: tuple[Callable[[], None], ...] = (
            login.sweep,
            self.selftest.sweep,
            self.screens.sweep,
            self.seats.sweep,
            directing.tell,
            link.panel.sweep,
            link.tables.sweep,
            *(broadcaster.sweep for broadcaster in self.broadcasters.values()),
            self.limiter.sweep,
            self.handshakes.sweep,
            self.misbehaviour.sweep,
        )

    def sweep(self) -> None:
        """To be called about once a second."""
        for each in self._sweeps:
            each()
