"""What is refused: a page of the product to a person's browser, in the own language and with a way on; JSON to a
program. The status is the same."""

import re
from http.client import HTTPResponse
from io import BytesIO
from pathlib import Path

import pytest

from pi_controller.web.http.routes import POLICY
from pi_controller.web.live.core_link import CoreLink
from tests.web.hall import Hall, served

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
LONG = "a" * 9000
CASES: dict[str, tuple[str, int, str]] = {
    "no such page": ("GET /nowhere HTTP/1.1\r\n{host}", 404, "web.no_such_page"),
    "no such file": ("GET /static/none.css HTTP/1.1\r\n{host}", 404, "web.no_such_file"),
    "not this way": ("PUT /login HTTP/1.1\r\n{host}", 405, "web.method_not_possible"),
    "a used link": (
        "POST /login?token=used HTTP/1.1\r\n{host}Origin: {url}\r\n",
        403,
        "web.link_used_up",
    ),
    "another site": ("POST /login HTTP/1.1\r\n{host}Origin: http://other.example\r\n", 403, "web.other_site"),
    "too much": (
        "POST /login HTTP/1.1\r\n{host}Origin: {url}\r\n" + FORM + "Content-Length: 99999\r\n",
        413,
        "web.body_too_large",
    ),
    "another type": (
        "POST /login HTTP/1.1\r\n{host}Origin: {url}\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n",
        415,
        "web.no_plain_json",
    ),
    "another name": ("GET / HTTP/1.1\r\nHost: other.example\r\n", 421, "web.other_name"),
    "too long an address": (f"GET /{LONG} HTTP/1.1\r\n{{host}}", 400, "web.not_understood"),
    "a broken handler": ("GET /metrics HTTP/1.1\r\n{host}", 500, "defect.broken_off_unnamed"),
}


async def asked(hall: Hall, request: str, accept: str) -> tuple[HTTPResponse, str]:
    head = request.format(host=f"Host: {hall.host}\r\n", url=hall.url)
    head += f"Accept: {accept}\r\nAccept-Language: pl\r\nConnection: close\r\n\r\n"
    answer = HTTPResponse(_Heard(await hall.raw(head.encode())))  # type: ignore[arg-type]
    answer.begin()
    return answer, answer.read().decode()


class _Heard:
    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def makefile(self, _mode: str) -> BytesIO:
        return BytesIO(self._raw)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.served(languages=("pl", "en"))
async def test_a_browser_gets_a_page_and_a_program_json(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    async def broken(_self: object) -> None:
        raise ValueError("a fault")

    monkeypatch.setattr(CoreLink, "metrics", broken)
    request, status, key = CASES[case]
    answer, page = await asked(hall, request, BROWSER)
    assert (answer.status, answer.getheader("Content-Type")) == (status, "text/html; charset=utf-8")
    assert '<html lang="pl"' in page
    assert re.findall(r'<a href="([^"]*)"', page)[-1] == "/", "a way on"
    assert all(" src=" in script for script in re.findall(r"<script[^>]*>", page))
    assert "style=" not in page
    assert "unsafe" not in str(answer.getheader(POLICY))
    for accept in ("application/json", "*/*"):
        answer, text = await asked(hall, request, accept)
        assert (answer.status, answer.getheader("Content-Type")) == (
            status,
            "application/json; charset=utf-8",
        )
        assert f'"key":"{key}"' in text


async def test_what_may_go_later_can_be_tried_again(tmp_path: Path) -> None:
    async with served(tmp_path, core_there=False) as hall:
        answer, page = await asked(hall, "GET /api/state?lang=pl HTTP/1.1\r\n{host}", BROWSER)
        assert answer.status == 503
        assert re.findall(r'<a href="([^"]*)"', page) == ["/api/state?lang=pl", "/?lang=pl"]
