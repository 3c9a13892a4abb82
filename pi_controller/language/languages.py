"""Which languages there are, and which one a person, a hall or a shell wants.

A language goes by its BCP 47 tag, such as `pt-BR`; only the catalogues' folders have gettext's `pt_BR`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias


class _Language(NamedTuple):
    """A language, by what it calls itself."""

    name: str
    voice: str = ""
    """espeak-ng's, where that is not the tag in small letters."""
    decimal_mark: str = ","
    percent: str = "%"
    """With what stands before it."""
    proofed: bool = True
    """Otherwise nobody has proofread it, it has at least what players see and hear, and it is offered only
    where the hall's settings name it."""


_ALL: Final[Mapping[str, _Language]] = {
    "en": _Language("English", voice="en-gb", decimal_mark="."),
    "de": _Language("Deutsch", percent="\u00a0%"),
    "es": _Language("Español", percent="\u00a0%"),
    "pt": _Language("Português"),
    "pt-BR": _Language("Português (Brasil)"),
    "pl": _Language("Polski"),
    "fr": _Language("Français", voice="fr-fr", percent="\u00a0%", proofed=False),
}
"""A line for each, in the order of menus. How to add one: docs/translations.md."""
if TYPE_CHECKING:
    Language: TypeAlias = str
else:
    Language = Literal[tuple(_ALL)]
ENGLISH: Final = "en"
PSEUDO: Final = "en-XA"
"""English that is longer, accented and in brackets, for who looks for texts that are cut off or not in the
catalogue (`language/words.py`)."""
EVERY: Final[tuple[str, ...]] = tuple(_ALL)
LANGUAGES: Final[tuple[str, ...]] = tuple(tag for tag, one in _ALL.items() if one.proofed)
UNPROOFED: Final[tuple[str, ...]] = tuple(tag for tag, one in _ALL.items() if not one.proofed)
NAMES: Final[Mapping[str, str]] = {**{tag: one.name for tag, one in _ALL.items()}, PSEUDO: "[Ƥşéûðö]"}
"""What each calls itself."""
VOICES: Final[Mapping[str, str]] = {tag: one.voice or tag.lower() for tag, one in _ALL.items()}
"""espeak-ng's voice for each."""
PERCENT: Final[Mapping[str, str]] = {tag: one.percent for tag, one in _ALL.items()}
WITH_POINT: Final = frozenset({PSEUDO, *(tag for tag, one in _ALL.items() if one.decimal_mark == ".")})
"""Whose decimal mark is a point."""
_MOST_WANTED = 20
"""Entries of an Accept-Language header that count: browsers send up to ten."""


def chosen(wanted: Iterable[str], preferred: Sequence[str] = ()) -> str | None:
    """The first of the wanted tags that there are texts for; None when there is none.

    A tag of another region gets the language, so `de-AT` gets `de`. Who asks for Portuguese without a region
    gets the one that `preferred` has, otherwise the European one. The pseudo-language must be asked for by
    its own tag. One that nobody has proofread is there only where `preferred` has it.
    """
    for tag in wanted:
        found = _one(tag, preferred)
        if found is not None and (found not in UNPROOFED or found in preferred):
            return found
    return None


def tags_of_header(header: str) -> list[str]:
    """The tags of an Accept-Language header, the most wanted first (RFC 9110, 12.5.4). What cannot be read,
    such as a quality that is no number, counts as not said."""
    weighed = []
    for entry in header.split(",")[:_MOST_WANTED]:
        found = re.fullmatch(r"([A-Za-z0-9_-]+)(?:\s*;\s*q\s*=\s*([01](?:\.\d{0,3})?))?", entry.strip())
        if found is not None and (quality := float(found[2] or 1)) > 0:
            weighed.append((-quality, found[1]))
    return [tag for _, tag in sorted(weighed, key=lambda entry: entry[0])]


def of_environment(environ: Mapping[str, str]) -> str:
    """The language of a shell's messages: `LC_ALL`, else `LC_MESSAGES`, else `LANG` (POSIX, section 8.2);
    English where they name none that there is."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environ.get(name):
            tag = re.split("[.@]", environ[name])[0].replace("_", "-")
            return chosen([tag]) or ENGLISH
    return ENGLISH


def as_language(tag: str) -> str | None:
    """The language of exactly this tag, in whatever case and with a hyphen or an underscore."""
    plain = tag.replace("_", "-").casefold()
    return next((language for language in EVERY if language.casefold() == plain), None)


def _one(tag: str, preferred: Sequence[str]) -> str | None:
    if tag.casefold() == PSEUDO.casefold():
        return PSEUDO
    exactly = as_language(tag)
    if exactly is not None and exactly != "pt":
        return exactly
    base = tag.replace("_", "-").split("-")[0].casefold()
    if base == "pt" and tag.casefold() != "pt-pt":
        return next((language for language in preferred if language in ("pt", "pt-BR")), "pt")
    return as_language(base)
