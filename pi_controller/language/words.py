"""Puts sentences into words, by the catalogue of a language."""

from collections.abc import Iterable
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Any

from pi_controller.sentence import Parameter, SaidError, Sentence

LOCALES = Path(__file__).parent.parent / "locale"


def words(said: Sentence) -> str:
    """The sentence in English. Raises `LookupError` when the catalogue has no text for its key, or the text
    names a parameter that the sentence does not have."""
    return _text(said).format_map({name: _shown(value) for name, value in said.params})


def all_words(said: Iterable[Sentence]) -> list[str]:
    """Each of them in English."""
    return [words(one) for one in said]


def shown(part: Sentence | str) -> str:
    """A sentence in English, a text as it is."""
    return part if isinstance(part, str) else words(part)


class WordedError(SaidError):
    """Base of what is raised with a sentence; its text is the English one, for logs and consoles."""

    def __str__(self) -> str:
        return words(self.sentence)


def _text(said: Sentence) -> str:
    texts, count = _catalogue("en"), dict(said.params).get("count")
    text = texts.ngettext(said.key, said.key, count) if isinstance(count, int) else texts.gettext(said.key)
    if text == said.key:
        raise LookupError(f"The catalogue has no text for {said.key}.")
    return text


def _shown(value: Parameter) -> Any:
    if isinstance(value, Sentence):
        return words(value)
    if isinstance(value, tuple):
        return " ".join(words(one) for one in value)
    return value


@cache
def _catalogue(language: str) -> GNUTranslations:
    with (LOCALES / language / "LC_MESSAGES" / "controller.mo").open("rb") as file:
        return GNUTranslations(file)
