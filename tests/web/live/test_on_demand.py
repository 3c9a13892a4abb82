"""Streams of core that are watched only while somebody looks: panel and tables."""

from pathlib import Path

from tests.web.hall import Hall, served, until


def asked(hall: Hall, stream: str) -> int:
    return sum(request["ask"] == stream for request in hall.core.requests)


async def test_core_is_not_asked_for_tables_that_nobody_looks_at(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        tables = hall.side.broadcasters["tables"]
        assert asked(hall, "watch_tables") == 0
        async with hall.http.ws_connect(hall.url + "/api/tables/feed", headers=hall.director) as feed:
            assert await feed.receive_json() == hall.core.tables
            for _ in range(3):
                hall.side.sweep()
            hall.core.show_tables(doctor=["Look at the cable."])
            assert (await feed.receive_json())["doctor"], "it goes on while somebody looks"
        await until(lambda: not len(tables))
        hall.side.sweep()
        assert tables.has_picture, "a page that is loaded anew finds it"
        hall.side.sweep()
        assert not tables.has_picture
        hall.core.show_tables(doctor=[])
        async with hall.http.ws_connect(hall.url + "/api/tables/feed", headers=hall.director) as feed:
            assert await feed.receive_json() == hall.core.tables, "as it is now, not as it was"
        assert asked(hall, "watch_tables") == 2


async def test_core_is_asked_once_whether_there_is_a_simulated_panel(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        await until(lambda: hall.side.link.simulated and hall.panels.has_picture)
        for _ in range(2):
            hall.side.sweep()
        await until(lambda: not hall.panels.has_picture)
        assert hall.side.link.simulated
        async with hall.http.ws_connect(hall.url + "/api/sim") as page:
            assert "panel" in await page.receive_json()
        assert asked(hall, "panel") == 2
