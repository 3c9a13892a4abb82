"""New firmware for the tables, over HTTP: core is asked, in the language of the page."""

from typing import Any

import pytest

from tests.web.hall import Hall

VIEW = {
    "version": "1.7",
    "number": 1,
    "state": "asking",
    "board": "A1",
    "left_s": 42,
    "segments": [{"name": "A", "nodes": 3, "done": 1, "part": 2, "parts": 20}],
    "outcomes": [{"end": "lost", "boards": ["A2"], "text": "No answer."}],
    "reason": None,
    "reason_key": None,
}


async def test_core_is_asked_in_the_language_of_the_page(hall: Hall) -> None:
    hall.core.others["firmware"] = {"accepted": True, "firmware": VIEW}
    found = await hall.get("/api/firmware?lang=de", headers=hall.director)
    assert (found.status, found.json) == (200, VIEW)
    body = {"do": "begin", "boards": ["A1"], "again": True}
    begun = await hall.post("/api/firmware?lang=pl", body, headers=hall.director)
    assert (begun.status, begun.json["accepted"]) == (200, True)
    asked = [(one.get("lang"), one.get("do"), one.get("boards")) for one in hall.core.asked("firmware")]
    assert asked == [("de", "look", None), ("pl", "begin", ["A1"])]


async def test_a_refusal_says_why(hall: Hall) -> None:
    refused = {"accepted": False, "reasons": ["A game is running."], "firmware": {"version": "1.7"}}
    hall.core.others["firmware"] = refused
    answer = await hall.post("/api/firmware", {"do": "begin"}, headers=hall.director)
    assert (answer.status, answer.json["reasons"]) == (409, ["A game is running."])


@pytest.mark.parametrize(
    "body", [{}, {"do": "look"}, {"do": "begin", "boards": []}, {"do": "stop", "who": "A"}, [1]]
)
async def test_what_is_malformed_is_not_asked(hall: Hall, body: Any) -> None:
    answer = await hall.post("/api/firmware", body, headers=hall.director)
    assert answer.status == 422
    assert hall.core.asked("firmware") == []
