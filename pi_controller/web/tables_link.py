"""The web side's line to core's table nodes: relays each snapshot, comes back by itself."""

import asyncio
import logging
from typing import Never

import msgspec

from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.web.audience import Audience

RETRY_S = 0.5
BACKLOG_LIMIT = 1024 * 1024
"""Bytes: a snapshot of 256 nodes has about 120 KiB."""

LOG = logging.getLogger(__name__)


async def keep_tables(client: AsyncClient, audience: Audience) -> Never:
    """Relay for ever. When core goes, the sockets close, so that no page goes on showing its tables."""
    while True:
        try:
            async for snapshot in client.watch_tables():
                audience.tell(msgspec.json.encode(snapshot))
        except (NoCore, CoreTrouble, Malformed) as problem:
            LOG.debug("The tables' feed waits for core: %s", problem)
        audience.dismiss()
        await asyncio.sleep(RETRY_S)
