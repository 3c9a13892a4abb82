"""What somebody types at a console, compared with what it may be."""

import unicodedata

from pi_controller.cli.usage import no_argument
from pi_controller.roster.model import is_node_id
from pi_controller.sentence import Sentence

STROKES = str.maketrans({"ł": "l", "ø": "o", "đ": "d"})
"""Letters that Unicode does not take apart into a plain one and a mark."""


def plain(text: str) -> str:
    """Without capitals, marks above and below letters, and spaces around it: many keyboards, and consoles of
    another language, have no "ã" and no "í"."""
    apart = unicodedata.normalize("NFKD", text.strip().casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).translate(STROKES)


def unique_id(text: str) -> str:
    """Of a node, as an argument; argparse quotes the complaint."""
    if not is_node_id(text):
        raise no_argument(Sentence("console.no_unique_id", text=repr(text[:40])))
    return text
