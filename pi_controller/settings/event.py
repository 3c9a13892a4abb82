"""What of an event can stand on the screens: colours that are read from the back row, a logo that is safe."""

import re
import stat
import struct
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree as ET

from pi_controller.language.system_errors import why
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import excerpt

GROUND = "#0b0e14"
"""On which name and line of the event stand, in the bright theme too; `--plate` of the pages' base.css."""
LEAST_CONTRAST = 7.0
"""Of WCAG 2.2, 1.4.6, which is the enhanced one."""
COLOURS = 2
COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")

LARGEST_LOGO = 256 * 1024
MOST_PIXELS = 4096
"""Of a PNG, each way: what a screen of the hall shows, and no more than a phone can unpack."""
KINDS = {".png": "image/png", ".svg": "image/svg+xml"}
"""Media types by the end of the file's name."""

_PNG = b"\x89PNG\r\n\x1a\n"
_SVG = "{http://www.w3.org/2000/svg}"
_DRAWING = re.compile(
    r"(svg|g|defs|symbol|use|title|desc|path|rect|circle|ellipse|line|polyline|polygon|text|tspan|linearGradient"
    r"|radialGradient|stop|clipPath|mask|pattern|marker|style)\Z"
)
"""Elements of SVG that only draw: no scripts, no animation, nothing of other documents."""
_ELSEWHERE = re.compile(r"url\s*\(\s*['\"]?\s*(?!['\"]?#)|@import|javascript:|expression\s*\(", re.IGNORECASE)


class LogoFault(WordedError, ValueError):  # noqa: N818 - like SettingsFault
    """The logo cannot be shown; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Logo:
    body: bytes
    suffix: str
    """One of KINDS."""


def colours_problem(colours: tuple[str, ...]) -> Sentence | None:
    """None of them or two that are read on the dark ground."""
    if colours and (len(colours) != COLOURS or not all(COLOUR.match(colour) for colour in colours)):
        return Sentence("settings.no_two_colours")
    for colour in colours:
        found = contrast(colour, GROUND)
        if found < LEAST_CONTRAST:
            return Sentence(
                "settings.colour_too_dark",
                colour=colour,
                contrast=int(found * 10) / 10,
                ground=GROUND,
                least=LEAST_CONTRAST,
            )
    return None


def logo_problem(path: str) -> Sentence | None:
    """Of the path alone: whether its file can be shown turns out when it is read."""
    asked = PurePosixPath(path)
    if path and (not asked.is_absolute() or not path.isprintable() or asked.suffix.lower() not in KINDS):
        return Sentence("settings.no_logo_path")
    return None


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours `#rrggbb` (WCAG 2.2)."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def read_logo(path: str) -> Logo | None:
    """The logo of this setting, None where there is none. LogoFault."""
    if not path:
        return None
    file = Path(path)
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise LogoFault(Sentence("event.logo_no_picture", path=excerpt(path)))
        with file.open("rb") as opened:
            body = opened.read(LARGEST_LOGO + 1)
    except OSError as problem:
        raise LogoFault(Sentence("event.logo_unreadable", path=excerpt(path), why=why(problem))) from problem
    if len(body) > LARGEST_LOGO:
        raise LogoFault(Sentence("event.logo_too_large", path=excerpt(path), most_kib=LARGEST_LOGO // 1024))
    suffix = file.suffix.lower()
    fault = _png_fault(body, path) if suffix == ".png" else _svg_fault(body, path)
    if fault is not None:
        raise LogoFault(fault)
    return Logo(body, suffix)


def _png_fault(body: bytes, path: str) -> Sentence | None:
    """By the signature and the first chunk, which has the size (PNG, third edition, 5.2 and 11.2.2)."""
    if not body.startswith(_PNG) or body[12:16] != b"IHDR" or len(body) < 24:
        return Sentence("event.logo_no_picture", path=excerpt(path))
    width, height = struct.unpack(">II", body[16:24])
    if not 1 <= width <= MOST_PIXELS or not 1 <= height <= MOST_PIXELS:
        return Sentence("event.logo_too_many_pixels", path=excerpt(path), most=MOST_PIXELS)
    return None


def _svg_fault(body: bytes, path: str) -> Sentence | None:
    # Entities could unpack to any size: a document type is refused before anything is parsed.
    if b"<!" in body.replace(b"<!--", b"").replace(b"<![CDATA[", b"") or b"\0" in body:
        return Sentence("event.logo_unsafe", path=excerpt(path), what="<!DOCTYPE>")
    try:
        drawing = ET.fromstring(body)  # noqa: S314 - it has no document type and is small
    except ET.ParseError:
        return Sentence("event.logo_no_picture", path=excerpt(path))
    if drawing.tag != f"{_SVG}svg":
        return Sentence("event.logo_no_picture", path=excerpt(path))
    for element in drawing.iter():
        unsafe = _unsafe(element)
        if unsafe is not None:
            return Sentence("event.logo_unsafe", path=excerpt(path), what=excerpt(unsafe))
    return None


def _unsafe(element: ET.Element) -> str | None:
    """What of this element does more than draw. Other namespaces, such as an editor's own, draw nothing."""
    name = element.tag.removeprefix(_SVG)
    if element.tag.startswith(_SVG) and not _DRAWING.match(name):
        return f"<{name}>"
    if name == "style" and _ELSEWHERE.search(element.text or ""):
        return "<style>"
    for attribute, value in element.attrib.items():
        plain = attribute.rpartition("}")[2].lower()
        if (
            plain.startswith("on")
            or (plain == "href" and not value.startswith("#"))
            or _ELSEWHERE.search(value)
        ):
            return attribute.rpartition("}")[2]
    return None
