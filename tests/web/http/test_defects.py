"""A mistake in any handler is answered with a sentence, counted, and keeps nobody else from an answer."""

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from pi_controller.web.api import seats, tables
from pi_controller.web.http.connections import INTERNAL_ERROR
from pi_controller.web.http.routes import PLACE, Route
from pi_controller.web.live import broadcaster, screens
from tests.web.every_route import path_of
from tests.web.hall import Hall, served, written_pages

OPENED = {
    "/api/screen": (screens.Screens, "_listen"),
    "/api/hardware/feed": (tables.HardwareTestApi, "_hold"),
    "/api/seat": (seats.SeatsApi, "_serve"),
}
"""What runs once such a socket is open; for all others `broadcaster._until_gone`."""


class Breaking:
    """Handlers that raise this as long as it is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.error: Exception | None = None
        serve = Route.serve

        async def around(row: Route, request: web.Request) -> web.StreamResponse:
            if self.error is not None:
                raise self.error
            return await serve(row, request)

        monkeypatch.setattr(Route, "serve", around)

    @contextmanager
    def by(self, error: Exception) -> Iterator[None]:
        self.error = error
        yield
        self.error = None


@asynccontextmanager
async def hall_that_breaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Hall, Breaking]]:
    breaking = Breaking(monkeypatch)
    pages = written_pages(tmp_path / "all pages")
    (pages / "report.html").write_text("<!doctype html><title>report</title>", encoding="utf-8")
    async with served(tmp_path, pages=pages) as hall:
        yield hall, breaking


async def defects(hall: Hall) -> int:
    lines = (await hall.get("/metrics")).body.decode().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("pi_controller_web_defects "))


async def test_whatever_a_handler_raises_is_answered_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall_that_breaks(tmp_path, monkeypatch) as (hall, breaking):
        rows = hall.side.rows
        for count, row in enumerate(rows, start=1):
            options: Any = {"json": {}} if row.method == "POST" else {}
            headers = hall.director | {"Origin": hall.url}
            path = path_of(row).replace("{kind:json|csv|pdf}", "json")
            path = PLACE.sub("20261121-180000-0001", path)
            with breaking.by(LookupError("a defect")):
                answer = await hall.ask(row.method, path, headers=headers, **options)
            assert answer.status == 500, row.path
            assert answer.json["reason_keys"][0]["key"] == "defect.broken_off_unnamed"
            assert answer.json["error"]
            assert b"LookupError" not in answer.body, "guests learn nothing of the program"
            assert ("accepted" in answer.json) == (row.path == "/api/commands/{name}")
            assert await defects(hall) == count
            after = await hall.ask(row.method, path, headers=headers, **options)
            assert after.status != 500, (row.path, after.body)


async def test_a_page_says_it_as_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with hall_that_breaks(tmp_path, monkeypatch) as (hall, breaking):
        with breaking.by(ValueError("a defect")):
            answer = await hall.get("/", headers={"Accept": "text/html"})
        assert answer.status == 500
        assert answer.headers["Content-Type"].startswith("text/html")
        assert "a mistake in the controller" in answer.body.decode()


async def test_an_open_socket_is_closed_with_the_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def raising(*_given: object, **_named: object) -> None:
        raise LookupError("a defect")

    async with served(tmp_path) as hall:
        sockets = [row for row in hall.side.rows if row.kind == "socket"]
        count = 0
        for row in sockets:
            if row.pattern == "/api/seat":  # needs a code: below
                continue
            with monkeypatch.context() as broken:
                broken.setattr(*OPENED.get(row.pattern, (broadcaster, "_until_gone")), raising)
                async with hall.http.ws_connect(
                    hall.url + path_of(row), headers=hall.director | {"Origin": hall.url}
                ) as socket:
                    async for _ in socket:
                        pass
            assert socket.close_code == INTERNAL_ERROR, row.path
            count += 1
            assert await defects(hall) == count


async def test_who_has_gone_while_something_was_sent_to_them_is_nobodys_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """At the end of the web side its sockets are closed, and what they still hear is answered to nobody."""
    gone = aiohttp.ClientConnectionResetError("Cannot write to closing transport")

    async def raising(*_given: object, **_named: object) -> None:
        raise gone

    caplog.set_level(logging.WARNING)
    async with served(tmp_path) as hall:
        with monkeypatch.context() as broken:
            broken.setattr(broadcaster, "_until_gone", raising)
            async with hall.http.ws_connect(hall.url + "/api/feed") as socket:
                async for _ in socket:
                    pass
        assert await defects(hall) == 0
    assert [record.getMessage() for record in caplog.records] == []
