"""Pages come from the fixed map and from nowhere else, in the language of who asks, and small enough for a whole
audience."""

import gzip
import inspect
import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from aiohttp.test_utils import make_mocked_request

import pi_controller.web
from pi_controller.core.sound import phrases
from pi_controller.language.words import all_texts, words
from pi_controller.sentence import Sentence
from pi_controller.web.http.routes import LANGUAGE, RequestLanguages
from pi_controller.web.http.static_files import HEAD_NAME, LANGUAGE_MARK, TOLD_ELSEWHERE, Pages, texts_of_page
from tests.language.test_catalogue import said as sentences
from tests.matrix import further
from tests.web.hall import PAGES, Hall, served

TRAVERSALS = [
    "../secret",
    "../../etc/passwd",
    "..%2fsecret",
    "%2e%2e/secret",
    "%2e%2e%2fsecret",
    "%252e%252e%252fsecret",
    "..%5csecret",
    "..\\secret",
    "....//secret",
    "fonts/../../secret",
    "fonts/..%2f..%2fsecret",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "base.css%00",
    "base.css%00.html",
    "base.css/",
    "base.css/..",
    "./base.css%20",
    "BASE.CSS",
    "notes.md",
    "%c0%ae%c0%ae/secret",
    "file:///etc/passwd",
    "a" * 4000,
]


async def test_only_the_map_is_served(hall: Hall) -> None:
    (hall.folder / "secret").write_text("SECRET", encoding="utf-8")
    for path in TRAVERSALS:
        head = f"GET /static/{path} HTTP/1.1\r\nHost: {hall.host}\r\nConnection: close\r\n\r\n"
        answer = await hall.raw(head.encode())
        assert answer.split()[1] in {b"404", b"400", b"421"}, path
        assert b"SECRET" not in answer, path
        assert b"root:" not in answer, path


async def test_pages_with_mark_and_type(hall: Hall) -> None:
    kinds = {
        "/": ("hall.html", "text/html"),
        "/sim": ("sim.html", "text/html"),
        "/login": ("login.html", "text/html"),
        "/static/base.css": ("base.css", "text/css"),
        "/static/fonts/face.woff2": ("fonts/face.woff2", "font/woff2"),
    }
    for path, (name, kind) in kinds.items():
        answer = await hall.get(path)
        assert answer.status == 200
        named = ' data-languages="en"' if name == "hall.html" else ""
        page = PAGES[name].replace('lang="en"', f'lang="en"{named}', 1)
        assert answer.body.decode() == page
        assert answer.headers["Content-Type"].startswith(kind)
        assert answer.headers["Cache-Control"] == "no-cache"
        for known in (
            answer.headers["ETag"],
            f'"x", {answer.headers["ETag"]}',
            "*",
            "W/" + answer.headers["ETag"],
        ):
            again = await hall.get(path, headers={"If-None-Match": known})
            assert (again.status, again.body) == (304, b"")
        other = await hall.get(path, headers={"If-None-Match": '"other"'})
        assert other.status == 200
        head = await hall.ask("HEAD", path)
        assert (head.status, head.body) == (200, b"")
        assert head.headers["Content-Length"] == str(len(page))


def test_a_page_may_have_the_head_that_all_have(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "head.html").write_text("<meta>\n", encoding="utf-8")
    (tmp_path / "pages" / "one.html").write_text("<head>\n  <!-- head.html -->\n</head>", encoding="utf-8")
    pages = Pages(tmp_path / "pages", RequestLanguages(("en",)))
    assert pages.names == ("one.html",)
    file = pages.file("one.html")
    assert file is not None
    assert file.body == b"<head>\n<meta>\n</head>"
    assert pages.file("head.html") is None


@pytest.mark.served(languages=("pt-BR", "en"))
@pytest.mark.parametrize(
    ("path", "headers", "begin"),
    [
        ("/", {"Accept-Language": "pl"}, '<html lang="pt-BR" data-languages="pt-BR en">'),
        ("/", {"Cookie": "language=de"}, '<html lang="de">'),
        ("/?lang=xx", {"Cookie": "language=yy"}, '<html lang="pt-BR" data-languages="pt-BR en">'),
        ("/login?lang=en-XA", {"Accept-Language": "fr, pl;q=0.5"}, '<html lang="en-XA">'),
    ],
)
async def test_a_page_comes_in_the_language_of_who_asks(
    hall: Hall, path: str, headers: dict[str, str], begin: str
) -> None:
    answer = await hall.get(path, headers=headers)
    assert begin in answer.body.decode()
    assert answer.headers["Content-Language"] == begin.split('"')[1]
    assert answer.headers["Vary"] == "Accept-Language, Cookie"
    again = await hall.get(path, headers={**headers, "If-None-Match": answer.headers["ETag"]})
    assert again.status == 304
    other = await hall.get("/login?lang=es", headers={**headers, "If-None-Match": answer.headers["ETag"]})
    assert other.status == 200


async def test_all_texts_of_a_language(hall: Hall) -> None:
    path = "/static/words/en-XA.json"
    answer = await hall.get(path)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.json == all_texts("en-XA")
    plain = await hall.get(path, headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in plain.headers
    assert (plain.json, plain.headers["ETag"] != answer.headers["ETag"]) == (answer.json, True)
    again = await hall.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
    assert (await hall.get("/static/words/pl.json")).status == 200
    assert (await hall.get("/static/words/xx.json")).status == 404


async def test_files_are_read_once(hall: Hall) -> None:
    (hall.folder / "pages" / "hall.html").unlink()
    (hall.folder / "pages" / "later.html").write_text("later", encoding="utf-8")
    assert (await hall.get("/")).status == 200
    missing = await hall.get("/static/later.html")
    assert missing.status == 404
    assert missing.json["error"] == "There is no such file among the controller's pages."


async def test_refusals_are_escaped_in_pages(hall: Hall) -> None:
    answer = await hall.get("/" + quote("<script>alert(1)</script>"), headers={"Accept": "text/html"})
    assert answer.status == 404
    assert b"<script>" not in answer.body


def test_every_page_says_its_language() -> None:
    folder = Path(pi_controller.web.__file__).parent / "pages"
    pages = [path for path in folder.rglob("*.html") if path.name != HEAD_NAME]
    assert len(pages) >= 7
    assert [path.name for path in pages if path.read_bytes().count(LANGUAGE_MARK) != 1] == []


def test_a_page_says_what_its_scripts_do_not(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    page = '<!doctype html><html lang="en"><title>{page.paused}</title><link href="/static/words/{language}.json">'
    (tmp_path / "pages" / "hall.html").write_text(page, encoding="utf-8")
    request = make_mocked_request("GET", "/", headers={"Cookie": "language=en-XA"})
    request[LANGUAGE] = "en-XA"
    answer = Pages(tmp_path / "pages", RequestLanguages(("en",))).page(request, "hall.html")
    assert isinstance(answer.body, bytes)
    said = words(Sentence("page.paused"), "en-XA")
    assert answer.body.decode().endswith(f'<title>{said}</title><link href="/static/words/en-XA.json">')


OUR_PAGES = Path(pi_controller.web.__file__).parent / "pages"
PHONE = (OUR_PAGES / "bundles" / "phone.js").read_text()


def test_texts_that_its_script_names() -> None:
    script = 'word("paused"); word(`decided_${what}`);'
    texts = texts_of_page("judge", script, '<p data-word="sun">', "de")
    assert {"page.paused", "page.sun", "page.decided_shared", "voice.round", "side.sun"} <= set(texts)
    assert {"journal.another_controller", "health.late"} <= set(texts), "sentences of the controller"
    assert "page.moon" not in texts
    assert "page.robber" not in texts
    assert texts["page.paused"] == all_texts("de")["page.paused"]


def test_what_is_found_in_a_self_test_is_told_on_its_page() -> None:
    there, elsewhere = (texts_of_page(name, "", "", "en") for name in ("selftest", "judge"))
    assert {key.split(".")[0] for key in set(there) ^ set(elsewhere)} == {"selftest"}


def test_no_page_is_told_what_programs_and_paper_say() -> None:
    """Nothing above the command line says a sentence whose words no page has."""
    places = (
        "cli/",
        "paper/",
        "report/fallback.py",
        "settings/sections.py",
        "settings/load.py",
        "supply/",
        "journal/verify.py",
        # what it says comes in the page's language
        "core/hardware_test/firmware.py",
        "flashing/",
    )
    own = tuple(f"pi_controller/{place}" for place in places)
    assert [
        found
        for *found, _ in sentences()
        if found[1].startswith(TOLD_ELSEWHERE) and not found[0].startswith(own)
    ] == []


def test_the_phone_has_few_of_all() -> None:
    texts = texts_of_page("phone", PHONE, (OUR_PAGES / "phone.html").read_text(), "en")
    assert {"page.phone_your_turn", "page.lost_title", "page.reason_recovery_lost", "page.die"} <= set(texts)
    assert len(texts) < 200
    assert {"page.reason_director", "page.turns_reason_director"} <= set(texts)
    assert "page.turns_speak_round" not in texts, "what it takes the place of is not said there"


def test_a_phone_has_every_caption() -> None:
    said = set(re.findall(r'Sentence\(\s*"(voice\.\w+)"', inspect.getsource(phrases)))
    texts = texts_of_page("phone", PHONE, (OUR_PAGES / "phone.html").read_text(), "en")
    captions = {key for key in said if not key.startswith("voice.say_")}
    assert "voice.claim" in captions
    assert captions <= set(texts)
    assert (said - captions).isdisjoint(texts), "what only the voice needs"


@pytest.mark.served(pages=OUR_PAGES)
async def test_they_are_served_and_unknown_pages_are_not(hall: Hall) -> None:
    answer = await hall.get("/static/words/phone/pl.json")
    assert answer.status == 200
    assert json.loads(answer.body)["page.sun"] == "Słońce"
    for path in ("/static/words/phone/xx.json", "/static/words/nothing/pl.json"):
        assert (await hall.get(path)).status == 404


HALL = RequestLanguages(("pt-BR", "en"))


@pytest.mark.parametrize(
    ("address", "cookie", "browser", "language"),
    [
        ("/?lang=pl", "de", "es", "pl"),
        ("/?lang=xx", "de", "es", "de"),
        ("/?lang=", "", "es-MX, en", "es"),
        ("/", "en-XA", "es", "en-XA"),
        ("/", "../de", "fr, pl;q=0.1", "pl"),
        ("/", "", "pt", "pt-BR"),
        ("/", "", "pt-PT", "pt"),
        ("/", "", "fr", "pt-BR"),
        ("/", "", "", "pt-BR"),
    ],
)
def test_the_address_then_the_choice_then_the_browser_then_the_hall(
    address: str, cookie: str, browser: str, language: str
) -> None:
    headers = {"Cookie": f"language={cookie}", "Accept-Language": browser}
    assert HALL.of(make_mocked_request("GET", address, headers=headers)) == language


def test_several_headers_are_read_as_one() -> None:
    request = make_mocked_request("GET", "/", headers=[("Accept-Language", "fr"), ("Accept-Language", "pl")])
    assert HALL.of(request) == "pl"


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
    "director": 104,
    "hall": 73,
    "hardware": 65,
    "judge": 68,
    "login": 49,
    "moderator": 66,
    "phone": 25,
    "report": 53,
    "selftest": 78,
    "sim": 62,
    "technician": 73,
}
"""KiB of each page without its fonts."""


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
    async with served(tmp_path, pages=OUR_PAGES) as hall:
        found: dict[str, int] = {}
        await load(hall, f"/phone?lang={language}", found)
    wide = {path: size for path, size in found.items() if "archivo-latin" in path}
    assert f"/static/words/phone/{language}.json" in found
    assert "/static/symbols.svg" in found
    # The style sheet names the wide fonts of the other pages, too, which a browser loads only where a text is set in them.
    assert sum(found.values()) - sum(wide.values()) <= FIRST_LOAD // 2, found


@pytest.mark.parametrize("page", FIRST_LOADS)
async def test_a_page_is_one_script_and_one_style_sheet(tmp_path: Path, page: str) -> None:
    file = Pages(OUR_PAGES, RequestLanguages(("en",))).file(f"{page}.html")
    assert file is not None
    body = file.body.replace(b"{language}", b"en")
    found = {f"{page}.html": len(gzip.compress(body)) + HEADERS}
    async with served(tmp_path, pages=OUR_PAGES) as hall:
        for name in NAMED["text/html"].findall(body.decode()):
            if name.startswith("/static/"):
                await load(hall, name, found)
    for suffix in (".css", ".js"):
        assert len([path for path in found if path.endswith(suffix)]) == 1
    sizes = {path: size for path, size in found.items() if not path.endswith(".woff2")}
    assert sum(sizes.values()) <= FIRST_LOADS[page] * KIB, sizes


@pytest.mark.served(pages=OUR_PAGES)
@pytest.mark.parametrize("page", ["phone", *further(*(one for one in FIRST_LOADS if one != "phone"))])
async def test_its_source_map_leads_to_the_sources(hall: Hall, page: str) -> None:
    script = await hall.get(f"/static/bundles/{page}.js")
    assert script.body.decode().rstrip().endswith(f"//# sourceMappingURL={page}.js.map")
    sources = (await hall.get(f"/static/bundles/{page}.js.map")).json["sources"]
    assert f"../{page}/{page}.js" in sources
    for source in sources:
        assert (await hall.get(f"/static/{source.removeprefix('../')}")).status == 200
