"""Games over the control socket: one reader at a time, no seed that the picture withholds."""

import json
from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.server.requests import LINES_AT_ONCE, MOST_WAITING, Archive, ArchiveRequests
from pi_controller.core.wiring.game import make_archive
from pi_controller.journal.store import Store
from pi_controller.protocol.messages import AskExportLines, AskGames
from pi_controller.protocol.server import Later
from tests.core.hand_threads import HandThreads
from tests.journal.chains import GAME, SEED, Reports, open_game, start_writer
from tests.journal.test_exports import Files


class Asker:
    """A client that keeps what it is told."""

    def __init__(self) -> None:
        self.under_way: set[Later] = set()
        self.told: list[dict[str, Any]] = []

    def begin(self, request: Any) -> Later:
        return Later(self, request)  # type: ignore[arg-type]

    def send(self, line: bytes) -> None:
        self.told.append(json.loads(line))


class Desk:
    """What is read on a thread is read when the test says so."""

    def __init__(self) -> None:
        self.reads: list[str] = []
        self.lines: Exception | None = None
        self.threads = HandThreads(at_once=False)
        archive = Archive(games=list, lines=self._lines, errors=(LookupError,))
        self.asks = ArchiveRequests(archive, self.threads)

    def _lines(self, game: str) -> list[str]:
        assert not self.threads.waiting, "one reads at a time"
        if self.lines is not None:
            raise self.lines
        self.reads.append(game)
        return [str(number) for number in range(1000)]


def test_a_whole_export_reads_its_game_once() -> None:
    desk, asker = Desk(), Asker()
    for number in range(5):
        desk.asks.answer(asker, AskExportLines(game="g", first=number * LINES_AT_ONCE))  # type: ignore[arg-type]
        desk.threads.work()
    assert [line for part in asker.told for line in part["lines"]] == [str(number) for number in range(1000)]
    assert [part["more"] for part in asker.told] == [True] * 4 + [False]
    assert desk.reads == ["g"]


def test_many_are_read_one_after_the_other_and_too_many_are_told_so() -> None:
    desk, asker = Desk(), Asker()
    for _ in range(MOST_WAITING + 3):
        desk.asks.answer(asker, AskExportLines(game="g"))  # type: ignore[arg-type]
    assert [told["error"][:16] for told in asker.told] == ["Several programs"] * 3
    desk.threads.work()
    assert (asker.under_way, len(asker.told)) == (set(), MOST_WAITING + 3)
    desk.asks.answer(asker, AskGames())  # type: ignore[arg-type]
    desk.threads.work()
    assert asker.told[-1]["games"] == []


def test_a_reading_that_breaks_off_with_a_defect_is_answered_and_the_next_one_is_read() -> None:
    desk, asker = Desk(), Asker()
    desk.asks.answer(asker, AskExportLines(game="g", first=-1))  # type: ignore[arg-type]
    desk.lines = RuntimeError("a defect")
    with pytest.raises(RuntimeError, match="a defect"):
        desk.threads.work()
    desk.lines = None
    assert asker.told[-1]["error"].endswith("a mistake of the controller: its log says more.")
    desk.asks.answer(asker, AskGames())  # type: ignore[arg-type]
    desk.threads.work()
    assert asker.told[-1]["games"] == []
    assert asker.under_way == set()


def test_the_seed_of_an_end_that_is_not_synced_is_not_given_out(tmp_path: Path) -> None:
    files, reports = Files(), Reports()
    writer = start_writer(Store(tmp_path, files=files), reports)
    archive = make_archive(tmp_path, None, writer)
    open_game(writer)
    reports.wait_saved(0)
    files.no_sync = True
    lines: list[Any] = [("ended", {"winners": []}), ("seed", {"seed": SEED.hex()})]
    writer.append_all(lines, game_ns=5, boot_ns=5, tag=1)
    reports.wait_trouble("kept in memory")
    assert len(archive.lines(GAME)) == 1
    files.no_sync = False
    reports.wait_saved(1)
    assert SEED.hex() in archive.lines(GAME)[2]
    writer.close()
