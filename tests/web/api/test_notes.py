"""Notes from the director to the moderator: who sees and does what, what becomes of them, and how long they stay."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from pi_controller.web.live.notes import KEPT_S, LONGEST_NOTE, MOST_NOTES
from tests.web.hall import LOOPBACK, Hall, HandClock, from_elsewhere, served


@asynccontextmanager
async def feed(hall: Hall, headers: dict[str, str]) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    async with hall.socket("/api/notes/feed", headers=headers) as socket:
        yield socket


async def told(socket: aiohttp.ClientWebSocketResponse) -> list[dict[str, Any]]:
    notes: list[dict[str, Any]] = (await socket.receive_json())["notes"]
    return notes


async def act(hall: Hall, action: str, headers: dict[str, str], **body: Any) -> tuple[int, list[str]]:
    answer = await hall.post(f"/api/notes/{action}", body, headers=headers)
    return answer.status, [one["key"] for one in answer.json.get("reason_keys", [])]


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_the_director_sees_that_the_moderator_has_read_a_note(hall: Hall) -> None:
    bea = hall.as_role("director", "Bea") | from_elsewhere()
    ann = hall.as_role("moderator", "Ann") | from_elsewhere()
    async with feed(hall, bea) as desk, feed(hall, ann) as stage:
        assert await told(desk) == await told(stage) == []
        assert await act(hall, "write", bea, text=" Thank the hosts. ") == (200, [])
        (note,) = await told(stage)
        assert await told(desk) == [note]
        assert (note["text"], note["written_by"], note["read_ms"]) == ("Thank the hosts.", "Bea", None)
        hall.clock.pass_s(30)
        assert await act(hall, "read", ann, id=note["id"]) == (200, [])
        (read,) = await told(desk)
        assert (read["read_by"], read["read_ms"] - note["written_ms"]) == ("Ann", 30_000)
        await told(stage)
        assert await act(hall, "read", bea, id=note["id"]) == (200, [])
        assert await act(hall, "remove", bea, id=note["id"]) == (200, [])
        assert await told(desk) == await told(stage) == []
        assert await act(hall, "read", ann, id=note["id"]) == (409, ["notes.unknown"])


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_nobody_else_sees_notes_and_only_the_director_writes_them(hall: Hall) -> None:
    ann = hall.as_role("moderator", "Ann") | from_elsewhere()
    for action in ("write", "remove"):
        assert (await act(hall, action, ann, text="x"))[0] == 403
    assert await act(hall, "write", hall.director, text="For Ann alone") == (200, [])
    for role in ("judge", "technician", "screen"):
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            async with feed(hall, hall.as_role(role, "") | from_elsewhere()):
                pass
    with pytest.raises(aiohttp.WSServerHandshakeError, match="401"):
        async with feed(hall, {"Origin": hall.url}):
            pass
    assert b"For Ann alone" not in (await hall.get("/api/state")).body


async def test_notes_outlive_a_restart_but_not_the_evening(tmp_path: Path) -> None:
    clock = HandClock()
    async with served(tmp_path, clock=clock) as hall:
        assert await act(hall, "write", hall.director, text="Early") == (200, [])
        clock.pass_s(3_600)
        assert await act(hall, "write", hall.director, text="Late") == (200, [])
    assert (tmp_path / "web" / "notes.json").stat().st_mode & 0o777 == 0o600
    async with served(tmp_path, clock=clock) as hall, feed(hall, hall.director) as desk:
        assert [note["text"] for note in await told(desk)] == ["Early", "Late"]
    clock.pass_s(KEPT_S - 1_800)
    async with served(tmp_path, clock=clock) as hall, feed(hall, hall.director) as desk:
        assert [note["text"] for note in await told(desk)] == ["Late"]


async def test_what_was_not_read_is_never_pushed_out(hall: Hall) -> None:
    async with feed(hall, hall.director) as desk:
        await told(desk)
        for number in range(MOST_NOTES):
            assert await act(hall, "write", hall.director, text=f"Note {number}") == (200, [])
            notes = await told(desk)
        assert await act(hall, "write", hall.director, text="One more") == (409, ["notes.too_many"])
        assert await act(hall, "read", hall.director, id=notes[3]["id"]) == (200, [])
        await told(desk)
        assert await act(hall, "write", hall.director, text="One more") == (200, [])
        texts = [note["text"] for note in await told(desk)]
        assert len(texts) == MOST_NOTES
        assert "Note 3" not in texts
        assert texts[-1] == "One more"


@pytest.mark.parametrize("text", ["", "  ", "two\nlines", "x" * (LONGEST_NOTE + 1)])
async def test_a_note_is_one_short_line(hall: Hall, text: str) -> None:
    assert (await act(hall, "write", hall.director, text=text))[0] == 422


async def test_a_file_that_cannot_be_read_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir(mode=0o700)
    (tmp_path / "web" / "notes.json").write_text("{", encoding="ascii")
    async with served(tmp_path) as hall, feed(hall, hall.director) as desk:
        assert await told(desk) == []


async def test_a_note_that_cannot_be_kept_is_read_all_the_same(hall: Hall) -> None:
    async with feed(hall, hall.director) as desk:
        await told(desk)
        (hall.folder / "web" / "notes.json").mkdir()
        assert await act(hall, "write", hall.director, text="The disk is full") == (200, [])
        assert [note["text"] for note in await told(desk)] == ["The disk is full"]
