"""Screens are admitted by the code that they show, listed and directed; strangers cost them nothing."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from msgspec import to_builtins

from pi_controller.software import own
from pi_controller.web.live.screens import (
    FORGOTTEN,
    KEPT_FOR_STAFF,
    MOST_SCREENS,
    SILENT_S,
    TAKEN_OVER,
    WAITING_PER_ADDRESS,
    WAITING_PLACES,
    WAITS_S,
)
from tests.web.hall import LOOPBACK, Hall, HandClock, from_elsewhere, served, until

MANY = 30


class Screen:
    """One screen's end of its socket."""

    def __init__(self, hall: Hall, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._hall = hall
        self.socket = socket
        self.state: dict[str, Any] = {}

    async def told(self) -> dict[str, Any]:
        """The next thing it is told."""
        message = await self.socket.receive_json()
        self.state |= message.get("screen", {})
        return dict(message)

    async def say(self, page: str = "/", size: tuple[int, int] = (1920, 1080), late_ms: int = 0) -> None:
        """What it says every five seconds; its clock is 250 ms ahead, and the line takes `late_ms`."""
        clock_ms = self._hall.clock.wall * 1000 + 250 - late_ms
        said = {"name": None, "page": page, "size": list(size), "clock_ms": clock_ms}
        await self.socket.send_str(json.dumps(said))
        await self.told()

    async def closed(self) -> int | None:
        """The code that the socket was closed with."""
        while (await self.socket.receive()).type is aiohttp.WSMsgType.TEXT:
            pass
        return self.socket.close_code


@asynccontextmanager
async def screen(hall: Hall, key: str = "", **options: Any) -> AsyncIterator[Screen]:
    async with hall.socket(f"/api/screen?key={key}", **options) as socket:
        opened = Screen(hall, socket)
        await opened.told()
        yield opened


async def order(hall: Hall, name: str, **body: Any) -> tuple[int, list[str]]:
    answer = await hall.post(f"/api/screens/{name}", body, headers=hall.director)
    return answer.status, [one["key"] for one in answer.json.get("reason_keys", [])]


async def admitted(hall: Hall, opened: Screen, name: str) -> str:
    """Its key."""
    assert await order(hall, name, do="admit", code=opened.state["code"]) == (200, [])
    await opened.told()
    return str(opened.state["key"])


async def listed(hall: Hall) -> dict[str, Any]:
    answer = await hall.get("/api/screens", headers=hall.director)
    return {one["name"]: one for one in answer.json["screens"]} | {"": answer.json["waiting"]}


async def test_many_are_registered_listed_renamed_and_redirected(hall: Hall) -> None:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as many:
        sockets = []
        for number in range(MANY):
            opened = Screen(hall, await many.ws_connect(f"{hall.url}/api/screen"))
            await opened.told()
            await admitted(hall, opened, f"screen {number}")
            await opened.say(size=(1000 + number, 700))
            sockets.append(opened)
        known = await listed(hall)
        assert len(known) == MANY + 1
        assert all(known[f"screen {number}"]["size"] == [1000 + number, 700] for number in range(MANY))
        assert {one["connected"] for name, one in known.items() if name} == {True}
        for number, opened in enumerate(sockets):
            assert await order(hall, f"screen {number}", do="rename", to=f"S{number}") == (200, [])
            assert await opened.told() == {"do": "rename", "name": f"S{number}"}
            assert await order(hall, f"S{number}", do="page", page="/overlay") == (200, [])
            assert await opened.told() == {"do": "page", "page": "/overlay"}
        for opened in sockets:
            await opened.socket.close()


async def test_a_screen_shows_a_code_until_it_is_admitted_by_it(hall: Hall) -> None:
    async with screen(hall) as opened:
        assert opened.state["code"] is not None
        assert (await listed(hall))[""] == 1
        assert await order(hall, "Left", do="admit", code="0000") == (409, ["screen.no_such_code"])
        await admitted(hall, opened, "Left")
        assert (opened.state["name"], opened.state["code"]) == ("Left", None)
        assert (await listed(hall))[""] == 0


async def test_a_screen_and_the_director_are_told_the_software(hall: Hall) -> None:
    software = to_builtins(own())
    async with screen(hall) as opened:
        assert opened.state["software"] == software
        answer = await hall.get("/api/screens", headers=hall.director)
        assert answer.json["software"] == software


async def test_a_code_is_good_once_and_for_ten_minutes(tmp_path: Path) -> None:
    clock = HandClock()
    async with served(tmp_path, clock=clock) as hall, screen(hall) as first, screen(hall) as second:
        code = first.state["code"]
        await admitted(hall, first, "Left")
        assert await order(hall, "Right", do="admit", code=code) == (409, ["screen.no_such_code"])
        for _ in range(int(WAITS_S // 10)):
            clock.pass_s(10)
            await second.say()
            await first.say()
        hall.side.sweep()
        await until(lambda: hall.side.screens.waiting == 0)


async def test_it_says_page_size_and_clock_and_is_told_how_it_stands(hall: Hall) -> None:
    async with screen(hall) as opened:
        await admitted(hall, opened, "Left")
        await opened.say("/overlay", (1280, 720), late_ms=900)
        await opened.say("/overlay", (1280, 720), late_ms=3)
        await opened.say("/overlay", (1280, 720), late_ms=400)
        known = (await listed(hall))["Left"]
        assert opened.state["clock_offset_ms"] == known["clock_offset_ms"] == 247
        assert (known["page"], known["size"], known["last_contact_s"]) == ("/overlay", [1280, 720], 0.0)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"do": "identify"}, {"do": "identify", "seconds": 10}),
        ({"do": "reload"}, {"do": "reload"}),
        ({"do": "page", "page": "/?layout=side"}, {"do": "page", "page": "/?layout=side"}),
        ({"do": "blackout", "on": True}, {"do": "blackout", "on": True}),
    ],
)
async def test_an_order_reaches_the_screen_that_it_names(
    hall: Hall, body: dict[str, Any], told: dict[str, Any]
) -> None:
    async with screen(hall) as left, screen(hall) as right:
        await admitted(hall, left, "Left")
        await admitted(hall, right, "Right side")
        assert await order(hall, "RIGHT%20SIDE", **body) == (200, [])
        assert await right.told() == told
        await order(hall, "Left", do="identify")
        assert (await left.told())["do"] == "identify"


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("Nobody", {"do": "identify"}, 404),
        ("Left", {"do": "fly"}, 422),
        ("Left", {"do": "rename"}, 422),
        ("Left", {"do": "rename", "to": "a/b"}, 422),
        ("Left", {"do": "identify", "on": True}, 422),
        ("Left", {"do": "page", "page": "/director"}, 422),
        ("Left", {"do": "page", "page": "https://example.org/"}, 422),
        ("Left", {"do": "rename", "to": "right"}, 409),
        ("Right", {"do": "identify"}, 409),
        ("x" * 61, {"do": "admit", "code": "AAAA"}, 422),
    ],
)
async def test_what_is_refused(hall: Hall, name: str, body: dict[str, Any], status: int) -> None:
    async with screen(hall) as left:
        await admitted(hall, left, "Left")
        async with screen(hall) as right:
            await admitted(hall, right, "Right")
        await until(lambda: len(hall.side.screens.admitted) == 2 and not connected(hall, "Right"))
        assert (await order(hall, name, **body))[0] == status


def connected(hall: Hall, name: str) -> bool:
    record = hall.side.screens.named(name)
    return record is not None and record.key in hall.side.screens._lines


async def test_a_restart_keeps_who_was_admitted_and_its_blackout(tmp_path: Path) -> None:
    async with served(tmp_path) as hall, screen(hall) as opened:
        key = await admitted(hall, opened, "Left")
        await opened.say("/overlay", (1280, 720))
        await order(hall, "Left", do="blackout", on=True)
    assert (tmp_path / "web" / "screens.json").stat().st_mode & 0o777 == 0o600
    assert key not in (tmp_path / "web" / "screens.json").read_text()
    async with served(tmp_path) as hall:
        known = (await listed(hall))["Left"]
        assert (known["connected"], known["page"], known["blackout"]) == (False, "/overlay", True)
        async with screen(hall, key) as again:
            assert (again.state["name"], again.state["blackout"]) == ("Left", True)


async def test_a_damaged_list_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir(mode=0o700)
    (tmp_path / "web" / "screens.json").write_text("{")
    async with served(tmp_path) as hall:
        assert await listed(hall) == {"": 0}


async def test_who_is_forgotten_is_a_stranger_again(hall: Hall) -> None:
    async with screen(hall) as opened:
        key = await admitted(hall, opened, "Left")
        assert await order(hall, "Left", do="forget") == (200, [])
        assert await opened.closed() == FORGOTTEN
        async with screen(hall, key) as again:
            assert again.state["code"] is not None
        assert "Left" not in await listed(hall)


async def test_a_second_socket_of_a_screen_takes_over_from_the_first(hall: Hall) -> None:
    async with screen(hall) as first:
        key = await admitted(hall, first, "Left")
        async with screen(hall, key) as second:
            assert await first.closed() == TAKEN_OVER
            await order(hall, "Left", do="identify")
            assert (await second.told())["do"] == "identify"
        await until(lambda: not connected(hall, "Left"))


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_strangers_take_a_few_places_and_never_those_of_admitted_screens(hall: Hall) -> None:
    async with screen(hall) as opened:
        key = await admitted(hall, opened, "Left")
    open_sockets = []
    for number in range(WAITING_PLACES):
        headers = from_elsewhere(f"192.0.2.{number // WAITING_PER_ADDRESS}")
        if number < WAITING_PLACES - KEPT_FOR_STAFF:
            open_sockets.append(await hall.socket("/api/screen", headers=headers))
    with pytest.raises(aiohttp.WSServerHandshakeError, match="503"):
        await hall.socket("/api/screen", headers=from_elsewhere("192.0.2.0"))
    async with screen(hall, headers=from_elsewhere("198.51.100.1")) as newcomer:
        assert newcomer.state["code"] is not None
        assert hall.side.screens._places.strangers == WAITING_PLACES - KEPT_FOR_STAFF
        await open_sockets[0].receive_json()
        gone = await open_sockets[0].receive()
        assert gone.type is not aiohttp.WSMsgType.TEXT, "the first of who has most has given way"
    async with screen(hall, key, headers=from_elsewhere("198.51.100.1")) as again:
        assert again.state["name"] == "Left"
    async with screen(hall) as own:
        assert own.state["code"] is not None
    for socket in open_sockets:
        await socket.close()


@pytest.mark.parametrize(
    "said",
    [
        "nonsense",
        "[]",
        '{"page": "/", "size": [1, 2], "clock_ms": 1, "more": 1}',
        '{"page": "/", "size": [-1, 2], "clock_ms": 1}',
        json.dumps({"page": "x" * 2000, "size": [1, 2], "clock_ms": 1}),
    ],
)
async def test_nonsense_ends_the_socket(hall: Hall, said: str) -> None:
    async with screen(hall) as opened:
        await opened.socket.send_str(said)
        assert await opened.closed() in {1008, 1009}


async def test_who_says_too_much_is_cut_off(hall: Hall) -> None:
    async with screen(hall) as opened:
        for _ in range(9):
            await opened.socket.send_str('{"page": "/", "size": [1, 2], "clock_ms": 1}')
        assert await opened.closed() == 1008


async def test_who_is_silent_is_away(tmp_path: Path) -> None:
    clock = HandClock()
    async with served(tmp_path, clock=clock) as hall, screen(hall) as opened:
        await admitted(hall, opened, "Left")
        await opened.say()
        clock.pass_s(SILENT_S)
        hall.side.sweep()
        await until(lambda: not connected(hall, "Left"))
        assert (await listed(hall))["Left"]["last_contact_s"] == SILENT_S


async def test_there_is_a_most(hall: Hall) -> None:
    async with screen(hall) as opened:
        for number in range(MOST_SCREENS):
            hall.side.screens.admit(f"S{number}")
        code = opened.state["code"]
        assert await order(hall, "one more", do="admit", code=code) == (409, ["screen.too_many"])
