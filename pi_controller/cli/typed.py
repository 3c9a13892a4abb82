"""What somebody types at a console, compared with the words that it may be."""

import unicodedata

STROKES = str.maketrans({"ł": "l", "ø": "o", "đ": "d"})
"""Letters that Unicode does not take apart into a plain one and a mark."""


def plain(text: str) -> str:
    """Without capitals, marks above and below letters, and spaces around it: many keyboards, and consoles of
    another language, have no "ã" and no "í"."""
    apart = unicodedata.normalize("NFKD", text.strip().casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).translate(STROKES)
