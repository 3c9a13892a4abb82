"""Commands are handed to core as they are and answered as the contract says; one director directs at a time."""

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
from pi_controller.web.api.game import DIRECTING_FILE
from pi_controller.web.http.routes import SECURITY_HEADERS
from pi_controller.web.http.static_files import static_file
from tests.patience import DEADLINE_S
from tests.protocol.fake_core import ACTIONS
from tests.web.hall import Hall, HandClock, served


async def test_accepted(hall: Hall) -> None:
    body = [{"from_round": 1, "seconds": 30}]
    answer = await hall.post("/api/commands/set_schedule", body, headers=hall.director)
    told = {"accepted": True, "seq": 8, "reasons": [], "reason_keys": []}
    assert (answer.status, answer.json) == (200, told)
    (asked,) = hall.core.asked("command")
    assert asked.items() >= {"name": "set_schedule", "source": "web", "key": None}.items()
    assert asked["body"] == body


@pytest.mark.parametrize(
    ("core_says", "status"),
    [
        ({"reasons": ["Not begun."], "reason_keys": [{"key": "game.not_begun", "params": {}}]}, 409),
        ({"reasons": ["Done, not saved."], "reason_keys": [], "done": True}, 507),
    ],
)
async def test_what_core_refuses_or_cannot_save(hall: Hall, core_says: dict[str, Any], status: int) -> None:
    hall.core.answer = {"accepted": False, "seq": 8} | core_says
    answer = await hall.post("/api/commands/skip", headers=hall.director)
    assert (answer.status, answer.json) == (status, hall.core.answer)


@pytest.mark.parametrize(("kind", "status"), [("malformed", 422), ("error", 503)])
async def test_what_core_does_not_look_at(hall: Hall, kind: str, status: int) -> None:
    hall.core.answer = {kind: "In words."}
    answer = await hall.post("/api/commands/add_time", headers=hall.director)
    assert (answer.status, answer.json["accepted"], answer.json["seq"]) == (status, False, 7)
    assert answer.json["reasons"] == [answer.json["error"]] == ["In words."]


@pytest.mark.served(languages=("pt", "en"))
async def test_the_answer_is_in_the_language_of_who_asks(hall: Hall) -> None:
    """Core gives the words; what the web side says itself it puts into words from the key."""
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


@pytest.mark.served(core_there=False)
async def test_no_core(hall: Hall) -> None:
    answer = await hall.post("/api/commands/pause", headers=hall.director)
    assert answer.status == 503
    assert answer.json["accepted"] is False
    assert answer.json["error"].endswith(".")


async def test_a_command_without_a_body_needs_no_content_type(hall: Hall) -> None:
    head = (
        f"POST /api/commands/pause HTTP/1.1\r\nHost: {hall.host}\r\nConnection: close\r\n"
        f"Authorization: Bearer {hall.bearer}\r\n\r\n"
    )
    assert b" 200 " in (await hall.raw(head.encode())).splitlines()[0]
    assert hall.core.asked("command")[0]["body"] is None


async def test_what_the_sender_saw_is_handed_on(hall: Hall) -> None:
    path = "/api/commands/skip"
    await hall.post(path, headers={**hall.director, "If-Seq": "41", "If-Session": "s"})
    await hall.post(path, headers=hall.director)
    for wrong in ({"If-Seq": "-1"}, {"If-Seq": "x"}, {"If-Seq": "9" * 16}):
        answer = await hall.post(path, headers={**hall.director, **wrong})
        assert (answer.status, answer.key) == (422, "web.if_seq")
    wrong = await hall.post("/api/commands/pause", headers={**hall.director, "If-Seq": "x"})
    assert wrong.status == 200  # it ignores the header, whatever stands there
    seen = [(asked.get("if_seq"), asked.get("if_session")) for asked in hall.core.asked("command")]
    assert seen == [(41, "s"), (None, None), (None, None)]


async def test_the_idempotency_key_is_handed_on(hall: Hall) -> None:
    await hall.post("/api/commands/pause", headers={**hall.director, "Idempotency-Key": "k-1"})
    assert hall.core.asked("command")[0]["key"] == "k-1"
    for wrong in ("", "k" * 129):
        answer = await hall.post("/api/commands/pause", headers={**hall.director, "Idempotency-Key": wrong})
        assert (answer.status, answer.key) == (422, "web.idempotency_key")
    assert len(hall.core.asked("command")) == 1


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
async def test_what_is_not_safe_json_never_reaches_core(hall: Hall, body: bytes) -> None:
    answer = await sent(hall, body)
    assert answer[0] == 422
    assert answer[1]["error"].endswith(".")
    assert not hall.core.asked("command")


ANY_BYTES = st.binary(max_size=200) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
).map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass"))


@settings(max_examples=1)
@given(bodies=st.lists(ANY_BYTES, min_size=20, max_size=20))
def test_any_bytes_are_handed_on_or_422(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes]
) -> None:
    async def example() -> None:
        async with served(tmp_path_factory.mktemp("fuzz")) as hall:
            for body in bodies:
                hall.core.requests.clear()
                status, value = await sent(hall, body)
                assert status in {200, 422}, body
                assert value["accepted"] is (status == 200), body
                assert len(hall.core.asked("command")) == (status == 200), body

    asyncio.run(asyncio.wait_for(example(), DEADLINE_S))


async def sent(hall: Hall, body: bytes) -> tuple[int, Any]:
    headers = {**hall.director, "Content-Type": "application/json"}
    answer = await hall.ask("POST", "/api/commands/add_time", data=body, headers=headers)
    return answer.status, answer.json


async def test_the_last_actions_are_told_to_whoever_is_logged_in(hall: Hall) -> None:
    assert (await hall.get("/api/actions")).status == 401
    answer = await hall.get('/api/actions?lang=de&replace={"name":"pause"}', headers=hall.director)
    assert (answer.status, answer.json["actions"]) == (200, [])
    asked = hall.core.requests[-1]
    assert (asked["ask"], asked["replace"], asked["lang"]) == ("actions", {"name": "pause"}, "de")
    assert (await hall.get("/api/actions?replace={", headers=hall.director)).status == 422


async def test_one_log_in_claims_and_withdraws_at_a_rate(hall: Hall) -> None:
    eve, anna = (hall.as_role("judge", name) for name in ("Eve", "Anna"))
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


Json = dict[str, Any]


def director(hall: Hall, name: str = "") -> dict[str, str]:
    return hall.as_role("director", name)


async def command(hall: Hall, who: dict[str, str], name: str = "skip", key: str = "") -> Any:
    return await hall.post(f"/api/commands/{name}", headers=who | ({"Idempotency-Key": key} if key else {}))


async def take_over(hall: Hall, who: dict[str, str], directs: int | None) -> Any:
    return await hall.post("/api/directing/take-over", {"directs": directs}, headers=who)


@pytest.mark.served(languages=("en", "de"))
async def test_who_gives_the_first_command_directs_and_the_other_may_only_pause(hall: Hall) -> None:
    anna, bea = director(hall, "Anna"), director(hall, "Bea")
    assert (await command(hall, bea, "pause")).status == 200
    assert (await command(hall, anna)).status == 200
    asked = len(hall.core.requests)
    refused = await command(hall, bea | {"Accept-Language": "de"})
    assert refused.status == 409
    assert refused.json["accepted"] is False
    assert refused.json["reasons"][0].startswith("Anna leitet dieses Spiel jetzt")
    assert refused.json["reason_keys"] == [{"key": "directing.other_directs", "params": {"name": "Anna"}}]
    assert len(hall.core.requests) == asked
    assert (await command(hall, bea, "pause")).status == 200
    assert hall.core.requests[-1]["source"] == "web:director:2"


async def test_one_person_on_many_devices_is_never_held_up_and_neither_are_scripts_and_judges(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as hall:
        for who in (director(hall, "Anna"), director(hall, "Anna"), hall.director):
            assert (await command(hall, who)).status == 200
        judge = hall.as_role("judge", "Cleo")
        assert (await command(hall, judge, "withdraw")).status == 200
        (tmp_path / "unnamed").mkdir()
    async with served(tmp_path / "unnamed") as hall:
        for who in (director(hall), director(hall)):
            assert (await command(hall, who)).status == 200


async def test_who_takes_over_names_whom_he_saw_direct(hall: Hall) -> None:
    anna, bea, cleo = (director(hall, name) for name in ("Anna", "Bea", "Cleo"))
    await command(hall, anna)
    assert (await take_over(hall, bea, 1)).status == 200
    late = await take_over(hall, cleo, 1)
    assert (late.status, late.json["reason_keys"][0]["key"]) == (409, "directing.changed_since")
    assert (await command(hall, anna)).status == 409
    assert (await command(hall, bea)).status == 200


async def test_a_repeat_of_what_was_let_through_is_answered_by_the_game(hall: Hall) -> None:
    """Its answer may have been lost, and it was done: no refusal may say otherwise."""
    anna, bea = director(hall, "Anna"), director(hall, "Bea")
    await command(hall, anna, key="k1")
    await take_over(hall, bea, 1)
    assert (await command(hall, anna, key="k1")).status == 200
    assert (await command(hall, anna, key="k2")).status == 409


async def test_the_game_is_handed_over_to_a_director_whose_page_is_open(hall: Hall) -> None:
    anna, bea = director(hall, "Anna"), director(hall, "Bea")
    await command(hall, anna)
    away = await hall.post("/api/directing/hand-over", {"to": 2}, headers=anna)
    assert (away.status, away.json["reason_keys"][0]["key"]) == (409, "directing.not_here")
    async with hall.socket("/api/directing", headers=bea) as page:
        first = await page.receive_json()
        assert first["directs"] == 1
        assert [(one["name"], one["here"]) for one in first["directors"]] == [("Anna", False), ("Bea", True)]
        theirs = await hall.post("/api/directing/hand-over", {"to": 2}, headers=bea)
        assert theirs.json["reason_keys"][0]["key"] == "directing.other_directs"
        assert (await hall.post("/api/directing/hand-over", {"to": 2}, headers=anna)).status == 200
        told = await page.receive_json()
        assert told["directs"] == 2
        changes = [(one["how"], one["before"], one["name"]) for one in told["changes"]]
        assert changes == [("handed_over", 1, "Bea"), ("began", None, "Anna")]
    session = (await hall.get("/api/session", headers=bea)).json
    assert (session["name"], session["number"]) == ("Bea", 2)


async def test_it_outlives_the_web_side_and_ends_with_the_last_log_in(tmp_path: Path) -> None:
    clock = HandClock()
    async with served(tmp_path, clock=clock) as hall:
        anna, bea = director(hall, "Anna"), director(hall, "Bea")
        await command(hall, anna)
    async with served(tmp_path, clock=clock) as hall:
        anna, bea = anna | {"Origin": hall.url}, bea | {"Origin": hall.url}
        assert (await command(hall, bea)).status == 409
        assert (await hall.post("/api/logout", headers=anna)).status == 200
        assert (await command(hall, bea)).status == 200
    (tmp_path / "web" / DIRECTING_FILE).write_bytes(b"[")
    async with served(tmp_path, clock=clock) as hall:
        assert (await command(hall, bea | {"Origin": hall.url})).status == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [("take-over", {}), ("take-over", {"directs": "Anna"}), ("hand-over", {}), ("hand-over", {"to": -1})],
)
async def test_a_malformed_change_is_none(hall: Hall, path: str, body: Json) -> None:
    answer = await hall.post(f"/api/directing/{path}", body, headers=director(hall))
    assert answer.status == 422


async def test_the_last_actions_name_people_to_directors(hall: Hall) -> None:
    director(hall, "Bea")
    done = {"id": 1, "at_ms": 0, "text": "Pause", "said": {"key": "action.pause", "params": {}}}
    sources = ("web:director:1", "web:judge:9", "cli")
    actions = [done | {"source": source, "steps": None, "outcome": None} for source in sources]
    lines = {"actions": {**ACTIONS, "actions": actions}}
    hall.core.reply = lambda asked: [json.dumps({"id": asked["id"], **lines}).encode() + b"\n"]
    told = await hall.get("/api/actions", headers=hall.director)
    assert [one["source"] for one in told.json["actions"]] == ["web:Bea", "web:judge:9", "cli"]


TYPE = {
    "error": "To confirm, type the name of the hall that is to lead: main.",
    "error_key": {"key": "link.type_the_leader", "params": {"hall": "main"}},
}
DECISION = {"lead": True, "hall": "main"}


@pytest.mark.served(languages=("en", "de"))
async def test_core_is_told_and_says_why_not(hall: Hall) -> None:
    hall.core.others["settle"] = {"done": True}
    answer = await hall.post("/api/halls/settle", DECISION, headers=hall.director)
    assert (answer.status, answer.json) == (200, {"accepted": True, "reasons": [], "reason_keys": []})
    (asked,) = hall.core.asked("settle")
    assert (asked["lead"], asked["hall"]) == (True, "main")
    hall.core.others["settle"] = TYPE
    wrong = {"lead": True, "hall": "west"}
    refused = await hall.post("/api/halls/settle?lang=de", wrong, headers=hall.director)
    assert refused.status == 409
    assert refused.json["accepted"] is False
    assert refused.json["reason_keys"] == [TYPE["error_key"]]
    assert refused.json["reasons"][0].startswith("Geben Sie zur Bestätigung den Namen des Saals ein")


@pytest.mark.parametrize(
    "body",
    [{}, {"lead": True}, {"lead": 1, "hall": "main"}, DECISION | {"hall": "x" * 41}, DECISION | {"hall": ""}],
)
async def test_what_is_malformed_decides_nothing(hall: Hall, body: Any) -> None:
    answer = await hall.post("/api/halls/settle", body, headers=hall.director)
    assert answer.status == 422
    assert answer.json["error"].endswith(".")
    assert hall.core.asked("settle") == []


async def test_each_action_goes_to_core(hall: Hall) -> None:
    for action, body in (
        ("mute", {"minutes": 5}),
        ("mute", None),
        ("release", {}),
        ("test", {"loudspeaker": "left"}),
    ):
        answer = await hall.post(f"/api/sound/{action}", body, headers=hall.director)
        assert (answer.status, answer.json) == (200, {"accepted": True, "reasons": [], "reason_keys": []})


@pytest.mark.parametrize(
    ("action", "body", "status"),
    [
        ("shout", None, 404),
        ("mute", {"minutes": 0}, 422),
        ("mute", {"hours": 1}, 422),
        ("test", {"loudspeaker": "ceiling"}, 422),
        ("mute", [5], 422),
    ],
)
async def test_what_is_refused(hall: Hall, action: str, body: Any, status: int) -> None:
    answer = await hall.post(f"/api/sound/{action}", body, headers=hall.director)
    assert answer.status == status
    assert answer.json["error"].endswith(".")


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'


async def test_a_logo_runs_nothing_even_when_it_is_opened_by_itself(hall: Hall, tmp_path: Path) -> None:
    assert (await hall.get("/event/logo")).status == 404
    (tmp_path / "event").mkdir()
    async with served(tmp_path / "event", logo=static_file(SVG, ".svg")) as event:
        answer = await event.get("/event/logo")
        again = await event.get("/event/logo", headers={"If-None-Match": answer.headers["ETag"]})
        page = await event.get("/")
    assert (answer.status, answer.body, again.status) == (200, SVG, 304)
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert answer.headers["Content-Security-Policy"].split("; ")[:1] == ["default-src 'none'"]
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Server"] == "pi-controller"
    assert page.headers["Content-Security-Policy"] == SECURITY_HEADERS["Content-Security-Policy"]
