"""The event's logo is served so that it can only be looked at."""

from pathlib import Path

from pi_controller.web.http.routes import SECURITY_HEADERS
from pi_controller.web.http.static_files import static_file
from tests.web.hall import served

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'


async def test_a_logo_runs_nothing_even_when_it_is_opened_by_itself(tmp_path: Path) -> None:
    async with served(tmp_path, logo=static_file(SVG, ".svg")) as hall:
        answer = await hall.get("/event/logo")
        again = await hall.get("/event/logo", headers={"If-None-Match": answer.headers["ETag"]})
        page = await hall.get("/")
    assert (answer.status, answer.body, again.status) == (200, SVG, 304)
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert answer.headers["Content-Security-Policy"].split("; ")[:1] == ["default-src 'none'"]
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Server"] == "pi-controller"
    assert page.headers["Content-Security-Policy"] == SECURITY_HEADERS["Content-Security-Policy"]


async def test_without_a_logo_there_is_none(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        assert (await hall.get("/event/logo")).status == 404
