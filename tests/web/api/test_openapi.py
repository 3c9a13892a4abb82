"""The description: complete, without loose ends, and true of real answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pi_controller.protocol.commands import BODIES, COUNTING
from pi_controller.web.http.routes import COMMAND_PATH
from tests.web.hall import Answer, Hall, served
from tests.web.json_schema import found, problems


async def test_it_is_complete_and_has_no_loose_ends(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        document = (await hall.get("/api/openapi.json")).json
        assert document["openapi"] == "3.1.0"
        assert {"title", "version"} <= document["info"].keys()
        described = {(method, path) for path, row in document["paths"].items() for method in row}
        expected = {
            (row.method.lower(), row.pattern) for row in hall.side.rows if row.path != COMMAND_PATH
        } | {("post", f"/api/commands/{name}") for name in BODIES}
        assert described == expected
        for reference in references(document):
            assert found(document, reference)
        for path, row in document["paths"].items():
            for operation in row.values():
                assert operation["summary"]
                assert operation["responses"]
                places = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "path"}
                assert all(f"{{{name}}}" in path for name in places)
                assert path.count("{") == len(places)
                for needed in operation["security"]:
                    assert needed.keys() <= document["components"]["securitySchemes"].keys()


async def test_real_answers_are_as_described(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        document = (await hall.get("/api/openapi.json")).json
        picture = document["components"]["schemas"]["picture"]
        assert problems(hall.core.picture | {"round": -1}, picture, document)
        for path in ("/api/state", "/api/games", "/api/session", "/api/openapi.json"):
            check(document, "get", path, await hall.get(path))
        for path in ("/api/login-link", "/api/logout"):
            check(document, "post", path, await hall.post(path, headers=hall.director))
            check(document, "post", path, await hall.post(path))
        for path in ("/api/tables", "/api/roster"):
            check(document, "get", path, await hall.get(path, headers=hall.director))
            check(document, "get", path, await hall.get(path))
        check(document, "post", "/api/roster", await hall.post("/api/roster", headers=hall.director))
        await check_action(document, hall)
        answer = await hall.post("/api/sim/tap")
        check(document, "post", "/api/sim/{action}", answer)
        await check_command(document, hall)


async def check_action(document: dict[str, Any], hall: Hall) -> None:
    for core_says, status in (
        ({"accepted": True, "reasons": []}, 200),
        ({"accepted": False, "reasons": ["No."]}, 409),
        ({"malformed": "no"}, 422),
        ({"error": "no"}, 503),
    ):
        hall.core.change_answer = core_says
        answer = await hall.post("/api/tables/swap", {"board": "A1"}, headers=hall.director)
        assert answer.status == status
        check(document, "post", "/api/tables/{action}", answer)


async def check_command(document: dict[str, Any], hall: Hall) -> None:
    for core_says, status in (
        ({"accepted": True, "seq": 9, "reasons": []}, 200),
        ({"accepted": False, "seq": 9, "reasons": ["No."]}, 409),
        ({"malformed": "no"}, 422),
        ({"error": "no"}, 503),
    ):
        hall.core.answer = core_says
        answer = await hall.post("/api/commands/pause", headers=hall.director)
        assert answer.status == status
        check(document, "post", "/api/commands/pause", answer)
    check(document, "post", "/api/commands/pause", await hall.post("/api/commands/pause"))


async def test_bodies_are_described(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        document = (await hall.get("/api/openapi.json")).json
        good = {
            "add_time": {"ms": -500},
            "set_schedule": [{"from_round": 1, "seconds": 35}],
            "set_claims": {"mode": "ask"},
            "verdict": {"claim": "c1", "sheet": {"settlements": 3, "cities": 2, "resources": {"grain": 1}}},
            "undo": {"replace": {"name": "add_time", "body": {"ms": 1}}},
        }
        for name, body in good.items():
            content = document["paths"][f"/api/commands/{name}"]["post"]["requestBody"]["content"]
            schema = content["application/json"]["schema"]
            assert not problems(body, schema, document)
            assert problems("nonsense", schema, document)


async def test_what_counts_is_described_for_each_command(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        document = (await hall.get("/api/openapi.json")).json
        for name, counting in COUNTING.items():
            headers = {
                each["name"]: each
                for each in document["paths"][f"/api/commands/{name}"]["post"]["parameters"]
            }
            assert headers.keys() == {"Idempotency-Key", "If-Seq", "If-Session"}
            assert headers["If-Seq"]["x-counting-fields"] == list(counting)


def check(document: dict[str, Any], method: str, path: str, answer: Answer) -> None:
    described = document["paths"][path][method]["responses"]
    assert str(answer.status) in described, (path, answer.status)
    schema = described[str(answer.status)]["content"]["application/json"]["schema"]
    assert not problems(answer.json, schema, document)


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)
