"""A site's own texts, over those of the catalogues: `words/pl.po` beside the settings file, read once.

An entry is as in our catalogues, with the key as msgid, or as translators have it (`make translations`), with
the key as msgctxt and the English text as msgid. What is wrong is left out and said. The standard library
reads no .po file, and Babel is not installed on a Pi.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from typing import Final, TypeAlias

from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence, separated

LARGEST_FILE: Final = 256 * 1024
MOST_PROBLEMS: Final = 50
OF_TABLES: Final = "node."
LINES_OF_VOICE: Final = "voice.say_"
"""So begin the keys of texts whose lines are chosen by a number."""

Text: TypeAlias = str | list[str]
"""A list has the plural forms."""


@dataclass(frozen=True, slots=True)
class OwnWords:
    """What a file of this name says: its texts by their keys, and why others are left out."""

    file: str
    texts: dict[str, Text] = field(default_factory=dict)
    problems: list[Sentence] = field(default_factory=list)

    def left_out(self) -> list[Sentence]:
        """The first of the problems, and how many more there are."""
        more = len(self.problems) - MOST_PROBLEMS
        rest = [Sentence("settings.more_mistakes", count=more)] if more > 0 else []
        return [*self.problems[:MOST_PROBLEMS], *rest]


def read(path: Path, english: Mapping[str, Text], forms: int) -> OwnWords:
    """The texts of this file; its language has so many plural forms. Raises nothing."""
    own = OwnWords(path.name)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        text = data.decode("utf-8-sig") if len(data) <= LARGEST_FILE else None
    except OSError as error:
        own.problems.append(Sentence("settings.words_unreadable", file=own.file, why=why(error)))
        return own
    except UnicodeDecodeError:
        text = None
    if text is None:
        most = LARGEST_FILE // 1024
        own.problems.append(Sentence("settings.words_no_text", file=own.file, most_kib=most))
        return own
    for line, entry in _entries(text.replace("\r\n", "\n").split("\n")):
        parts = _parts(entry)
        key = "" if parts is None else parts.get("msgctxt") or parts.get("msgid", "")
        if parts is not None and not (key and any(_forms(parts))):
            continue  # the head of the file, or not translated
        problem = _problem(key, parts, english, forms, own) if parts else Sentence("settings.words_no_entry")
        if problem is None and parts:
            said = _forms(parts)
            own.texts[key] = said if isinstance(english[key], list) else said[0]
        elif problem is not None:
            left_out = Sentence(
                "settings.words_left_out", file=own.file, line=line, key=key or "–", why=problem
            )
            own.problems.append(left_out)
    return own


def problem_of(text: list[str], key: str, english: Text, forms: int) -> Sentence | None:
    """Why this cannot be the text for the key; its language has so many plural forms."""
    known = [english] if isinstance(english, str) else english
    needed = 1 if isinstance(english, str) else forms
    if len(text) != needed or not all(text):
        return Sentence("settings.words_forms", found=len([one for one in text if one]), needed=needed)
    wanted = set.union(*map(fields, known))
    least = wanted if len(known) == 1 else wanted - {"{count}"}
    for one in text:
        try:
            found = fields(one)
        except ValueError:
            found = None
        if found is None or not least <= found <= wanted:
            return Sentence("settings.words_braces", wanted=_named(wanted), found=_named(found or ()))
    if key.startswith(LINES_OF_VOICE) and text[0].count("\n") != known[0].count("\n"):
        lines = known[0].count("\n") + 1
        return Sentence("settings.words_lines", found=text[0].count("\n") + 1, needed=lines)
    return None


def fields(text: str) -> set[str]:
    """The parameters of a text in their braces, with their formats; but each language lists with words of its
    own. Raises ValueError."""
    found = set()
    for _, name, how, conversion in Formatter().parse(text):
        if name is not None:
            shape = f":{how}" if how and "|" not in how else ""
            found.add(f"{{{name}{'!' + conversion if conversion else ''}{shape}}}")
    return found


def _named(fields: Iterable[str]) -> Sentence:
    return separated(sorted(fields) or ["–"])


def _problem(
    key: str, parts: dict[str, str], english: Mapping[str, Text], forms: int, own: OwnWords
) -> Sentence | None:
    if key not in english:
        return Sentence("settings.words_unknown_key")
    if key.startswith(OF_TABLES):
        return Sentence("settings.words_of_tables")
    if key in own.texts:
        return Sentence("settings.words_twice")
    if "fuzzy" in parts:
        return Sentence("settings.words_fuzzy")
    known = english[key]
    source = known if isinstance(known, str) else known[0]
    if "msgctxt" in parts and parts.get("msgid") != source:
        return Sentence("settings.words_english_changed", text=source)
    return problem_of(_forms(parts), key, known, forms)


def _forms(parts: dict[str, str]) -> list[str]:
    return [text for keyword, text in sorted(parts.items()) if keyword.startswith("msgstr")]


# The form of a .po file.


_PART: Final = re.compile(r"(msgctxt|msgid|msgid_plural|msgstr|msgstr\[\d\])\s*(\".*)")
_STRING: Final = re.compile(r"\"((?:[^\"\\\x00-\x1f]|\\[n\"\\])*)\"")


def _entries(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines of each entry, and the number of the first one."""
    entry: list[str] = []
    number = 0
    for number, line in enumerate(map(str.strip, lines), 1):
        translated = any(each.startswith("msgstr") for each in entry)
        if entry and (not line or (translated and line.startswith(("#", "msgctxt", "msgid ")))):
            yield number - len(entry), entry
            entry = []
        if line:
            entry.append(line)
    if entry:
        yield number + 1 - len(entry), entry


def _parts(entry: list[str]) -> dict[str, str] | None:
    """Its texts by their keywords, `fuzzy` among them when it has that mark; None when it is no entry."""
    parts: dict[str, str] = {}
    keyword = ""
    for line in entry:
        if line.startswith("#"):
            if line.startswith("#,") and "fuzzy" in line:
                parts["fuzzy"] = ""
            continue
        begins = _PART.fullmatch(line)
        if begins is not None:
            keyword = begins[1]
        said = _STRING.fullmatch(begins[2] if begins is not None else line)
        if said is None or not keyword or (begins is not None and keyword in parts):
            return None
        text = re.sub(r"\\(.)", lambda sign: "\n" if sign[1] == "n" else sign[1], said[1])
        parts[keyword] = parts.get(keyword, "") + text
    return parts
