"""What guests may ask costs core a fixed number of questions, however many ask."""

import asyncio
from pathlib import Path

from pi_controller.web.live.core_link import METRICS_LAST_S, PICTURE_LASTS_S, CachedCall
from tests.web.hall import HandClock, served


async def test_a_hundred_who_want_figures_ask_core_once_a_second(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        for round_number in range(1, 4):
            answers = await asyncio.gather(*(hall.get("/metrics") for _ in range(100)))
            assert {answer.status for answer in answers} == {200}
            assert len(hall.core.asked("metrics")) == round_number
            hall.clock.pass_s(METRICS_LAST_S)


async def test_a_hundred_who_want_the_picture_ask_core_once_in_its_time(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        for round_number in range(1, 4):
            for _ in range(100):
                assert (await hall.get("/api/state")).json == hall.core.picture
            assert hall.core.pictures_asked == round_number
            hall.clock.pass_s(PICTURE_LASTS_S)


async def test_a_change_is_asked_for_at_once(tmp_path: Path) -> None:
    async with served(tmp_path) as hall, hall.http.ws_connect(hall.url + "/api/feed") as feed:
        await feed.receive_json()
        await hall.get("/api/state")
        hall.core.change(paused=True)
        await feed.receive_json()
        assert (await hall.get("/api/state")).json["paused"]


async def test_a_failure_is_told_and_not_kept() -> None:
    asked = 0

    async def ask() -> int:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0)
        if asked == 1:
            raise LookupError("not yet")
        return asked

    shared = CachedCall(ask, lasts_s=1.0, boot_s=HandClock().clocks().boot_s)
    failed = await asyncio.gather(*(shared.get() for _ in range(3)), return_exceptions=True)
    assert [str(each) for each in failed] == ["not yet"] * 3
    assert [await shared.get(), await shared.get()] == [2, 2]
    shared.forget()
    assert await shared.get() == 3
