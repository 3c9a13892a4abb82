"""What a follower has for its core while that is away, and once it is there again."""

import asyncio
import json
from pathlib import Path

import msgspec

from pi_controller.links.broker import Sender
from pi_controller.links.copies import CopyKeeper
from pi_controller.links.core_end import CoreEnd
from pi_controller.links.follower import FollowerLink, ToCore
from pi_controller.links.hall_news import HallNews
from pi_controller.links.payloads import Status, topic
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.messages import AskLink, AskUplinkDone
from tests.patience import DEADLINE_S
from tests.protocol.fake_core import FakeCore

AN_HOUR = 3_600


def follower(folder: Path) -> FollowerLink:
    """Of a hall that has heard of its leader."""
    sender = Sender()
    news = HallNews(hall="east", role="follower", sender=sender, now_s=lambda: 0.0)
    core = CoreEnd(AsyncClient(folder / "control.sock"), AskLink(state="following"))
    end = FollowerLink(
        core=core, news=news, sender=sender, boot_us=lambda: 5_000_000, copy=CopyKeeper(folder)
    )
    leader = Status(state="online", hall="main", role="leader", term=1, since_ms=1, id="0" * 16)
    end._follow(leader)
    return end


def test_nothing_grows_while_core_is_away_and_it_hears_the_newest_then(tmp_path: Path) -> None:
    async def play() -> None:
        end = follower(tmp_path)
        for number in range(AN_HOUR):
            end._news_of_leader(topic("main", "beat"), b"{}")
            if number % 10 == 0:
                end._news_of_leader(topic("main", "picture"), json.dumps({"seq": number}).encode())
        assert len(end._to_core) == 1
        core = FakeCore(tmp_path / "control.sock")
        core.others = {"follow": {"done": True}, "uplink_done": {"done": True}}
        await core.start()
        telling = asyncio.create_task(end._tell_core())
        async with asyncio.timeout(DEADLINE_S):
            while not [one for one in core.requests if one["ask"] == "follow"]:  # noqa: ASYNC110
                await asyncio.sleep(0)
        telling.cancel()
        await asyncio.wait([telling])
        await end._core.client.aclose()
        await core.stop()
        told = [one["picture"] for one in core.requests if one["ask"] == "follow"]
        assert told == [{"seq": AN_HOUR - 10}]

    asyncio.run(play())


def test_an_answer_stays_until_core_has_heard_it() -> None:
    async def play() -> None:
        waiting, done = ToCore(), AskUplinkDone(key="k1", accepted=True)
        for _ in range(3):
            waiting.put(done)
            waiting.put(None)
        assert len(waiting) == 2
        assert await waiting.oldest() == done
        assert await waiting.oldest() == done, "core went away before it had it"
        waiting.told("k1")
        picture = msgspec.Raw(b"{}")
        waiting.put(picture)
        waiting.put(None)
        assert await waiting.oldest() is picture, "a sign of life replaces no picture"
        assert len(waiting) == 0

    asyncio.run(play())
