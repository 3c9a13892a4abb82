"""Which games are of one evening. Pure."""

from datetime import datetime

from pi_controller.journal.export_files import GameSummary
from pi_controller.journal.seals import EVENING


def one_evening(game: GameSummary, armed_at: str) -> bool:
    """Whether it was armed within 12 hours of this moment (ISO 8601)."""
    if not game.armed_at or not armed_at:
        return False
    return abs(datetime.fromisoformat(game.armed_at) - datetime.fromisoformat(armed_at)) <= EVENING
