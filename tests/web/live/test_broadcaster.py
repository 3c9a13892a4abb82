"""The feeds: everybody the same newest picture, nobody a backlog, nothing while core is away; phones a small one."""

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import WSMsgType, web
from msgspec import Raw, to_builtins

from pi_controller.protocol.changes import NewestPicture
from pi_controller.protocol.question import CoreLine
from pi_controller.software import own
from pi_controller.web.http.limits import MOST_PER_KEY
from pi_controller.web.http.routes import Refusal
from pi_controller.web.live import broadcaster, core_link
from pi_controller.web.live.broadcaster import PhonePicture, phone_picture
from tests.browser import pictures
from tests.patience import DEADLINE_S
from tests.web.hall import LOOPBACK, Hall, HandClock, from_elsewhere, served, until

UPGRADE = (
    "GET /api/feed HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)


CROWD = 40


async def test_picture_at_once_then_changes_and_beats(hall: Hall) -> None:
    async with hall.socket("/api/feed") as feed:
        first = await feed.receive_json()
        assert first == hall.core.picture
        assert await told(hall, feed, paused=True) == hall.core.picture
        hall.core.beat(2000)
        assert await feed.receive_json() == {"version": 1, "beat": 8, "session": "s1", "as_of_ms": 2000}


async def test_version_2_is_told_what_differs_and_no_more(hall: Hall) -> None:
    async with hall.socket("/api/feed?version=2") as feed:
        shown = {name: value for name, value in hall.core.picture.items() if name != "allowed"}
        assert await feed.receive_json() == {"picture": shown}
        told_now = await told(hall, feed, paused=True, allowed={"pause": None})
        assert told_now == {"on": 7, "change": {"seq": 8, "paused": True}}, "guests command nothing"
        hall.core.say_again(saved_seq=8)
        assert await feed.receive_json() == {"on": 8, "change": {"saved_seq": 8}}
        hall.core.beat(2000)
        assert (await feed.receive_json())["beat"] == 8
        await feed.send_str('{"ask":"picture"}')
        assert await feed.receive_json() == {"picture": shown | {"seq": 8, "paused": True, "saved_seq": 8}}


async def test_who_takes_whole_pictures_gets_a_fresh_one_when_it_is_on_the_disk(hall: Hall) -> None:
    async with hall.socket("/api/feed") as feed:
        await feed.receive_json()
        hall.core.picture["as_of_ms"] += 50
        hall.core.say_again(saved_seq=7)
        await until(lambda: (told := hall.side.link._telling) is not None and told.done())
        hall.core.beat(2000)
        assert await feed.receive_json() == hall.core.picture


async def test_a_version_that_there_is_not_is_refused(hall: Hall) -> None:
    for path in ("/api/feed", "/api/phone"):
        answer = await hall.get(f"{path}?version=3", headers=UPGRADE_HEADERS)
        assert (answer.status, answer.key) == (422, "web.no_such_version")


async def test_after_a_start_of_core_the_whole_picture_comes(hall: Hall) -> None:
    async with hall.socket("/api/feed?version=2") as feed:
        await feed.receive_json()
        await hall.core.stop()
        await until(lambda: not hall.feed.has_picture)
        hall.core.picture |= {"session": "s2", "seq": 1}
        await hall.core.start()
        assert (await feed.receive_json())["picture"]["session"] == "s2"


async def test_a_newcomer_gets_a_picture_of_this_moment(hall: Hall) -> None:
    hall.core.picture["as_of_ms"] = 9000
    async with hall.socket("/api/feed") as feed:
        assert (await feed.receive_json())["as_of_ms"] == 9000


async def test_a_crowd_gets_the_same_picture(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_link, "PICTURE_WITHIN_S", DEADLINE_S)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as crowd:
        await hall.core_watched()
        hall.core.answering.clear()
        coming = asyncio.gather(*(crowd.ws_connect(hall.url + "/api/feed") for _ in range(CROWD)))
        await until(lambda: len(hall.feed) == CROWD)
        hall.core.answering.set()
        feeds = await coming
        await asyncio.gather(*(feed.receive_json() for feed in feeds))
        picture = hall.core.change(remaining_ms=1)
        seen = await asyncio.gather(*(feed.receive_str() for feed in feeds))
        assert set(seen) == {seen[0]}
        assert json.loads(seen[0]) == picture
        assert hall.core.pictures_asked == 1, "all share one question"


async def test_a_client_that_sends_is_closed(hall: Hall) -> None:
    for message in ("pause", "x" * 5000):
        async with hall.socket("/api/feed", autoping=False) as feed:
            await feed.receive_json()
            await feed.ping(b"still there?")
            pong = await feed.receive()
            assert (pong.type, pong.data) == (WSMsgType.PONG, b"still there?")
            await feed.pong()
            await feed.send_str(message)
            assert (await feed.receive()).type is WSMsgType.CLOSE
            assert feed.close_code in {1008, 1009}
    await until(lambda: len(hall.feed) == 0)


async def test_while_core_is_away_nothing_comes_and_then_the_whole_picture(hall: Hall) -> None:
    async with hall.socket("/api/feed") as feed:
        await feed.receive_json()
        await hall.core.stop()
        await until(lambda: not hall.feed.has_picture)
        async with hall.socket("/api/feed") as newcomer:
            await until(lambda: len(hall.feed) == 2)
            hall.core.picture |= {"session": "s2", "seq": 1, "paused": True, "pause_reasons": ["recovery"]}
            await hall.core.start()
            for each in (feed, newcomer):
                assert await each.receive_json() == hall.core.picture


async def test_who_does_not_read_gets_no_backlog_and_is_cut_after_5_s(hall: Hall) -> None:
    deaf, listener = await deaf_client(hall)
    await fill(hall, listener)
    waiting = listener.transport.get_write_buffer_size()
    for _ in range(50):
        tell(hall, filler="x" * BIG)
    assert listener.transport.get_write_buffer_size() == waiting <= BIG + 10_000
    hall.clock.pass_s(4.9)
    hall.side.sweep()
    assert hall.feed.cut == 0
    hall.clock.pass_s(0.2)
    hall.side.sweep()
    await until(lambda: len(hall.feed) == 0)
    assert hall.feed.cut == 1
    deaf.close()


async def test_a_slow_client_gets_the_newest_picture_only(hall: Hall) -> None:
    slow, listener = await deaf_client(hall)
    await fill(hall, listener)
    for number in range(20):
        tell(hall, number=number)
    hall.feed.beat(b'{"beat": 0}')
    seen = b""
    while not listener.ready:
        seen += await asyncio.get_running_loop().sock_recv(slow, 1 << 20)
    hall.feed.beat(b'{"beat": 1}')
    while not seen.endswith(b'{"beat": 1}'):
        seen += await asyncio.get_running_loop().sock_recv(slow, 1 << 20)
    assert b'"number":19' in seen
    assert b'"number":18' not in seen
    assert b'{"beat": 0}' not in seen
    assert hall.feed.cut == 0
    slow.close()


async def test_all_places_taken_is_a_sentence_and_some_are_kept_for_staff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcaster, "MOST_STRANGERS", 0)
    monkeypatch.setattr(broadcaster, "MOST_KEYED", 1)
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        cookie = hall.as_role()
        for shown in ({}, {"Cookie": f"{hall.tokens.cookie}=a.1.2.b.c", "Origin": hall.url}):
            stranger = dict(UPGRADE_HEADERS) | shown | from_elsewhere()
            assert (await hall.get("/api/feed", headers=stranger)).status == 503
        async with hall.socket("/api/feed", headers=cookie | from_elsewhere()) as feed:
            await feed.receive_json()
        await until(lambda: len(hall.feed) == 0)
        async with hall.socket("/api/feed") as feed:
            await feed.receive_json()
            answer = await hall.get("/api/feed", headers=dict(UPGRADE_HEADERS))
            assert (answer.status, answer.key) == (503, "web.all_places_taken")


async def test_one_address_has_so_many_sockets_and_who_is_logged_in_there_has_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcaster, "MOST_PER_ADDRESS", 1)
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        address, there = "/api/feed", from_elsewhere()
        async with hall.socket(address, headers=there) as feed:
            await feed.receive_json()
            assert (await hall.get("/api/feed", headers=dict(UPGRADE_HEADERS) | there)).status == 503
            for other in (hall.director | there, from_elsewhere("192.0.2.8"), {}):
                async with hall.socket(address, headers=other) as more:
                    await more.receive_json()


def test_one_address_takes_half_of_the_places_and_gives_way_to_others() -> None:
    feed = broadcaster.Broadcaster(HandClock().clocks().boot_s)
    cut: list[str] = []

    class Line(asyncio.Transport):
        def __init__(self, address: str) -> None:
            super().__init__()
            self.address = address

        def abort(self) -> None:
            cut.append(self.address)

    def come(address: str, count: int, key: str | None = None) -> None:
        for _ in range(count):
            feed.join(broadcaster.Listener(web.WebSocketResponse(), Line(address)), address, key)

    come("192.0.2.1", 256)
    with pytest.raises(Refusal, match="Too many pages are open"):
        come("192.0.2.1", 1)
    come("192.0.2.2", 480 - 256)
    assert cut == []
    come("192.0.2.3", 10)
    assert cut == ["192.0.2.1"] * 10
    for number in range(512 // MOST_PER_KEY):
        come("192.0.2.1", MOST_PER_KEY, key=f"a screen's {number}")
    assert cut == ["192.0.2.1"] * 10
    with pytest.raises(Refusal, match="Too many pages are open"):
        come("192.0.2.3", 480, key="one for whom no place is kept any more")
    assert (cut.count("192.0.2.1"), cut.count("192.0.2.2"), len(cut)) == (96, 64, 160), "all have 160 then"


UPGRADE_HEADERS = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
}


async def test_a_plain_request_to_the_feed_is_told_to_use_a_websocket(hall: Hall) -> None:
    answer = await hall.get("/api/feed")
    assert (answer.status, answer.key) == (426, "web.websocket_only")


async def test_state_is_of_this_moment_or_503(hall: Hall) -> None:
    answer = await hall.get("/api/state")
    assert (answer.status, answer.json) == (200, hall.core.picture)
    assert answer.headers["Cache-Control"] == "no-store"
    await hall.core.stop()
    gone = await hall.get("/api/state")
    assert gone.status == 503
    assert "remaining_ms" not in gone.json
    assert gone.json["error"].endswith(".")


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65535, 65536, 70000])
async def test_frames_are_read_as_they_were_meant(hall: Hall, size: int) -> None:
    async with hall.socket("/api/sim") as feed:
        await feed.receive_json()
        hall.panels.publish(b"x" * size)
        assert await feed.receive_str() == "x" * size


async def told(hall: Hall, feed: aiohttp.ClientWebSocketResponse, **fields: Any) -> Any:
    hall.core.change(**fields)
    return await feed.receive_json()


BIG = 30_000
"""Bytes: more than the kernel keeps."""


def tell(hall: Hall, feed: str = "picture", **fields: Any) -> None:
    """Core says a whole picture, which has these fields and no others."""
    line = CoreLine(picture=Raw(json.dumps(fields).encode()))
    newest = NewestPicture()
    to = hall.side.broadcasters[feed]
    assert isinstance(to, broadcaster.PictureBroadcaster)
    to.tell(newest, line, newest.take(line))


async def deaf_client(hall: Hall) -> tuple[socket.socket, broadcaster.Listener]:
    """A listener that reads nothing, with the smallest buffers that the kernel gives."""
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.setblocking(False)
    await asyncio.get_running_loop().sock_connect(deaf, ("127.0.0.1", hall.port))
    await asyncio.get_running_loop().sock_sendall(deaf, UPGRADE.format(host=hall.host).encode())
    await until(lambda: any(each.ready for each in hall.feed._listeners))
    return deaf, next(iter(hall.feed._listeners))


async def fill(hall: Hall, listener: broadcaster.Listener) -> None:
    """Tell it pictures until the kernel takes no more."""
    while listener.ready:
        tell(hall, filler="x" * BIG)
        await asyncio.sleep(0)
    hall.side.sweep()


async def test_a_picture_that_was_overtaken_turns_no_newcomer_away(hall: Hall) -> None:
    """While core answered for a newcomer, a newer picture came: that one is shown."""
    link = hall.side.link
    await until(lambda: link.session != "")
    link.seq += 1
    assert await link.refresh()
    link.session = "another"
    assert not await link.refresh()


TCP_AND_IP = 52
"""Bytes around each message on IPv4 with time stamps."""
MINUTE_S = 60
CHANGES_IN_A_MINUTE = 12
"""Rounds of 35 s: each a roll, and two call-outs, which are changes of the picture too; with room for more."""


def small(picture: dict[str, object]) -> object:
    newest = NewestPicture()
    newest.take(CoreLine(picture=Raw(json.dumps(picture).encode())))
    return json.loads(phone_picture(newest))


async def test_a_small_picture_at_once_then_changes_and_beats(hall: Hall) -> None:
    async with hall.socket("/api/phone") as phone:
        assert await phone.receive_json() == small(hall.core.picture)
        changed = hall.core.change(paused=True)
        assert await phone.receive_json() == small(changed)
        hall.core.say_again(saved_seq=8)
        hall.core.beat(2000)
        beat = {"version": 1, "beat": 8, "session": "s1", "as_of_ms": 2000}
        assert await phone.receive_json() == beat, "what is on the disk by now no phone is told"


async def test_a_phone_of_version_2_is_told_what_differs_of_what_it_shows(hall: Hall) -> None:
    async with hall.socket("/api/phone?version=2") as phone:
        assert await phone.receive_json() == {"picture": small(hall.core.picture)}
        claims = [pictures.claim(9, "A1", "sun", status="rejected"), *pictures.asked(1)]
        change = (await told(hall, phone, claims=claims, presses=[], target_points=12))["change"]
        assert set(change) == {"seq", "claims"}
        assert [claim["status"] for claim in change["claims"]] == ["open"]
        hall.core.say_again(saved_seq=8)
        hall.core.beat(2000)
        assert "beat" in await phone.receive_json(), "what is on the disk by now no phone is told"


async def test_who_missed_a_change_gets_the_whole_picture(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcaster, "PORTION", 1)
    crowd = [await hall.socket("/api/phone?version=2") for _ in range(3)]
    for phone in crowd:
        await phone.receive_json()
    link = hall.side.link
    for number in (1, 2):
        line = CoreLine(on=6 + number, change=Raw(b'{"seq":%d}' % (7 + number)))
        link.phones.tell(link._newest, line, link._newest.take(line))
    heard = [await phone.receive_json() for phone in crowd]
    assert heard[0] == {"on": 7, "change": {"seq": 8}}
    assert [each["picture"]["seq"] for each in heard[1:]] == [9, 9]
    assert await crowd[0].receive_json() == {"on": 8, "change": {"seq": 9}}
    await asyncio.gather(*(phone.close() for phone in crowd))


def test_it_has_what_a_phone_shows() -> None:
    software = to_builtins(own())
    claims = [pictures.claim(9, "A1", "sun", status="rejected"), *pictures.asked(6), *pictures.asked(1)]
    picture = small(pictures.picture(claims=claims))
    assert isinstance(picture, dict)
    assert set(picture) == set(PhonePicture.__struct_fields__)
    assert picture["software"] == software
    assert len(picture["claims"]) == broadcaster.MOST_CLAIMS
    assert {claim["status"] for claim in picture["claims"]} == {"open"}


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


async def test_a_minute_of_play_is_at_most_300_bytes_a_second(hall: Hall) -> None:
    async with hall.socket("/api/phone") as phone:
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
        address, there = "/api/phone", from_elsewhere()
        async with (
            hall.socket(address, headers=there) as one,
            hall.socket(address, headers=there) as two,
        ):
            await one.receive_json()
            await two.receive_json()
            assert hall.limiter.count == 0, "they take none of the connections either"
            refused = await hall.get("/api/phone", headers=dict(UPGRADE_HEADERS) | there)
            assert refused.status == 503
            async with hall.socket("/api/feed", headers=there) as feed:
                await feed.receive_json()
        await until(lambda: len(hall.side.broadcasters["phone"]) == 0)
        await until(lambda: hall.limiter.count == 0)


async def test_everybody_gets_the_newest_picture_however_many_turns_it_takes(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcaster, "PORTION", 1)
    crowd = [await hall.socket("/api/phone") for _ in range(5)]
    for phone in crowd:
        await phone.receive_json()
    feed = hall.side.link.phones
    for seq in (101, 102, 103):
        tell(hall, "phone", **pictures.picture(seq=seq))
    feed.beat(b'{"beat": 103}')
    for phone in crowd:
        heard = [await phone.receive_json()]
        while heard[-1].get("seq") != 103:
            heard.append(await phone.receive_json())
        assert "beat" not in heard[0], "who is behind gets the picture, not the beat"
    feed.beat(b'{"beat": 104}')
    assert [await phone.receive_json() for phone in crowd] == [{"beat": 104}] * len(crowd)
    await asyncio.gather(*(phone.close() for phone in crowd))
