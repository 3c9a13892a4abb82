"""Tells core where the staff's pages are, for the local display."""

import asyncio
import logging
from typing import Never

from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.messages import AskStaffPages
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.live.core_link import CoreLink

LOOK_S = 1.0
"""A cable that has just been plugged in shows on the display soon."""

LOG = logging.getLogger(__name__)


class StaffPages:
    """`fingerprint` of their certificate, empty where they are not encrypted."""

    def __init__(self, link: CoreLink, address: PageAddress, fingerprint: str) -> None:
        self._link = link
        self._address = address
        self._fingerprint = fingerprint
        self._told: tuple[str, str] | None = None

    async def keep(self) -> Never:
        """Tell at each start of core, and when the address has changed, for ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Tell what has not been told; an address that only this machine knows helps nobody."""
        session, address = self._link.session, self._address.from_elsewhere()
        if not session or address is None or self._told == (session, address):
            return
        try:
            await self._link.client.ask(AskStaffPages(address=address, fingerprint=self._fingerprint))
            self._told = session, address
        except (NoCore, CoreTrouble, Malformed) as problem:
            LOG.debug("The local display does not know the staff's address: %s", problem)
