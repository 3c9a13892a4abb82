"""Puts sentences into words, by the catalogue of a language."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from string import Formatter
from typing import Final

from pi_controller.language.languages import ENGLISH, EVERY, PERCENT, PSEUDO, WITH_POINT
from pi_controller.language.own_words import OwnWords
from pi_controller.language.own_words import read as read_own_words
from pi_controller.sentence import Parameter, SaidError, Sentence
from pi_controller.vocabulary import Phase

# How each language marks the places of a number, and percent, in place of Python's point, comma and sign.
#
# Decimal marks and percent are those of Unicode's CLDR (a test compares them). Thousands, which only few
# texts mark, are kept apart by a narrow space that does not break, as ISO 80000-1 has it, and not by CLDR's
# point or space; English keeps its comma.


NARROW_SPACE: Final = "\u202f"
_ENGLISH_MARKS: Final[Mapping[int, str]] = {}
_OTHER_MARKS: Final[Mapping[int, str]] = str.maketrans({".": ",", ",": NARROW_SPACE})

MARKS: Final[Mapping[str, Mapping[int, str]]] = {
    language: _ENGLISH_MARKS if language in WITH_POINT else {**_OTHER_MARKS, ord("%"): PERCENT[language]}
    for language in (*EVERY, PSEUDO)
}
"""For `str.translate` of a number that Python has written."""


# A language for who lays out a page, and for tests: English that shows what has no room, and what stays
# English because no catalogue says it.


_ACCENTED: Final = str.maketrans(
    "aAbBcCdDeEgGhHiIjJkKlLnNoOpPrRsStTuUwWyYzZ",
    "áÁƀƁçÇðÐéÉğĞĥĤîÎĵĴķĶłŁñÑöÖþÞŕŔşŞţŢûÛŵŴýÝžŽ",
)
_STRETCH: Final = 0.4
"""Translations of short texts are about as much longer, or more (W3C, "Text size in translation")."""


def stretched(text: str) -> str:
    """The text accented, 40 % longer and in brackets; its parameters, in braces, as they are."""
    parts = re.split(r"(\{[^{}]*\})", text)
    accented = "".join(part if part.startswith("{") else part.translate(_ACCENTED) for part in parts)
    letters = sum(len(part) for part in parts if not part.startswith("{"))
    return f"[{accented}{_filling(round(letters * _STRETCH))}]"


def _filling(length: int) -> str:
    """So many letters, with a space after every fifth, so that lines can break."""
    return "".join(" " if place % 6 == 0 else "~" for place in range(length))


LOCALES = Path(__file__).parent.parent / "locale"


_spoken: ContextVar[str] = ContextVar("language", default=ENGLISH)


def speak(language: str) -> None:
    """From now on this thread speaks this language, where no other is asked for: the command line's, and that
    of a self-test. All others speak English, above all those that write logs and the journal."""
    _spoken.set(language)


def spoken() -> str:
    """The language that this thread speaks."""
    return _spoken.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Within the block this thread speaks this language, as for a page that is printed in another one."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


def words(said: Sentence, language: str | None = None) -> str:
    """The sentence in this language (a tag of `languages.py`), by default in the one that this thread speaks.

    Numbers are written as the language writes them. Raises `LookupError` when no catalogue has a text for its
    key, or the text names a parameter that the sentence does not have or lacks the line that it asks for.
    """
    tag = language or spoken()
    return _writer(tag).vformat(_text(said, tag), (), dict(said.params))


def all_words(said: Iterable[Sentence], language: str | None = None) -> list[str]:
    """Each of them."""
    return [words(one, language) for one in said]


def shown(part: Sentence | str, language: str | None = None) -> str:
    """A sentence in words, a text as it is."""
    return part if isinstance(part, str) else words(part, language)


def number_text(value: float, shape: str = "") -> str:
    """The number in this format of Python's, such as `.1f`, as the language that is spoken writes it."""
    return format(value, shape).translate(MARKS[spoken()])


def all_texts(language: str) -> dict[str, str | list[str]]:
    """Every text of the language by its key, with its parameters in braces; where a number chooses, all forms
    in the order of the catalogue. What the language lacks comes in English."""
    tag = ENGLISH if language == PSEUDO else language
    texts = _catalogue(ENGLISH).texts() | _catalogue(tag).texts()
    return {key: _stretched(text) for key, text in texts.items()} if language == PSEUDO else texts


class WordedError(SaidError):
    """Base of what is raised with a sentence; its text is in the language of the thread, English in logs."""

    def __str__(self) -> str:
        return words(self.sentence)


class _Writer(Formatter):
    """`str.format` with sentences among the parameters, and a language's marks in its numbers. The format of
    several sentences is what stands between them, behind a bar what stands before the last: `, | and `."""

    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Parameter, format_spec: str) -> str:
        if isinstance(value, Sentence):
            return words(value, self._language)
        if isinstance(value, tuple):
            between, _, before_last = (format_spec or " ").partition("|")
            *first, last = [words(one, self._language) for one in value] or [""]
            return (before_last or between).join([between.join(first), last]) if first else last
        written = format(value, format_spec)
        return written if isinstance(value, str) else written.translate(MARKS[self._language])


@cache
def _writer(language: str) -> _Writer:
    return _Writer(language)


def _text(said: Sentence, language: str) -> str:
    texts, params = _catalogue(ENGLISH if language == PSEUDO else language), dict(said.params)
    count, nth = params.get("count"), params.get("nth")
    text = texts.ngettext(said.key, said.key, count) if isinstance(count, int) else texts.gettext(said.key)
    if text == said.key:
        raise LookupError(f"The catalogue has no text for {said.key}.")
    if isinstance(nth, int):
        text = text.split("\n")[nth]
    return stretched(text) if language == PSEUDO else text


def _stretched(text: str | list[str]) -> str | list[str]:
    return stretched(text) if isinstance(text, str) else [stretched(form) for form in text]


class _Catalogue(GNUTranslations):
    _catalog: dict[str | tuple[str, int], str]
    """Texts by key, or by key and number of the plural form: the library's own."""
    own: OwnWords | None = None
    """The site's texts that lie over it."""

    def lay_over(self, own: OwnWords) -> None:
        self.own = own
        for key, text in own.texts.items():
            if isinstance(text, str):
                self._catalog[key] = text
            else:
                self._catalog |= {(key, at): form for at, form in enumerate(text)}

    def forms(self) -> int:
        """How many plural forms there are."""
        return int(re.findall(r"nplurals=(\d)", self.info()["plural-forms"])[0])

    def texts(self) -> dict[str, str | list[str]]:
        """Without those of the fallback."""
        found: dict[str, str | list[str]] = {}
        forms = sorted((key, text) for key, text in self._catalog.items() if isinstance(key, tuple))
        for (key, _), text in forms:
            found[key] = [*found.get(key, []), text]
        plain = {key: text for key, text in self._catalog.items() if isinstance(key, str) and key}
        return plain | found


def load_all() -> None:
    """All catalogues, which are files; from then on no language has to be read when somebody asks for it."""
    for language in EVERY:
        _catalogue(language)


@cache
def _catalogue(language: str) -> _Catalogue:
    """What it lacks comes in English; `make check` finds what is lacking."""
    texts = _released(language)
    if language != ENGLISH:
        texts.add_fallback(_catalogue(ENGLISH))
    own = None if _own_folder is None else _own_folder / f"{language}.po"
    if own is not None and own.exists():
        texts.lay_over(read_own_words(own, _released(ENGLISH).texts(), texts.forms()))
    return texts


def _released(language: str) -> _Catalogue:
    path = LOCALES / language.replace("-", "_") / "LC_MESSAGES" / "controller.mo"
    with path.open("rb") as file:
        return _Catalogue(file)


# A site's own texts.


_own_folder: Path | None = None


def use_own_words(folder: Path | None) -> None:
    """From now on the texts of the files in this folder, which need not be there, lie over the catalogues."""
    global _own_folder
    before, _own_folder = _own_folder, folder
    if folder != before and any(each is not None and each.is_dir() for each in (folder, before)):
        _catalogue.cache_clear()


def own_words() -> list[OwnWords]:
    """What each file of that folder says."""
    found = []
    for path in sorted(_own_folder.glob("*.po")) if _own_folder is not None else ():
        own = _catalogue(path.stem).own if path.stem in EVERY else None
        problem = Sentence("settings.words_of_no_language", file=path.name)
        found.append(own or OwnWords(path.name, problems=[problem]))
    return found


# Tables as CSV that a spreadsheet opens by a double click.


BYTE_ORDER_MARK: Final = "\ufeff"
"""At the head of a file: without it spreadsheets take UTF-8 for the encoding of their system."""
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""So begins what a spreadsheet would compute (OWASP, CSV injection)."""


def csv_lines(rows: Iterable[Sequence[object]], language: str | None = None) -> str:
    """These rows, with the line ends of RFC 4180; None is an empty cell.

    Without a language as programs read it: comma between cells, point in numbers. With one, a spreadsheet in
    this language takes the cells apart: semicolons where the decimal mark is a comma.
    """
    separator = ";" if language is not None and MARKS[language] else ","
    into = io.StringIO()
    csv.writer(into, delimiter=separator).writerows([_cell(value, language) for value in row] for row in rows)
    return into.getvalue()


def _cell(value: object, language: str | None) -> object:
    if isinstance(value, float) and language is not None:
        return str(value).translate(MARKS[language])
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


# Which of the hall's languages stands: the same on every table and screen, whenever switched on.


def language_in_turn(phase: Phase, number: int, languages: Sequence[str]) -> str:
    """The one of the hall's languages that stands in this phase of round `number`.

    They change with every second round, so that each of two sides, which take turns by round, is called in
    both. A robber phase is in the language of the round that follows; nothing changes in the middle of a
    phase. Everybody else takes it from the picture.
    """
    coming = number + 1 if phase == "robber" else number
    return languages[coming // 2 % len(languages)]
