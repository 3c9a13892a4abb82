"""The web process: every object of it is made here; settings, listening, the addresses on stdout, a
clean end on SIGTERM."""

import asyncio
import contextlib
import gc
import logging
import os
import resource
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any, Never

from aiohttp import web
from aiohttp.web import AppRunner

from pi_controller import software
from pi_controller.hal.system import logs
from pi_controller.hal.system.file_thread import FileThread
from pi_controller.hal.system.kernel import Notices, goes_to_the_journal
from pi_controller.journal.store import private_folder
from pi_controller.language.words import load_all, words
from pi_controller.protocol import refusal
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.protocol.options import WebOptions
from pi_controller.protocol.paths import socket_path, tables_socket
from pi_controller.roster.seat_codes import SeatCodes
from pi_controller.sentence import Sentence
from pi_controller.settings.event import LogoFault, read_logo
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load, load_or_make_do
from pi_controller.settings.overlay import layered
from pi_controller.settings.sections import Settings, WebSettings
from pi_controller.web.api.game import Directing, GameApi
from pi_controller.web.api.games import GamesApi, VerifyPage
from pi_controller.web.api.links import LinksApi, SeatCodesApi, qr_blocks
from pi_controller.web.api.openapi import MetricsApi, OpenApi
from pi_controller.web.api.seats import SeatsApi, SheetsApi
from pi_controller.web.api.selftest import ReportsApi, Run, SelftestApi, selftest_runner
from pi_controller.web.api.settings import SettingsApi
from pi_controller.web.api.tables import ButtonApi, FirmwareApi, HardwareTestApi, TablesApi, VirtualHallApi
from pi_controller.web.http.access import LINK_LASTS_S, Clocks, KeyFault, PinFile, Tokens, machine_clocks
from pi_controller.web.http.addresses import own_names, plain
from pi_controller.web.http.connections import Listening, PortFault, Served, keep_served, listening
from pi_controller.web.http.guard import Guard, Login, host_names
from pi_controller.web.http.limits import ConnectionLimiter, DefectCounter, Misbehaviour
from pi_controller.web.http.routes import RequestLanguages, routes_of
from pi_controller.web.http.static_files import Pages, StaticFile, static_file
from pi_controller.web.http.tls import (
    CertificateFault,
    CertificateFiles,
    Handshakes,
    Validity,
    own_files,
    served_files,
)
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
        fingerprint: str,
        validity: Validity | None,
        found_simulated: Callable[[], None],
        run_selftest: Run | None = None,
    ) -> None:
        """Everything wired. Raises KeyFault.

        `machine`: its name in the network; `pages`: their folder; `verifier`: verify_game.py, for download;
        `logo`: of the event; `fingerprint` and `validity` of the certificate at the staff's address, empty
        and None where it is not encrypted; `found_simulated` is called once a session when core turns out to
        run with simulated hardware.
        """
        self.told = asyncio.Event()
        """The process is to end."""
        boot_s, folder, hall = clocks.boot_s, state_dir / "web", settings.hall.languages
        self.client, languages = AsyncClient(socket_path(state_dir)), RequestLanguages(hall)
        self.tokens, self.pin = Tokens(folder, clocks), PinFile(folder)
        files, defects = self.tokens.files, DefectCounter(boot_s)
        self.misbehaviour, self.limiter = Misbehaviour(boot_s, defects), ConnectionLimiter(boot_s)
        self.handshakes = Handshakes(boot_s, self.misbehaviour)

        self.link = link = CoreLink(
            self.client, found_simulated=found_simulated, languages=languages, boot_s=boot_s
        )
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
        self.seats = SeatsApi(
            self.client,
            SeatCodes(state_dir),
            clocks,
            files,
            defects,
            allowed=settings.tables.seat_codes,
        )
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
                LinksApi(login, listeners, settings.web, phones_claim=lambda: self.seats.allowed),
                SeatCodesApi(self.client, listeners),
                sheets,
                self.screens,
                notes,
                GameApi(
                    link=link,
                    directing=directing,
                    login=login,
                    logo=logo,
                    state_dir=state_dir,
                    defects=defects,
                    boot_s=boot_s,
                ),
                self.seats,
                GamesApi(state_dir, languages, link, login, boot_s),
                VerifyPage(link.picture, listeners.hall_address, verifier),
                MetricsApi(link, self.broadcasters, defects, self.misbehaviour),
                TablesApi(link),
                ButtonApi(self.client),
                FirmwareApi(self.client),
                self.selftest,
                ReportsApi(self.client),
                SettingsApi(self.client, self.seats, self.told.set),
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


SWEEP_S = 1.0
END_WITHIN_S = 1.0
MOST_FILES = 16_384
"""Open at once, as the unit has it: a laptop gives 1,024 to a program that does not ask for more, and a hall
of phones needs as many."""

LOG = logging.getLogger(__name__)


def main(options: WebOptions) -> int:
    """Serve until SIGTERM or SIGINT: 0. Wrong settings or key files, a port in use: 2 and a sentence."""
    logs.begin("web: %(message)s")
    _allow_files()
    try:
        return asyncio.run(_serve(options))
    except SettingsFault as fault:
        return _leave(options, *fault.problems)
    except (SocketPathTooLong, KeyFault, PortFault, CertificateFault) as fault:
        return _leave(options, fault.sentence)
    finally:
        logs.end()


def _leave(options: WebOptions, *sentences: Sentence) -> int:
    """Say why; where nobody reads that, also to core, whose pictures tell it: no page opens that could."""
    for sentence in sentences:
        logs.complain(words(sentence))
    folder = options.state_dir / "web"
    if options.unattended and options.state_dir.is_dir():
        with contextlib.suppress(OSError):
            private_folder(folder)
        refusal.leave(folder, sentences)
    return 2


async def _serve(options: WebOptions) -> int:
    settings = _settings(options)
    web, folder = settings.web, options.state_dir
    host = web.host if options.host is None else options.host
    port = web.port if options.port is None else options.port
    tls, fingerprint = _tls(options, web)
    with listening(web, host, port, tls=tls) as listeners:
        side = WebSide(
            settings,
            folder,
            listeners,
            clocks=machine_clocks(),
            machine=socket.gethostname(),
            pages=Path(__file__).parent / "pages",
            verifier=static_file(
                (resources.files("pi_controller") / "journal" / "verify_game.py").read_bytes(), ".py"
            ),
            logo=_logo(settings.event.logo),
            fingerprint=fingerprint,
            validity=_validity(options, web) if fingerprint else None,
            found_simulated=lambda: logs.say(f"virtual hall {listeners.staff_address.on_this_machine()}/sim"),
        )
        side.tokens.links.people.forget(keep_days=settings.journal.keep_days)
        keep_served(folder / "web", Served(listeners.hall_address, listeners.staff_address, fingerprint))
        runner = AppRunner(side.app, shutdown_timeout=END_WITHIN_S)
        await runner.setup()
        try:
            async with listeners.served(
                side.limiter, side.handshakes, runner, language=settings.hall.languages[0]
            ):
                beside = FileThread("catalogues")
                beside.begin(load_all)
                beside.begin(software.reckon)
                refusal.withdraw(folder / "web")
                _say_addresses(side, listeners)
                await _until_told(side)
        finally:
            await runner.cleanup()
            await side.client.aclose()
    return 0


def _tls(options: WebOptions, web: WebSettings) -> tuple[ssl.SSLContext | None, str]:
    """With the certificate's fingerprint. Of the site's own files, otherwise of the controller's own,
    which the first start makes. Where nobody would read why they cannot be used, the pages go on with a new
    one.

    Raises CertificateFault.
    """
    if not (web.staff_tls and web.staff_port):
        return None, ""
    folder = options.state_dir / "web"
    own = own_files(folder)
    files = (
        CertificateFiles(Path(web.staff_certificate), Path(web.staff_key)) if web.staff_certificate else own
    )
    try:
        if files == own and not own.certificate.exists():
            _make_own(folder, web)
        context = files.context()
    except CertificateFault as fault:
        if not options.unattended:
            raise
        LOG.warning("%s", fault)
        files = _make_own(folder, web)
        context = files.context()
    fingerprint = files.fingerprint()
    LOG.info("fingerprint of the staff's certificate (SHA-256): %s", fingerprint)
    return context, fingerprint


def _validity(options: WebOptions, web: WebSettings) -> Validity | None:
    """Of the certificate that is to be served; None where it cannot be read, which is told elsewhere."""
    files = served_files(options.state_dir, staff_certificate=web.staff_certificate, staff_key=web.staff_key)
    with contextlib.suppress(CertificateFault):
        return files.validity()
    return None


def _make_own(folder: Path, web: WebSettings) -> CertificateFiles:
    # Imported here and not above: see there.
    from pi_controller.web.http.own_certificate import make_own  # noqa: PLC0415

    return make_own(folder, own_names(web.allowed_hosts), datetime.now(UTC))


def _say_addresses(side: WebSide, listeners: Listening) -> None:
    """Those by which other devices open the pages, where the network is served; a terminal also shows the
    director's link as a QR code."""
    hall = listeners.hall_address.from_elsewhere()
    staff = listeners.staff_address.from_elsewhere() or listeners.staff_address.on_this_machine()
    logs.say(f"hall {hall or listeners.hall_address.on_this_machine()}/")
    if side.pin.is_set() and goes_to_the_journal(sys.stdout.fileno(), os.environ):
        logs.say(f"director {staff}/login ({words(Sentence('web.with_the_pin'))})")
    else:
        token = side.tokens.new_start_link()
        logs.say(f"director {staff}/login?token={token}")
        if listeners.staff_address.from_elsewhere() is not None and sys.stdout.isatty():
            logs.say(qr_blocks(f"{staff}/login?token={token}"))
        LOG.info("%s", words(Sentence("links.printed_lasts", hours=round(LINK_LASTS_S / 3600))))
    logs.say(f"technician {staff}/technician")
    if listeners.hall_address.is_here():
        LOG.info("%s", words(Sentence("web.only_this_computer")))
    elif hall is None:
        LOG.info("%s", words(Sentence("web.no_network")))
    elif (by_name := listeners.hall_address.by_name()) is not None:
        LOG.info("%s", words(Sentence("web.also_by_name", address=by_name)))


async def _until_told(side: WebSide) -> None:
    """Run what stands beside the requests until SIGTERM or SIGINT; a task that ends by itself ends the
    process."""
    told = side.told
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    # What was made for the start lives to the end: the collector need not look at it again.
    gc.collect()
    gc.freeze()
    with contextlib.closing(Notices.from_environment()) as notices:
        notices.ready("Pages are served")

    async def sweep() -> None:
        while True:
            await asyncio.sleep(SWEEP_S)
            side.sweep()

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(sweep()), *(group.create_task(relay()) for relay in side.relays)]
        await told.wait()
        for task in tasks:
            task.cancel()


def _settings(options: WebOptions) -> Settings:
    """Raises SettingsFault, except when nobody would read it; then core tells of the mistakes."""
    if not options.unattended:
        settings = load(options.settings_path)
    else:
        settings, _problems = load_or_make_do(options.settings_path, None, options.state_dir)
    layers, _left_out = layered(settings, options.state_dir)
    return layers.settings


def _logo(path: str) -> StaticFile | None:
    """None where it cannot be shown; core tells the director why."""
    try:
        logo = read_logo(path)
    except LogoFault as fault:
        LOG.warning("%s", fault)
        return None
    return None if logo is None else static_file(logo.body, logo.suffix)


def _allow_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
