"""Guests wait for each other; whoever is logged in passes by."""

import asyncio
from pathlib import Path

import pytest

from pi_controller.web.door import Door
from pi_controller.web.turns import AT_A_TIME, Turns
from tests.web.hall import served


async def test_a_few_at_a_time_in_the_order_of_coming() -> None:
    turns, served_now = Turns(), []
    for number in range(3 * AT_A_TIME):
        turns.enter(lambda number=number: served_now.append(number))  # type: ignore[misc]
    assert served_now == []
    for count in range(1, 4):
        await asyncio.sleep(0)
        assert served_now == list(range(count * AT_A_TIME))
    turns.enter(lambda: served_now.append(-1))
    await asyncio.sleep(0)
    assert served_now[-1] == -1


async def test_one_whose_turn_breaks_off_does_not_stop_the_others() -> None:
    turns, served_now, told = Turns(), [], []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: told.append(context))
    turns.enter(lambda: 1 // len(served_now))
    turns.enter(lambda: served_now.append(1))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (served_now, len(told)) == ([1], 1)


async def test_the_director_passes_by_a_thousand_guests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All come from this machine here, so who is a guest is told by the port."""
    guests: set[int] = set()

    def passes_by(_door: Door, transport: asyncio.BaseTransport) -> bool:
        return transport.get_extra_info("peername")[1] not in guests

    monkeypatch.setattr(Door, "passes_by", passes_by)
    async with served(tmp_path) as hall:
        lines = [await asyncio.open_connection("127.0.0.1", hall.port) for _ in range(200)]
        guests |= {writer.get_extra_info("sockname")[1] for _, writer in lines}
        request = f"GET /api/session HTTP/1.1\r\nHost: {hall.host}\r\n\r\n".encode()
        for _, writer in lines:
            writer.write(request)
        answered = [asyncio.create_task(reader.readuntil(b"\r\n\r\n")) for reader, _ in lines]
        assert (await hall.post("/api/commands/pause", headers=hall.director)).status == 200
        assert sum(each.done() for each in answered) < 150
        for each in answered:
            assert b" 200 " in await each
        for _, writer in lines:
            writer.close()
