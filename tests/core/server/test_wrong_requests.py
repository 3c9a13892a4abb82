"""The real server on whatever can be wrong in a request: each gets an answer, nothing is logged, nothing ends."""

import asyncio
import json
import logging
from pathlib import Path

import msgspec
import pytest

from pi_controller.core.server.requests import MISTYPED
from pi_controller.language.words import words
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import decode_request
from pi_controller.protocol.sentences import SentenceView, sentence
from tests.core.hand import S
from tests.protocol.test_server import Desk, connect, run
from tests.protocol.wrong import Json, wrong_requests

STREAMS = {"watch", "watch_tables", "watch_test", "panel"}


def test_each_is_answered_with_its_number_and_the_next_one_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)

    async def talk(at: Desk) -> None:
        line = await connect(at)
        for request in wrong_requests():
            if request["ask"] in STREAMS and understood(request):
                continue
            line.ask(**{name: value for name, value in request.items() if name not in {"version", "id"}})
            answer = await line.read()
            assert answer["id"] == 7, request
            sentences = [answer.get("malformed"), answer.get("error"), *answer.get("reasons", [])]
            assert all(text is None or "Traceback" not in text for text in sentences), request
        line.ask(ask="picture")
        assert (await line.read())["picture"]["phase"]
        await asyncio.sleep(0)

    run(tmp_path, talk)
    assert [record for record in caplog.records if record.exc_info] == []


def test_an_answer_is_in_the_language_of_its_request(tmp_path: Path) -> None:
    """A repeat under the same key in that of the repeat; without a language, or with one that is not there, in
    English; the key is the same in all of them."""

    async def talk(at: Desk) -> None:
        line = await connect(at)

        async def refused(**lang: str) -> tuple[str, Json]:
            line.ask(ask="command", name="resume", key="once", **lang)
            answer = await line.read()
            return answer["reasons"][0], answer["reason_keys"][0]

        english, key = await refused()
        assert await refused(lang="xx") == (english, key)
        said = words(sentence(msgspec.convert(key, SentenceView)), "en-XA")
        assert await refused(lang="en-XA") == (said, key)
        line.ask(ask="command", name="nonsense", lang="en-XA")
        wrong = await line.read()
        assert wrong["malformed"].startswith("[")
        assert wrong["malformed_key"]["key"] == "request.no_command"

    run(tmp_path, talk)


def test_guesses_of_the_pin_are_told_until_an_hour_after_the_last(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        line = await connect(at)

        async def told(wrong: int) -> list[str]:
            line.ask(ask="pin_guesses", wrong=wrong)
            await line.read()
            return [item.key for item in at.hall.loop.picture().health.items]

        assert await told(MISTYPED) == []
        assert await told(MISTYPED + 1) == ["pin.guessed"]
        at.hall.timers.move(1800 * S)
        assert await told(MISTYPED + 2) == ["pin.guessed"]
        at.hall.timers.move(3599 * S)
        assert await told(MISTYPED) == ["pin.guessed"], "mistyped ones are no sign that it is over"
        at.hall.timers.move(2 * S)
        assert await told(MISTYPED) == []
        notes = [data for _, kind, data in at.hall.log.lines if kind == "note"]
        assert notes == [{"pin_guesses": 10}], "a guesser does not fill the journal"

    run(tmp_path, talk)


def understood(request: Json) -> bool:
    try:
        decode_request(json.dumps(request).encode())
    except Malformed:
        return False
    return True
