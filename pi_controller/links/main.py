"""The links process: settings, the broker, a clean end on SIGTERM."""

import asyncio
import contextlib
import logging
import signal
import ssl
import sys
import time
from pathlib import Path

import msgspec
from aiomqtt import Will

from pi_controller.hal.system.systemd import Notices
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.links.broker import Address, Sender, keep_connected
from pi_controller.links.core_end import CoreEnd
from pi_controller.links.follower import FollowerLink
from pi_controller.links.hall_news import HallNews
from pi_controller.links.leader import LeaderLink
from pi_controller.links.payloads import topic
from pi_controller.links.terms import read_term
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.protocol.halls import LinkRole
from pi_controller.protocol.messages import AskLink
from pi_controller.protocol.options import LinksOptions
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.sentences import view
from pi_controller.sentence import SaidError, Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load, load_or_make_do
from pi_controller.settings.sections import Links, Settings

LOG = logging.getLogger(__name__)


class LinksFault(SaidError):  # noqa: N818 - an answer to who started it
    """The process cannot start; the sentence says why and what to do."""


def main(options: LinksOptions) -> int:
    """Run until SIGTERM or SIGINT: 0. Wrong settings or files: 2 and a sentence. Where no role is set: 0 at
    once."""
    logging.basicConfig(level=logging.INFO, format="links: %(message)s")
    try:
        links = _settings(options).links
        if links.role == "none":
            print(words(Sentence("link.none_is_set")), file=sys.stderr)
            return 0
        return asyncio.run(_serve(options, links, links.role, read_term(options.state_dir)))
    except (SettingsFault, SocketPathTooLong, LinksFault) as fault:
        print(fault, file=sys.stderr)
        return 2


def _settings(options: LinksOptions) -> Settings:
    """Raises SettingsFault, except when nobody would read it; then core tells of the mistakes."""
    if not options.unattended:
        return load(options.settings_path)
    settings, _problems = load_or_make_do(options.settings_path, None, options.state_dir)
    return settings


def _address(links: Links) -> Address:
    """Raises LinksFault for files that cannot be used."""
    try:
        lines = Path(links.password_file).read_text().splitlines() if links.password_file else []
    except (OSError, UnicodeDecodeError) as error:
        reason = why(error) if isinstance(error, OSError) else str(error)
        raise LinksFault(
            Sentence("link.password_unreadable", path=links.password_file, why=reason)
        ) from error
    try:
        tls = ssl.create_default_context(cafile=links.ca_file) if links.ca_file else None
    except (OSError, ssl.SSLError) as error:
        raise LinksFault(Sentence("link.ca_unusable", path=links.ca_file, why=str(error))) from error
    password = lines[0] if lines else None
    return Address(links.broker, links.port, links.user or None, password, tls)


async def _serve(options: LinksOptions, links: Links, role: LinkRole, term: int) -> int:
    address = _address(links)
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    client = AsyncClient(socket_path(options.state_dir))
    core, sender = CoreEnd(client, AskLink(state="no_broker", term=term)), Sender()
    news = HallNews(hall=links.hall, role=role, sender=sender, now_s=time.monotonic)
    end: LeaderLink | FollowerLink
    if role == "leader":
        news.status = msgspec.structs.replace(news.status, term=term)
        end = LeaderLink(core=core, news=news, sender=sender, boot_us=_boot_us)
    else:
        end = FollowerLink(core=core, news=news, sender=sender, boot_us=_boot_us)

    def lost(reason: str) -> None:
        end.lost(reason)
        trouble = view(Sentence("link.no_broker", broker=str(address), why=reason))
        core.say(AskLink(state="no_broker", leader=core.link.leader, term=core.link.term, trouble=trouble))

    connected = keep_connected(
        address,
        identifier=f"pi-controller-{links.hall}-{news.status.id}",
        will=Will(topic(links.hall, "status"), news.will, qos=1, retain=True),
        talk=end.talk,
        lost=lost,
    )
    running = [connected, core.keep_telling(), core.watch(end.relay), core.watch(news.tables, tables=True)]
    running.append(core.watch_roster(news.roster))
    if isinstance(end, FollowerLink):
        running.append(end.keep_core())
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one) for one in running]
        with contextlib.closing(Notices.from_environment()) as notices:
            notices.ready(f"{role} {links.hall} at {address}")
            await told.wait()
        for task in tasks:
            task.cancel()
    await client.aclose()
    return 0


def _boot_us() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000
