"""The connection to the broker; what it does with a real one is in tests/system/test_halls.py."""

import asyncio

import pytest
from aiomqtt import Client, MqttError, Will

from pi_controller.links.broker import Address, LinksClient, keep_connected
from pi_controller.sentence import Sentence
from tests.system.broker import HOST, Broker, mosquitto

__all__ = ["mosquitto"]


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


def test_who_is_told_to_end_ends_also_when_the_broker_is_gone(mosquitto: Broker) -> None:
    """As when all are stopped at once."""

    async def run() -> None:
        talks, tries_again = asyncio.Event(), asyncio.Event()
        told: list[Sentence] = []

        def lost(trouble: Sentence) -> None:
            told.append(trouble)
            if len(told) > 1:
                tries_again.set()

        async def talk(_: LinksClient) -> None:
            talks.set()
            await asyncio.Event().wait()

        async def leave(client: Client) -> None:
            mosquitto.kill()
            await client.publish("controller/main/status", b"", qos=1)

        connected = asyncio.create_task(
            keep_connected(
                Address(HOST, mosquitto.port),
                identifier="main",
                will=Will("controller/main/status"),
                talk=talk,
                leave=leave,
                lost=lost,
            )
        )
        await talks.wait()
        connected.cancel()
        waits = asyncio.create_task(tries_again.wait())
        await asyncio.wait({connected, waits}, return_when=asyncio.FIRST_COMPLETED)
        waits.cancel()
        assert connected.cancelled()

    asyncio.run(run())
