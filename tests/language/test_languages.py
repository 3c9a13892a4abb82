"""Which language is spoken to whom, and what the operating system says."""

import errno
import os
import re
from pathlib import Path

import pytest

from pi_controller.journal.errors import FileUnusable
from pi_controller.language import system_errors
from pi_controller.language.languages import (
    LANGUAGES,
    NAMES,
    PSEUDO,
    UNPROOFED,
    as_language,
    chosen,
    of_environment,
    tags_of_header,
)
from pi_controller.language.system_errors import REASONS, cause, why
from pi_controller.language.words import words
from pi_controller.sentence import SaidError, Sentence


@pytest.mark.parametrize(
    ("wanted", "preferred", "found"),
    [
        (["pl"], (), "pl"),
        (["nl", "de-AT", "pl"], (), "de"),
        (["es_ES"], (), "es"),
        (["PT-br"], (), "pt-BR"),
        (["pt"], (), "pt"),
        (["pt"], ("en", "pt-BR"), "pt-BR"),
        (["pt-PT"], ("pt-BR",), "pt"),
        (["pt-AO"], ("pt-BR", "pt"), "pt-BR"),
        (["en-xa"], (), PSEUDO),
        (["en-US"], (), "en"),
        (["nl", "C", "", "*"], ("pt",), None),
        (["fr", "pl"], ("en", "de"), "pl"),
        (["fr-CA", "pl"], ("en", "fr"), "fr"),
        ([], (), None),
    ],
)
def test_the_first_wanted_language_that_there_is(
    wanted: list[str], preferred: tuple[str, ...], found: str | None
) -> None:
    assert chosen(wanted, preferred) == found


@pytest.mark.parametrize(
    ("header", "tags"),
    [
        ("pl", ["pl"]),
        ("en;q=0.5, pt-BR, de ; q = 0.75", ["pt-BR", "de", "en"]),
        ("de;q=0, *;q=0.1, pl;q=0.2", ["pl"]),
        ("pt_BR, en;q=0.9", ["pt_BR", "en"]),
        ("pt;q=two, ;;, \u0142, es", ["es"]),
        ("", []),
    ],
)
def test_a_browsers_languages_come_by_their_quality(header: str, tags: list[str]) -> None:
    assert tags_of_header(header) == tags


def test_a_header_of_any_length_is_read_in_bounded_time() -> None:
    assert tags_of_header("xx," * 100_000 + "pl") == ["xx"] * 20
    assert tags_of_header("pl, en" + " " * 100_000 + "!") == ["pl"]


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({"LANG": "pl_PL.UTF-8"}, "pl"),
        ({"LANG": "pl_PL.UTF-8", "LC_MESSAGES": "pt_BR"}, "pt-BR"),
        ({"LC_ALL": "C.UTF-8", "LANG": "de_DE"}, "en"),
        ({"LC_ALL": "", "LANG": "de_DE@euro"}, "de"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_a_shell_says_its_language(environ: dict[str, str], language: str) -> None:
    assert of_environment(environ) == language


def test_a_tag_is_a_language_or_none() -> None:
    assert [as_language(tag) for tag in ("pt_BR", "DE", "pt", "pt-AO", "nl", "")] == [
        "pt-BR",
        "de",
        "pt",
        None,
        None,
        None,
    ]


def test_every_language_has_its_own_name() -> None:
    assert set(NAMES) == {*LANGUAGES, *UNPROOFED, PSEUDO}


# What the operating system says.


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
