"""Which language is spoken to whom."""

import pytest

from pi_controller.language.languages import (
    LANGUAGES,
    NAMES,
    PSEUDO,
    as_language,
    chosen,
    of_environment,
    tags_of_header,
)


@pytest.mark.parametrize(
    ("wanted", "preferred", "found"),
    [
        (["pl"], (), "pl"),
        (["fr", "de-AT", "pl"], (), "de"),
        (["es_ES"], (), "es"),
        (["PT-br"], (), "pt-BR"),
        (["pt"], (), "pt"),
        (["pt"], ("en", "pt-BR"), "pt-BR"),
        (["pt-PT"], ("pt-BR",), "pt"),
        (["pt-AO"], ("pt-BR", "pt"), "pt-BR"),
        (["en-xa"], (), PSEUDO),
        (["en-US"], (), "en"),
        (["fr", "C", "", "*"], ("pt",), None),
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
    assert [as_language(tag) for tag in ("pt_BR", "DE", "pt", "pt-AO", "fr", "")] == [
        "pt-BR",
        "de",
        "pt",
        None,
        None,
        None,
    ]


def test_every_language_has_its_own_name() -> None:
    assert set(NAMES) == {*LANGUAGES, PSEUDO}
