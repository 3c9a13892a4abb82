"""What a person reads of what was found, for tests that speak about the words."""

from pi_controller.language.words import words
from pi_controller.sentence import SaidError, Sentence


def told(said: Sentence | None) -> str:
    """In English; nothing where nothing is said."""
    return "" if said is None else words(said)


def told_by(error: BaseException) -> str:
    """What it says to whoever asked."""
    assert isinstance(error, SaidError)
    return words(error.sentence)
