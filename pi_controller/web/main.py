"""The web process: settings, listening, the addresses on stdout, a clean end on SIGTERM."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import sys
from importlib import resources
from pathlib import Path

from aiohttp import web

from pi_controller.hal.system.systemd import Notices, goes_to_the_journal
from pi_controller.journal.store import EXPORTS
from pi_controller.language.words import words
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.protocol.options import WebOptions
from pi_controller.protocol.paths import socket_path, tables_socket
from pi_controller.protocol.transport import close_server
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load, load_or_make_do
from pi_controller.settings.sections import Settings
from pi_controller.web.api.selftest import selftest_runner
from pi_controller.web.app import Parts, WebSide, build_web
from pi_controller.web.http.connections import PortFault, listen_on, serve, url_of
from pi_controller.web.http.language import RequestLanguages
from pi_controller.web.http.origin import ClientAddresses, HostList
from pi_controller.web.http.pin import PinFile
from pi_controller.web.http.static_files import Pages, static_file
from pi_controller.web.http.tokens import KeyFault, Tokens, machine_clocks

SWEEP_S = 1.0
END_WITHIN_S = 1.0


def main(options: WebOptions) -> int:
    """Serve until SIGTERM or SIGINT: 0. Wrong settings or key files, a port in use: 2 and a sentence."""
    logging.basicConfig(level=logging.INFO, format="web: %(message)s")
    try:
        return asyncio.run(_serve(options))
    except (SettingsFault, SocketPathTooLong, KeyFault, PortFault) as fault:
        print(fault, file=sys.stderr)
        return 2


async def _serve(options: WebOptions) -> int:
    everything = _settings(options)
    settings = everything.web
    host = settings.host if options.host is None else options.host
    port = settings.port if options.port is None else options.port
    path = socket_path(options.state_dir)
    clocks, languages = machine_clocks(), RequestLanguages(everything.hall.languages)
    tokens, pin = Tokens(options.state_dir / "web", clocks), PinFile(options.state_dir / "web")
    with contextlib.closing(listen_on(host, port)) as listening:
        url = url_of(host, listening.getsockname()[1])
        parts = Parts(
            client=AsyncClient(path),
            tokens=tokens,
            pin=pin,
            hall=everything.hall.name,
            languages=languages,
            pages=Pages(Path(__file__).parent / "pages", languages),
            verifier=static_file(_verifier(), ".py"),
            hosts=HostList(host, settings.allowed_hosts, socket.gethostname()),
            addresses=ClientAddresses(settings.trusted_proxies),
            clocks=clocks,
            found_simulated=lambda: _say(f"virtual hall {url}/sim"),
            tables_socket=tables_socket(options.state_dir),
            state_dir=options.state_dir,
            exports=options.state_dir / EXPORTS,
            run_selftest=selftest_runner(options.state_dir, pin),
        )
        side = build_web(parts)
        runner = web.AppRunner(side.app, shutdown_timeout=END_WITHIN_S)
        await runner.setup()
        server = await serve(listening, side.limiter, runner, language=languages.hall[0])
        _say(f"hall {url}/")
        if pin.is_set() and goes_to_the_journal(sys.stdout.fileno(), os.environ):
            _say(f"director {url}/login ({words(Sentence('web.with_the_pin'))})")
        else:
            _say(f"director {url}/login?token={tokens.new_link_token()}")
        told = _told_to_end()
        # What was made for the start lives to the end: the collector need not look at it again.
        gc.collect()
        gc.freeze()
        with contextlib.closing(Notices.from_environment()) as notices:
            notices.ready("Pages are served")
        try:
            await _until(told, side)
        finally:
            await close_server(server)
            await runner.cleanup()
            await parts.client.aclose()
    return 0


def _settings(options: WebOptions) -> Settings:
    """Raises SettingsFault, except when nobody would read it; then core tells of the mistakes."""
    if not options.unattended:
        return load(options.settings_path)
    settings, _problems = load_or_make_do(options.settings_path, None, options.state_dir)
    return settings


def _told_to_end() -> asyncio.Event:
    """Set by a signal from now on."""
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    return told


async def _until(told: asyncio.Event, side: WebSide) -> None:
    """Run what stands beside the requests until told; a task that ends by itself ends the process."""
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_sweep(side)),
            *(group.create_task(relay()) for relay in side.relays),
        ]
        await told.wait()
        for task in tasks:
            task.cancel()


async def _sweep(side: WebSide) -> None:
    while True:
        await asyncio.sleep(SWEEP_S)
        side.sweep()


def _verifier() -> bytes:
    return (resources.files("pi_controller") / "journal" / "verify_game.py").read_bytes()


def _say(line: str) -> None:
    print(line, flush=True)
