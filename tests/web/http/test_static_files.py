"""Pages come from the fixed map and from nowhere else."""

from pathlib import Path
from urllib.parse import quote

import pytest
from aiohttp.test_utils import make_mocked_request

import pi_controller.web
from pi_controller.language.words import all_texts, words
from pi_controller.sentence import Sentence
from pi_controller.web.http.routes import LANGUAGE, RequestLanguages
from pi_controller.web.http.static_files import HEAD_NAME, LANGUAGE_MARK, Pages
from tests.web.hall import PAGES, served

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


@pytest.mark.parametrize("path", TRAVERSALS)
async def test_only_the_map_is_served(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret").write_text("SECRET", encoding="utf-8")
    async with served(tmp_path) as hall:
        head = f"GET /static/{path} HTTP/1.1\r\nHost: {hall.host}\r\nConnection: close\r\n\r\n"
        answer = await hall.raw(head.encode())
        assert answer.split()[1] in {b"404", b"400", b"421"}
        assert b"SECRET" not in answer
        assert b"root:" not in answer


async def test_pages_with_mark_and_type(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
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
            assert answer.body.decode() == PAGES[name]
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
            assert head.headers["Content-Length"] == str(len(PAGES[name]))


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


@pytest.mark.parametrize(
    ("path", "headers", "begin"),
    [
        ("/", {}, '<html lang="pt-BR" data-languages="pt-BR en">'),
        ("/", {"Accept-Language": "pl"}, '<html lang="pt-BR" data-languages="pt-BR en">'),
        ("/?lang=pl", {}, '<html lang="pl">'),
        ("/", {"Cookie": "language=de"}, '<html lang="de">'),
        ("/?lang=xx", {"Cookie": "language=yy"}, '<html lang="pt-BR" data-languages="pt-BR en">'),
        ("/login", {}, '<html lang="pt-BR">'),
        ("/login", {"Accept-Language": "fr, pl;q=0.5"}, '<html lang="pl">'),
        ("/login?lang=en-XA", {"Cookie": "language=de"}, '<html lang="en-XA">'),
    ],
)
async def test_a_page_comes_in_the_language_of_who_asks(
    tmp_path: Path, path: str, headers: dict[str, str], begin: str
) -> None:
    async with served(tmp_path, languages=("pt-BR", "en")) as hall:
        answer = await hall.get(path, headers=headers)
        assert begin in answer.body.decode()
        assert answer.headers["Content-Language"] == begin.split('"')[1]
        assert answer.headers["Vary"] == "Accept-Language, Cookie"
        again = await hall.get(path, headers={**headers, "If-None-Match": answer.headers["ETag"]})
        assert again.status == 304
        other = await hall.get("/login?lang=es", headers={**headers, "If-None-Match": answer.headers["ETag"]})
        assert other.status == 200


async def test_all_texts_of_a_language(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
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


async def test_files_are_read_once(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        (tmp_path / "pages" / "hall.html").unlink()
        (tmp_path / "pages" / "later.html").write_text("later", encoding="utf-8")
        assert (await hall.get("/")).status == 200
        missing = await hall.get("/static/later.html")
        assert missing.status == 404
        assert missing.json["error"] == "There is no such file among the controller's pages."


async def test_the_verifier_is_a_download(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.get("/verify_game.py")
        assert answer.body == b"# verifier\n"
        assert "attachment" in answer.headers["Content-Disposition"]


async def test_a_refusal_as_a_page_is_in_the_language_of_who_asks(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.get("/nowhere?lang=en-XA", headers={"Accept": "text/html"})
        assert '<html lang="en-XA" ' in answer.body.decode()
        assert words(Sentence("web.no_such_page"), "en-XA") in answer.body.decode()
        assert b"Not here" not in answer.body
        assert answer.headers["Content-Language"] == "en-XA"


async def test_refusals_are_escaped_in_pages(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
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
