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
PHONE = (PAGES / "bundles" / "phone.js").read_text()


def test_texts_that_its_script_names() -> None:
    script = 'word("paused"); word(`decided_${what}`);'
    texts = texts_of_page(script, page='<p data-word="sun">', language="de")
    assert {"page.paused", "page.sun", "page.decided_shared", "voice.round", "side.sun"} <= set(texts)
    assert "page.moon" not in texts
    assert "page.robber" not in texts
    assert texts["page.paused"] == all_texts("de")["page.paused"]


def test_the_phone_has_few_of_all() -> None:
    texts = texts_of_page(PHONE, page=(PAGES / "phone.html").read_text(), language="en")
    assert {"page.phone_your_turn", "page.lost_title", "page.reason_recovery_lost", "page.die"} <= set(texts)
    assert len(texts) < 200
    assert {"page.reason_director", "page.turns_reason_director"} <= set(texts)
    assert "page.turns_speak_round" not in texts, "what it takes the place of is not said there"


def test_a_phone_has_every_caption() -> None:
    said = set(re.findall(r'Sentence\(\s*"(voice\.\w+)"', inspect.getsource(phrases)))
    texts = texts_of_page(PHONE, page=(PAGES / "phone.html").read_text(), language="en")
    assert "voice.claim" in said
    assert said <= set(texts)


async def test_they_are_served_and_unknown_pages_are_not(tmp_path: Path) -> None:
    async with served(tmp_path, pages=PAGES) as hall:
        answer = await hall.get("/static/words/phone/pl.json")
        assert answer.status == 200
        assert json.loads(answer.body)["page.sun"] == "Słońce"
        for path in ("/static/words/phone/xx.json", "/static/words/nothing/pl.json"):
            assert (await hall.get(path)).status == 404
