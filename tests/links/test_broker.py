"""The connection to the broker; what it does with a real one is in tests/system/test_halls.py."""

import asyncio

import pytest
from aiomqtt import MqttError

from pi_controller.links.broker import LinksClient


def test_who_is_cancelled_ends_also_when_the_answer_comes_at_that_moment() -> None:
    async def ask() -> None:
        client = LinksClient("127.0.0.1")
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        asking = asyncio.create_task(client._wait_for(answer, None))
        await asyncio.sleep(0)
        answer.set_result(1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(ask())


def test_who_waits_too_long_is_told() -> None:
    async def ask() -> None:
        client = LinksClient("127.0.0.1")
        with pytest.raises(MqttError, match="timed out"):
            await client._wait_for(asyncio.get_running_loop().create_future(), 0)

    asyncio.run(ask())
