"""What a start had to do without.

A fault tells of it on every page; it begins with a short code, for the local display. The codes stand in
docs/technician.md.
"""

from dataclasses import dataclass
from typing import Literal

from pi_controller.core.runtime.health import Health
from pi_controller.sentence import Sentence

CODES = {"game": "E1", "settings": "E2", "panel": "E3", "system": "E4"}


@dataclass(frozen=True, slots=True)
class Shortfall:
    """`sentence` says what is missing and what to do."""

    of: Literal["game", "settings", "panel", "system"]
    sentence: Sentence

    def told(self) -> Sentence:
        return Sentence("start.shortfall", code=CODES[self.of], missing=self.sentence)


def tell(health: Health, shortfalls: list[Shortfall]) -> None:
    """These stand until the next start."""
    for number, shortfall in enumerate(shortfalls):
        health.report(f"start {number}", "fault", shortfall.told())
