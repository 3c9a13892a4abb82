"""Commands over the open socket of a desk: guarded, answered and bounded as over HTTP."""

import asyncio
import json
from typing import Any

from aiohttp import WSMsgType

from pi_controller.web.api import game
from tests.web.hall import Hall, until


async def answer(desk: Any, **message: Any) -> Any:
    """What is said to this command."""
    await desk.send_json(message)
    while "id" not in (said := await desk.receive_json()):
        pass
    return said


async def test_a_desk_sees_what_is_allowed_and_commands_as_over_http(hall: Hall) -> None:
    async with hall.socket("/api/desk", headers=hall.as_role(name="Ana")) as desk:
        assert await desk.receive_json() == {"picture": hall.core.picture}
        said = await answer(desk, id=3, command="pause", body={}, key="k1", if_seq=7, if_session="s1")
        assert said == {"id": 3, "status": 200, "answer": hall.core.answer | {"reason_keys": []}}
        hall.core.change(paused=True, allowed={"pause": None})
        assert await desk.receive_json() == {
            "on": 7,
            "change": {"seq": 8, "paused": True, "allowed": {"pause": None}},
        }
        await answer(desk, id=4, command="say", body={"text": "hello"}, key="k2", if_seq=7, if_session="s1")
    pause, say = hall.core.asked("command")
    assert (pause["name"], pause["key"], pause["source"]) == ("pause", "k1", "web:director:1")
    assert (pause["if_seq"], pause["if_session"]) == (None, None), "a pause is not refused for what was seen"
    assert (say["body"], say["if_seq"], say["if_session"]) == ({"text": "hello"}, 7, "s1")


async def test_refusals_have_their_status_and_sentence(hall: Hall) -> None:
    async with hall.socket("/api/desk?lang=de", headers=hall.as_role("judge")) as desk:
        await desk.receive_json()

        async def refused(**message: Any) -> tuple[int, str]:
            said = await answer(desk, **message)
            assert said["id"] == message.get("id")
            assert not said["answer"]["accepted"]
            return said["status"], said["answer"]["reason_keys"][0]["key"]

        assert await refused(id=1, command="pause") == (403, "web.other_role")
        assert await refused(id=2, command="claim", key="ä") == (422, "web.idempotency_key")
        assert (await refused(command="claim"))[0] == 422
        hall.core.refuse("no")
        assert (await answer(desk, id=5, command="claim"))["status"] == 409
        await hall.core.stop()
        assert (await refused(id=6, command="claim"))[0] == 503
    assert {each["lang"] for each in hall.core.asked("command")} == {"de"}


async def test_another_director_directs(hall: Hall) -> None:
    async with (
        hall.socket("/api/desk", headers=hall.as_role(name="Ana")) as first,
        hall.socket("/api/desk", headers=hall.as_role(name="Ben")) as second,
    ):
        assert (await answer(first, id=1, command="skip"))["status"] == 200
        said = await answer(second, id=1, command="skip")
        assert (said["status"], said["answer"]["reason_keys"][0]["key"]) == (409, "directing.other_directs")
        assert (await answer(second, id=2, command="pause"))["status"] == 200


async def test_no_command_waits_for_the_one_before_it_and_not_too_many_wait(
    hall: Hall, monkeypatch: Any
) -> None:
    monkeypatch.setattr(game, "MOST_UNANSWERED", 2)
    async with hall.socket("/api/desk", headers=hall.director) as desk:
        await desk.receive_json()
        hall.core.reply = lambda _request: []
        for number in (1, 2):
            await desk.send_json({"id": number, "command": "pause"})
        await until(lambda: len(hall.core.asked("command")) == 2)
        await desk.send_json({"id": 3, "command": "pause"})
        assert (await desk.receive()).type is WSMsgType.CLOSE
        assert desk.close_code == 1008


async def test_it_is_for_who_may_command_and_ends_with_the_log_in(hall: Hall) -> None:
    for headers in ({}, hall.as_role("moderator"), hall.as_role("technician")):
        asked = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
        key = {"Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg=="}
        assert (await hall.get("/api/desk", headers=headers | asked | key)).status in {401, 403}
    session = hall.tokens.new_session()
    async with hall.socket("/api/desk", headers=hall.cookie(session)) as desk:
        await desk.receive_json()
        for link in hall.tokens.links.all():
            hall.tokens.links.revoke(link.id)
        said = await answer(desk, id=1, command="pause")
        assert (said["status"], said["answer"]["reason_keys"][0]["key"]) == (401, "web.needs_log_in")
        assert hall.core.asked("command") == []


async def test_what_is_no_command_is_told_so(hall: Hall) -> None:
    async with hall.socket("/api/desk", headers=hall.director) as desk:
        await desk.receive_json()
        for text in (
            "pause",
            "[]",
            '{"id":4,"command":"pause","more":1}',
            json.dumps({"id": -1, "command": "pause"}),
            '{"id":1,"id":2}',
        ):
            await desk.send_str(text)
            said = await desk.receive_json()
            assert (said["id"], said["status"]) == (None, 422)
        await desk.send_bytes(b"pause")
        assert (await desk.receive()).type is WSMsgType.CLOSE
        await asyncio.sleep(0)
