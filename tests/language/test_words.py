"""Sentences into words, and which of the hall's languages stands."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from babel import Locale
from babel.lists import format_list
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.numbers import format_decimal, format_percent

from pi_controller.language import words as module
from pi_controller.language.languages import EVERY, LANGUAGES
from pi_controller.language.words import (
    MARKS,
    WordedError,
    all_texts,
    all_words,
    language_in_turn,
    shown,
    speak,
    words,
)
from pi_controller.sentence import Parameter, Sentence, listed, one_of, separated


def test_a_key_without_a_text_is_an_error_and_not_shown() -> None:
    with pytest.raises(LookupError, match=r"nobody\.says_this"):
        words(Sentence("nobody.says_this"))


def test_sentences_are_equal_by_key_and_parameters() -> None:
    assert Sentence("claim.open", board="A1") == Sentence("claim.open", board="A1")
    assert Sentence("claim.open", board="A1") != Sentence("claim.open", board="A2")
    assert len({Sentence("claim.open", board="A1"), Sentence("claim.open", board="A1")}) == 1


def keep(folder: Path, language: str, texts: dict[str, str | list[str]]) -> None:
    catalogue = Catalog(locale=language.replace("-", "_"))
    for key, text in texts.items():
        catalogue.add(key if isinstance(text, str) else (key, key), string=text)
    path = folder / language.replace("-", "_") / "LC_MESSAGES" / "controller.mo"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        write_mo(file, catalogue)


@pytest.fixture
def catalogues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of that of the real catalogues."""
    monkeypatch.setattr(module, "LOCALES", tmp_path)
    monkeypatch.setattr(module, "_catalogue", module._catalogue.__wrapped__)
    return tmp_path


@pytest.fixture
def catalogue(catalogues: Path) -> None:
    """A few texts."""
    english: dict[str, str | list[str]] = {
        "test.late": "{part} came {late_s:.1f} s late.",
        "test.part": "Board {board}",
        "test.free": "{count_bytes:,} bytes are free on {card}.",
        "test.all": "Nobody answers: {parts}",
        "test.lost": ["{count} command is lost.", "{count} commands are lost."],
        "test.named": "Board {board}.\nAnother board than {board}.",
    }
    keep(catalogues, "en", english)
    keep(catalogues, "de", {"test.late": "{part} kam {late_s:.1f} s zu spät.", "test.part": "Brett {board}"})
    keep(catalogues, "pl", {"test.lost": ["{count} wiersz", "{count} wiersze", "{count} wierszy"]})


@pytest.mark.usefixtures("catalogue")
def test_sentences_within_a_sentence_are_put_into_words_too() -> None:
    part = Sentence("test.part", board="A1")
    assert words(Sentence("test.late", part=part, late_s=0.25)) == "Board A1 came 0.2 s late."
    both = (part, Sentence("test.part", board="A2"))
    assert words(Sentence("test.all", parts=both)) == "Nobody answers: Board A1 Board A2"


@pytest.mark.usefixtures("catalogue")
def test_a_sentence_is_said_in_the_language_that_is_asked_for() -> None:
    late = Sentence("test.late", part=Sentence("test.part", board="A1"), late_s=0.25)
    assert words(late, "de") == "Brett A1 kam 0,2 s zu spät."
    assert all_words([late, late], "de")[1] == shown(late, "de") == words(late, "de")
    assert shown("as it is", "de") == "as it is"
    assert words(late) == "Board A1 came 0.2 s late."


@pytest.mark.usefixtures("catalogue")
def test_numbers_are_written_as_the_language_writes_them() -> None:
    free = Sentence("test.free", count_bytes=1234567, card="SD 1.0,2")
    assert words(free) == "1,234,567 bytes are free on SD 1.0,2."
    assert words(free, "de") == "1\u202f234\u202f567 bytes are free on SD 1.0,2."
    for language in EVERY:
        locale = Locale.parse(language, sep="-")
        assert "1.5".translate(MARKS[language]) == format_decimal(1.5, locale=locale)
        assert "15%".translate(MARKS[language]) == format_percent(0.15, locale=locale)


@pytest.mark.parametrize("language", LANGUAGES)
def test_lists_are_those_of_the_cldr(language: str) -> None:
    """Unicode's common data, by Babel; English as in Britain, without a comma before the last."""
    locale = Locale.parse({"en": "en_GB", "pt": "pt_PT"}.get(language, language.replace("-", "_")))
    for names in (["A1"], ["A1", "A2"], ["A1", "A2", "A3", "A4"]):
        assert words(listed(names), language) == format_list(names, "standard", locale)
        assert words(one_of(names), language) == format_list(names, "or", locale)
        assert words(separated(names), language) == ", ".join(names)


@pytest.mark.usefixtures("catalogue")
def test_one_line_of_a_text_is_said() -> None:
    assert words(Sentence("test.named", nth=1, board="A1"), "de") == "Another board than A1."
    with pytest.raises(LookupError):
        words(Sentence("test.named", nth=2, board="A1"))


@pytest.mark.usefixtures("catalogue")
def test_what_a_language_lacks_comes_in_english() -> None:
    assert words(Sentence("test.lost", count=2), "de") == "2 commands are lost."


@pytest.mark.usefixtures("catalogue")
def test_all_texts_of_a_language_come_with_all_plural_forms() -> None:
    texts = all_texts("pl")
    assert texts["test.lost"] == ["{count} wiersz", "{count} wiersze", "{count} wierszy"]
    assert texts["test.part"] == "Board {board}"
    assert "" not in texts
    assert all_texts("en-XA")["test.part"] == "[Ɓöáŕð {board} ~]"


@pytest.mark.usefixtures("catalogue")
def test_the_pseudo_language_is_longer_accented_and_keeps_its_parameters() -> None:
    said = words(Sentence("test.lost", count=2), "en-XA")
    assert said == "[2 çömmáñðş áŕé łöşţ. ~~~~~ ~]"
    assert len(said) >= 1.4 * len("2 commands are lost.")


@pytest.mark.usefixtures("catalogue")
def test_a_thread_may_speak_another_language_and_the_others_stay_english() -> None:
    part = Sentence("test.part", board="A1")

    def german() -> list[str]:
        speak("de")
        return [words(part), words(part, "en"), str(WordedError(part))]

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(german).result() == ["Brett A1", "Board A1", "Brett A1"]
    assert words(part) == "Board A1"


# What `tests/vectors/words.json` says of texts, numbers and plural forms; `tests/pages/filling.test.js` holds the

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "words.json").read_text(encoding="utf-8")
)


def sentence(key: str, params: dict[str, Any]) -> Sentence:
    return Sentence.of(key, {name: parameter(value) for name, value in params.items()})


def parameter(value: Any) -> Parameter:
    if isinstance(value, list):
        return tuple(sentence(**one) for one in value)
    found: Parameter = sentence(**value) if isinstance(value, dict) else value
    return found


def test_sentences_come_in_these_words(catalogues: Path) -> None:
    for language, texts in VECTORS["texts"].items():
        keep(catalogues, language, texts)
    for said in VECTORS["sentences"]:
        assert words(sentence(said["key"], said["params"]), said["language"]) == said["words"]


def test_numbers_are_written_like_this(catalogues: Path) -> None:
    formats = sorted({case["format"] for case in VECTORS["formats"]})
    texts: dict[str, str | list[str]] = {shape: f"{{n:{shape}}}" for shape in formats}
    for language in LANGUAGES:
        keep(catalogues, language, {f"number.{shape}": text for shape, text in texts.items()})
    for case in VECTORS["formats"]:
        said = Sentence.of(f"number.{case['format']}", {"n": case["value"]})
        assert {language: words(said, language) for language in LANGUAGES} == {
            language: case["words"][language] for language in LANGUAGES
        }


@pytest.mark.parametrize("language", EVERY)
def test_a_number_chooses_this_form(language: str) -> None:
    chosen = VECTORS["plurals"][language]
    assert {count: module._catalogue(language).plural(int(count)) for count in chosen} == chosen


# Which of the hall's languages stands.


def test_each_of_two_sides_is_called_in_both_languages() -> None:
    turns = [language_in_turn("round", number, ("pl", "en")) for number in range(1, 9)]
    assert turns == ["pl", "en", "en", "pl", "pl", "en", "en", "pl"]
    assert {(number % 2, turn) for number, turn in enumerate(turns, start=1)} == {
        (0, "pl"),
        (0, "en"),
        (1, "pl"),
        (1, "en"),
    }


def test_a_robber_phase_is_in_the_language_of_the_round_that_follows() -> None:
    for number in range(10, 20):
        following = language_in_turn("round", number + 1, ("pl", "en"))
        assert language_in_turn("robber", number, ("pl", "en")) == following


def test_one_language_always_stands() -> None:
    assert {language_in_turn("round", number, ("de",)) for number in range(9)} == {"de"}


def test_texts_of_pages_name_no_place_on_a_page() -> None:
    """Cards stand in another order in each window, and change their places."""
    place = re.compile(r"\b(above|below|underneath|beside|on the (left|right))\b", re.IGNORECASE)
    texts = {key: str(text) for key, text in all_texts("en").items() if key.startswith("page.")}
    assert [key for key, text in texts.items() if place.search(text)] == []
