"""Catalogues for translators, with the English text as source: `make translations`.

It writes build/translations/LANGUAGE.po for each language, for Poedit, Weblate and others.
`make translations ARGS="import FILE"` takes one back: what is wrong is left out, with a sentence for each.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import PoFileError, read_po, write_po

from pi_controller.language.languages import ENGLISH, EVERY
from pi_controller.language.own_words import problem_of
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from tools.catalogues import (
    LOCALES,
    catalogue_path,
    catalogues,
    forms,
    key_of,
    read_catalogue,
    source,
    texts_of,
)
from tools.terms import reads

ROOT = Path(__file__).parent.parent
FOLDER = Path("build") / "translations"
NARROW = ("node.", "display.")
"""So begin the keys of what small displays show."""
PLAYERS = (
    "answer.",
    "claim.",
    "display.",
    "game.",
    "list.",
    "node.",
    "seat.",
    "side.",
    "told.",
    "voice.",
    "web.seat_claims_too_fast",
    "web.too_many_claims",
)
"""So begin the keys of what they are told but for their pages."""
ON_BUTTON = re.compile(r"<button\b[^`]*?>\$\{word\(\"(\w+)\"")
"""In a page's source: the text of a button."""
Texts = Mapping[str, tuple[str, ...]]


@cache
def notes(root: Path) -> dict[str, dict[str, str]]:
    return tomllib.loads((root / "tools" / "notes.toml").read_text(encoding="utf-8"))


def area_of(key: str, root: Path) -> str:
    """Where a text is shown. LookupError when no note says it."""
    areas = notes(root)["areas"]
    begun = [area for area in areas if key.startswith(area)]
    if not begun:
        raise LookupError(f"tools/notes.toml does not say where {key} is shown")
    return areas[max(begun, key=len)]


def where(key: str, root: Path) -> str:
    """Where a text is shown and, where that does not say it, to whom."""
    shown = area_of(key, root)
    return f"{shown} To {' and '.join(sorted(reads(key)))}." if key.startswith("page.") else shown


def of_players(key: str) -> bool:
    """Whether it is one of the texts that a language has at least: what players see and hear."""
    return key.startswith(PLAYERS) or (key.startswith("page.") and "players" in reads(key))


def parameters_of(text: tuple[str, ...]) -> list[str]:
    """Names of the parameters, in the order in which the text has them."""
    return list(dict.fromkeys(re.findall(r"(?<!\{)\{(\w+)", " ".join(text))))


def exported(root: Path, tag: str) -> Catalog:
    """The language's catalogue with the English text as source, our key as its context."""
    own = read_catalogue(catalogue_path(root, tag))
    made = Catalog(locale=own.locale, project="pi-controller", fuzzy=False, header_comment="")
    made.mime_headers = own.mime_headers
    rooms = _rooms(root)
    for message in read_catalogue(catalogue_path(root, ENGLISH)):
        if message.id:
            key, english = key_of(message), forms(message)
            said = own.get(key)
            flags = {"python-brace-format"} if parameters_of(english) else set()
            comments = [where(key, root), *_notes(root, english), *rooms.get(key, [])]
            shown = Message(
                english[:2] if message.pluralizable else english[0],
                string=said.string if said else "",
                flags=flags | ({"fuzzy"} if said and said.fuzzy else set()),
                auto_comments=comments,
                user_comments=said.user_comments if said else (),
                context=key,
            )
            shown.flags.discard("python-format")  # Babel takes a percent sign for one
            made[shown.id] = shown
    return made


def _notes(root: Path, english: tuple[str, ...]) -> Iterator[str]:
    known = notes(root)["parameters"]
    for name in parameters_of(english):
        if name not in known:
            raise LookupError(f"tools/notes.toml does not say what {{{name}}} is")
        yield f"{{{name}}}: {known[name]}."


@cache
def _rooms(root: Path) -> dict[str, list[str]]:
    """How long a text may be where its room is small: as long as the longest that is known to fit."""
    every = [texts_of(read_catalogue(path)) for path in (root / LOCALES).glob("*/LC_MESSAGES/controller.po")]
    pages = root / "pi_controller" / "web" / "pages"
    buttons = {
        f"page.{name}"
        for path in pages.glob("*/*.js")
        if path.parent.name != "bundles"
        for name in ON_BUTTON.findall(path.read_text(encoding="utf-8"))
    }
    longest = {key: max(len(form) for texts in every for form in texts.get(key, ("",))) for key in every[0]}
    return {
        key: [f"{'On a button. ' if key in buttons else ''}At most about {length} characters."]
        for key, length in longest.items()
        if key.startswith(NARROW) or key in buttons
    }


def write_all(root: Path) -> list[str]:
    """Writes all files; a line each about how far the language is."""
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    told = []
    for tag in EVERY:
        if tag != ENGLISH:
            with (root / FOLDER / f"{tag}.po").open("wb") as file:
                write_po(file, exported(root, tag), width=0, sort_output=False, omit_header=False)
            told.append(f"{FOLDER / tag}.po: {progress(read_catalogue(catalogue_path(root, tag)))}")
    return told


def progress(catalogue: Catalog) -> str:
    messages = [message for message in catalogue if message.id]
    fuzzy = sum(message.fuzzy for message in messages)
    missing = sum(not all(forms(message)) for message in messages)
    lacking = [key_of(message) for message in messages if message.fuzzy or not all(forms(message))]
    of_them = f" ({sum(map(of_players, lacking))} of both for players)" if lacking else ""
    return f"{len(messages) - fuzzy - missing} translated, {fuzzy} fuzzy, {missing} missing{of_them}"


def take_back(root: Path, file: Path) -> list[str]:
    """Takes the texts of a file that `write_all` wrote and somebody changed; a sentence for each that is left
    out or taken with a doubt, and how far the language is then."""
    tag = file.stem
    if tag not in EVERY or tag == ENGLISH:
        return [f"{file.name}: the file must be named after a language: {', '.join(EVERY[1:])}"]
    path = catalogue_path(root, tag)
    own = read_catalogue(path)
    english = {key_of(one): one for one in read_catalogue(catalogue_path(root, ENGLISH)) if one.id}
    try:
        with file.open("rb") as opened:
            given = read_po(opened, locale=path.parts[-3], abort_invalid=True)
    except (PoFileError, UnicodeDecodeError, ValueError) as error:
        return [f"{file.name}: this is no .po file: {error}"]
    told = []
    for message in given:
        if message.id and any(forms(message)):
            doubt = _taken(own, english, message)
            told += [f"{file.name}: {message.context or message.id}: {doubt}"] if doubt else []
    path.write_bytes(source(own))
    for name, content in catalogues(root).items():
        (root / name).write_bytes(content)
    return [*told, f"{file.name}: {progress(read_catalogue(path))}"]


def _taken(own: Catalog, english: Mapping[str, Message], message: Message) -> str | None:
    """Why this text is left out, or what is to be looked at."""
    key = message.context or ""
    if key not in english:
        return words(Sentence("settings.words_unknown_key"))
    source_text = forms(english[key])
    wanted = list(source_text) if english[key].pluralizable else source_text[0]
    problem = problem_of(list(forms(message)), key, wanted, own.num_plurals)
    if problem is not None:
        return words(problem)
    before = message.id if isinstance(message.id, str) else " / ".join(message.id)
    now = " / ".join(source_text)
    changed = before != now
    mine = own.get(key) or own.add(english[key].id)
    mine.string, mine.user_comments = message.string, message.user_comments
    mine.flags = {"fuzzy"} if changed or message.fuzzy else set()
    return f"fuzzy, its English has changed: it was “{before}”, it is “{now}”" if changed else None


def main() -> int:
    parser = argparse.ArgumentParser(prog="translations", description=__doc__)
    parser.add_argument("task", nargs="?", choices=("export", "import"), default="export")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    given = parser.parse_args()
    if given.task == "export":
        print("\n".join(write_all(ROOT)))
        return 0
    told = [line for file in given.files for line in take_back(ROOT, file)]
    print("\n".join(told))
    return 0 if len(told) == len(given.files) else 1


if __name__ == "__main__":
    sys.exit(main())
