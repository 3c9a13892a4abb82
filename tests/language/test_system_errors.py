"""What the operating system says."""

import errno
import os
from pathlib import Path

import pytest

from pi_controller.journal.errors import FileUnusable
from pi_controller.language.system_errors import REASONS, why
from pi_controller.language.words import words
from pi_controller.sentence import Sentence


@pytest.mark.parametrize("number", sorted(REASONS))
def test_in_english_the_words_are_the_systems(number: int) -> None:
    assert words(why(OSError(number, os.strerror(number), "/file"))) == os.strerror(number)


def test_what_is_rare_comes_as_it_is() -> None:
    assert words(why(OSError(errno.EOVERFLOW, "Value too large"))) == "Value too large"
    assert words(why(OSError("no number at all"))) == "no number at all"


def test_a_reason_of_ours_stays_a_sentence() -> None:
    ours = Sentence("claim.none_open")
    assert why(FileUnusable(errno.ENOSPC, ours, Path("/file"))) == ours
