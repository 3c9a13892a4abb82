"""Reports of games over HTTP, made of core's copies."""

import json
from pathlib import Path

import msgspec
import pytest

from pi_controller.journal.record import Record, encode
from pi_controller.journal.witnesses import GameSummary, JournalExtent, about_path, lines_path
from tests.paper.reading import pages
from tests.patience import DEADLINE_S
from tests.report.played import recorded
from tests.web.hall import Hall, served


def write_copy(hall: Hall, game: str, records: list[Record], armed_at: str) -> None:
    folder = hall.folder / "exports"
    folder.mkdir(exist_ok=True)
    lines = b"".join(encode(record) for record in records)
    lines_path(folder, game).write_bytes(lines)
    about = JournalExtent(GameSummary(game, armed_at=armed_at), lines=len(records), bytes=len(lines))
    about_path(folder, game).write_bytes(msgspec.json.encode(about))


@pytest.fixture(autouse=True)
def _as_long_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report is made by a process of its own, which a busy machine starts slowly."""
    monkeypatch.setattr("pi_controller.web.api.games.PATIENCE_S", DEADLINE_S)


TYPED = "Ann comes to the desk"
"""Stood on all screens."""


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    return recorded(tmp_path_factory.mktemp("recorded"))


async def test_a_report_is_for_anybody_and_names_are_for_the_staff(
    tmp_path: Path, records: list[Record]
) -> None:
    async with served(tmp_path) as hall:
        write_copy(hall, "g1", records, "2026-11-21T19:00:00Z")
        write_copy(hall, "g2", records, "2026-11-21T22:00:00Z")
        write_copy(hall, "g3", records, "2026-11-23T22:00:00Z")
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


async def test_a_copy_that_is_no_journal_is_refused_with_a_sentence(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        write_copy(hall, "g1", [], "")
        assert (await hall.get("/api/games/g1/report.json")).status == 404
        lines_path(hall.folder / "exports", "g1").write_bytes(b"nonsense\n")
        about = JournalExtent(GameSummary("g1"), lines=1, bytes=9)
        about_path(hall.folder / "exports", "g1").write_bytes(msgspec.json.encode(about))
        answer = await hall.get("/api/games/g1/report.json")
        assert answer.status == 422
        assert answer.json["error"].endswith(".")


async def test_paper_to_go_on_by_hand_with_is_for_the_director_and_has_other_dice_each_time(
    tmp_path: Path, records: list[Record]
) -> None:
    async with served(tmp_path) as hall:
        before = await hall.get("/api/fallback/all.pdf", headers=hall.director)
        assert "From round 11 on" in pages(before.body)[0], "there is no game yet"
        assert (await hall.get("/api/fallback/all.pdf")).status == 401
        assert (await hall.get("/api/fallback/rules.pdf", headers=hall.director)).status == 404
        write_copy(hall, "g1", records[:-1], "2026-11-20T19:00:00Z")
        write_copy(hall, "g2", records, "2026-11-21T19:00:00Z")
        told = {}
        for part in ("all", "state", "sheets"):
            answer = await hall.get(f"/api/fallback/{part}.pdf", headers=hall.director)
            assert answer.headers["Content-Type"] == "application/pdf"
            told[part] = " ".join(pages(answer.body))
        assert "the game is over" in told["all"]
        assert "these are not the dice of the game" in told["all"]
        assert "Dice" not in told["state"]
        assert told["sheets"].count("Claim sheet") == 30
        lists = [await hall.get("/api/fallback/dice.pdf?lang=de", headers=hall.director) for _ in range(2)]
        one, other = (pages(answer.body) for answer in lists)
        assert "Das sind nicht die Würfel des Spiels" in one[0]
        assert one != other
