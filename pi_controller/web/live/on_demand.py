"""A stream of core that is watched only while some page shows it: what nobody looks at costs nothing."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Never

from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.web.live.broadcaster import Broadcaster

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
        self._feed = feed
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
        lonely = not len(self._feed) and self._feed.has_picture
        if lonely and self._lonely and self._watching is not None:
            self._watching.cancel()
            self._wanted.clear()
            self._feed.keep(None)  # at once: whoever comes now waits for what core says then
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
        self._feed.dismiss()
        if isinstance(why, CoreTrouble | Malformed):
            self._refused()
        elif not isinstance(why, NoCore) and why is not None:
            raise why
        await asyncio.sleep(self._retry_s)
        if isinstance(why, NoCore) or len(self._feed):
            self._wanted.set()
