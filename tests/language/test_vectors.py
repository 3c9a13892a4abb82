"""What `tests/vectors/words.json` says of texts, numbers and plural forms; `tests/pages/filling.test.js` holds the
pages to the same."""

import json
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from pi_controller.language import words as module
from pi_controller.language.languages import LANGUAGES
from pi_controller.language.words import words
from pi_controller.sentence import Parameter, Sentence

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "words.json").read_text(encoding="utf-8")
)


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
    """The texts of the vectors in place of the real ones."""
    monkeypatch.setattr(module, "LOCALES", tmp_path)
    monkeypatch.setattr(module, "_catalogue", module._catalogue.__wrapped__)
    return tmp_path


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_chooses_this_form(language: str) -> None:
    chosen = VECTORS["plurals"][language]
    assert {count: module._catalogue(language).plural(int(count)) for count in chosen} == chosen
