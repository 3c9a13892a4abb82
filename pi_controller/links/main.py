"""The links process: settings, the broker, a clean end on SIGTERM."""

import asyncio
import contextlib
import gc
import logging
import secrets
import signal
import socket
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Never

import msgspec
from aiomqtt import Will
from pythonosc.osc_message_builder import OscMessageBuilder

from pi_controller import software
from pi_controller.hal.system import logs
from pi_controller.hal.system.file_thread import DiskSlow, FileThread
from pi_controller.hal.system.kernel import Notices
from pi_controller.language.words import words
from pi_controller.links.broker import Address, LinksFault, Sender, address_of, keep_connected
from pi_controller.links.copies import CopyKeeper, CopyReader
from pi_controller.links.core_end import NO_ANSWER, RETRY_S, CoreEnd, HallNews
from pi_controller.links.follower import FollowerLink
from pi_controller.links.leader import LeaderLink
from pi_controller.links.lease import LeaseClaim
from pi_controller.links.payloads import OF_LEADERS, RETAINED, Reader, Status, topic
from pi_controller.links.withdrawal import RetainedTopics, discovery
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.changes import NewestPicture
from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.protocol.messages import AskLink, LinkAnswer
from pi_controller.protocol.options import LinksOptions
from pi_controller.protocol.paths import links_socket
from pi_controller.protocol.picture import LinkRole, Picture
from pi_controller.protocol.question import CoreLine
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence
from pi_controller.settings.checks import osc_target
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load, load_or_make_do
from pi_controller.settings.sections import LinkSettings, Settings
from pi_controller.settings.standing import (
    COPY_NAME,
    Followed,
    keep_followed,
    read_followed,
    read_standing,
)
from pi_controller.vocabulary import SIDES

# OSC for light and sound desks: what a picture says as messages of their own addresses, over UDP.


Values = dict[str, tuple[int | str, ...]]
Target = tuple[str, int]
"""Of `settings.checks.osc_target`: an address in digits and a port."""
NOBODY = "none"
"""In place of a side: OSC's nil is unknown to many desks."""
ROUNDING_MS = 1
"""By which the remaining time of two pictures may differ that mean the same moment."""


def values(picture: Picture, now_us: int) -> Values:
    """By the last part of the address; `now_us` on the clock of the core that made the picture.

    Numbers are integers, since many desks know no truth value: `remaining` in milliseconds of game time,
    `claims` how many are open, `sun`, `moon` and `paused` 1 or 0. At most one of these three is 1: they are
    for desks that read numbers only, and `paused` comes before the side. Without dice both are 0.
    """
    passed_us = max(0, int((now_us - picture.as_of_us) * picture.rate)) if picture.running else 0
    return {
        "phase": (picture.phase,),
        "round": (picture.round,),
        "side": (picture.side or NOBODY,),
        **{name: (int(picture.side == name and not picture.paused),) for name in SIDES},
        "paused": (int(picture.paused),),
        "remaining": (-(-max(0, picture.remaining_us - passed_us) // 1000),),
        "dice": picture.dice or (0, 0),
        "claims": (sum(claim.status == "open" for claim in picture.claims),),
    }


def changed(before: Picture | None, after: Picture, now_us: int) -> Values:
    """What `after` says otherwise, and with it always how much time remains: desks count on from there."""
    said = values(after, now_us)
    if before is None:
        return said
    earlier = values(before, now_us)
    found = {name: value for name, value in said.items() if earlier[name] != value}
    (now_ms,), (then_ms,) = said["remaining"], earlier["remaining"]
    if found.keys() == {"remaining"} and abs(int(now_ms) - int(then_ms)) <= ROUNDING_MS:
        return {}
    return found | {"remaining": said["remaining"]} if found else {}


def datagrams(hall: str, said: Values) -> Iterator[bytes]:
    """One message each: not every desk opens a bundle."""
    for name, arguments in said.items():
        message = OscMessageBuilder(address=f"/controller/{hall}/{name}")
        for argument in arguments:
            message.add_arg(argument)
        yield message.build().dgram


class OscOutput:
    """Sends to all targets. UDP may lose a message, so everything is to be repeated once a second."""

    def __init__(self, hall: str, targets: Sequence[Target], boot_ns: Callable[[], int]) -> None:
        """`boot_ns` is the clock of the core whose pictures are shown."""
        self._hall = hall
        self._targets = targets
        self._boot_ns = boot_ns
        self._sockets: dict[socket.AddressFamily, socket.socket] = {}
        self._picture: Picture | None = None

    def show(self, picture: Picture) -> None:
        """Sends what has changed; nothing waits, and what cannot be sent now is left to the next `repeat`."""
        before, self._picture = self._picture, picture
        self._send(changed(before, picture, self._boot_ns() // 1000))

    def repeat(self) -> None:
        """Sends everything, the remaining time as of now."""
        if self._picture is not None:
            self._send(values(self._picture, self._boot_ns() // 1000))

    def close(self) -> None:
        for one in self._sockets.values():
            one.close()
        self._sockets.clear()

    def _send(self, said: Values) -> None:
        for message in datagrams(self._hall, said):
            for target in self._targets:
                with contextlib.suppress(OSError):  # a desk that is off, or a network that is not there yet
                    self._socket(target[0]).sendto(message, target)

    def _socket(self, host: str) -> socket.socket:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        if family not in self._sockets:
            self._sockets[family] = made = socket.socket(family, socket.SOCK_DGRAM)
            made.settimeout(0)
            if family is socket.AF_INET:
                made.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        return self._sockets[family]


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


def _retained(links: LinkSettings, role: LinkRole) -> list[str]:
    """The topics at which the broker keeps something of this hall."""
    leads = role == "leader"
    names = [topic(links.hall, name) for name in RETAINED if leads or name not in OF_LEADERS]
    return [*names, *([discovery(links.hall)[0]] if leads and links.home_assistant else [])]


async def _withdraw(links: LinkSettings, state_dir: Path) -> None:
    """Of a controller that plays for itself now. One that does not reach the broker tries it at its next
    start."""
    kept, files = RetainedTopics(state_dir, ()), FileThread("broker-files")
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
    kept = RetainedTopics(options.state_dir, _retained(links, role))

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

    shown = NewestPicture()

    def relay(line: CoreLine) -> None:
        end.relay(line)
        if links.osc and line.shown:
            shown.take(line)
            osc.show(msgspec.json.decode(shown.encoded(), type=Picture))

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
    links: LinkSettings, client: AsyncClient, told: asyncio.Event, *, patient: bool
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
