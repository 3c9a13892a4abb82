"""Keeps the catalogues of texts: sorts them, brings the other languages' in step with the English one, and
compiles them for `gettext`."""

from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

LOCALES = Path("pi_controller") / "locale"
ENGLISH = "en"
HEADER = "# The texts of everything that the controller says. How to correct one: docs/translations.md."


def catalogues(root: Path) -> dict[str, bytes]:
    """Path below the repository and content of each catalogue, and of each compiled one beside it.

    In another language each text has the English one above it as a comment. One that is new in English has no
    words there yet; one whose English has changed becomes fuzzy until somebody has looked at it and takes the
    mark away; one that English has no more goes. A test refuses texts without words or with that mark.
    """
    made: dict[str, bytes] = {}
    for name in sorted({path.name for path in (root / LOCALES).glob("*/LC_MESSAGES/*.po")}):
        english = read_catalogue(root / LOCALES / ENGLISH / "LC_MESSAGES" / name)
        for path in sorted((root / LOCALES).glob(f"*/LC_MESSAGES/{name}")):
            language = path.parts[-3]
            catalogue = english if language == ENGLISH else in_step(read_catalogue(path), english)
            below = str(path.relative_to(root))
            made[below] = source(catalogue)
            made[str(Path(below).with_suffix(".mo"))] = _compiled(catalogue)
    return made


def in_step(catalogue: Catalog, english: Catalog) -> Catalog:
    """This catalogue with the messages of the English one."""
    made = Catalog(
        locale=catalogue.locale,
        header_comment=HEADER,
        project="pi-controller",
        language_team=str(catalogue.locale),
        creation_date=english.creation_date,
        revision_date=english.revision_date,
        fuzzy=False,
    )
    made.version = made.msgid_bugs_address = made.last_translator = ""  # Babel fills in what is empty before
    for message in english:
        if message.id:
            made[message.id] = _following(message, catalogue.get(key_of(message)))
    return made


def _following(english: Message, known: Message | None) -> Message:
    said = [" / ".join(text.replace("\n", "\\n") for text in forms(english))]
    if known is None or bool(known.pluralizable) != bool(english.pluralizable):
        empty = ("", "") if english.pluralizable else ""
        return Message(english.id, string=empty, auto_comments=said)
    changed = bool(known.auto_comments) and _plain(known.auto_comments) != _plain(said)
    flags = known.flags | ({"fuzzy"} if changed else set()) if any(forms(known)) else set()
    return Message(
        english.id, string=known.string, flags=flags, auto_comments=said, user_comments=known.user_comments
    )


def _plain(lines: list[str]) -> str:
    """A comment without its spaces: Babel breaks it into lines where it likes, also behind a hyphen."""
    return "".join("".join(lines).split())


def key_of(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def forms(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


def texts_of(catalogue: Catalog) -> dict[str, tuple[str, ...]]:
    """Key and all forms of its text."""
    return {key_of(message): forms(message) for message in catalogue if message.id}


def catalogue_path(root: Path, tag: str) -> Path:
    """Of a language by its tag, or by its folder."""
    return root / LOCALES / tag.replace("-", "_") / "LC_MESSAGES" / "controller.po"


def read_catalogue(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.parts[-3], abort_invalid=True)


def source(catalogue: Catalog) -> bytes:
    written = BytesIO()
    write_po(written, catalogue, width=0, sort_output=True, omit_header=False)
    return written.getvalue()


def _compiled(catalogue: Catalog) -> bytes:
    """Without the messages that have no words yet: they come in English."""
    worded, written = Catalog(locale=catalogue.locale, charset="utf-8"), BytesIO()
    worded.mime_headers = catalogue.mime_headers
    for message in catalogue:
        if message.id and all(forms(message)):
            worded[message.id] = message
    write_mo(written, worded)
    return written.getvalue()
