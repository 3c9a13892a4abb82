"""Phones: a small picture in places of their own, however many come from one address."""

import asyncio
import json
from pathlib import Path

import pytest
from msgspec import to_builtins

from pi_controller.software import own
from pi_controller.web.live import broadcaster
from pi_controller.web.live.broadcaster import PhonePicture, phone_picture
from tests.browser import pictures
from tests.web.hall import LOOPBACK, from_elsewhere, served, until
from tests.web.live.test_broadcaster import UPGRADE_HEADERS

TCP_AND_IP = 52
"""Bytes around each message on IPv4 with time stamps."""
MINUTE_S = 60
CHANGES_IN_A_MINUTE = 12
"""Rounds of 35 s: each a roll, and two call-outs, which are changes of the picture too; with room for more."""


def small(picture: dict[str, object]) -> object:
    return json.loads(phone_picture(json.dumps(picture).encode()))


async def test_a_small_picture_at_once_then_changes_and_beats(tmp_path: Path) -> None:
    async with served(tmp_path) as hall, hall.http.ws_connect(hall.url + "/api/phone") as phone:
        assert await phone.receive_json() == small(hall.core.picture)
        changed = hall.core.change(paused=True)
        assert await phone.receive_json() == small(changed)
        hall.core.say_again(saved_seq=8)
        hall.core.beat(2000)
        beat = {"version": 1, "beat": 8, "session": "s1", "as_of_ms": 2000}
        assert await phone.receive_json() == beat, "what is on the disk by now no phone is told"


def test_it_has_what_a_phone_shows() -> None:
    claims = [pictures.claim(9, "A1", "sun", status="rejected"), *pictures.asked(6), *pictures.asked(1)]
    picture = small(pictures.picture(claims=claims))
    assert isinstance(picture, dict)
    assert set(picture) == set(PhonePicture.__struct_fields__)
    assert len(picture["claims"]) == broadcaster.MOST_CLAIMS
    assert {claim["status"] for claim in picture["claims"]} == {"open"}


def test_it_has_the_software_that_serves_the_page() -> None:
    software = to_builtins(own())
    picture = small(pictures.picture())
    assert isinstance(picture, dict)
    assert picture["software"] == software


def test_of_the_health_it_has_only_what_tells_why_play_is_paused() -> None:
    items = [
        {"key": key, "params": {}, "level": "warning", "text": "-"}
        for key in ("computer.disk_full", "health.stood_still_paused")
    ]
    picture = small(
        pictures.picture(health={"level": "warning", "messages": [], "items": items, "lost": False})
    )
    assert isinstance(picture, dict)
    assert picture["health"] == {"lost": False, "items": [{"key": "health.stood_still_paused"}]}


async def test_while_core_is_away_nothing_comes_and_then_the_whole_picture(tmp_path: Path) -> None:
    async with served(tmp_path) as hall, hall.http.ws_connect(hall.url + "/api/phone") as phone:
        await phone.receive_json()
        await hall.core.stop()
        await until(lambda: not hall.side.broadcasters["phone"].has_picture)
        hall.core.picture |= {"session": "s2", "seq": 1}
        await hall.core.start()
        assert await phone.receive_json() == small(hall.core.picture)


async def test_a_minute_of_play_is_at_most_300_bytes_a_second(tmp_path: Path) -> None:
    async with served(tmp_path) as hall, hall.http.ws_connect(hall.url + "/api/phone") as phone:
        await phone.receive_json()
        came = 0
        for second in range(MINUTE_S):
            if second % (MINUTE_S // CHANGES_IN_A_MINUTE) == 0:
                hall.core.say_again(**pictures.picture(seq=1000 + second, as_of_ms=second * 1000))
                came += len(await phone.receive_str()) + TCP_AND_IP
            hall.core.beat(1_000_000_000 + second * 1000)
            came += len(await phone.receive_str()) + TCP_AND_IP
        assert came / MINUTE_S <= 300


async def test_they_have_places_of_their_own_and_one_address_may_take_them_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcaster, "MOST_PHONES", 2)
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        address, there = hall.url + "/api/phone", from_elsewhere()
        async with (
            hall.http.ws_connect(address, headers=there) as one,
            hall.http.ws_connect(address, headers=there) as two,
        ):
            await one.receive_json()
            await two.receive_json()
            assert hall.limiter.count == 0, "they take none of the connections either"
            refused = await hall.get("/api/phone", headers=dict(UPGRADE_HEADERS) | there)
            assert refused.status == 503
            async with hall.http.ws_connect(hall.url + "/api/feed", headers=there) as feed:
                await feed.receive_json()
        await until(lambda: len(hall.side.broadcasters["phone"]) == 0)
        await until(lambda: hall.limiter.count == 0)


async def test_everybody_gets_the_newest_picture_however_many_turns_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcaster, "PORTION", 1)
    async with served(tmp_path) as hall:
        crowd = [await hall.http.ws_connect(hall.url + "/api/phone") for _ in range(5)]
        for phone in crowd:
            await phone.receive_json()
        feed = hall.side.broadcasters["phone"]
        for seq in (101, 102, 103):
            feed.publish(json.dumps(pictures.picture(seq=seq)).encode())
        feed.beat(b'{"beat": 103}')
        for phone in crowd:
            heard = [await phone.receive_json()]
            while heard[-1].get("seq") != 103:
                heard.append(await phone.receive_json())
            assert "beat" not in heard[0], "who is behind gets the picture, not the beat"
        feed.beat(b'{"beat": 104}')
        assert [await phone.receive_json() for phone in crowd] == [{"beat": 104}] * len(crowd)
        await asyncio.gather(*(phone.close() for phone in crowd))
