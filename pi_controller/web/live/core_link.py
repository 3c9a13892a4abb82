"""The link to core: relays its pictures and streams, asks it for guests, tells it the pages' address."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Never

import msgspec
from msgspec import Raw

from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.changes import NewestPicture
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.messages import AskStaffPages
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.question import CoreLine
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.limits import CachedCall
from pi_controller.web.http.routes import RequestLanguages
from pi_controller.web.http.tls import Validity
from pi_controller.web.live.broadcaster import (
    FEED,
    PHONE,
    Broadcaster,
    PhoneBroadcaster,
    PictureBroadcaster,
)

# A stream of core that is watched only while some page shows it: what nobody looks at costs nothing.


LOG = logging.getLogger(__name__)


class OnDemand:
    """`watch` tells the listeners of `feed` what core says, until core goes. Watched from `ask` on, and
    whenever somebody listens; no longer once core has said something and `sweep` has found nobody twice. What
    was shown is then not known any more."""

    def __init__(
        self,
        feed: Broadcaster,
        watch: Callable[[], Coroutine[Any, Any, Never]],
        *,
        refused: Callable[[], None],
        retry_s: float,
    ) -> None:
        """`refused` is called when core has no such stream."""
        self.feed = feed
        self._watch = watch
        self._refused = refused
        self._retry_s = retry_s
        self._wanted = asyncio.Event()
        self._watching: asyncio.Task[Never] | None = None
        self._lonely = False
        feed.when_joined(self._wanted.set)

    def ask(self) -> None:
        """Watch it now, also when nobody listens."""
        self._wanted.set()

    def sweep(self) -> None:
        """To be called about once a second."""
        lonely = not len(self.feed) and self.feed.has_picture
        if lonely and self._lonely and self._watching is not None:
            self._watching.cancel()
            self._wanted.clear()
            self.feed.keep(None)  # at once: whoever comes now waits for what core says then
        self._lonely = lonely

    async def keep(self) -> Never:
        """Watch whenever it is wanted, for ever. When core goes, the sockets of those who were shown
        something close, so that no page goes on showing it."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            self._lonely = False
            watching = self._watching = asyncio.create_task(self._watch())
            try:
                await asyncio.wait((watching,))
            finally:
                self._watching = None
                watching.cancel()
            if not watching.cancelled():
                await self._ended(watching.exception())

    async def _ended(self, why: BaseException | None) -> None:
        LOG.debug("A stream of core has ended: %s", why)
        self.feed.dismiss()
        if isinstance(why, CoreTrouble | Malformed):
            self._refused()
        elif not isinstance(why, NoCore) and why is not None:
            raise why
        await asyncio.sleep(self._retry_s)
        if isinstance(why, NoCore) or len(self.feed):
            self._wanted.set()


RETRY_S = 0.2
"""Core itself comes back within a second; nobody should wait noticeably longer for the page."""

TABLES_RETRY_S = 0.5

PICTURE_WITHIN_S = 2.0
"""A page counts as stale after 3 s; an older answer helps nobody."""

PICTURE_LASTS_S = 0.1
"""So old an answer is still one of this moment, unless something has changed since."""

METRICS_LAST_S = 1.0
"""Whoever asks for figures more often gets the same again."""


class CoreLink:
    """Beats are only handed on, never made here: when core stops, no page goes on trusting its picture."""

    def __init__(
        self,
        client: AsyncClient,
        *,
        found_simulated: Callable[[], None],
        languages: RequestLanguages,
        boot_s: Callable[[], float],
    ) -> None:
        """`found_simulated` is called once a session when core turns out to run with simulated hardware;
        `languages` follow the hall's."""
        self.client = client
        self._languages = languages
        self.feed, self.phones = PictureBroadcaster(boot_s, FEED), PhoneBroadcaster(boot_s, PHONE)
        """Of the whole picture; of the part of it that phones show."""
        self._newest = NewestPicture()
        self._telling: asyncio.Task[None] | None = None
        self.simulated = False
        """Whether core runs with simulated hardware; False until it has said so."""
        self.seq = 0
        """The newest change that was seen."""
        self.session = ""
        """Core's, as long as it is there."""
        self._away = False
        self._found_simulated = found_simulated
        self.panel = OnDemand(
            Broadcaster(boot_s),
            lambda: client.panel(self._show_panel),
            refused=self._no_panel,
            retry_s=RETRY_S,
        )
        """Core says once a session whether there is a simulated one."""
        self.tables = OnDemand(
            Broadcaster(boot_s),
            lambda: client.watch_tables(self._show_tables),
            refused=lambda: None,
            retry_s=TABLES_RETRY_S,
        )
        self._picture = CachedCall(self._ask_picture, lasts_s=PICTURE_LASTS_S, boot_s=boot_s)
        self._metrics = CachedCall(self._ask_metrics, lasts_s=METRICS_LAST_S, boot_s=boot_s)

    async def picture(self) -> Picture:
        """The room picture of this moment, for whoever asks. NoCore, CoreTrouble."""
        return await self._picture.get()

    async def metrics(self) -> tuple[dict[str, float | dict[str, float]], Picture]:
        """Core's figures of this second and its picture. NoCore, CoreTrouble."""
        return await self._metrics.get()

    async def refresh(self) -> bool:
        """Keep a picture of this moment for newcomers: one that stood unchanged carries an old `as_of_ms`.

        False when core does not answer for the picture it showed: then nobody is to be shown the old one.
        """
        try:
            picture = await self.picture()
        except (NoCore, CoreTrouble) as problem:
            LOG.debug("No picture for a newcomer: %s", problem)
            return not self.feed.has_picture
        if self.feed.has_picture and picture.session != self.session:
            return False
        if self.feed.has_picture and picture.seq == self.seq:  # otherwise a change is on its way, or has come
            self._newest.take(CoreLine(picture=Raw(msgspec.json.encode(picture))))
            self._renew(self._newest)
        return True

    async def _ask_metrics(self) -> tuple[dict[str, float | dict[str, float]], Picture]:
        return await self.client.metrics(), await self.picture()

    async def keep_feed(self) -> Never:
        """Relay pictures and beats for ever."""
        while True:
            try:
                await self.client.watch(self._relay)
            except (NoCore, CoreTrouble, Malformed) as problem:
                self._lost(str(problem))
            await asyncio.sleep(RETRY_S)

    def _relay(self, news: CoreLine) -> None:
        if news.shown:
            self._picture.forget()
            new = self._newest.take(news)
            if "languages" in new:
                spoken = msgspec.json.decode(new["languages"], type=list[str])
                self._languages.hall = tuple(tag.replace("_", "-") for tag in spoken)
            self.feed.tell(self._newest, news, new)
            self.phones.tell(self._newest, news, new)
            if "session" in new:
                self._begin_session(msgspec.json.decode(new["session"], type=str))
            if "seq" in new:
                self.seq = msgspec.json.decode(new["seq"], type=int)
            else:
                self._tell_whole()
        if news.beat:
            beat = bytes(news.beat)
            self.feed.beat(beat)
            self.phones.beat(beat)

    def _begin_session(self, session: str) -> None:
        if session != self.session:
            self.session = session
            self._away = False
            self.panel.ask()

    def _tell_whole(self) -> None:
        """More is on the disk: who takes whole pictures gets one of this moment."""
        if self.feed.takes("1") and (self._telling is None or self._telling.done()):
            self._telling = asyncio.get_running_loop().create_task(self._tell_fresh())

    async def _tell_fresh(self) -> None:
        if await self.refresh():
            self.feed.tell_again("1")

    def _renew(self, picture: NewestPicture | None) -> None:
        self.feed.renew(picture)
        self.phones.renew(picture)

    def _lost(self, why: str) -> None:
        if not self._away:
            LOG.warning("The pages wait for core: %s", why)
        self._away = True
        self.session = ""
        self._picture.forget()
        self._metrics.forget()
        self._newest.forget()
        self._renew(None)

    def _no_panel(self) -> None:
        self.simulated = False

    def _show_panel(self, news: CoreLine) -> None:
        if not news.panel:
            return
        if not self.simulated:
            self.simulated = True
            self._found_simulated()
        self.panel.feed.publish(b'{"panel":' + bytes(news.panel) + b"}")

    def _show_tables(self, news: CoreLine) -> None:
        if news.tables:
            self.tables.feed.publish(bytes(news.tables))

    async def _ask_picture(self) -> Picture:
        try:
            async with asyncio.timeout(PICTURE_WITHIN_S):
                return await self.client.picture()
        except TimeoutError as problem:
            raise NoCore(Sentence("core.no_picture", seconds=PICTURE_WITHIN_S)) from problem


# Core is told where the staff's pages are, for the local display.


LOOK_S = 1.0
"""A cable that has just been plugged in shows on the display soon."""


@dataclass(kw_only=True, eq=False)
class StaffPages:
    link: CoreLink
    address: PageAddress
    fingerprint: str
    """Of their certificate; empty where they are not encrypted."""
    validity: Validity | None
    wall_s: Callable[[], float]
    _told: tuple[str, str, Sentence | None] | None = None

    async def keep(self) -> Never:
        """Tell at each start of core, and when the address or the doubt of the certificate has changed, for
        ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Tell what has not been told; an address that only this machine knows helps nobody."""
        session, address = self.link.session, self.address.from_elsewhere()
        now = datetime.fromtimestamp(self.wall_s(), UTC)
        doubt = None if self.validity is None else self.validity.doubt(now)
        if not session or address is None or self._told == (session, address, doubt):
            return
        asked = AskStaffPages(
            address=address, fingerprint=self.fingerprint, doubt=None if doubt is None else view(doubt)
        )
        try:
            await self.link.client.ask(asked)
            self._told = session, address, doubt
        except (NoCore, CoreTrouble, Malformed) as problem:
            LOG.debug("The local display does not know the staff's address: %s", problem)
