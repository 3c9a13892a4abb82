"""The phone's page is small enough for a whole audience on one network."""

import re
from pathlib import Path

import pytest

import pi_controller.web
from tests.web.hall import Hall, served

PAGES = Path(pi_controller.web.__file__).parent / "pages"
HEADERS = 350
"""Bytes around each answer, request not counted."""
FIRST_LOAD = 150_000
NAMED = re.compile(r'''(?:\b(?:href|src)=|\bfrom |\bimport |url\(|URL\()"([^"#]+)"''')
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
"""In which types are named, and nothing is loaded."""


async def load(hall: Hall, path: str, found: dict[str, int]) -> None:
    """Fetch it and everything that it names, as a browser does that takes compressed answers."""
    if path in found:
        return
    async with hall.http.get(hall.url + path, headers={"Accept-Encoding": "gzip"}) as answer:
        assert answer.status == 200, path
        text = await answer.read()
        found[path] = int(answer.headers["Content-Length"]) + HEADERS
    if answer.content_type.startswith(("text/", "application/javascript")):
        folder = path.rpartition("/")[0]
        for name in NAMED.findall(COMMENT.sub("", text.decode())):
            await load(hall, name if name.startswith("/") else _joined(folder, name), found)


def _joined(folder: str, name: str) -> str:
    parts = folder.split("/")
    for part in name.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


@pytest.mark.parametrize("language", ["en", "pl"])
async def test_the_first_load_has_at_most_150_kilobytes(tmp_path: Path, language: str) -> None:
    async with served(tmp_path, pages=PAGES) as hall:
        found: dict[str, int] = {}
        await load(hall, f"/phone?lang={language}", found)
    wide = {path: size for path, size in found.items() if "archivo-latin" in path}
    assert f"/static/words/phone/{language}.json" in found
    assert "/static/phone/view.js" in found
    assert "/static/phone/claim_button.js" not in found, "only who has a seat code loads it"
    assert "/static/symbols.svg" in found
    # base.css names the wide fonts of the other pages, which a browser loads only where a text is set in them.
    assert sum(found.values()) - sum(wide.values()) <= FIRST_LOAD // 2, found
