"""`make hardware` without KiCad: a judge that finds nothing, or that cannot run, is told."""

from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tools import hardware, kicad, netlist
from tools.kicad_files import HARDWARE


@pytest.fixture
def quiet_kicad(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, ...]]:
    """A KiCad that finds no fault in anything; what it was asked."""
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(kicad, "run", lambda *words, status=(0,): asked.append(words) or 0)
    monkeypatch.setattr(kicad, "WORK", tmp_path)
    return asked


def test_a_check_that_finds_nothing_planted_is_told(quiet_kicad: list[tuple[str, ...]]) -> None:
    with pytest.raises(kicad.CheckError) as error:
        hardware.planted_in_boards()
    assert str(error.value) == (
        'planted error not found: a track was moved; this check does not say "tracks_crossing".'
    )


def test_an_error_that_only_the_list_of_nets_finds_is_told(quiet_kicad: list[tuple[str, ...]]) -> None:
    with pytest.raises(kicad.CheckError) as error:
        hardware.planted_in_sheets(netlist.load(HARDWARE / "netlist.toml").boards)
    assert str(error.value) == (
        "planted error not found: node: TX and RX are crossed (KiCad); this check does not say "
        '"[pin_to_pin]".'
    )


def test_an_error_that_is_found_for_another_reason_is_told() -> None:
    with pytest.raises(kicad.CheckError, match=r'^planted error not found: .*; it says "no such file"\.$'):
        hardware._found("a fuse is missing", "F1", "no such file")


def test_no_rule_is_left_out(quiet_kicad: list[tuple[str, ...]]) -> None:
    copy = kicad.Copy("checked")
    copy.electrical("panel")
    copy.board_rules("node")
    asked = [" ".join(words) for words in quiet_kicad if "--exit-code-violations" in words]
    assert asked == [
        (
            "kicad-cli sch erc --severity-all --exit-code-violations -o /drawings/checked/panel/panel.report "
            "/drawings/checked/panel/panel.kicad_sch"
        ),
        (
            "kicad-cli pcb drc --schematic-parity --severity-all --exit-code-violations "
            "-o /drawings/checked/node/node.report /drawings/checked/node/node.kicad_pcb"
        ),
    ]


def test_a_violation_is_told_with_kicads_report(
    quiet_kicad: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = kicad.Copy("checked")
    copy.file("node", "report").write_text("pin not connected")
    monkeypatch.setattr(kicad, "run", lambda *words, status=(0,): kicad.VIOLATIONS)
    with pytest.raises(kicad.CheckError, match=r"^pin not connected$"):
        copy.electrical("node")


def test_a_program_that_fails_is_told_with_its_last_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "tools").mkdir()
    script = tmp_path / "tools" / "kicad.sh"
    script.write_text("#!/bin/sh\necho no such file >&2\nexit 3\n")
    script.chmod(0o755)
    monkeypatch.setattr(kicad, "ROOT", tmp_path)
    with pytest.raises(kicad.CheckError) as error:
        kicad.run("kicad-cli", "sch", "erc")
    assert str(error.value) == "kicad-cli sch erc ended with 3:\nno such file"
    assert kicad.run("kicad-cli", status=(0, 3)) == 3


def test_each_error_planted_in_a_board_changes_it() -> None:
    sheet = (ROOT / "hardware" / "node" / "node.kicad_sch").read_text()
    assert hardware._other_value(sheet) != sheet
    board = (ROOT / "hardware" / "node" / "node.kicad_pcb").read_text()
    moved = hardware._moved_track(board)
    assert moved != board
    assert moved.count("(segment") == board.count("(segment")


def test_a_fault_ends_with_its_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise kicad.CheckError("the board breaks a rule")

    monkeypatch.setattr(hardware, "check", refuse)
    monkeypatch.setattr("sys.argv", ["hardware", "check"])
    assert hardware.main() == 1
    assert capsys.readouterr().err == "the board breaks a rule\n"
