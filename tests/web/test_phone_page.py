"""A page is one script, one style sheet and its texts; the phone's is small enough for a whole audience on one network."""

import gzip
import re
from pathlib import Path

import pytest

import pi_controller.web
from pi_controller.web.http.static_files import HEAD_MARK, HEAD_NAME
from tests.web.hall import Hall, served

PAGES = Path(pi_controller.web.__file__).parent / "pages"
HEADERS = 350
"""Bytes around each answer, request not counted."""
FIRST_LOAD = 150_000
NAMED = {
    "text/html": re.compile(r'\b(?:href|src)="([^"]+)"'),
    "text/css": re.compile(r"url\(([^)#]+)\)"),
}
"""What a file of this kind names, and a browser loads. The scripts ask for what the head of their page names."""
KIB = 1024
FIRST_LOADS = {
    "director": 131,
    "hall": 120,
    "hardware": 110,
    "judge": 112,
    "login": 98,
    "moderator": 110,
    "phone": 24,
    "report": 101,
    "selftest": 112,
    "sim": 107,
    "technician": 113,
}
"""KiB of each page without its fonts. All but the phone load all texts of a language, which are 78 of them."""


async def load(hall: Hall, path: str, found: dict[str, int]) -> None:
    """Fetch it and everything that it names, as a browser does that takes compressed answers."""
    if path in found:
        return
    async with hall.http.get(hall.url + path, headers={"Accept-Encoding": "gzip"}) as answer:
        assert answer.status == 200, path
        text = await answer.read()
        found[path] = int(answer.headers["Content-Length"]) + HEADERS
    if answer.content_type in NAMED:
        for name in NAMED[answer.content_type].findall(text.decode()):
            await load(hall, name, found)


@pytest.mark.parametrize("language", ["en", "pl"])
async def test_the_first_load_has_at_most_150_kilobytes(tmp_path: Path, language: str) -> None:
    async with served(tmp_path, pages=PAGES) as hall:
        found: dict[str, int] = {}
        await load(hall, f"/phone?lang={language}", found)
    wide = {path: size for path, size in found.items() if "archivo-latin" in path}
    assert f"/static/words/phone/{language}.json" in found
    assert "/static/symbols.svg" in found
    # The style sheet names the wide fonts of the other pages, too, which a browser loads only where a text is set in them.
    assert sum(found.values()) - sum(wide.values()) <= FIRST_LOAD // 2, found


@pytest.mark.parametrize("page", FIRST_LOADS)
async def test_a_page_is_one_script_and_one_style_sheet(tmp_path: Path, page: str) -> None:
    head = (PAGES / HEAD_NAME).read_bytes()
    body = (PAGES / f"{page}.html").read_bytes().replace(HEAD_MARK, head).replace(b"{language}", b"en")
    found = {f"{page}.html": len(gzip.compress(body)) + HEADERS}
    async with served(tmp_path, pages=PAGES) as hall:
        for name in NAMED["text/html"].findall(body.decode()):
            if name.startswith("/static/"):
                await load(hall, name, found)
    for suffix in (".css", ".js"):
        assert len([path for path in found if path.endswith(suffix)]) == 1
    sizes = {path: size for path, size in found.items() if not path.endswith(".woff2")}
    assert sum(sizes.values()) <= FIRST_LOADS[page] * KIB, sizes


@pytest.mark.parametrize("page", FIRST_LOADS)
async def test_its_source_map_leads_to_the_sources(tmp_path: Path, page: str) -> None:
    async with served(tmp_path, pages=PAGES) as hall:
        script = await hall.get(f"/static/bundles/{page}.js")
        assert script.body.decode().rstrip().endswith(f"//# sourceMappingURL={page}.js.map")
        sources = (await hall.get(f"/static/bundles/{page}.js.map")).json["sources"]
        assert f"../{page}/{page}.js" in sources
        for source in sources:
            assert (await hall.get(f"/static/{source.removeprefix('../')}")).status == 200
