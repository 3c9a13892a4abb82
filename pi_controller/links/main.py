"""The links process: settings, the broker, a clean end on SIGTERM."""

import asyncio
import contextlib
import gc
import logging
import secrets
import signal
import time
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Never

import msgspec
from aiomqtt import Will

from pi_controller import software
from pi_controller.hal.system import logs
from pi_controller.hal.system.file_thread import DiskSlow, FileThread
from pi_controller.hal.system.systemd import Notices
from pi_controller.language.words import words
from pi_controller.links.broker import Address, LinksFault, Sender, address_of, keep_connected
from pi_controller.links.copies import CopyKeeper, CopyReader
from pi_controller.links.core_end import NO_ANSWER, RETRY_S, CoreEnd
from pi_controller.links.follower import FollowerLink
from pi_controller.links.hall_news import HallNews
from pi_controller.links.home_assistant import discovery
from pi_controller.links.leader import LeaderLink
from pi_controller.links.lease import LeaseClaim
from pi_controller.links.osc import OscOutput
from pi_controller.links.payloads import OF_LEADERS, RETAINED, Reader, Status, topic
from pi_controller.links.withdrawal import Kept
from pi_controller.protocol.answer_types import LinkAnswer
from pi_controller.protocol.answers import Line
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.protocol.halls import LinkRole
from pi_controller.protocol.messages import AskLink
from pi_controller.protocol.options import LinksOptions
from pi_controller.protocol.paths import links_socket
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence
from pi_controller.settings.checks import osc_target
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load, load_or_make_do
from pi_controller.settings.sections import Links, Settings
from pi_controller.settings.standing import (
    COPY_NAME,
    Followed,
    keep_followed,
    read_followed,
    read_standing,
)

LOG = logging.getLogger(__name__)

OSC_AGAIN_S = 1.0
WITHDRAW_S = 10.0


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
            asyncio.run(_withdraw(links, options.state_dir))
            return 0
        gc.collect()
        gc.freeze()  # what is loaded stays: no picture waits while all of it is looked through
        software.own()  # its source, which the halls are told
        return asyncio.run(_serve(options, settings, role))
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


def _retained(links: Links, role: LinkRole) -> list[str]:
    """The topics at which the broker keeps something of this hall."""
    leads = role == "leader"
    names = [topic(links.hall, name) for name in RETAINED if leads or name not in OF_LEADERS]
    return [*names, *([discovery(links.hall)[0]] if leads and links.home_assistant else [])]


async def _withdraw(links: Links, state_dir: Path) -> None:
    """Of a controller that plays for itself now. One that does not reach the broker tries it at its next
    start."""
    kept, files = Kept(state_dir, ()), FileThread("broker-files")
    try:
        async with asyncio.timeout(WITHDRAW_S):
            if await files.do(kept.listed):
                await kept.withdraw_former(await files.do(lambda: address_of(links)))
    except (TimeoutError, LinksFault, DiskSlow, OSError) as problem:
        LOG.warning("what the broker keeps of this hall is not withdrawn: %s", problem or "no answer")


async def _serve(options: LinksOptions, settings: Settings, role: LinkRole) -> int:
    links = settings.links
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    client = AsyncClient(links_socket(options.state_dir))
    begun = await _begin(links, client, told, patient=options.unattended)
    if begun is None:
        await client.aclose()
        return 0
    address, own = begun
    core, sender = CoreEnd(client, AskLink(state="no_broker", term=own.term)), Sender()
    status = Status(
        state="online",
        hall=links.hall,
        role=role,
        leads=False,
        term=own.term if role == "leader" else 0,
        controller=own.controller,
        id=secrets.token_hex(8),
    )
    news = HallNews(status, sender=sender, now_s=time.monotonic)
    end = _end(options, settings, own, core=core, news=news, sender=sender)
    kept = Kept(options.state_dir, _retained(links, role))

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

    running: list[Coroutine[None, None, Never]] = [
        *(connected, core.keep_telling(), _keep_repeating(osc)),
        *(core.watch(relay), core.watch(news.tables, tables=True), core.watch_roster(news.roster)),
        *((end.keep_core(),) if isinstance(end, FollowerLink) else ()),
    ]
    async with asyncio.TaskGroup() as group:
        withdrawing = group.create_task(kept.withdraw_former(address))
        tasks = [withdrawing, *(group.create_task(one) for one in running)]
        with contextlib.closing(Notices.from_environment()) as notices:
            notices.ready(f"{role} {links.hall} at {address}")
            await told.wait()
        for task in tasks:
            task.cancel()
    osc.close()
    await client.aclose()
    return 0


async def _begin(
    links: Links, client: AsyncClient, told: asyncio.Event, *, patient: bool
) -> tuple[Address, LinkAnswer] | None:
    """Where the broker is, and what core says of this controller. While password or certificate cannot be
    read, core is told, which tells the hall: nobody reads what this process says; where it is not `patient`,
    LinksFault. None once it is to end."""
    said, files = None, FileThread("broker-files")
    while not told.is_set():
        address, trouble = None, None
        try:
            address = await files.do(lambda: address_of(links))
        except (LinksFault, DiskSlow) as fault:
            if not patient and isinstance(fault, LinksFault):
                raise
            trouble = fault.sentence
        if trouble is not None and trouble != said:
            LOG.warning("%s", words(trouble))
        said = trouble
        with contextlib.suppress(*NO_ANSWER):
            asked = AskLink(state="no_broker", trouble=None if trouble is None else view(trouble))
            own = await client.ask(asked)
            if address is not None:
                return address, own
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RETRY_S):
                await told.wait()
    return None


def _end(
    options: LinksOptions,
    settings: Settings,
    own: LinkAnswer,
    *,
    core: CoreEnd,
    news: HallNews,
    sender: Sender,
) -> LeaderLink | FollowerLink:
    """What this hall is among the others."""
    folder, reader, status = options.state_dir, Reader(_boot_us), news.status
    copy = folder / COPY_NAME
    if status.role == "follower":
        return FollowerLink(
            core=core,
            news=news,
            sender=sender,
            reader=reader,
            boot_us=_boot_us,
            copy=CopyKeeper(copy),
            lease_key=own.lease_key,
            keep=partial(_keep_leader, folder),
        )
    if settings.links.home_assistant:
        news.announce(*discovery(settings.links.hall))
    return LeaderLink(
        core=core,
        news=news,
        sender=sender,
        reader=reader,
        boot_us=_boot_us,
        copy=CopyReader(Path(settings.journal.second_copy or copy)),
        own=own,
    )


def _keep_leader(state_dir: Path, leader: LeaseClaim) -> None:
    """On a thread. OSError."""
    followed = Followed(hall=leader.hall, term=leader.term, over=[leader.lease, *leader.over])
    if read_followed(state_dir) != followed:
        keep_followed(state_dir, followed)


async def _keep_repeating(osc: OscOutput) -> Never:
    while True:
        await asyncio.sleep(OSC_AGAIN_S)
        osc.repeat()


def _boot_us() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000
