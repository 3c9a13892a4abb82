import io
import json
import sys
from pathlib import Path

import pytest

from pi_controller.cli.main import main
from pi_controller.journal.record import encode
from pi_controller.web.http.access import People
from tests.cli.conftest import Run
from tests.core.disk import GAME_ID
from tests.report.played import recorded


def test_a_report_as_json_as_table_and_on_paper(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    records = recorded(state)
    assert main(["report", GAME_ID]) == 0
    told = capsysbinary.readouterr().out
    assert json.loads(told)["rounds"] == 2
    assert json.loads(told)["names"] is False
    for name, begins in (("r.csv", b"\xef\xbb\xbfat_ms,"), ("r.pdf", b"%PDF-"), ("r.json", told)):
        assert main(["report", GAME_ID, "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_bytes().startswith(begins)
    lines = b"".join(encode(record) for record in records)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert main(["report", "-", "--format", "json"]) == 0
    assert capsysbinary.readouterr().out == told


def test_a_game_that_is_not_there(state: Path, run: Run) -> None:
    assert "There is no game" in run("report", "nobody", status=2).err


def test_names_stand_beside_the_games_and_only_who_asks_gets_them(
    state: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    recorded(state)
    (state / "web").mkdir()
    assert People(state / "web", lambda: 0.0).number_of("director", "Ann") == 1
    told = {}
    for options in ([], ["--names"]):
        assert main(["report", GAME_ID, *options]) == 0
        commands = json.loads(capsysbinary.readouterr().out)["commands"]
        told[len(options)] = {one["source"] for one in commands if one["name"] == "claim"}
    assert told == {0: {"web"}, 1: {"web:Ann"}}
