"""A small page gets the texts that it may say, and no others."""

import inspect
import json
import re
from pathlib import Path

import pi_controller.web
from pi_controller.core.sound import phrases
from pi_controller.language.words import all_texts
from pi_controller.web.http.static_files import texts_of_page
from tests.web.hall import served

PAGES = Path(pi_controller.web.__file__).parent / "pages"
SCRIPTS = {path.relative_to(PAGES).as_posix(): path.read_text() for path in PAGES.rglob("*.js")}


def test_texts_that_its_scripts_name() -> None:
    scripts = {
        "one.js": 'import { two } from "./parts/two.js";\nimport "./three.js"; word("paused"); await import("./later.js");',
        "parts/two.js": 'import { word } from "../words.js"; word(`decided_${what}`);',
        "three.js": "",
        "words.js": "",
        "later.js": 'word("desert")',
        "other.js": 'word("moon")',
    }
    texts = texts_of_page("one.js", scripts, page='<p data-word="sun">', language="de")
    assert {
        "page.paused",
        "page.sun",
        "page.decided_shared",
        "page.desert",
        "voice.round",
        "side.sun",
    } <= set(texts)
    assert "page.moon" not in texts
    assert "page.robber" not in texts
    assert texts["page.paused"] == all_texts("de")["page.paused"]


def test_the_phone_has_few_of_all() -> None:
    texts = texts_of_page("phone.js", SCRIPTS, page=(PAGES / "phone.html").read_text(), language="en")
    assert {"page.phone_your_turn", "page.lost_title", "page.reason_recovery_lost", "page.die"} <= set(texts)
    assert len(texts) < 200
    assert {"page.reason_director", "page.turns_reason_director"} <= set(texts)
    assert "page.turns_speak_round" not in texts, "what it takes the place of is not said there"


def test_a_phone_has_every_caption() -> None:
    said = set(re.findall(r'Sentence\(\s*"(voice\.\w+)"', inspect.getsource(phrases)))
    texts = texts_of_page("phone.js", SCRIPTS, page=(PAGES / "phone.html").read_text(), language="en")
    assert "voice.claim" in said
    assert said <= set(texts)


async def test_they_are_served_and_unknown_pages_are_not(tmp_path: Path) -> None:
    async with served(tmp_path, pages=PAGES) as hall:
        answer = await hall.get("/static/words/phone/pl.json")
        assert answer.status == 200
        assert json.loads(answer.body)["page.sun"] == "Słońce"
        for path in ("/static/words/phone/xx.json", "/static/words/nothing/pl.json"):
            assert (await hall.get(path)).status == 404
