"""Puts sentences into words, by the catalogue of a language."""

from collections.abc import Iterable
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from string import Formatter

from pi_controller.language.languages import ENGLISH, PSEUDO
from pi_controller.language.numbers import MARKS
from pi_controller.language.pseudo import stretched
from pi_controller.sentence import Parameter, SaidError, Sentence

LOCALES = Path(__file__).parent.parent / "locale"


_spoken: ContextVar[str] = ContextVar("language", default=ENGLISH)


def speak(language: str) -> None:
    """From now on this thread speaks this language, where no other is asked for: the command line's, and that
    of a self-test. All others speak English, above all those that write logs and the journal."""
    _spoken.set(language)


def words(said: Sentence, language: str | None = None) -> str:
    """The sentence in this language (a tag of `languages.py`), by default in the one that this thread speaks.

    Numbers are written as the language writes them. Raises `LookupError` when no catalogue has a text for its
    key, or the text names a parameter that the sentence does not have.
    """
    spoken = language or _spoken.get()
    return _Writer(spoken).vformat(_text(said, spoken), (), dict(said.params))


def all_words(said: Iterable[Sentence], language: str | None = None) -> list[str]:
    """Each of them."""
    return [words(one, language) for one in said]


def shown(part: Sentence | str, language: str | None = None) -> str:
    """A sentence in words, a text as it is."""
    return part if isinstance(part, str) else words(part, language)


class WordedError(SaidError):
    """Base of what is raised with a sentence; its text is in the language of the thread, English in logs."""

    def __str__(self) -> str:
        return words(self.sentence)


class _Writer(Formatter):
    """`str.format` with sentences among the parameters, and with a language's marks in its numbers."""

    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Parameter, format_spec: str) -> str:
        if isinstance(value, Sentence):
            return words(value, self._language)
        if isinstance(value, tuple):
            return " ".join(words(one, self._language) for one in value)
        written = format(value, format_spec)
        return written if isinstance(value, str) else written.translate(MARKS[self._language])


def _text(said: Sentence, language: str) -> str:
    texts, count = _catalogue(ENGLISH if language == PSEUDO else language), dict(said.params).get("count")
    text = texts.ngettext(said.key, said.key, count) if isinstance(count, int) else texts.gettext(said.key)
    if text == said.key:
        raise LookupError(f"The catalogue has no text for {said.key}.")
    return stretched(text) if language == PSEUDO else text


@cache
def _catalogue(language: str) -> GNUTranslations:
    """What it lacks comes in English; `make check` finds what is lacking."""
    with (LOCALES / language.replace("-", "_") / "LC_MESSAGES" / "controller.mo").open("rb") as file:
        texts = GNUTranslations(file)
    if language != ENGLISH:
        texts.add_fallback(_catalogue(ENGLISH))
    return texts
