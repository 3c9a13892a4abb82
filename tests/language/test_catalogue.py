"""The English catalogue and the code name the same sentences with the same parameters, and every other language
says all of them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog
from babel.numbers import format_percent

from pi_controller.journal import verify_game
from pi_controller.journal.verify_game import TEXTS
from pi_controller.language.languages import ENGLISH, LANGUAGES, UNPROOFED
from pi_controller.language.own_words import fields, problem_of
from pi_controller.language.words import words
from tests.architecture.sources import ROOT, python
from tools import node_words
from tools.catalogues import catalogue_path, read_catalogue, texts_of
from tools.translations import of_players

OTHERS = [language for language in LANGUAGES if language != ENGLISH]
PAGES = "page."
"""So begin the keys that the pages' JavaScript says; `tests/pages/test_words.py` looks after them."""
LINES = "voice.say_"
"""So begin the keys of texts whose lines are chosen by a number."""


@cache
def catalogue(language: str) -> Catalog:
    return read_catalogue(catalogue_path(ROOT, language))


def texts(language: str = ENGLISH) -> dict[str, tuple[str, ...]]:
    """Key and all forms of its text."""
    return texts_of(catalogue(language))


def said() -> Iterator[tuple[str, str, frozenset[str]]]:
    """Where each sentence is said, its key, its parameters."""
    for name, module in python("pi_controller"):
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Sentence":
                where = f"{name}:{node.lineno}"
                key = node.args[0] if len(node.args) == 1 else None
                assert isinstance(key, ast.Constant), f"{where}: the key of a sentence is written out"
                names = [word.arg for word in node.keywords]
                assert None not in names, f"{where}: the parameters of a sentence are written out"
                yield where, str(key.value), frozenset(name for name in names if name)


def named_in(text: str) -> set[str]:
    """The parameters that a text names."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_sentence_has_a_text_with_its_parameters() -> None:
    known = texts()
    assert [where for where, key, _ in said() if key not in known] == []
    wrong = [
        f"{where}: {key}"
        for where, key, params in said()
        if any(not named_in(text) <= params for text in known[key])
        or params - {"count", "nth"} - named_in("".join(known[key]))
        or ("count" in params) != (len(known[key]) > 1)
        or ("nth" in params) != key.startswith(LINES)
    ]
    assert wrong == []


OF_EARLIER = {"list.and", "list.comma", "list.or"}
"""In refusals that journals of earlier releases have kept."""


OF_VERIFIER = {key if "." in key else f"verify.{key}": text for key, text in TEXTS.items()}
"""The texts that the stand-alone verifier brings along, by their keys here."""


def test_the_verifier_brings_the_english_texts_along() -> None:
    known = texts()
    assert [key for key, text in OF_VERIFIER.items() if {*known.get(key, ())} != {text}] == []
    source = Path(verify_game.__file__).read_text(encoding="utf-8")
    assert [key for key in TEXTS if f'"{key}"' not in source] == []


def test_every_text_is_said_and_has_words() -> None:
    used = {key for _, key, _ in said()} | node_words.keys() | OF_EARLIER | OF_VERIFIER.keys()
    assert [key for key in texts() if key not in used and not key.startswith(PAGES)] == []
    assert [key for key, forms in texts().items() if not all(forms)] == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_says_everything(language: str) -> None:
    english, own = texts(), texts(language)
    assert own.keys() == english.keys()
    assert [key for key, said in own.items() if not all(said)] == []
    assert [message.id for message in catalogue(language) if message.fuzzy and message.id] == []
    assert {len(said) for said in own.values()} == {1, catalogue(language).num_plurals}
    actions = [said for key, said in own.items() if key.startswith("action.")]
    assert len(set(actions)) == len(actions), "each action has a name of its own in the log"


@pytest.mark.parametrize("language", UNPROOFED)
def test_an_unproofed_language_says_all_that_players_see_and_hear(language: str) -> None:
    own = texts(language)
    assert own.keys() == texts().keys()
    assert [key for key, said in own.items() if of_players(key) and not all(said)] == []
    fuzzy = {str(message.id) for message in catalogue(language) if message.fuzzy and message.id}
    assert {key for key in fuzzy if of_players(key)} == set()


def test_players_see_and_hear_tables_call_outs_their_pages_and_refused_claims() -> None:
    for key in ("node.heading_your_turn", "voice.round", "claim.none_open", "page.phone_title", "list.all"):
        assert of_players(key)
    assert not of_players("selftest.panel")
    assert not of_players("page.verify_title")


@pytest.mark.parametrize("language", [*OTHERS, *UNPROOFED])
def test_every_language_names_the_same_parameters(language: str) -> None:
    """And has as many plural forms and lines as it must: what is asked of a site's own texts."""
    english, count = texts(), catalogue(language).num_plurals
    wrong = []
    for key, said in texts(language).items():
        if language in UNPROOFED and not any(said):
            continue
        source = [*english[key]] if len(english[key]) > 1 else english[key][0]
        if problem := problem_of([*said], key, source, count):
            wrong.append(f"{key}: {words(problem)}")
    assert wrong == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_line_is_a_phrase_with_the_same_parameters(language: str) -> None:
    lines = {key: said[0].split("\n") for key, said in texts(language).items() if key.startswith(LINES)}
    assert [
        key for key, said in lines.items() if any(not line or line != line.strip() for line in said)
    ] == []
    wrong = [key for key, said in lines.items() if len({frozenset(fields(line)) for line in said}) > 1]
    assert wrong == []


OF_PROGRAMS = re.compile(
    r"/api|\bGET\b|\bPOST\b|Idempotency|If-Seq|\boverride\b|if_seq|\b(?:claim|press) [cp]\d"
)
TO_PROGRAMS = {
    "answer.key_reused",
    "web.form_of_contact",
    "web.form_of_fact",
    "web.form_of_lamp",
    "web.idempotency_key",
    "web.if_seq",
    "web.no_such_page",
    "web.roster_missing",
}
"""What only a program can have asked for wrongly; it reads docs/api.md."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_people_are_told_nothing_of_the_interface_for_programs(language: str) -> None:
    """No routes, no headers, no JSON, no fields and no ids."""
    told = {key for key, forms in texts(language).items() if OF_PROGRAMS.search(" ".join(forms))}
    assert told <= TO_PROGRAMS, sorted(told - TO_PROGRAMS)


UNIT = re.compile(r"(?:\}|\d)(?:s|ms|µs|V|mV|A|mA|µA|W|°C|m|mm|kB|MB|GB|KiB|MiB|Hz|dB|Ω)(?![\w.'’])")
NUMBER_PERCENT = re.compile(r"(?<=[}\d])(\s?%)(?![\w}])")


@pytest.mark.parametrize("language", LANGUAGES)
def test_units_and_percent_stand_as_the_language_has_them(language: str) -> None:
    """A space before a unit (SI brochure, 5.4.3); percent by Unicode's common data."""
    percent = format_percent(0, locale=catalogue(language).locale).removeprefix("0")
    wrong = []
    for key, forms in texts(language).items():
        for text in forms:
            wrong += [f"{key}: {hit[0]}" for hit in UNIT.finditer(text)]
            wrong += [f"{key}: {hit[0]!r}" for hit in NUMBER_PERCENT.finditer(text) if hit[1] != percent]
    assert wrong == []


TURNS = "page.turns_"


def test_a_text_of_one_table_differs_from_that_of_a_hall() -> None:
    known = texts()
    same = [
        key
        for key, text in known.items()
        if key.startswith(TURNS) and known[f"page.{key.removeprefix(TURNS)}"] == text
    ]
    assert same == []
