"""Puts the page that checks games together from its parts: one file that works without a network."""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from babel.messages.pofile import read_po

from pi_controller.language.languages import LANGUAGES, NAMES

TARGET = "pi_controller/web/verify.html"
IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)
NAMED = re.compile(r"^(?:const|let|class|(?:async )?function\*?) (\w+)", re.MULTILINE)
NEEDED = re.compile(
    r"verify\.(?!form_of_)|page\.verify_|page\.(language|needs_script|to_hall)$|list\.semicolon$"
)
"""Keys of the texts that the page may need; the command line alone speaks of the form of its options."""
EMBEDDED_FILES = {
    "{icon}": ("icon.svg", "image/svg+xml"),
    "{archivo-phone}": ("fonts/archivo-phone.woff2", "font/woff2"),
    "{archivo-phone-ext}": ("fonts/archivo-phone-ext.woff2", "font/woff2"),
}
EMBEDDED = re.compile("|".join(map(re.escape, EMBEDDED_FILES)))
SCRIPTLESS = "page.needs_script"


def verify_page(pages: Path, catalogues: Mapping[str, bytes]) -> str:
    """`pages`: the folder of all pages; `catalogues` by path below the repository."""
    skeleton = EMBEDDED.sub(
        lambda place: _embedded(pages, place[0]), (pages / "verify" / "skeleton.txt").read_text("utf-8")
    )
    style = skeleton.partition("<style>")[2].partition("</style>")[0]
    script = "\n" + "\n".join(modules(pages / "verify" / "main.js"))
    texts = {tag: {"name": NAMES[tag], "words": _words(tag, catalogues)} for tag in LANGUAGES}
    kept = json.dumps(texts, ensure_ascii=False, sort_keys=True, separators=(",", ":")).replace("</", "<\\/")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:;"
        " font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
    )
    scriptless = "".join(f'<p lang="{tag}">{each["words"][SCRIPTLESS]}</p>' for tag, each in texts.items())
    filled = {
        "policy": policy,
        "scriptless": scriptless,
        "texts": kept,
        "script": script,
        "title": texts["en"]["words"]["page.verify_title"],
    }
    return re.sub(r"\{(\w+)\}", lambda place: str(filled[place[1]]), skeleton)


def _embedded(pages: Path, name: str) -> str:
    """The address that holds the file itself."""
    path, kind = EMBEDDED_FILES[name]
    return f"data:{kind};base64,{base64.b64encode((pages / path).read_bytes()).decode()}"


def modules(main: Path) -> list[str]:
    """The text of this module and of each that it needs, the needed ones first, without imports and exports.

    A ValueError when two of them give the same name to something: they become one script.
    """
    texts: dict[Path, str] = {}

    def add(path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        for other in IMPORT.findall(text):
            if (path.parent / other).resolve() not in texts:
                add((path.parent / other).resolve())
        texts[path] = EXPORT.sub("", IMPORT.sub("", text))

    add(main.resolve())
    names = Counter(name for text in texts.values() for name in NAMED.findall(text))
    if twice := [name for name, times in names.items() if times > 1]:
        raise ValueError(f"modules of verify.html share the names {', '.join(twice)}")
    return list(texts.values())


def _words(tag: str, catalogues: Mapping[str, bytes]) -> dict[str, str | list[str]]:
    name = tag.replace("-", "_")
    catalogue = read_po(BytesIO(catalogues[f"pi_controller/locale/{name}/LC_MESSAGES/controller.po"]), name)
    found: dict[str, str | list[str]] = {}
    for message in catalogue:
        key = message.id if isinstance(message.id, str) else message.id[0] if message.id else ""
        if NEEDED.match(key):
            found[key] = message.string if isinstance(message.string, str) else list(message.string)
    return found


def _hash(text: str) -> str:
    """Of an element's content, as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
