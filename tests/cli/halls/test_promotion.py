"""What `pi-controller links promote` hears of a leader before it lets a second hall lead."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Self

import msgspec
import pytest

from pi_controller.cli import halls
from pi_controller.links.payloads import Status
from pi_controller.settings.sections import LinkSettings

LISTEN_S = 60.0
LEADER = Status(
    state="online", hall="main", role="leader", leads=True, term=3, controller="a" * 16, id="b" * 16
)


class SlowLink:
    """To a broker that keeps a leader's status. Each step takes most of the time to listen, on a clock of its own."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def subscribe(self, topic: str) -> None:
        if topic.endswith("/lease"):
            await self._pass(0.9 * LISTEN_S)

    @property
    async def messages(self) -> AsyncIterator[SimpleNamespace]:
        await self._pass(0.5 * LISTEN_S)
        yield SimpleNamespace(
            topic=f"{halls.ROOT}/main/status", payload=msgspec.json.encode(LEADER), retain=True
        )
        await self._pass(LISTEN_S)

    async def _pass(self, seconds: float) -> None:
        now = self._loop.time() + seconds
        self._loop.time = lambda: now  # type: ignore[method-assign]
        for _ in range(3):
            await asyncio.sleep(0)


def test_a_leader_whose_status_comes_late_is_not_certainly_off(monkeypatch: pytest.MonkeyPatch) -> None:
    async def look() -> halls.LeaderSeen:
        link = SlowLink(asyncio.get_running_loop())
        monkeypatch.setattr(halls, "address_of", lambda _links: SimpleNamespace(client=lambda: link))
        return await halls.look_for_leader(LinkSettings(), listen_s=LISTEN_S)

    assert asyncio.run(look()) == halls.LeaderSeen(hall="main", heard=False, certainly_off=False)
