"""What the journal's threads report to whoever owns the game."""

from dataclasses import dataclass
from typing import Literal

Part = Literal["journal", "files", "space", "second_copy", "heartbeat", "pairing", "exports"]


@dataclass(frozen=True, slots=True)
class Trouble:
    """One sentence for the director. `fatal`: for the time being nothing of the game reaches the disk.

    A fatal one, and each of `space`, `second_copy`, `heartbeat` and `exports`, is followed by one
    `on_mended(part)` as soon as that part works again; one of `pairing` lasts until the next start, the
    others are over when told.
    """

    sentence: str
    fatal: bool
    part: Part = "journal"


def why(error: OSError) -> str:
    """The system's own words for a failed operation."""
    return error.strerror or str(error)
