"""Glossary and form of address: finds in the catalogues what each language's `terms.toml` says is never said.

`python -m tools.terms [LANGUAGE…]`; `make check` does it for all.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec

from pi_controller.web.http.static_files import texts_of_page
from tools.catalogues import catalogue_path, read_catalogue, texts_of

ROOT: Final = Path(__file__).parent.parent
LOCALES: Final = ROOT / "pi_controller" / "locale"
PAGES: Final = ROOT / "pi_controller" / "web" / "pages"

TO_PLAYERS: Final = (
    "node.",
    "voice.",
    "display.",
    "page.prepared_",
    "page.robber_help_",
    "page.speak_",
    "page.turns_prepared_",
    "page.turns_speak_",
)
"""So begin the keys that are for players wherever they stand; some are read aloud by the moderator."""
PAGES_OF_PLAYERS: Final = ("hall", "phone")
PAGES_OF_STAFF: Final = (
    "director",
    "hardware",
    "judge",
    "login",
    "moderator",
    "selftest",
    "sim",
    "technician",
)

Audience = Literal["players", "staff", "all"]


class Term(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One thing, what it is called, and what it is never called.

    `never`: words or phrases; `*` at an end stands for any letters. Without a capital in it a pattern finds
    capitals, too. `except`: keys, or beginnings of keys with `*`, where the word has another meaning.
    """

    english: str
    say: list[str] = []
    never: list[str] = []
    exceptions: list[str] = msgspec.field(default=[], name="except")
    why: str = ""


class Register(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What is never said to these people, because of how they are addressed."""

    audience: Audience
    never: list[str]
    exceptions: list[str] = msgspec.field(default=[], name="except")
    why: str


class Terms(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A language's `terms.toml`."""

    term: list[Term] = []
    register: list[Register] = []


def terms_of(folder: str) -> Terms:
    """Of a language, by its folder. Raises `msgspec.ValidationError` for what the file must not have."""
    return msgspec.toml.decode((LOCALES / folder / "terms.toml").read_bytes(), type=Terms)


def offences(terms: Terms, texts: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, str]]:
    """Key, what was found there, and what is said instead, or why it is not said."""
    for rule in (*terms.term, *terms.register):
        to = rule.audience if isinstance(rule, Register) else "all"
        told = ", ".join(rule.say) if isinstance(rule, Term) else rule.why
        for key, found in _found(rule.never, to, texts):
            if not _is_excepted(key, rule.exceptions):
                yield key, found, told


def needless(terms: Terms, texts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Exceptions that nothing needs, and words that their own rule forbids."""
    for rule in (*terms.term, *terms.register):
        to = rule.audience if isinstance(rule, Register) else "all"
        keys = [key for key, _ in _found(rule.never, to, texts)]
        yield from (one for one in rule.exceptions if not any(_is_excepted(key, [one]) for key in keys))
        if isinstance(rule, Term):
            yield from (
                word for word in rule.say if any(_pattern(never).search(word) for never in rule.never)
            )


def reads(key: str) -> frozenset[Audience]:
    """Who is told this; what both are told addresses nobody."""
    if key.startswith(TO_PLAYERS):
        return frozenset({"players"})
    players, staff = _of_pages(PAGES_OF_PLAYERS), _of_pages(PAGES_OF_STAFF)
    if key in players:
        return frozenset({"players", "staff"}) if key in staff else frozenset({"players"})
    return frozenset({"staff"})


def _found(
    never: Iterable[str], to: Audience, texts: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str]]:
    patterns = [_pattern(one) for one in never]
    for key, forms in texts.items():
        if to != "all" and to not in reads(key):
            continue
        for form in forms:
            words = _CODE.sub("§", form)
            yield from ((key, hit[0]) for pattern in patterns if (hit := pattern.search(words)))


_CODE: Final = re.compile(r"`[^`]*`")
"""Commands and settings: no words."""


@cache
def _pattern(written: str) -> re.Pattern[str]:
    """A parameter, which is in braces, is no word."""
    words = r"\w*".join(re.escape(part) for part in written.split("*"))
    plain = written == written.lower()
    return re.compile(rf"(?<![\w{{]){words}(?!\w)", re.IGNORECASE if plain else 0)


def _is_excepted(key: str, exceptions: Iterable[str]) -> bool:
    return any(key == one or (one.endswith("*") and key.startswith(one[:-1])) for one in exceptions)


@cache
def _of_pages(pages: tuple[str, ...]) -> frozenset[str]:
    found: set[str] = set()
    for page in pages:
        script = (PAGES / "bundles" / f"{page}.js").read_text(encoding="utf-8")
        found |= texts_of_page(
            page, script, (PAGES / f"{page}.html").read_text(encoding="utf-8"), "en"
        ).keys()
    return frozenset(key for key in found if key.startswith("page."))


def findings(folder: str) -> list[str]:
    """Sentences about a language, for whoever corrects it."""
    terms, texts = terms_of(folder), texts_of(read_catalogue(catalogue_path(ROOT, folder)))
    wrong = [f"{folder} {key}: “{found}”: {told}" for key, found, told in offences(terms, texts)]
    return wrong + [f"{folder} terms.toml: {what}: nothing needs this" for what in needless(terms, texts)]


def main() -> int:
    """What was found, a line each; 1 when there is something."""
    folders = sys.argv[1:] or sorted(path.parent.name for path in LOCALES.glob("*/terms.toml"))
    wrong = [line for folder in folders for line in findings(folder)]
    print(
        "\n".join(wrong) if wrong else f"glossary and form of address: nothing found ({', '.join(folders)})"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
