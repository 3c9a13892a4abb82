"""Commands over HTTP: handed to core as they are, answered as the contract says."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from pi_controller.web.api import game
from tests.patience import DEADLINE_S
from tests.web.hall import Hall, served


def commands(hall: Hall) -> list[dict[str, Any]]:
    return [request for request in hall.core.requests if request["ask"] == "command"]


async def test_accepted(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        body = [{"from_round": 1, "seconds": 30}]
        answer = await hall.post("/api/commands/set_schedule", body, headers=hall.director)
        assert (answer.status, answer.json) == (
            200,
            {"accepted": True, "seq": 8, "reasons": [], "reason_keys": []},
        )
        (asked,) = commands(hall)
        assert (asked["name"], asked["body"], asked["source"], asked["key"]) == (
            "set_schedule",
            body,
            "web",
            None,
        )


async def test_refused_by_the_game(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        hall.core.answer = {
            "accepted": False,
            "seq": 7,
            "reasons": ["The game has not started: press start."],
            "reason_keys": [{"key": "game.not_begun", "params": {}}],
        }
        answer = await hall.post("/api/commands/skip", headers=hall.director)
        assert (answer.status, answer.json) == (409, hall.core.answer)


async def test_done_but_not_saved(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        reasons = ["It is done and shown, but not saved: check the memory card."]
        hall.core.answer = {"accepted": False, "seq": 8, "reasons": reasons, "reason_keys": [], "done": True}
        answer = await hall.post("/api/commands/pause", headers=hall.director)
        assert (answer.status, answer.json) == (507, hall.core.answer)


async def test_the_answer_is_in_the_language_of_who_asks(tmp_path: Path) -> None:
    """Core gives the words; what the web side says itself it puts into words from the key."""
    async with served(tmp_path, languages=("pt", "en")) as hall:
        hall.core.refuse("[Ţöö łáţé.]")
        path = "/api/commands/pause"
        for headers, language in (({}, "pt"), ({"Accept-Language": "de-AT, en;q=0.5"}, "de")):
            answer = await hall.post(path, headers={**hall.director, **headers})
            assert answer.json["reasons"] == ["[Ţöö łáţé.]"]
            assert answer.headers["Content-Language"] == language
            assert answer.headers["Vary"] == "Accept-Language, Cookie"
            assert hall.core.asked("command")[-1]["lang"] == language
        hall.core.answer = {"malformed": "-", "malformed_key": {"key": "request.without_id", "params": {}}}
        wrong = await hall.post(path + "?lang=en-XA", headers=hall.director)
        said = words(Sentence("request.without_id"), "en-XA")
        assert wrong.json["reasons"] == [wrong.json["error"]] == [said]
        assert wrong.json["reason_keys"] == [{"key": "request.without_id", "params": {}}]
        assert wrong.headers["Content-Language"] == "en-XA"


async def test_malformed(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        hall.core.answer = {"malformed": "add_time: `ms` is missing."}
        answer = await hall.post("/api/commands/add_time", headers=hall.director)
        assert (answer.status, answer.json["accepted"], answer.json["seq"]) == (422, False, 7)
        assert answer.json["reasons"] == [answer.json["error"]] == ["add_time: `ms` is missing."]


async def test_no_core(tmp_path: Path) -> None:
    async with served(tmp_path, core_there=False) as hall:
        answer = await hall.post("/api/commands/pause", headers=hall.director)
        assert answer.status == 503
        assert answer.json["accepted"] is False
        assert answer.json["error"].endswith(".")


async def test_core_in_trouble(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        hall.core.answer = {"error": "The disk takes nothing: see the technician's page"}
        answer = await hall.post("/api/commands/pause", headers=hall.director)
        assert (answer.status, answer.json["reasons"][0][:8]) == (503, "The disk")


async def test_a_command_without_a_body_needs_no_content_type(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        head = (
            f"POST /api/commands/pause HTTP/1.1\r\nHost: {hall.host}\r\nConnection: close\r\n"
            f"Authorization: Bearer {hall.bearer}\r\n\r\n"
        )
        assert b" 200 " in (await hall.raw(head.encode())).splitlines()[0]
        assert commands(hall)[0]["body"] is None


async def test_what_the_sender_saw_is_handed_on(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        path = "/api/commands/skip"
        await hall.post(path, headers={**hall.director, "If-Seq": "41", "If-Session": "s"})
        await hall.post(path, headers=hall.director)
        for wrong in ({"If-Seq": "-1"}, {"If-Seq": "x"}, {"If-Seq": "9" * 16}):
            answer = await hall.post(path, headers={**hall.director, **wrong})
            assert (answer.status, "If-Seq" in answer.json["error"]) == (422, True)
        wrong = await hall.post("/api/commands/pause", headers={**hall.director, "If-Seq": "x"})
        assert wrong.status == 200  # it ignores the header, whatever stands there
        assert [(asked.get("if_seq"), asked.get("if_session")) for asked in commands(hall)] == [
            (41, "s"),
            (None, None),
            (None, None),
        ]


async def test_the_idempotency_key_is_handed_on(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        await hall.post("/api/commands/pause", headers={**hall.director, "Idempotency-Key": "k-1"})
        assert commands(hall)[0]["key"] == "k-1"
        for wrong in ("", "k" * 129):
            answer = await hall.post(
                "/api/commands/pause", headers={**hall.director, "Idempotency-Key": wrong}
            )
            assert answer.status == 422
            assert "Idempotency-Key" in answer.json["error"]
        assert len(commands(hall)) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"nonsense",
        b"\xff\xfe",
        b'{"ms": NaN}',
        b'{"ms": Infinity}',
        b'{"ms": 1e999}',
        b'{"ms": 1, "ms": 2}',
        b'{"ms": "\\ud800"}',
        b'{"ms": 9223372036854775808}',
        b"[" * 30_000,
        b'{"a":' * 5_000,
        b"1" * 60_000,
        b"\xef\xbb\xbf{}",
    ],
)
async def test_what_is_not_safe_json_never_reaches_core(tmp_path: Path, body: bytes) -> None:
    async with served(tmp_path) as hall:
        answer = await sent(hall, body)
        assert answer[0] == 422
        assert answer[1]["error"].endswith(".")
        assert not commands(hall)


@settings(max_examples=25, deadline=None)
@given(
    body=st.binary(max_size=200)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    ).map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass")),
)
def test_any_bytes_are_handed_on_or_422(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    async def example() -> None:
        async with served(tmp_path_factory.mktemp("fuzz")) as hall:
            status, value = await sent(hall, body)
            assert status in {200, 422}
            assert value["accepted"] is (status == 200)
            assert len(commands(hall)) == (status == 200)

    asyncio.run(asyncio.wait_for(example(), DEADLINE_S))


async def sent(hall: Hall, body: bytes) -> tuple[int, Any]:
    headers = {**hall.director, "Content-Type": "application/json"}
    answer = await hall.ask("POST", "/api/commands/add_time", data=body, headers=headers)
    return answer.status, answer.json


async def test_the_last_actions_are_told_to_whoever_is_logged_in(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        assert (await hall.get("/api/actions")).status == 401
        answer = await hall.get('/api/actions?lang=de&replace={"name":"pause"}', headers=hall.director)
        assert (answer.status, answer.json["actions"]) == (200, [])
        asked = hall.core.requests[-1]
        assert (asked["ask"], asked["replace"], asked["lang"]) == ("actions", {"name": "pause"}, "de")
        assert (await hall.get("/api/actions?replace={", headers=hall.director)).status == 422


async def test_one_log_in_claims_and_withdraws_at_a_rate(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        eve, anna = (
            {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session('judge', name)}", "Origin": hall.url}
            for name in ("Eve", "Anna")
        )
        found = []
        for number in range(int(game.CLAIMS) + 10):
            name = ("claim", "withdraw")[number % 2]
            found.append((await hall.post(f"/api/commands/{name}", headers=eve)).status)
        assert found == [200] * int(game.CLAIMS) + [429] * 10
        assert sum(each["ask"] == "command" for each in hall.core.requests) == game.CLAIMS
        assert (await hall.post("/api/commands/verdict", headers=eve)).status == 200
        assert (await hall.post("/api/commands/claim", headers=anna)).status == 200
        hall.clock.pass_s(1)
        assert (await hall.post("/api/commands/claim", headers=eve)).status == 200
        assert (await hall.post("/api/commands/claim", headers=eve)).status == 429
