"""The links process: settings, the broker, a clean end on SIGTERM."""

import asyncio
import contextlib
import gc
import logging
import signal
import time
from pathlib import Path
from typing import Never

import msgspec
from aiomqtt import Will

from pi_controller.hal.system import logs
from pi_controller.hal.system.file_thread import DiskSlow, FileThread
from pi_controller.hal.system.systemd import Notices
from pi_controller.language.words import words
from pi_controller.links.broker import Address, Sender, keep_connected
from pi_controller.links.copies import CopyKeeper, CopyReader
from pi_controller.links.core_end import NO_ANSWER, TELL_S, CoreEnd
from pi_controller.links.follower import FollowerLink
from pi_controller.links.hall_news import HallNews
from pi_controller.links.home_assistant import discovery
from pi_controller.links.leader import LeaderLink
from pi_controller.links.look import LinksFault, address_of
from pi_controller.links.osc import OscOutput
from pi_controller.links.payloads import topic
from pi_controller.protocol.answers import Line
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.protocol.halls import LinkRole
from pi_controller.protocol.messages import AskLink
from pi_controller.protocol.options import LinksOptions
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence
from pi_controller.settings.checks import osc_target
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load, load_or_make_do
from pi_controller.settings.sections import Links, Settings
from pi_controller.settings.standing import COPY_NAME, read_standing

LOG = logging.getLogger(__name__)

OSC_AGAIN_S = 1.0


def main(options: LinksOptions) -> int:
    """Run until SIGTERM or SIGINT: 0. Wrong settings or files: 2 and a sentence. Where no role is set: 0 at
    once."""
    logs.begin("links: %(message)s")
    try:
        settings = _settings(options)
        links = settings.links
        standing = read_standing(options.state_dir)
        role = standing.role(links)
        if role == "none":
            logs.complain(words(Sentence("link.none_is_set")))
            return 0
        gc.collect()
        gc.freeze()  # what is loaded stays: no picture waits while all of it is looked through
        return asyncio.run(_serve(options, settings, role, standing.term))
    except (SettingsFault, SocketPathTooLong, LinksFault) as fault:
        logs.complain(str(fault))
        return 2
    finally:
        logs.end()


def _settings(options: LinksOptions) -> Settings:
    """Raises SettingsFault, except when nobody would read it; then core tells of the mistakes."""
    if not options.unattended:
        return load(options.settings_path)
    settings, _problems = load_or_make_do(options.settings_path, None, options.state_dir)
    return settings


async def _serve(options: LinksOptions, settings: Settings, role: LinkRole, term: int) -> int:
    links = settings.links
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    client = AsyncClient(socket_path(options.state_dir))
    address = await _address(links, client, told) if options.unattended else address_of(links)
    if address is None:
        await client.aclose()
        return 0
    core, sender = CoreEnd(client, AskLink(state="no_broker", term=term)), Sender()
    news = HallNews(hall=links.hall, role=role, sender=sender, now_s=time.monotonic)
    end = _end(options, settings, term=term, core=core, news=news, sender=sender)

    def lost(trouble: Sentence) -> None:
        end.lost(words(trouble))
        before = core.link
        core.say(AskLink(state="no_broker", leader=before.leader, term=before.term, trouble=view(trouble)))

    connected = keep_connected(
        address,
        identifier=f"pi-controller-{links.hall}-{news.status.id}",
        will=Will(topic(links.hall, "status"), news.will, qos=1, retain=True),
        talk=end.talk,
        leave=news.leave,
        lost=lost,
    )
    osc = OscOutput(links.hall, [osc_target(one) for one in links.osc], lambda: _boot_us() * 1_000)

    def relay(line: Line) -> None:
        end.relay(line)
        if line.picture and links.osc:
            osc.show(msgspec.json.decode(line.picture, type=Picture))

    running = [
        *(connected, core.keep_telling(), _keep_repeating(osc)),
        *(core.watch(relay), core.watch(news.tables, tables=True), core.watch_roster(news.roster)),
        *((end.keep_core(),) if isinstance(end, FollowerLink) else ()),
    ]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one) for one in running]
        with contextlib.closing(Notices.from_environment()) as notices:
            notices.ready(f"{role} {links.hall} at {address}")
            await told.wait()
        for task in tasks:
            task.cancel()
    osc.close()
    await client.aclose()
    return 0


async def _address(links: Links, client: AsyncClient, told: asyncio.Event) -> Address | None:
    """That of the broker. While password or certificate cannot be read, core is told, which tells the hall:
    nobody reads what this process says. None once it is to end."""
    said, files = None, FileThread("broker-files")
    while not told.is_set():
        try:
            return await files.do(lambda: address_of(links))
        except (LinksFault, DiskSlow) as fault:
            if fault.sentence != said:
                LOG.warning("%s", fault)
            said = fault.sentence
        with contextlib.suppress(*NO_ANSWER):
            await client.ask(AskLink(state="no_broker", term=0, trouble=view(said)))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TELL_S):
                await told.wait()
    return None


def _end(
    options: LinksOptions, settings: Settings, *, term: int, core: CoreEnd, news: HallNews, sender: Sender
) -> LeaderLink | FollowerLink:
    """What this hall is among the others; a leader has this term."""
    copy = options.state_dir / COPY_NAME
    if news.status.role == "follower":
        return FollowerLink(core=core, news=news, sender=sender, boot_us=_boot_us, copy=CopyKeeper(copy))
    news.status = msgspec.structs.replace(news.status, term=term)
    if settings.links.home_assistant:
        news.announce(*discovery(settings.links.hall))
    reader = CopyReader(Path(settings.journal.second_copy or copy))
    return LeaderLink(core=core, news=news, sender=sender, boot_us=_boot_us, copy=reader)


async def _keep_repeating(osc: OscOutput) -> Never:
    while True:
        await asyncio.sleep(OSC_AGAIN_S)
        osc.repeat()


def _boot_us() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000
