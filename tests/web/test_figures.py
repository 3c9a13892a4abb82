"""Metrics, games and the virtual hall: handed on from core."""

from pathlib import Path

import aiohttp
import msgspec
import pytest

from pi_controller.journal.export_files import About, about_path, lines_path
from pi_controller.journal.summary import GameSummary
from pi_controller.web import games
from pi_controller.web.metrics import exposition
from tests.web.fake_core import PANEL
from tests.web.hall import Hall, served, until


async def test_metrics_of_core_and_web(tmp_path: Path) -> None:
    async with served(tmp_path) as hall, hall.http.ws_connect(hall.url + "/api/feed") as feed:
        await feed.receive_json()
        answer = await hall.get("/metrics")
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        lines = answer.body.decode().splitlines()
        assert "pi_controller_loop_lag_ms 0.5" in lines
        assert 'pi_controller_bus_errors{segment="1"} 2.0' in lines
        assert 'pi_controller_web_clients{feed="picture"} 1' in lines
        assert 'pi_controller_web_clients_cut_total{feed="panel"} 0' in lines
        await hall.core.stop()
        assert (await hall.get("/metrics")).status == 503


def test_a_wrong_metric_name_is_our_mistake() -> None:
    for figures in ({"a b": 1}, {"a": {"b c": 1}}):
        with pytest.raises(ValueError, match="is not a metric name"):
            list(exposition(figures))
    assert list(exposition({"pi_controller_x": {"": 1234567.0}})) == ["pi_controller_x 1234567.0\n"]


def test_a_histogram_in_prometheus_words() -> None:
    family = {'le="0.01"': 2, 'le="+Inf"': 3, "count": 3, "sum": 0.5}
    assert list(exposition({"press_seconds": family})) == [
        "# TYPE pi_controller_press_seconds histogram\n",
        'pi_controller_press_seconds_bucket{le="0.01"} 2\n',
        'pi_controller_press_seconds_bucket{le="+Inf"} 3\n',
        "pi_controller_press_seconds_count 3\n",
        "pi_controller_press_seconds_sum 0.5\n",
    ]


def write_copy(hall: Hall, game_id: str, lines: list[bytes], *, told: int | None = None) -> None:
    """As core's thread leaves it; `told`: how many bytes of it are told."""
    folder = hall.folder / "exports"
    folder.mkdir(exist_ok=True)
    content = b"".join(lines)
    lines_path(folder, game_id).write_bytes(content)
    size = len(content) if told is None else told
    about = About(GameSummary(game_id, rounds=3), lines=len(lines), bytes=size)
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


async def test_virtual_hall(tmp_path: Path) -> None:
    async with served(tmp_path) as hall, hall.http.ws_connect(hall.url + "/api/sim") as panel:
        assert await panel.receive_json() == {"panel": PANEL}
        await until(lambda: len(hall.panels) == 1)
        hall.core.show_panel(buzzer=True)
        assert (await panel.receive_json())["panel"]["buzzer"] is True
        assert (await hall.post("/api/sim/press")).json == {"done": True}
        assert hall.core.requests[-1]["do"] == "press"
        assert (await hall.post("/api/sim/break_wire", {"contact": "no"})).json == {"done": True}
        assert (hall.core.requests[-1]["do"], hall.core.requests[-1]["contact"]) == ("break_wire", "no")
        assert (await hall.post("/api/sim/break_wire", {})).json == {"done": True}
        assert hall.core.requests[-1]["contact"] is None
        for action, body in (
            ("tap", {"contact": "nc"}),
            ("break_wire", {"contact": "both"}),
            ("break_wire", {"contact": "nc", "hard": True}),
            ("break_wire", ["nc"]),
        ):
            answer = await hall.post(f"/api/sim/{action}", body)
            assert (answer.status, 'or for break_wire {"contact": "nc"}' in answer.json["error"]) == (
                422,
                True,
            )
        assert (await hall.post("/api/sim/lamp_dead", {"lamp": "moon"})).json == {"done": True}
        assert (hall.core.requests[-1]["do"], hall.core.requests[-1]["lamp"]) == ("lamp_dead", "moon")
        for body in (None, {"lamp": "green"}, {"lamp": "sun", "contact": "nc"}):
            answer = await hall.post("/api/sim/lamp_dead", body)
            assert (answer.status, 'needs a body {"lamp": "sun"}' in answer.json["error"]) == (422, True)
        assert (await hall.post("/api/sim/lamp_dead", {"lamp": "moon"})).json == {"done": True}
        assert (hall.core.requests[-1]["do"], hall.core.requests[-1]["lamp"]) == ("lamp_dead", "moon")
        for body in (None, {"lamp": "left"}, {"lamp": "sun", "hard": True}):
            answer = await hall.post("/api/sim/lamp_mend", body)
            assert (answer.status, "needs a body" in answer.json["error"]) == (422, True)
        fact = {"name": "temperature_c", "value": 84.0}
        assert (await hall.post("/api/sim/fact", fact)).json == {"done": True}
        assert (hall.core.requests[-1]["name"], hall.core.requests[-1]["value"]) == ("temperature_c", 84.0)
        for body in (None, {"name": "temperature_c"}, {"name": 1, "value": 2}):
            answer = await hall.post("/api/sim/fact", body)
            assert (answer.status, "A fact needs a body" in answer.json["error"]) == (422, True)
        answer = await hall.post("/api/sim/explode")
        assert answer.status == 404
        assert "press, release" in answer.json["error"]


async def test_a_panel_of_a_core_that_is_gone_is_not_shown_on(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        async with hall.http.ws_connect(hall.url + "/api/sim") as panel:
            await panel.receive_json()
            await hall.core.stop()
            assert (await panel.receive()).type is aiohttp.WSMsgType.CLOSE
            assert panel.close_code == 1012
        async with hall.http.ws_connect(hall.url + "/api/sim") as panel:
            await until(lambda: len(hall.panels) == 1)
            await hall.core.start()
            assert await panel.receive_json() == {"panel": PANEL}
