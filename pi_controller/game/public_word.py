"""The hall's public word: written in one way only, so that nobody can pick rolls by how it is written.

`docs/dice.md` states the rule for whoever writes another controller. Verifiers take the journalled text as it
stands, so that a later table of Unicode changes nothing.
"""

import unicodedata

from pi_controller.game.moves import Refused
from pi_controller.sentence import Sentence

LONGEST = 60
"""Characters of the word as it is written down: it stands beside the seal on every screen."""

SIGNS = "'-.,!?"
MARKS_OF_LENGTH = "\u30fc\u3005"
"""Long vowel and repetition in Japanese: the only modifier letters, for no word does without them."""

BLANK = "\u115f\u1160\u3164\uffa0\U00013441\U00013442"
"""Letters by their category, and yet nothing is seen of them."""

_LETTERS_AND_DIGITS = ("Lu", "Ll", "Lt", "Lo", "Nd")
_ONE_SIGN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u2010": "-", "\u2013": "-", "\u2212": "-", "\u0130": "i"}
)
"""What keyboards write for apostrophe and hyphen; and the Turkish capital i, whose dot the small one has."""


def written(text: str, version: int) -> str:
    """The word as games of this version of the dice take it and write it down.

    Raises `Refused` with what of the word cannot be taken. Version 1 takes any printable text as it is.
    """
    if version == 1:
        if not text.isprintable():
            raise Refused(Sentence("word.not_printable"))
        return text
    word = normalised(text)
    for sign in word:
        if not _allowed(sign):
            raise Refused(Sentence("word.sign_not_allowed", sign=_named(sign), signs=" ".join(SIGNS)))
    if not any(sign.isalnum() for sign in word):
        raise Refused(Sentence("word.without_letter"))
    if len(word) > LONGEST:
        raise Refused(Sentence("word.too_long", most=LONGEST, length=len(word)))
    return word


def normalised(text: str) -> str:
    """NFKC and casefold until nothing changes; one sign for all its forms; spaces collapsed and trimmed."""
    before = None
    while text != before:
        before = text
        text = unicodedata.normalize("NFKC", text.translate(_ONE_SIGN)).casefold()
        text = " ".join(unicodedata.normalize("NFKC", text).split())
    return text


def _allowed(sign: str) -> bool:
    if sign in BLANK:
        return False
    return sign in f" {SIGNS}{MARKS_OF_LENGTH}" or unicodedata.category(sign) in _LETTERS_AND_DIGITS


def _named(sign: str) -> str:
    return f"U+{ord(sign):04X} {unicodedata.name(sign, '')}".rstrip()
