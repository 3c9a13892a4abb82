"""What the operating system says."""

import errno
import os
import re
from pathlib import Path

import pytest

from pi_controller.journal.errors import FileUnusable
from pi_controller.language import system_errors
from pi_controller.language.system_errors import REASONS, cause, why
from pi_controller.language.words import words
from pi_controller.sentence import SaidError, Sentence


@pytest.mark.parametrize("number", sorted(REASONS))
def test_in_english_the_words_are_the_systems(number: int) -> None:
    assert words(why(OSError(number, os.strerror(number), "/file"))) == os.strerror(number)


def test_what_is_rare_comes_as_it_is() -> None:
    assert words(why(OSError(errno.EOVERFLOW, "Value too large"))) == "Value too large"
    assert words(why(OSError("no number at all"))) == "no number at all"


def test_a_reason_of_ours_stays_a_sentence() -> None:
    ours = Sentence("claim.none_open")
    assert why(FileUnusable(errno.ENOSPC, ours, Path("/file"))) == ours


def test_other_errors_come_as_they_are_too() -> None:
    assert cause(OSError(errno.ENOSPC, "full")) == REASONS[errno.ENOSPC]
    assert words(cause(ValueError("no number"))) == "no number"
    assert cause(SaidError(Sentence("claim.none_open"))) == Sentence("claim.none_open")


SYSTEMS_OWN_WORDS = {
    "bench": "a tool of who develops the controller",
    "cli/bench.py": "the same",
    "hal/sound/player.py": "as the system says it, for an OSError",
    "journal/errors.py": "an error of ours that says itself what is the matter",
    "journal/store.py": "as the system says it, for an OSError",
    "journal/verify_game.py": "runs without this package",
    "language/system_errors.py": "what is rare",
}
"""Where the system's words are used, which are English."""


def test_nobody_is_told_the_systems_own_words() -> None:
    package = Path(system_errors.__file__).parent.parent
    found = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if re.search(
            r"strerror|OSError as (\w+):(?:(?!except |    def ).)*?[=(]str\(\1\)", path.read_text(), re.DOTALL
        )
    }
    assert {
        path for path in found if path not in SYSTEMS_OWN_WORDS and not path.startswith("bench/")
    } == set()
