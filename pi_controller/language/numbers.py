"""How each language marks the places of a number, in place of Python's point and comma.

The decimal marks are those of Unicode's CLDR (a test compares them). Thousands, which only few texts mark,
are kept apart by a narrow space that does not break, as ISO 80000-1 has it, and not by CLDR's point or space;
English keeps its comma.
"""

from collections.abc import Mapping
from typing import Final

from pi_controller.language.languages import ENGLISH, LANGUAGES, PSEUDO

NARROW_SPACE: Final = "\u202f"
_ENGLISH_MARKS: Final[Mapping[int, str]] = {}
_OTHER_MARKS: Final[Mapping[int, str]] = str.maketrans({".": ",", ",": NARROW_SPACE})

MARKS: Final[Mapping[str, Mapping[int, str]]] = {
    ENGLISH: _ENGLISH_MARKS,
    PSEUDO: _ENGLISH_MARKS,
    **{language: _OTHER_MARKS for language in LANGUAGES if language != ENGLISH},
}
"""For `str.translate` of a number that Python has written."""
