"""One recorded game for all tests of reports."""

import pytest

from pi_controller.protocol.game_report import GameReport
from pi_controller.replay.changes import ReplayedChange, changes_of
from pi_controller.report.figures import report_of
from tests.report.played import recorded


@pytest.fixture(scope="session")
def changes(tmp_path_factory: pytest.TempPathFactory) -> list[ReplayedChange]:
    return changes_of(recorded(tmp_path_factory.mktemp("reported")))


@pytest.fixture(scope="session")
def report(changes: list[ReplayedChange]) -> GameReport:
    return report_of(changes)
