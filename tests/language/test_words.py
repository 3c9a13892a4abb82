"""Sentences into words."""

import pytest

from pi_controller.language.words import words
from pi_controller.sentence import Sentence


def test_a_key_without_a_text_is_an_error_and_not_shown() -> None:
    with pytest.raises(LookupError, match=r"nobody\.says_this"):
        words(Sentence("nobody.says_this"))


def test_sentences_are_equal_by_key_and_parameters() -> None:
    assert Sentence("claim.open", board="A1") == Sentence("claim.open", board="A1")
    assert Sentence("claim.open", board="A1") != Sentence("claim.open", board="A2")
    assert len({Sentence("claim.open", board="A1"), Sentence("claim.open", board="A1")}) == 1
