"""Which texts a page may say: those that its scripts name, so that a phone loads no others. Pure."""

import posixpath
import re
from collections.abc import Iterator, Mapping

from pi_controller.language.words import all_texts

IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?"(\.[^"]+)\"""")
"""At the start or later on."""
WORD = re.compile(r"\w+")
BEGUN = re.compile(r"`(\w+_)\$\{")
"""The beginning of a key whose end a script fills in."""
PAGES = "page."
AT_ONE_TABLE = "turns_"
"""So begins the key of a text that takes the place of another one there, whose key follows."""
OVER_THE_FEED = ("seat.", "side.", "told.", "voice.")
"""So begin the keys of what comes as a sentence: captions, and what they name."""
OF_THE_ENGINE = tuple(
    f"voice.{name}"
    for name in ("being_", "column_", "engine_", "exit_", "no_wav", "not_", "of_", "own", "too_long")
)
"""No captions, but what is said of the voice itself."""


def texts_of_page(
    script: str, scripts: Mapping[str, str], *, page: str, language: str
) -> dict[str, str | list[str]]:
    """Texts by their keys: those whose key stands as a word in the page, in its script or in what that
    imports; some too many, never one too few."""
    read = [page, *(scripts[name] for name in sorted(set(_reached(script, scripts))))]
    words = {word for text in read for word in WORD.findall(text)}
    begun = tuple(start for text in read for start in BEGUN.findall(text))
    return {
        key: text
        for key, text in all_texts(language).items()
        if _comes_over_the_feed(key) or _is_named(key, words, begun)
    }


def _comes_over_the_feed(key: str) -> bool:
    return key.startswith(OVER_THE_FEED) and not key.startswith(OF_THE_ENGINE)


def _is_named(key: str, words: set[str], begun: tuple[str, ...]) -> bool:
    name = key.removeprefix(PAGES)
    if name.startswith(AT_ONE_TABLE):
        return _is_named(PAGES + name.removeprefix(AT_ONE_TABLE), words, begun)
    return name != key and (name in words or name.startswith(begun))


def _reached(script: str, scripts: Mapping[str, str]) -> Iterator[str]:
    """It and everything that it imports, directly or not."""
    found, open_ones = {script}, [script]
    while open_ones:
        name = open_ones.pop()
        yield name
        folder = posixpath.dirname(name)
        for path in IMPORT.findall(scripts[name]):
            imported = posixpath.normpath(posixpath.join(folder, path))
            if imported in scripts and imported not in found:
                found.add(imported)
                open_ones.append(imported)
