"""The hardware test's socket: the lease lives as long as it does, probes go through, news come back."""

import asyncio
from typing import Any

import aiohttp
import pytest

from pi_controller.language.words import words
from pi_controller.web.api import tables
from tests.web.hall import Hall, until

PATH = "/api/hardware/feed"


def as_it_is(text: str) -> dict[str, Any]:
    """The key of words that came without one."""
    return {"key": "told.as_it_is", "params": {"text": text}}


def held(hall: Hall, query: str = "") -> Any:
    return hall.socket(PATH + query, headers=hall.director)


async def test_a_page_holds_the_lease_and_is_told_what_is_fitted(hall: Hall) -> None:
    async with held(hall) as page:
        assert await page.receive_json() == {"held": True, "settings": {"contacts": "nc_no"}}
        await until(lambda: hall.core.test_watched)
        [begun] = hall.core.asked("test_begin")
        assert (begun["purpose"], begun["take"]) == ("hardware_test", False)
        assert begun["who"] == "the technician's page at 127.0.0.1"
        assert begun["lang"] == "en"
        assert hall.core.asked("watch_test")[0]["lease"] == "1ea5e"
    await until(lambda: not hall.core.test_watched)


async def test_it_is_taken_over_only_when_that_is_asked_for(hall: Hall) -> None:
    async with held(hall, "?take=1") as page:
        assert (await page.receive_json())["held"]
        assert hall.core.asked("test_begin")[0]["take"]


async def test_a_refusal_is_told_in_cores_words_and_the_socket_closes(hall: Hall) -> None:
    hall.core.lease = {
        "accepted": False,
        "reasons": ["A game is under way: wait."],
        "reason_keys": [{"key": "test.none", "params": {}}],
        "lease": None,
    }
    async with held(hall) as page:
        assert await page.receive_json() == {
            "held": False,
            "reasons": ["A game is under way: wait."],
            "reason_keys": hall.core.lease["reason_keys"],
        }
        assert (await page.receive()).type is aiohttp.WSMsgType.CLOSE
    assert not hall.core.asked("watch_test")


async def test_probes_are_answered_by_their_numbers(hall: Hall) -> None:
    async with held(hall) as page:
        await page.receive_json()
        hall.core.probed |= {"buzzer": {"error": "No buzzer is fitted."}, "disk": {"malformed": "disk: no."}}
        lamp = {"do": "lamp", "lamp": "sun", "lit": True}
        for number, probe in ((3, lamp), (4, {"do": "buzzer", "ms": 5}), (5, {"do": "disk"})):
            await page.send_json({"id": number, "probe": probe})
        answers = [await page.receive_json() for _ in range(3)]
        assert answers == [
            {"id": 3, "result": {}},
            {"id": 4, "error": "No buzzer is fitted.", "reason_keys": [as_it_is("No buzzer is fitted.")]},
            {"id": 5, "error": "disk: no.", "reason_keys": [as_it_is("disk: no.")]},
        ]
        asked = [request for request in hall.core.asked("probe") if request["probe"] == lamp]
        assert asked[0]["lease"] == "1ea5e"


@pytest.mark.parametrize(
    ("text", "number", "part"),
    [
        ("nonsense", None, "not JSON"),
        ("[]", None, "must be an object"),
        ('{"id": 0, "probe": {}}', 0, "`id`"),
        ('{"id": "1", "probe": {}}', None, "`id` must be a whole number"),
        ('{"id": 7}', 7, "`probe` is missing"),
        ('{"id": 7, "probe": {"do": "lamp"}, "lease": "x"}', 7, "`lease` is not known"),
    ],
)
async def test_what_is_no_probe_is_told(hall: Hall, text: str, number: int | None, part: str) -> None:
    async with held(hall) as page:
        await page.receive_json()
        await page.send_str(text)
        answer = await page.receive_json()
        assert answer["id"] == number
        assert part in answer["error"]


async def test_news_are_handed_on_until_the_lease_ends(hall: Hall) -> None:
    async with held(hall) as page:
        await page.receive_json()
        await until(lambda: hall.core.test_watched)
        news = {"inputs": {"no_closed": True, "nc_closed": False, "now_ns": 5}, "edges": None, "ended": None}
        hall.core.tell_test(**news)
        assert await page.receive_json() == {"test": news}
        hall.core.tell_test(ended="Somebody else has taken the hardware over.")
        why = "Somebody else has taken the hardware over."
        assert await page.receive_json() == {"ended": why, "reason_keys": [as_it_is(why)]}
        assert (await page.receive()).type is aiohttp.WSMsgType.CLOSE


async def test_core_going_ends_it_with_a_sentence(hall: Hall) -> None:
    async with held(hall) as page:
        await page.receive_json()
        await until(lambda: hall.core.test_watched)
        await hall.core.stop()
        assert "closed the connection" in (await page.receive_json())["ended"]


async def test_a_core_that_does_not_answer(hall: Hall) -> None:
    hall.side.link.client._timeout_s = 0.1
    hall.core.answering.clear()
    async with held(hall) as page:
        assert "answer" in (await page.receive_json())["ended"]
    hall.core.answering.set()


async def test_the_lease_is_kept_while_the_page_is_there(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "KEEP_S", 0.0)
    async with held(hall) as page:
        await page.receive_json()
        await until(lambda: len(hall.core.asked("test_keep")) > 2)
        assert hall.core.asked("test_keep")[0]["lease"] == "1ea5e"


async def test_a_page_that_is_forgotten_loses_it(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "IDLE_LIMIT_S", 0.0)
    async with held(hall) as page:
        await page.receive_json()
        assert await page.receive_json() == {
            "ended": words(tables.FORGOTTEN),
            "reason_keys": [{"key": "web.hardware_test_forgotten", "params": {"minutes": 15}}],
        }


async def test_too_many_that_ask_and_no_socket_at_all(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = await hall.get(PATH, headers=hall.director)
    assert (plain.status, plain.key) == (426, "web.websocket_only")
    monkeypatch.setattr(tables, "MOST_AT_ONCE", 1)
    async with held(hall) as page:
        await page.receive_json()
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await held(hall)
        assert refused.value.status == 503


async def test_the_end_of_the_web_side_closes_it(hall: Hall) -> None:
    page = await held(hall)
    await page.receive_json()
    closing = asyncio.create_task(hall.side.app.shutdown())
    assert (await page.receive()).type is aiohttp.WSMsgType.CLOSE
    await closing
    await page.close()
