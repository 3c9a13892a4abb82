"""What both roles have to do with core: its pictures and beats, and the other way how it stands with the
halls."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Never

from msgspec.structs import replace

from pi_controller.protocol.answer_types import LinkAnswer
from pi_controller.protocol.answers import Line
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.messages import AskLink
from pi_controller.roster.model import Roster

LOG = logging.getLogger(__name__)

RETRY_S = 0.2
TELL_S = 1.0
LEAST_S = 0.05
"""Between two words to core, however much the halls tell."""
ROSTER_S = 5.0

NO_ANSWER = (NoCore, CoreTrouble, Malformed)
"""Core is away, or refuses, which its own log says too: it is asked again."""


def _nothing(answer: LinkAnswer) -> None:
    """Nobody waits for what core says."""


class CoreEnd:
    """`link` is what core was told last of how it stands with the halls; `answered` hears what it says to
    that."""

    def __init__(self, client: AsyncClient, link: AskLink) -> None:
        self.client = client
        self.link = link
        self.answered: Callable[[LinkAnswer], None] = _nothing
        self._told = asyncio.Event()

    def say(self, link: AskLink) -> None:
        """How it stands now. What others' junk has counted goes along with the next word: it must not make
        core tell its hall something new all the time."""
        before, self.link = self.link, link
        if replace(before, unread=link.unread) != link:
            self._told.set()

    async def keep_telling(self) -> Never:
        """At each change and once a second, for ever."""
        while True:
            try:
                self.answered(await self.client.ask(self.link))
            except NO_ANSWER as problem:
                LOG.debug("core is not told: %s", problem)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TELL_S):
                    await self._told.wait()
            self._told.clear()
            await asyncio.sleep(LEAST_S)

    async def watch_roster(self, tell: Callable[[Roster], None]) -> Never:
        """Have `tell` called with the roster now and then, for ever."""
        while True:
            try:
                tell(await self.client.roster())
            except NO_ANSWER as problem:
                LOG.debug("core does not tell its roster: %s", problem)
            await asyncio.sleep(ROSTER_S)

    async def watch(self, tell: Callable[[Line], None], *, tables: bool = False) -> Never:
        """Have `tell` called with pictures and beats, or with the tables, for ever."""
        watch = self.client.watch_tables if tables else self.client.watch
        while True:
            try:
                await watch(tell)
            except NO_ANSWER as problem:
                LOG.debug("core is not watched: %s", problem)
            await asyncio.sleep(RETRY_S)
