"""What a follower has for its core while that is away, and once it is there again."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from paho.mqtt.client import MQTTMessage

from pi_controller.links.broker import Sender
from pi_controller.links.copies import CopyKeeper
from pi_controller.links.core_end import CoreEnd, HallNews
from pi_controller.links.follower import FollowerLink, ToCore
from pi_controller.links.lease import LeaseClaim
from pi_controller.links.payloads import ClockAnswer, Reader, Status, topic
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import NoCore
from pi_controller.protocol.messages import AskLink, AskUplinkDone
from pi_controller.protocol.picture import Beat
from pi_controller.sentence import Sentence
from tests.core.hall import Hall
from tests.patience import DEADLINE_S
from tests.protocol.fake_core import FakeCore

AN_HOUR = 3_600


RUN = "0" * 16
SESSION = "leading"
LEADER = LeaseClaim(
    hall="main", controller="c0", run=RUN, session=SESSION, state="leading", progress="playing", term=1
)


def follower(folder: Path) -> FollowerLink:
    """Of a hall that has heard of its leader."""
    sender = Sender()
    status = Status(
        state="online", hall="east", role="follower", leads=False, term=0, controller="c1", id="east-run"
    )
    news = HallNews(status, sender=sender, now_s=lambda: 0.0)
    core = CoreEnd(AsyncClient(folder / "control.sock"), AskLink(state="following"))
    return FollowerLink(
        core=core,
        news=news,
        sender=sender,
        reader=Reader(lambda: 5_000_000),
        boot_us=lambda: 5_000_000,
        copy=CopyKeeper(folder),
        lease_key=None,
        keep=lambda leader: None,
    )


def heard(end: FollowerLink, name: str, payload: object) -> None:
    """This from the broker."""
    message = MQTTMessage(topic=topic("main", name).encode())
    message.payload = msgspec.json.encode(payload)
    end._heard(message)


def beat(session: str = SESSION) -> Beat:
    return Beat(beat=1, session=session, as_of_ms=1)


def test_nothing_grows_while_core_is_away_and_it_hears_the_newest_then(tmp_path: Path) -> None:
    async def play() -> None:
        end = follower(tmp_path)
        end._follow(LEADER)
        picture = msgspec.structs.replace(Hall().begin().loop.picture(), session=SESSION)
        for number in range(AN_HOUR):
            heard(end, "beat", beat())
            if number % 10 == 0:
                heard(end, "picture", msgspec.structs.replace(picture, seq=number))
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
        told = [one["picture"]["seq"] for one in core.requests if one["ask"] == "follow"]
        assert told == [AN_HOUR - 10]

    asyncio.run(play())


def test_who_is_told_to_end_ends_also_when_core_goes_at_that_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    went: list[bool] = []

    async def breaks(_: FollowerLink) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            if not went:
                went.append(True)
                raise NoCore(Sentence("core.not_read_any_more"))

    monkeypatch.setattr(FollowerLink, "_tell_core", breaks)

    async def play() -> None:
        core = FakeCore(tmp_path / "control.sock")
        asked = asyncio.Event()
        core.reply = lambda _request: (asked.set(), [])[1]
        await core.start()
        kept = asyncio.create_task(follower(tmp_path).keep_core())
        await asked.wait()
        kept.cancel()
        asked.clear()
        again = asyncio.create_task(asked.wait())
        await asyncio.wait({kept, again}, return_when=asyncio.FIRST_COMPLETED)
        again.cancel()
        assert kept.cancelled()
        await core.stop()

    asyncio.run(play())


def test_of_a_namesake_of_the_leader_nothing_is_taken(tmp_path: Path) -> None:
    """Both publish at the topics of one hall: what counts comes from the core whose links process leads."""

    async def play() -> None:
        end = follower(tmp_path)
        end._follow(LEADER)
        picture = Hall().begin().loop.picture()
        heard(end, "beat", beat("a namesake's"))
        heard(end, "picture", msgspec.structs.replace(picture, session="a namesake's"))
        assert len(end._to_core) == 0
        anew = msgspec.structs.replace(LEADER, session="after its core's new start")
        heard(end, "lease", anew)
        heard(end, "picture", msgspec.structs.replace(picture, session=anew.session))
        assert len(end._to_core) == 1, "a claim and the picture behind it count in their order"

    asyncio.run(play())


def test_a_beat_alone_is_no_news_of_a_leader_whose_picture_is_still_to_come(tmp_path: Path) -> None:
    """Else core would show what it had before as what is so now."""

    async def play() -> None:
        end = follower(tmp_path)
        end._follow(LEADER)
        heard(end, "beat", beat())
        assert len(end._to_core) == 0
        picture = msgspec.structs.replace(Hall().begin().loop.picture(), session=SESSION)
        heard(end, "picture", picture)
        assert await end._to_core.oldest() == picture
        end._follow(msgspec.structs.replace(LEADER, run="its next one"))
        heard(end, "beat", beat())
        assert len(end._to_core) == 1, "the picture of the same core is still its newest"

    asyncio.run(play())


def test_an_answer_to_nobodys_question_tells_no_time(tmp_path: Path) -> None:
    async def play() -> None:
        end = follower(tmp_path)
        end._follow(LEADER)
        for sent_us, run, known in ((7, RUN, False), (5_000_000, "another", False), (5_000_000, RUN, True)):
            end._ask()
            answer = ClockAnswer(sent_us=sent_us, received_us=9, answered_us=9, run=run)
            end._answered(answer, 5_000_000)
            assert (end._clock.at(5_000_000) is not None) == known

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
        picture = Hall().begin().loop.picture()
        waiting.put(picture)
        waiting.put(None)
        assert await waiting.oldest() is picture, "a sign of life replaces no picture"
        assert len(waiting) == 0

    asyncio.run(play())


def test_an_answer_does_not_overtake_the_picture_that_came_before_it() -> None:
    """It lets play go on here, which the leader has paused by then; the newest picture says so, too."""

    async def play() -> None:
        waiting, done, hall = ToCore(), AskUplinkDone(key="k1", accepted=True), Hall().begin()
        waiting.put(hall.loop.picture())
        waiting.put(done)
        newest = hall.loop.picture()
        waiting.put(newest)
        assert await waiting.oldest() is newest
        assert await waiting.oldest() == done

    asyncio.run(play())
