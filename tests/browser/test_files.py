"""The page files themselves: they parse, stay small, load nothing from elsewhere and carry no inline code; what is
vendored is as it was published."""

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest

from pi_controller.web.http.static_files import MEDIA_TYPES
from tests.browser.stage_files import PAGES
from tools.bundles import FOLDER

pytestmark = pytest.mark.browser

FILES = sorted(path for path in PAGES.rglob("*") if path.is_file())
BUNDLES = PAGES / FOLDER
PARTS_OF_ONE_FILE = PAGES / "verify"
"""`tools/verify_page.py` puts them into verify.html."""
VENDOR = PAGES / "vendor"
OURS = [path for path in FILES if not {BUNDLES, VENDOR} & set(path.parents)]
TEXTS = [path for path in OURS if path.suffix in {".html", ".css", ".js", ".svg"}]
SOURCES = [
    path
    for path in FILES
    if path.suffix in {".css", ".js"} and not {BUNDLES, PARTS_OF_ONE_FILE} & set(path.parents)
]
MOST_LINES = {".css": 900}
LIT_HTML = {
    "vendor/lit-html/directive-helpers.js": "f7fb1154b8f72ed2cc08b05eaeed71c99270e9ad2d48620ed24688a1af4c2b62",
    "vendor/lit-html/directive.js": "3344c4f41c69cd0701d3937e8f9ef90bd845614bf6456d0b8314b7c51d415b9d",
    "vendor/lit-html/directives/repeat.js": "083140026ecd8665fedd15b17769f9d516252a9f1502f1e91e6967686ee82626",
    "vendor/lit-html/lit-html.js": "b878e7f95dec8a9b6e9b217faca6b6a11bad82ebc44c0caa77419ed83edd81f2",
}


def name(path: Path) -> str:
    return str(path).removeprefix(f"{PAGES}/")


def test_every_source_is_used_by_a_page(pages: Path) -> None:
    maps = sorted((pages / FOLDER).glob("*.map"))
    used = {source for path in maps for source in json.loads(path.read_text())["sources"]}
    assert {f"../{name(path)}" for path in SOURCES} == used
    assert {path.name for path in BUNDLES.iterdir()} == {path.name for path in (pages / FOLDER).iterdir()}


@pytest.mark.parametrize("path", TEXTS, ids=name)
def test_files_are_small_and_stay_at_home(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= MOST_LINES.get(path.suffix, 600)
    assert set(re.findall(r"https?://[\w./-]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
    if path.suffix == ".html":
        assert not re.search(r"\sstyle=|\son\w+=|<style|<script(?![^>]*\ssrc=)", text)


def test_every_kind_of_file_is_known_and_fonts_are_light() -> None:
    assert {path.suffix for path in OURS} <= set(MEDIA_TYPES)
    fonts = [path for path in FILES if path.suffix == ".woff2"]
    assert 0 < sum(path.stat().st_size for path in fonts) < 300_000
    assert "SIL OPEN FONT LICENSE" in (PAGES / "fonts" / "OFL.txt").read_text().upper()


def test_vendored_code_is_what_was_published() -> None:
    """As in the archive that VERSION.txt names."""
    lit = VENDOR / "lit-html"
    assert {name(path): sha256(path.read_bytes()).hexdigest() for path in lit.rglob("*.js")} == LIT_HTML
    assert "lit-html 3.3.3, BSD-3-Clause" in (lit / "VERSION.txt").read_text()
    assert "BSD 3-Clause License" in (lit / "LICENSE.txt").read_text()
