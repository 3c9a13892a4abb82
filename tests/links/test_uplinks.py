"""What a follower hands up: when, and with which time. What becomes of it at a real broker is in tests/system."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

import msgspec
import pytest
from aiomqtt import Client, MqttError

from pi_controller.links.follower import CLOSE_US, TRIPS, ClockEstimate, Uplinks
from pi_controller.protocol.picture import AnyUplink, ClaimUplink, PauseUplink, PressUplink

NOW_US = 50_000_000
AHEAD_US = 700_000_000
CLAIM = ClaimUplink(key="claim", at_us=NOW_US - 2_000_000, source="table", board="A5", side="sun")
PRESS = PressUplink(key="press", at_us=NOW_US - 1_000_000, source="button")
PAUSE = PauseUplink(key="pause", at_us=NOW_US - 500_000, source="director")


class Broker:
    """Takes what is published."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, AnyUplink]] = []
        self.breaks = False

    async def publish(self, topic: str, payload: bytes, qos: int) -> None:
        assert qos == 1
        if self.breaks:
            raise MqttError("gone")
        self.taken.append((topic, msgspec.json.decode(payload, type=AnyUplink)))

    def keys(self) -> list[str]:
        return [uplink.key for _, uplink in self.taken]


class End:
    def __init__(self) -> None:
        self.clock = ClockEstimate()
        self.broker = Broker()
        self.uplinks = Uplinks(hall="east", clock=self.clock, boot_us=lambda: NOW_US)

    def connect(self) -> None:
        self.uplinks.client, self.uplinks.to = cast(Client, self.broker), "run"

    def trip(self, error_us: int) -> None:
        there_us = NOW_US - error_us + AHEAD_US
        self.clock.add(
            sent_us=NOW_US - 2 * error_us, received_us=there_us, answered_us=there_us, now_us=NOW_US
        )


async def all_sent() -> None:
    await asyncio.sleep(0)


def run(play: Callable[[End], Awaitable[None]]) -> None:
    asyncio.run(cast("asyncio.Future[None]", play(End())))


def test_a_claim_waits_until_the_clock_is_close_and_what_stops_play_for_the_first_trip_only() -> None:
    async def play(end: End) -> None:
        end.connect()
        for uplink in (CLAIM, PRESS, PAUSE):
            end.uplinks.put(uplink)
        await all_sent()
        assert end.broker.keys() == [], "nobody knows the leader's time"
        end.trip(CLOSE_US + 1)
        end.uplinks.send()
        await all_sent()
        assert end.broker.keys() == ["press", "pause"]
        end.trip(CLOSE_US)
        end.uplinks.send()
        await all_sent()
        assert end.broker.keys() == ["press", "pause", "claim", "press", "pause"]
        assert [where for where, _ in end.broker.taken[:3]] == [
            "controller/east/press",
            "controller/east/pause",
            "controller/east/claim",
        ]
        claim = end.broker.taken[2][1]
        assert (claim.at_us, claim.error_us) == (CLAIM.at_us + AHEAD_US, CLOSE_US)
        assert (claim.source, claim.to) == ("table", "run")

    run(play)


@pytest.mark.parametrize(("trips", "sent"), [(TRIPS - 1, []), (TRIPS, ["claim"])])
def test_a_clock_that_never_comes_close_is_waited_for_so_long(trips: int, sent: list[str]) -> None:
    async def play(end: End) -> None:
        end.connect()
        for _ in range(trips):
            end.trip(3 * CLOSE_US)
        end.uplinks.put(CLAIM)
        await all_sent()
        assert end.broker.keys() == sent

    run(play)


def test_what_is_not_answered_goes_up_again_and_what_is_does_not() -> None:
    async def play(end: End) -> None:
        end.trip(1_000)
        end.uplinks.put(CLAIM)
        end.uplinks.put(CLAIM)
        await all_sent()
        assert end.broker.keys() == [], "there is no connection"
        end.connect()
        end.broker.breaks = True
        end.uplinks.send()
        await all_sent()
        end.broker.breaks = False
        end.uplinks.send()
        await all_sent()
        assert end.broker.keys() == ["claim"]
        assert end.uplinks.answered("claim")
        assert not end.uplinks.answered("claim")
        end.uplinks.send()
        await all_sent()
        assert end.broker.keys() == ["claim"]

    run(play)
