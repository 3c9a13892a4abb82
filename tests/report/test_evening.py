import pytest

from pi_controller.journal.export_files import GameSummary
from pi_controller.report.evening import one_evening


@pytest.mark.parametrize(
    ("armed_at", "is_one"),
    [
        ("2026-11-21T19:00:00Z", True),
        ("2026-11-22T01:00:00+00:00", True),
        ("2026-11-22T14:00:00Z", False),
        ("", False),
    ],
)
def test_games_of_one_evening_are_armed_within_12_hours(armed_at: str, *, is_one: bool) -> None:
    assert one_evening(GameSummary("g1", armed_at=armed_at), "2026-11-21T20:00:00Z") is is_one
