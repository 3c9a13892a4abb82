"""The link to core: relays pictures, beats and table nodes, asks for others, comes back by itself."""

import asyncio
import logging
from collections.abc import Callable
from typing import Never

import msgspec

from pi_controller.protocol.answers import Line
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.picture import Picture
from pi_controller.sentence import Sentence
from pi_controller.web.live.broadcaster import Broadcaster
from pi_controller.web.live.cached_call import CachedCall
from pi_controller.web.live.on_demand import OnDemand

RETRY_S = 0.2
"""Core itself comes back within a second; nobody should wait noticeably longer for the page."""

TABLES_RETRY_S = 0.5
TABLES_BACKLOG_LIMIT = 1024 * 1024
"""Bytes: a snapshot of 256 nodes has about 120 KiB."""

PICTURE_WITHIN_S = 2.0
"""A page counts as stale after 3 s; an older answer helps nobody."""

PICTURE_LASTS_S = 0.1
"""So old an answer is still one of this moment, unless something has changed since."""

METRICS_LAST_S = 1.0
"""Whoever asks for figures more often gets the same again."""

LOG = logging.getLogger(__name__)


class _Seen(msgspec.Struct):
    """What the link itself looks at in a picture."""

    session: str
    seq: int


class CoreLink:
    """Beats are only handed on, never made here: when core stops, no page goes on trusting its picture."""

    def __init__(
        self,
        client: AsyncClient,
        *,
        feed: Broadcaster,
        phones: Broadcaster,
        panels: Broadcaster,
        tables: Broadcaster,
        found_simulated: Callable[[], None],
        boot_s: Callable[[], float],
    ) -> None:
        self.client = client
        self.simulated = False
        """Whether core runs with simulated hardware; False until it has said so."""
        self.seq = 0
        """The newest change that was seen."""
        self.session = ""
        """Core's, as long as it is there."""
        self._away = False
        self._feed = feed
        self._phones = phones
        self._panels = panels
        self._tables = tables
        self._found_simulated = found_simulated
        self.panel = OnDemand(
            panels, lambda: client.panel(self._show_panel), refused=self._no_panel, retry_s=RETRY_S
        )
        """Core says once a session whether there is a simulated one."""
        self.tables = OnDemand(
            tables,
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
            return not self._feed.has_picture
        if self._feed.has_picture and picture.session != self.session:
            return False
        if self._feed.has_picture and picture.seq < self.seq:
            return True  # while core answered, a newer one has come
        newest = msgspec.json.encode(picture)
        self._feed.keep(newest)
        self._phones.keep(newest)
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

    def _relay(self, news: Line) -> None:
        if news.picture:
            self._picture.forget()
            seen = msgspec.json.decode(news.picture, type=_Seen)
            only_saved = (seen.session, seen.seq) == (self.session, self.seq)
            self.seq = seen.seq
            if seen.session != self.session:
                self.session = seen.session
                self._away = False
                self.panel.ask()
            picture = bytes(news.picture)
            self._feed.publish(picture)
            if only_saved:
                self._phones.keep(picture)  # no phone shows what is on the disk: for newcomers
            else:
                self._phones.publish(picture)
        if news.beat:
            beat = bytes(news.beat)
            self._feed.beat(beat)
            self._phones.beat(beat)

    def _lost(self, why: str) -> None:
        if not self._away:
            LOG.warning("The pages wait for core: %s", why)
        self._away = True
        self.session = ""
        self._picture.forget()
        self._metrics.forget()
        self._feed.keep(None)
        self._phones.keep(None)

    def _no_panel(self) -> None:
        self.simulated = False

    def _show_panel(self, news: Line) -> None:
        if not news.panel:
            return
        if not self.simulated:
            self.simulated = True
            self._found_simulated()
        self._panels.publish(b'{"panel":' + bytes(news.panel) + b"}")

    def _show_tables(self, news: Line) -> None:
        if news.tables:
            self._tables.publish(bytes(news.tables))

    async def _ask_picture(self) -> Picture:
        try:
            async with asyncio.timeout(PICTURE_WITHIN_S):
                return await self.client.picture()
        except TimeoutError as problem:
            raise NoCore(Sentence("core.no_picture", seconds=PICTURE_WITHIN_S)) from problem
