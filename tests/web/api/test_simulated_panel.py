"""The virtual hall: handed on from core."""

from pathlib import Path

import aiohttp

from tests.protocol.fake_core import PANEL
from tests.web.hall import served, until


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
