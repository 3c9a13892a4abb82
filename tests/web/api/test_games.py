"""Games that were played: list, download, reports, replays, sticks, and the page that checks them."""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest

from pi_controller.journal.record import Record, encode
from pi_controller.journal.witnesses import GameSummary, JournalExtent, about_path, lines_path
from pi_controller.web.api import games
from pi_controller.web.api.games import Worker
from pi_controller.web.api.links import qr_svg
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.connections import Served, keep_served
from pi_controller.web.http.routes import Refusal
from tests.paper.reading import pages
from tests.report.played import recorded
from tests.web.hall import Hall, served


def write_copy(
    hall: Hall, game_id: str, lines: list[bytes], *, told: int | None = None, armed_at: str = ""
) -> None:
    """As core's thread leaves it; `told`: how many bytes of it are told."""
    folder = hall.folder / "exports"
    folder.mkdir(exist_ok=True)
    content = b"".join(lines)
    lines_path(folder, game_id).write_bytes(content)
    size = len(content) if told is None else told
    about = JournalExtent(GameSummary(game_id, armed_at=armed_at, rounds=3), lines=len(lines), bytes=size)
    about_path(folder, game_id).write_bytes(msgspec.json.encode(about))


async def test_games_and_export(hall: Hall) -> None:
    lines = [b'{"seq":%d}\n' % number for number in range(5)]
    write_copy(hall, "g1", lines, told=len(b"".join(lines[:4])))
    (game,) = (await hall.get("/api/games")).json["games"]
    assert (game["game_id"], game["rounds"], game["ended"], game["problem"]) == ("g1", 3, False, None)
    answer = await hall.get("/api/games/g1/export")
    assert answer.status == 200
    assert answer.body == b"".join(lines[:4]), "what is still being written is not given out"
    assert 'filename="g1.jsonl"' in answer.headers["Content-Disposition"]
    for wrong in ("g2", "..", "a%2fb", "x" * 65, "a%00"):
        missing = await hall.get(f"/api/games/{wrong}/export")
        assert missing.status == 404
        assert missing.json["error"].endswith(".")


async def test_games_and_exports_ask_core_nothing(hall: Hall) -> None:
    write_copy(hall, "g1", [b"{}\n"])
    before = len(hall.core.requests)
    for path in ("/api/games", "/api/games/g1/export") * 20:
        assert (await hall.get(path)).status == 200
    assert len(hall.core.requests) == before
    await hall.core.stop()
    assert (await hall.get("/api/games/g1/export")).body == b"{}\n"


async def test_a_download_that_breaks_off_never_looks_whole(hall: Hall) -> None:
    write_copy(hall, "g1", [b"x" * 600_000 + b"\n"], told=700_000)
    async with hall.http.get(hall.url + "/api/games/g1/export") as answer:
        with pytest.raises(aiohttp.ClientPayloadError):
            await answer.read()
    assert (await hall.get("/")).status == 200


async def test_a_few_downloads_at_a_time(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "EXPORTS_AT_ONCE", 0)
    answer = await hall.get("/api/games/g1/export")
    assert (answer.status, answer.key) == (503, "web.downloads_busy")


def write_records(hall: Hall, game: str, records: list[Record], armed_at: str) -> None:
    write_copy(hall, game, [encode(record) for record in records], armed_at=armed_at)


TYPED = "Ann comes to the desk"
"""Stood on all screens."""


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    return recorded(tmp_path_factory.mktemp("recorded"))


async def test_a_report_is_for_anybody_and_names_are_for_the_staff(hall: Hall, records: list[Record]) -> None:
    write_records(hall, "g1", records, "2026-11-21T19:00:00Z")
    write_records(hall, "g2", records, "2026-11-21T22:00:00Z")
    write_records(hall, "g3", records, "2026-11-23T22:00:00Z")
    answer = await hall.get("/api/games/g1/report.json")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    assert "Ann" not in answer.body.decode()
    assert len(answer.json["games"]) == 0, "the copies have the same id within"
    refused = await hall.get("/api/games/g1/report.json?names=1")
    assert refused.status == 401
    assert hall.tokens.links.people.number_of("director", "Ann") == 1
    named = await hall.get("/api/games/g1/report.json?names=1", headers=hall.director)
    assert "web:Ann" in {one["source"] for one in named.json["commands"]}
    assert "Ann" not in (await hall.get("/api/games/g1/export")).body.decode().replace(TYPED, "")
    table = await hall.get("/api/games/g1/report.csv")
    assert table.headers["Content-Disposition"] == 'attachment; filename="g1.csv"'
    assert b"\r\n" in table.body
    german = await hall.get("/api/games/g1/report.csv?table=locale&lang=de")
    assert german.body.splitlines()[0].count(b";") == table.body.splitlines()[0].count(b",") > 0
    again = await hall.get("/api/games/g1/replay")
    lines = [json.loads(line) for line in again.body.decode().splitlines()]
    assert lines[-1]["picture"]["phase"] == "ended"
    assert (await hall.get("/api/games/g9/replay")).status == 404
    tables = (await hall.get("/api/games/g1/replay/tables")).json
    assert {one["side"] for one in tables["places"]} == {"sun", "moon"}
    assert all(one["shown"][0][0] == 0 for one in tables["places"])
    packed = await hall.get("/api/games/g1/replay/tables", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.json == tables
    assert (await hall.get("/api/games/g9/replay/tables")).status == 404
    printed = await hall.get("/api/games/g1/report.pdf?lang=de")
    assert printed.body.startswith(b"%PDF-")
    for wrong in ("g9/report.json", "g1/report.exe", "../report.json"):
        assert (await hall.get(f"/api/games/{wrong}")).status == 404
    assert hall.core.requests == [] or "games" not in json.dumps(hall.core.requests)


async def test_a_copy_that_is_no_journal_is_refused_with_a_sentence(hall: Hall) -> None:
    write_records(hall, "g1", [], "")
    assert (await hall.get("/api/games/g1/report.json")).status == 404
    lines_path(hall.folder / "exports", "g1").write_bytes(b"nonsense\n")
    about = JournalExtent(GameSummary("g1"), lines=1, bytes=9)
    about_path(hall.folder / "exports", "g1").write_bytes(msgspec.json.encode(about))
    answer = await hall.get("/api/games/g1/report.json")
    assert answer.status == 422
    assert answer.json["error"].endswith(".")


async def test_paper_to_go_on_by_hand_with_is_for_the_director_and_has_other_dice_each_time(
    hall: Hall, records: list[Record]
) -> None:
    before = await hall.get("/api/fallback/all.pdf", headers=hall.director)
    assert "From round 11 on" in pages(before.body)[0], "there is no game yet"
    assert (await hall.get("/api/fallback/all.pdf")).status == 401
    assert (await hall.get("/api/fallback/rules.pdf", headers=hall.director)).status == 404
    write_records(hall, "g1", records[:-1], "2026-11-20T19:00:00Z")
    write_records(hall, "g2", records, "2026-11-21T19:00:00Z")
    told = {}
    for part in ("all", "sheets"):
        answer = await hall.get(f"/api/fallback/{part}.pdf", headers=hall.director)
        assert answer.headers["Content-Type"] == "application/pdf"
        told[part] = " ".join(pages(answer.body))
    assert "the game is over" in told["all"]
    assert told["sheets"].count("Claim sheet") == 30
    lists = [await hall.get("/api/fallback/dice.pdf?lang=de", headers=hall.director) for _ in range(2)]
    one, other = (pages(answer.body) for answer in lists)
    assert "Das sind nicht die Würfel des Spiels" in one[0]
    assert one != other


async def test_no_sheet_has_seat_codes_that_no_phone_can_open(hall: Hall) -> None:
    here = PageAddress("127.0.0.1", 8080)
    keep_served(hall.folder / "web", Served(here, here, ""))
    answer = await hall.get("/api/seat-codes.pdf", headers=hall.director)
    assert answer.status == 422
    assert "Phones cannot open this controller's pages" in answer.json["error"]


async def test_it_runs_the_command_line_on_these_lines_in_this_language() -> None:
    worker = Worker()
    with pytest.raises(Refusal) as refusal:
        await worker.run(("report", "-"), b"nonsense\n", "de")
    assert refusal.value.status == 422
    assert "JSON" in str(refusal.value)


async def test_what_came_out_of_the_same_lines_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[bytes] = []

    async def made(_self: Worker, _arguments: tuple[str, ...], lines: bytes, _language: str) -> bytes:
        runs.append(lines)
        return lines.upper()

    monkeypatch.setattr(Worker, "_made", made)
    worker = Worker()
    for lines in (b"a", b"a", b"b"):
        assert await worker.run(("report", "-"), lines, "en") == lines.upper()
    assert runs == [b"a", b"b"]
    assert await worker.run(("report", "-", "--names"), b"a", "en") == b"A"
    assert runs == [b"a", b"b", b"a"]


async def test_when_many_wait_the_next_is_asked_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_controller.web.api.games.MOST_WAITING", 0)
    with pytest.raises(Refusal) as refusal:
        await Worker().run(("report", "-"), b"", "en")
    assert (refusal.value.status, refusal.value.headers) == (503, {"Retry-After": "5"})


async def test_who_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_controller.web.api.games.PATIENCE_S", 0.0)
    with pytest.raises(Refusal) as refusal:
        await Worker().run(("report", "-"), b"", "en")
    assert refusal.value.status == 503


STICK = {"place": "/media/pi/STICK", "name": "STICK", "free_kib": 5, "read_only": False}
VIEW = {
    "sticks": [STICK],
    "number": 1,
    "state": "working",
    "place": "/media/pi/STICK",
    "step": "reports",
    "done": 0,
    "of": 0,
    "folder": "",
    "files": [],
    "reason": "",
    "reason_key": None,
}


async def test_core_is_asked_in_the_language_of_the_page(hall: Hall) -> None:
    hall.core.others["stick"] = {"stick": VIEW}
    found = await hall.get("/api/stick?lang=de", headers=hall.director)
    assert (found.status, found.json) == (200, VIEW)
    body = {"place": "/media/pi/STICK", "seen": 0}
    begun = await hall.post("/api/stick?lang=pl", body, headers=hall.director)
    assert (begun.status, begun.json["state"]) == (200, "working")
    asked = [(one.get("lang"), one.get("save"), one["seen"]) for one in hall.core.asked("stick")]
    assert asked == [("de", None, 0), ("pl", "/media/pi/STICK", 0)]


@pytest.mark.parametrize("body", [{}, {"place": "/media/x"}, {"place": 5, "seen": 0}, [1]])
async def test_what_is_malformed_begins_nothing(hall: Hall, body: Any) -> None:
    answer = await hall.post("/api/stick", body, headers=hall.director)
    assert answer.status == 422
    assert answer.json["error"].endswith(".")
    assert hall.core.asked("stick") == []


PART = {
    "script": re.compile(rb'<script type="module">(.*?)</script>', re.DOTALL),
    "style": re.compile(rb"<style>(.*?)</style>", re.DOTALL),
}


async def test_its_script_and_style_are_allowed_by_hash(hall: Hall) -> None:
    answer = await hall.get("/verify.html")
    policy = answer.headers["Content-Security-Policy"]
    for kind, part in PART.items():
        (content,) = part.findall(answer.body)
        digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    for rule in (
        "default-src 'none'",
        "img-src data:",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ):
        assert rule in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_no_other_answer_allows_a_script_by_hash(hall: Hall) -> None:
    for row in hall.side.rows:
        if row.method == "GET" and row.kind != "socket" and row.path != "/verify.html":
            answer = await hall.get(re.sub(r"{[^}]+}", "x", row.path))
            assert "sha256-" not in answer.headers["Content-Security-Policy"], row.path


async def test_the_file_names_nothing_outside_of_itself(hall: Hall) -> None:
    body = (await hall.get("/verify.html")).body
    loaded = re.findall(rb'(?:src|href)="([^"]*)"|url\(["\']?([^)]*)', body)
    named = {one or other for one, other in loaded if not (one or other).startswith(b"data:")}
    assert named <= {b"/", b"/verify.html"}, "the ways to the hall screen and to itself"
    assert b"@import url" not in body


@pytest.mark.parametrize("two_addresses", [False, True])
async def test_a_game_that_has_ended_has_a_code_for_phones(tmp_path: Path, two_addresses: bool) -> None:
    """Of the address of the hall, also where the staff has another one."""
    seal, way = "c1f390ab" * 8, "/verify.svg?game=g-1"
    async with served(tmp_path, two_addresses=two_addresses) as hall:
        assert (await hall.get(way)).status == 404
        hall.core.picture |= {"phase": "ended", "running": False, "game_id": "g-1", "commitment": seal}
        hall.clock.pass_s(10)
        answer = await hall.get(way, headers={"Host": "hallbox.local"})
        assert answer.status == 200
        assert answer.headers["Content-Type"] == "image/svg+xml"
        port = hall.listening.getsockname()[1]
        expected = qr_svg(f"http://hallbox.local:{port}/verify.html?game=g-1#{seal[:24]}")
        assert answer.body == expected
