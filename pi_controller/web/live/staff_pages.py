"""Tells core where the staff's pages are, for the local display."""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Never

from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.messages import AskStaffPages
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.certificate import Validity
from pi_controller.web.live.core_link import CoreLink

LOOK_S = 1.0
"""A cable that has just been plugged in shows on the display soon."""

LOG = logging.getLogger(__name__)


class StaffPages:
    """`fingerprint` of their certificate and its `validity`, empty and None where they are not encrypted."""

    def __init__(
        self,
        link: CoreLink,
        address: PageAddress,
        fingerprint: str,
        *,
        validity: Validity | None,
        wall_s: Callable[[], float],
    ) -> None:
        self._validity = validity
        self._wall_s = wall_s
        self._link = link
        self._address = address
        self._fingerprint = fingerprint
        self._told: tuple[str, str, Sentence | None] | None = None

    async def keep(self) -> Never:
        """Tell at each start of core, and when the address or the doubt of the certificate has changed, for
        ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Tell what has not been told; an address that only this machine knows helps nobody."""
        session, address = self._link.session, self._address.from_elsewhere()
        now = datetime.fromtimestamp(self._wall_s(), UTC)
        doubt = None if self._validity is None else self._validity.doubt(now)
        if not session or address is None or self._told == (session, address, doubt):
            return
        asked = AskStaffPages(
            address=address, fingerprint=self._fingerprint, doubt=None if doubt is None else view(doubt)
        )
        try:
            await self._link.client.ask(asked)
            self._told = session, address, doubt
        except (NoCore, CoreTrouble, Malformed) as problem:
            LOG.debug("The local display does not know the staff's address: %s", problem)
