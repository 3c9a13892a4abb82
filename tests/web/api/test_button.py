"""The USB key that is the pause button, over HTTP: core is asked, in the language of the page."""

from typing import Any

import pytest

from tests.web.hall import Hall

VIEW = {
    "usable": True,
    "choosing": True,
    "name": "Pedal",
    "device": "by-id/usb-Pedal-event-kbd",
    "key": 48,
    "pressed": False,
    "presses": 3,
    "sentence": None,
    "sentence_key": None,
}


async def test_core_is_asked_in_the_language_of_the_page(hall: Hall) -> None:
    hall.core.others["button"] = {"button": VIEW}
    found = await hall.get("/api/button?lang=de", headers=hall.director)
    assert (found.status, found.json) == (200, VIEW)
    begun = await hall.post("/api/button?lang=pl", {"do": "choose"}, headers=hall.director)
    assert (begun.status, begun.json) == (200, VIEW)
    assert [(one.get("lang"), one["do"]) for one in hall.core.asked("button")] == [
        ("de", "look"),
        ("pl", "choose"),
    ]


@pytest.mark.parametrize("body", [{}, {"do": "look"}, {"do": "press"}, {"do": "stop", "key": 5}, [1]])
async def test_what_is_malformed_is_not_asked(hall: Hall, body: Any) -> None:
    answer = await hall.post("/api/button", body, headers=hall.director)
    assert answer.status == 422
    assert hall.core.asked("button") == []
