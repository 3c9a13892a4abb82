"""Probes of the computer: journal, disk, facts, sound, ports, reports."""

from pathlib import Path

import pytest

from pi_controller.core.hardware_test.parts import NO_SOUND
from pi_controller.core.hardware_test.storage import LARGEST
from pi_controller.hal.roles import HardwareMissing
from pi_controller.language.words import words
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import decode_request
from pi_controller.protocol.probes import (
    LONGEST_PIECE,
    DiskProbe,
    FactsProbe,
    FittedProbe,
    JournalChecked,
    JournalProbe,
    KeepReportProbe,
    Ports,
    PortsProbe,
    PortView,
    ReportEntry,
    ReportKept,
    ReportProbe,
    ReportsProbe,
    Sounded,
    SoundProbe,
)
from pi_controller.protocol.sentences import view
from pi_controller.sentence import as_told
from tests.core.hand import MS, S
from tests.core.hand_threads import HandThreads
from tests.core.hardware_test.hand_testing import CHECKED, FITTED, HandClient, ProbeBench

DAMAGED = as_told("Damaged: change the card.")


def test_the_journal_is_written_saved_and_read_back(tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []
    bench = ProbeBench(tmp_path, check_line=lambda game, token: asked.append((game, token))).begin()
    bench.hall.log.prompt = False
    assert bench.probe(JournalProbe()) is None
    bench.hall.move(7 * MS)
    assert asked == [], "not before it is on the disk"
    bench.hall.save()
    assert bench.later(JournalProbe()) == JournalChecked(written_ms=7.0, verified=True)
    (_, kind, data) = bench.hall.log.lines[-1]
    assert (kind, data["test"]) == ("note", "journal")
    assert asked == [("g1", data["token"])]


def test_a_journal_that_comes_back_damaged_says_so(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path, check_line=lambda _game, _token: DAMAGED).begin()
    assert bench.probe(JournalProbe()) == JournalChecked(
        written_ms=0.0, verified=False, sentence=words(DAMAGED), sentence_key=view(DAMAGED)
    )


def test_a_journal_that_does_not_get_to_the_disk_is_not_read(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.hall.log.prompt = False
    bench.probe(JournalProbe())
    bench.hall.move(3 * S)
    found = bench.later(JournalProbe())
    assert (found.written_ms, found.verified) == (None, False)
    assert found.sentence.startswith("The disk has not taken the journal's lines")


def test_disk_sound_facts_ports_and_what_is_fitted(tmp_path: Path) -> None:
    port = PortView(
        segment="A", port="/dev/a", present=True, driver="ftdi_sio", latency_timer_ms=1, holder=None
    )
    bench = ProbeBench(tmp_path, ports=lambda: [port]).begin()
    assert bench.probe(DiskProbe()) == CHECKED
    assert bench.probe(SoundProbe(ms=500)) == Sounded(played=True)
    assert bench.sound.played == [500]
    assert bench.probe(FactsProbe()).model == "simulated computer"
    assert bench.probe(PortsProbe()) == Ports(ports=[port])
    assert bench.probe(FittedProbe()) == FITTED


def test_sound_that_fails_or_is_not_fitted(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.sound.dead = True
    found = bench.probe(SoundProbe(ms=500))
    assert not found.played
    assert "does not play" in found.sentence
    assert ProbeBench(tmp_path / "b", sound=None).begin().probe(SoundProbe(ms=500)) == words(NO_SOUND)


def test_what_disturbs_no_game_is_answered_while_one_runs(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path)
    bench.hall.play()
    bench.lease = ""
    assert bench.probe(FittedProbe()) == FITTED
    assert bench.probe(FactsProbe()).model == "simulated computer"
    assert bench.probe(PortsProbe()) == Ports(ports=[])
    assert bench.probe(ReportsProbe()).reports == []
    assert bench.probe(KeepReportProbe(level="boot", text="{}")).name.endswith("-boot.json")


def test_two_who_ask_at_once_are_answered_one_after_the_other(tmp_path: Path) -> None:
    threads = HandThreads(at_once=False)
    bench = ProbeBench(tmp_path, threads=threads)
    assert [bench.probe(ReportsProbe()) for _ in range(2)] == [None, None]
    assert len(threads.waiting) == 1
    for _ in range(2):
        threads.waiting.pop(0)()
        assert bench.later(ReportsProbe()).reports == []
    assert len(bench.client.lines) == 2


def test_a_disk_that_hangs_is_named_and_not_asked_twice(tmp_path: Path) -> None:
    threads = HandThreads(at_once=False)
    bench = ProbeBench(tmp_path, threads=threads).begin()
    assert bench.probe(DiskProbe()) is None
    bench.hall.move(10 * S)
    assert bench.probe(DiskProbe()) is None, "it waits for the first"
    late = "The test of the disk gave no answer within 30 s: what it asks hangs."
    bench.hall.move(20 * S)
    assert bench.later(DiskProbe()) == late
    assert bench.probe(DiskProbe()) == "The previous test of the disk is still running: wait for its end."
    bench.hall.move(10 * S)
    assert bench.later(DiskProbe()) == late
    told = len(bench.client.lines)
    threads.waiting.pop(0)()
    assert len(bench.client.lines) == told, "nobody waits for it any more"
    assert len(threads.waiting) == 0, "nor for the one behind it"
    bench.probe(DiskProbe())
    threads.waiting.pop(0)()
    assert bench.later(DiskProbe()) == CHECKED


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            OSError(28, "No space left on device"),
            "The test of the disk failed (No space left on device): check the memory card and its space.",
        ),
        (
            HardwareMissing(as_told("The state folder is gone: mount it.")),
            "The state folder is gone: mount it.",
        ),
    ],
)
def test_what_fails_on_its_thread_is_a_sentence(tmp_path: Path, error: Exception, sentence: str) -> None:
    def fail(_writes: int, _size: int) -> None:
        raise error

    bench = ProbeBench(tmp_path, check_disk=fail).begin()
    assert bench.probe(DiskProbe()) == sentence


def test_a_report_comes_in_pieces_and_is_given_back(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path)
    text = '{"verdict": "' + "x" * LONGEST_PIECE + '"}'
    assert bench.probe(KeepReportProbe(level="field", text=text[:LONGEST_PIECE], more=True)) == ReportKept(
        name=None
    )
    name = bench.probe(KeepReportProbe(level="field", text=text[LONGEST_PIECE:])).name
    assert name == "20261121-190000-field.json"
    assert bench.probe(ReportsProbe()).reports == [ReportEntry(name=name, level="field", bytes=len(text))]
    assert bench.probe(ReportProbe(name=name)).report == {"verdict": "x" * LONGEST_PIECE}


def test_a_piece_of_somebody_who_hung_up_is_forgotten(tmp_path: Path) -> None:
    bench, other = ProbeBench(tmp_path), HandClient()
    bench.probe(KeepReportProbe(level="field", text='{"a": ', more=True))
    bench.probe(KeepReportProbe(level="field", text='{"b": ', more=True), other)
    bench.client.hang_up()
    assert bench.probe(KeepReportProbe(level="field", text="1}")).startswith("The report is not JSON")
    assert bench.probe(KeepReportProbe(level="field", text="1}"), other).name


def test_a_report_without_end_is_refused(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path)
    piece = KeepReportProbe(level="field", text="x" * LONGEST_PIECE, more=True)
    answers = [bench.probe(piece) for _ in range(LARGEST // LONGEST_PIECE + 1)]
    assert answers[-1] == f"A report has at most {LARGEST} bytes: nothing was kept."
    assert bench.probe(KeepReportProbe(level="field", text="{}")).name, "and begins anew"


def test_an_unknown_report_is_a_sentence(tmp_path: Path) -> None:
    found = ProbeBench(tmp_path).probe(ReportProbe(name="../secret"))
    assert found == "There is no report '../secret': ask for the names of those that are kept."


def test_a_malformed_probe_is_no_probe() -> None:
    line = b'{"ask":"probe","id":1,"version":1,"probe":{"do":"disk","writes":0}}'
    with pytest.raises(Malformed, match=r"Probe disk: `writes` must be a whole number from 1 to 256"):
        decode_request(line)
