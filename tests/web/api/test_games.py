"""The list of games and the download of a game."""

from pathlib import Path

import aiohttp
import msgspec
import pytest

from pi_controller.journal.witnesses import GameSummary, JournalExtent, about_path, lines_path
from pi_controller.web.api import games
from tests.web.hall import Hall, served


def write_copy(hall: Hall, game_id: str, lines: list[bytes], *, told: int | None = None) -> None:
    """As core's thread leaves it; `told`: how many bytes of it are told."""
    folder = hall.folder / "exports"
    folder.mkdir(exist_ok=True)
    content = b"".join(lines)
    lines_path(folder, game_id).write_bytes(content)
    size = len(content) if told is None else told
    about = JournalExtent(GameSummary(game_id, rounds=3), lines=len(lines), bytes=size)
    about_path(folder, game_id).write_bytes(msgspec.json.encode(about))


async def test_games_and_export(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        lines = [b'{"seq":%d}\n' % number for number in range(5)]
        write_copy(hall, "g1", lines, told=len(b"".join(lines[:4])))
        (game,) = (await hall.get("/api/games")).json["games"]
        assert (game["game_id"], game["rounds"], game["ended"], game["problem"]) == ("g1", 3, False, None)
        answer = await hall.get("/api/games/g1/export")
        assert answer.status == 200
        assert answer.body == b"".join(lines[:4]), "what is still being written is not given out"
        assert 'filename="g1.jsonl"' in answer.headers["Content-Disposition"]
        for wrong in ("g2", "..", "a%2fb", "x" * 65, "a%00"):
            missing = await hall.get(f"/api/games/{wrong}/export")
            assert missing.status == 404
            assert missing.json["error"].endswith(".")


async def test_games_and_exports_ask_core_nothing(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        write_copy(hall, "g1", [b"{}\n"])
        before = len(hall.core.requests)
        for path in ("/api/games", "/api/games/g1/export") * 20:
            assert (await hall.get(path)).status == 200
        assert len(hall.core.requests) == before
        await hall.core.stop()
        assert (await hall.get("/api/games/g1/export")).body == b"{}\n"


async def test_a_download_that_breaks_off_never_looks_whole(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        write_copy(hall, "g1", [b"x" * 600_000 + b"\n"], told=700_000)
        async with hall.http.get(hall.url + "/api/games/g1/export") as answer:
            with pytest.raises(aiohttp.ClientPayloadError):
                await answer.read()
        assert (await hall.get("/")).status == 200


async def test_a_few_downloads_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "EXPORTS_AT_ONCE", 0)
    async with served(tmp_path) as hall:
        answer = await hall.get("/api/games/g1/export")
        assert answer.status == 503
        assert "downloads are running" in answer.json["error"]
