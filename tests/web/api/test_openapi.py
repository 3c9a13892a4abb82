"""What programs and people read of the interface: its description, true of real answers, its figures, its pages in
docs."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_controller.protocol.commands import BODIES, COUNTING, COUNTING_FIELDS
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.simulated import SimAction
from pi_controller.selftest.catalogue import CHECKS
from pi_controller.web.api import games, tables
from pi_controller.web.api.game import LONGEST_KEY
from pi_controller.web.api.openapi import exposition, game_figures, together
from pi_controller.web.http import limits, routes
from pi_controller.web.http.routes import COMMAND_PATH
from pi_controller.web.live import broadcaster
from tests.protocol.pictures import claim, typed
from tests.web.hall import Answer, Hall
from tests.web.json_schema import found, problems


async def test_it_is_complete_and_has_no_loose_ends(hall: Hall) -> None:
    document = (await hall.get("/api/openapi.json")).json
    assert document["openapi"] == "3.1.0"
    assert {"title", "version"} <= document["info"].keys()
    described = {(method, path) for path, row in document["paths"].items() for method in row}
    expected = {(row.method.lower(), row.pattern) for row in hall.side.rows if row.path != COMMAND_PATH} | {
        ("post", f"/api/commands/{name}") for name in BODIES
    }
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


async def test_real_answers_are_as_described(hall: Hall) -> None:
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


async def test_bodies_are_described(hall: Hall) -> None:
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


async def test_what_counts_is_described_for_each_command(hall: Hall) -> None:
    document = (await hall.get("/api/openapi.json")).json
    for name, counting in COUNTING.items():
        headers = {
            each["name"]: each for each in document["paths"][f"/api/commands/{name}"]["post"]["parameters"]
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


async def test_metrics_of_core_and_web(hall: Hall) -> None:
    async with hall.socket("/api/feed") as feed:
        await feed.receive_json()
        answer = await hall.get("/metrics")
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        lines = answer.body.decode().splitlines()
        assert "pi_controller_loop_lag_ms 0.5" in lines
        assert 'pi_controller_bus_errors{segment="1"} 2.0' in lines
        assert 'pi_controller_web_clients{feed="picture"} 1' in lines
        assert 'pi_controller_web_clients_cut_total{feed="panel"} 0' in lines
        assert "pi_controller_game_round 3" in lines
        assert [line for line in lines if line.startswith("pi_controller_resident_memory_bytes{")] != []
        await hall.core.stop()
        assert (await hall.get("/metrics")).status == 503


def test_a_wrong_metric_name_is_our_mistake() -> None:
    for figures in ({"a b": 1}, {"a": {"b c": 1}}):
        with pytest.raises(ValueError, match="is not a metric name"):
            list(exposition(figures))
    assert list(exposition({"pi_controller_x": {"": 1234567.0}})) == ["pi_controller_x 1234567.0\n"]


def test_a_histogram_in_prometheus_words() -> None:
    family = {'le="0.01"': 2, 'le="+Inf"': 3, "count": 3, "sum": 0.5}
    assert list(exposition({"press_seconds": family})) == [
        "# TYPE pi_controller_press_seconds histogram\n",
        'pi_controller_press_seconds_bucket{le="0.01"} 2\n',
        'pi_controller_press_seconds_bucket{le="+Inf"} 3\n',
        "pi_controller_press_seconds_count 3\n",
        "pi_controller_press_seconds_sum 0.5\n",
    ]


def test_the_game_in_figures() -> None:
    ill = {"level": "warning", "key": "health.late", "params": {"ms": 120}, "text": "Late."}
    shown = typed(
        paused=True,
        running=False,
        pause_reasons=["claim", "button"],
        claims=[claim(), claim(id="c2"), claim(id="c3", status="rejected")],
        saved_seq=5,
        health={"level": "warning", "messages": ["Late."], "items": [ill]},
    )
    lines = "".join(exposition(game_figures(shown))).replace("pi_controller_", "").splitlines()
    assert {line for line in lines if line.endswith(" 1")} == {
        'game_phase{phase="round"} 1',
        'game_side{side="sun"} 1',
        "game_paused 1",
        'game_pause_reason{reason="button"} 1',
        'game_pause_reason{reason="claim"} 1',
        'game_claims{status="rejected"} 1',
        'health{level="warning"} 1',
        'trouble{key="health.late",level="warning"} 1',
    }
    assert {line for line in lines if not line.endswith((" 0", " 1"))} == {
        "game_round 3",
        "game_duration_seconds 35.0",
        "game_remaining_seconds 23.456",
        'game_claims{status="open"} 2',
        "game_unsaved_changes 2",
    }
    nothing = {"game_running 0", 'game_phase{phase="robber"} 0', 'game_side{side="moon"} 0'}
    assert nothing | {'health{level="fault"} 0'} <= set(lines)


def test_a_family_of_two_parts_stands_in_one_piece() -> None:
    core, web = {"memory": {'process="core"': 2.0}, "lag": 1.0}, {"memory": {'process="web"': 3.0}}
    assert list(exposition(together(core, web))) == [
        'pi_controller_memory{process="core"} 2.0\n',
        'pi_controller_memory{process="web"} 3.0\n',
        "pi_controller_lag 1.0\n",
    ]


def test_how_the_halls_stand_to_each_other() -> None:
    halls = [
        {"hall": "east", "online": True, "software": "1", "boards": 14},
        {"hall": "west", "online": False, "software": "1", "boards": 0},
    ]
    link = {"role": "leader", "hall": "main", "state": "leading", "leader": "main", "term": 3}
    unknown = {"error_ms": None, "heard_ms": None, "stopped": False}
    shown = typed(link=link | unknown | {"halls": halls})
    lines = [
        line
        for line in "".join(exposition(game_figures(shown))).splitlines()
        if "_link_" in line or "_hall_" in line
    ]
    assert [line.removeprefix("pi_controller_") for line in lines] == [
        'link_state{state="no_broker"} 0',
        'link_state{state="leading"} 1',
        'link_state{state="refused"} 0',
        'link_state{state="divided"} 0',
        'link_state{state="looking"} 0',
        'link_state{state="following"} 0',
        'link_state{state="lost"} 0',
        "link_term 3",
        'hall_online{hall="east"} 1',
        'hall_online{hall="west"} 0',
        'hall_boards{hall="east"} 14',
        'hall_boards{hall="west"} 0',
    ]
    assert [name for name in game_figures(typed()) if "link" in name or "hall" in name] == [], (
        "a hall of its own"
    )


PAGE = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def names_in_table(text: str) -> set[str]:
    """The code words in the first column."""
    rows = re.findall(r"^\| (`[^|]*`) \|", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_every_field_of_the_picture_and_every_command() -> None:
    assert names_in_table(section("The room picture")) == set(Picture.__struct_fields__)
    assert names_in_table(section("Commands")) == set(BODIES)


def test_what_counts_for_each_command() -> None:
    """The same in the page and in the program, with one entry for each command."""
    told = {}
    for names, counts in re.findall(r"^\| (`[^|]*`) \|.*\| ([^|]*) \|$", section("Commands"), re.MULTILINE):
        for name, fields in zip(re.findall(r"`(\w+)`", names), [*counts.split(" / ")] * 2, strict=False):
            told[name] = tuple(re.findall(r"`(\w+)`", fields))
    assert told == COUNTING
    assert COUNTING.keys() == BODIES.keys()
    assert {*COUNTING_FIELDS} - {"actions"} < {*Picture.__struct_fields__}


def test_every_action_of_the_virtual_hall() -> None:
    for action in SimAction.__args__:
        assert f"`{action}`" in section("Virtual hall")


def test_limits() -> None:
    feed = section("The feed")
    for number in (broadcaster.MOST_STRANGERS, broadcaster.MOST_KEYED, broadcaster.MOST_PER_ADDRESS):
        assert f" {number} " in feed
    assert f"for {broadcaster.STALLED_LIMIT_S:g} s" in feed
    assert f"more than {broadcaster.FRAMES} frames at once or {broadcaster.FRAMES_A_S} a second" in feed
    assert f"more than {limits.INPUT_BYTES} bytes at once or {limits.INPUT_BYTES_A_S} a second" in feed
    assert f"1 to {LONGEST_KEY} printable" in section("Commands")
    assert (limits.WRONG_PER_ADDRESS, limits.WRONG_OVERALL, games.EXPORTS_AT_ONCE) == (10, 60, 4)
    assert "Ten wrong tokens an hour from one address, or sixty" in PAGE


async def test_every_address_of_the_interface(hall: Hall) -> None:
    for row in hall.side.rows:
        if row.kind != "page" and row.path != routes.COMMAND_PATH:
            assert row.pattern in PAGE, row.pattern


TECHNICIANS_PAGE = (Path(__file__).parents[3] / "docs" / "technician.md").read_text(encoding="utf-8")


def test_every_check_stands_in_the_table_once() -> None:
    page = (Path(__file__).parents[3] / "docs" / "selftest.md").read_text(encoding="utf-8")
    table = page.split("## The checks\n")[1].split("\n## ")[0]
    assert sorted(re.findall(r"^\| ([A-Z]{3}) \|", table, re.MULTILINE)) == sorted(CHECKS)


def test_its_own_headings_are_where_it_points() -> None:
    headings = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", TECHNICIANS_PAGE, re.MULTILINE)
    }
    assert set(re.findall(r"\](#([^)]+))", TECHNICIANS_PAGE)) <= headings


def test_the_limit_of_the_technicians_page() -> None:
    assert f"uses for {tables.IDLE_LIMIT_S / 60:.0f} minutes" in TECHNICIANS_PAGE
