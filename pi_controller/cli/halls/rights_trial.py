"""Which accounts a broker lets in, where they may publish and what is delivered to them, found by trying."""

import contextlib
from collections.abc import Iterable, Mapping

from aiomqtt import Client, Topic

from pi_controller.links.broker import Address
from pi_controller.links.withdrawal import BrokerFault, publish_each, talking_to

NOBODYS = "nobodys"
"""A topic at which nobody publishes."""


def is_among(topic: str, patterns: Iterable[str]) -> bool:
    """The patterns have wildcards."""
    return any(Topic(topic).matches(pattern) for pattern in patterns)


async def lets_in(address: Address) -> bool:
    """Raises BrokerFault where the broker is not reached."""
    try:
        async with talking_to(address):
            return True
    except BrokerFault as fault:
        if fault.refuses:
            return False
        raise


async def refused_to(address: Address, topics: Iterable[str]) -> set[str]:
    """Where this account may not publish: without a payload, and nothing is retained. Raises BrokerFault."""
    async with talking_to(address) as client:
        return set(await publish_each(client, topics))


async def delivered_to(
    readers: Mapping[str, Address], writer: Address, topics: Iterable[str]
) -> dict[str, set[str]]:
    """Which of these topics each of them hears when the writer publishes there. Raises BrokerFault."""
    async with contextlib.AsyncExitStack() as stack:
        clients = {name: await stack.enter_async_context(talking_to(one)) for name, one in readers.items()}
        for client in clients.values():
            await client.subscribe("#")
        await publish_each(await stack.enter_async_context(talking_to(writer)), topics)
        return {name: await _heard(client) for name, client in clients.items()}


async def _heard(client: Client) -> set[str]:
    """What the broker has sent until now: it answers a further subscription after that."""
    await client.subscribe(NOBODYS)
    messages = client.messages
    return {str((await anext(messages)).topic) for _ in range(len(messages))}
