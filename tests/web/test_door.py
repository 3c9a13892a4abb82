"""Connections that say nothing, say it slowly, or are too many."""

import asyncio
from pathlib import Path

import pytest

from pi_controller.web import door
from tests.web.hall import served, until


async def test_a_connection_without_a_whole_request_is_cut_after_10_s(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        silent = await asyncio.open_connection("127.0.0.1", hall.port)
        dripping = await asyncio.open_connection("127.0.0.1", hall.port)
        dripping[1].write(b"GET / HTTP/1.1\r\nHost: ")
        await until(lambda: hall.door.count == 2)
        hall.clock.pass_s(9.9)
        hall.door.sweep()
        assert hall.door.count == 2
        hall.clock.pass_s(0.1)
        hall.door.sweep()
        for reader, writer in (silent, dripping):
            assert await gone(reader)
            writer.close()
        await until(lambda: hall.door.count == 0)


async def test_open_feeds_are_not_cut(tmp_path: Path) -> None:
    async with served(tmp_path) as hall, hall.http.ws_connect(hall.url + "/api/feed") as feed:
        await feed.receive_json()
        hall.clock.pass_s(1000)
        hall.door.sweep()
        hall.side.sweep()
        hall.core.change(paused=True)
        assert (await feed.receive_json())["paused"] is True


async def test_too_many_connections_are_turned_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(tmp_path) as hall:
        monkeypatch.setattr(door, "MOST_CONNECTIONS", 2)
        monkeypatch.setattr(door, "KEPT_FOR_LOOPBACK", 1)
        first = await asyncio.open_connection("127.0.0.1", hall.port)
        await until(lambda: hall.door.count == 1)
        transport = asyncio.Transport()
        assert not hall.door.enter(transport, "192.0.2.1")
        second = await asyncio.open_connection("127.0.0.1", hall.port)
        await until(lambda: hall.door.count == 2)
        third = await asyncio.open_connection("127.0.0.1", hall.port)
        assert await gone(third[0])
        assert hall.door.turned_away == 2
        for _, writer in (first, second, third):
            writer.close()
        await until(lambda: hall.door.count == 0)


async def test_one_address_never_takes_every_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "MOST_PER_ADDRESS", 1)
    async with served(tmp_path) as hall:
        transport = asyncio.Transport()
        assert hall.door.enter(transport, "192.0.2.1")
        assert not hall.door.enter(asyncio.Transport(), "192.0.2.1")
        assert hall.door.enter(asyncio.Transport(), "192.0.2.2")
        hall.door.leave(transport, "192.0.2.1")
        assert hall.door.enter(transport, "192.0.2.1")


def test_a_door_that_leads_nowhere_is_our_mistake() -> None:
    with pytest.raises(RuntimeError, match="call lead_to first"):
        door.Door(lambda: 0.0)()


async def gone(reader: asyncio.StreamReader) -> bool:
    """Whether the other end closed without a word; how politely is the kernel's choice."""
    try:
        return await reader.read() == b""
    except ConnectionResetError:
        return True
