"""A language for who lays out a page, and for tests: English that shows what has no room, and what stays
English because no catalogue says it."""

import re
from typing import Final

_ACCENTED: Final = str.maketrans(
    "aAbBcCdDeEgGhHiIjJkKlLnNoOpPrRsStTuUwWyYzZ",
    "áÁƀƁçÇðÐéÉğĞĥĤîÎĵĴķĶłŁñÑöÖþÞŕŔşŞţŢûÛŵŴýÝžŽ",
)
_STRETCH: Final = 0.4
"""Translations of short texts are about as much longer, or more (W3C, "Text size in translation")."""


def stretched(text: str) -> str:
    """The text accented, 40 % longer and in brackets; its parameters, in braces, as they are."""
    parts = re.split(r"(\{[^{}]*\})", text)
    accented = "".join(part if part.startswith("{") else part.translate(_ACCENTED) for part in parts)
    letters = sum(len(part) for part in parts if not part.startswith("{"))
    return f"[{accented}{_filling(round(letters * _STRETCH))}]"


def _filling(length: int) -> str:
    """So many letters, with a space after every fifth, so that lines can break."""
    return "".join(" " if place % 6 == 0 else "~" for place in range(length))
