"""Writes the letters and symbols of the tables' displays: `python -m tools.glyphs`.

Big letters come from the Archivo font of the pages (SIL Open Font License), small ones and symbols are our
own drawings. Besides ASCII they are the letters that the director's message may have, and those that the
nodes' words need: each stands in tools/small_letters.txt. The result is committed: another version of the
font library may round a pixel otherwise.
"""

import math
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from pi_controller.bus.messages import FURTHER

ROOT = Path(__file__).parent.parent
FONTS = ROOT / "pi_controller" / "web" / "pages" / "fonts"
ARCHIVO = FONTS / "archivo-latin.woff2"
ARCHIVO_EXTENDED = FONTS / "archivo-latin-ext.woff2"
"""Letters from U+0100 on, but for the dotless i, as the pages' style sheet has it."""
NODE = ROOT / "firmware" / "table_node"

CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SMALL_LETTERS = CAPITALS.lower()
DIGITS = "0123456789"
SIGNS = ".,:-!?'/=;\"#$%&()*+<>@[\\]^_`{|}~"

MARKS = {
    "\u0300": ("##..", ".##."),  # grave
    "\u0301": ("..##", ".##."),  # acute
    "\u0302": (".##.", "#..#"),  # circumflex
    "\u0303": (".##.#", "#.##."),  # tilde
    "\u0307": ("##", "##"),  # dot
    "\u0308": ("##.##", "##.##"),  # diaeresis
}
"""Rows of what stands above a letter, by the combining character."""

BITS_ORDER = "Columns of eight pixels, the top one in bit 0; page after page, as the displays keep them."

FINER = 8
"""Each symbol is drawn this many times larger and then counted down to one bit a pixel."""


def small() -> dict[str, Image.Image]:
    """Letters of eight rows from tools/small_letters.txt: a letter, then its rows from the top."""
    letters = {" ": Image.new("1", (3, 8))}
    for line in (Path(__file__).parent / "small_letters.txt").read_text(encoding="utf-8").splitlines():
        letter, *rows = line.split()
        picture = Image.new("1", (len(rows[0]), 8))
        for y, row in enumerate(rows):
            for x, mark in enumerate(row):
                picture.putpixel((x, y), mark == "#")
        letters[letter] = picture
    return letters


def archivo(
    letters: str, *, size: int, weight: int, width: int, rows: int, baseline: int
) -> dict[str, Image.Image]:
    """Letters trimmed at both sides, digits all of one width; the baseline is the first row under a capital.

    They must keep within `rows`; the picture is filled up to whole pages.
    """
    fonts = {file: ImageFont.truetype(file, size) for file in (ARCHIVO, ARCHIVO_EXTENDED)}
    for font in fonts.values():
        font.set_variation_by_axes([weight, width])
    found = {}
    for letter in letters:
        canvas = Image.new("L", (3 * size, rows + 2 * size))
        font = fonts[ARCHIVO if letter < "Ā" or letter == "ı" else ARCHIVO_EXTENDED]
        ImageDraw.Draw(canvas).text((size, size + baseline), letter, fill=255, font=font, anchor="ls")
        picture = canvas.point(lambda level: 255 * (level > 115)).convert("1")
        left, top, right, bottom = picture.getbbox() or (0, size, size // 4, size)
        if top < size or bottom > size + rows:
            raise ValueError(
                f"{letter!r} of {size} px reaches over {rows} rows: {top - size} to {bottom - size}"
            )
        found[letter] = picture.crop((left, size, right, size + -(-rows // 8) * 8))
    widest = max((found[digit].width for digit in DIGITS if digit in found), default=0)
    return {
        letter: _centred(picture, widest) if letter in DIGITS else picture
        for letter, picture in found.items()
    }


def accented(letters: str) -> dict[str, Image.Image]:
    """Letters with a mark above, in words of 16 rows. The mark is our own drawing: the font's dots and waves
    run together at this size. Capitals are lower by two rows, to have room for it."""
    found = {}
    for letter in letters:
        base, mark = unicodedata.normalize("NFD", letter)
        if letter.isupper():
            plain = archivo(base, size=13, weight=740, width=90, rows=15, baseline=12)[base]
        else:
            plain = text_letters("ı" if base == "i" else base).popitem()[1]
        found[letter] = _marked(plain, MARKS[mark])
    return found


def text_letters(letters: str) -> dict[str, Image.Image]:
    """Of words."""
    return archivo(letters, size=16, weight=680, width=73, rows=15, baseline=12)


def fonts() -> dict[str, tuple[str, dict[str, Image.Image]]]:
    """What each is for, and its letters, by the name it gets."""
    drawn = small()
    further = FURTHER + "".join(letter for letter in drawn if letter > "~" and letter not in FURTHER)
    marked = "".join(letter for letter in further if _has_mark_above(letter))
    others = "".join(letter for letter in further if letter not in marked)
    return {
        "SMALL": ("Remarks, 8 rows.", drawn),
        "TEXT": (
            "Words, 16 rows.",
            text_letters(CAPITALS + SMALL_LETTERS + DIGITS)
            | {" ": Image.new("1", (3, 16))}
            | text_letters(SIGNS + others)
            | accented(marked),
        ),
        "NAME": (
            "Names of boards and sums, 32 rows.",
            archivo(
                CAPITALS + SMALL_LETTERS + DIGITS + "-:", size=34, weight=720, width=72, rows=32, baseline=26
            ),
        ),
        "COUNT": (
            "The countdown, 48 rows, digits of 44.",
            archivo(DIGITS + ":", size=62, weight=740, width=68, rows=48, baseline=46),
        ),
    }


def column_bytes(picture: Image.Image) -> bytes:
    """The picture as a display keeps it, page after page."""
    pixels = picture.convert("1").load()
    if pixels is None:
        raise TypeError("Pillow gave no pixels.")
    return bytes(
        sum(bool(pixels[x, page * 8 + bit]) << bit for bit in range(8))
        for page in range(picture.height // 8)
        for x in range(picture.width)
    )


def glyphs_source() -> str:
    lines = [
        '"""Letters of the displays. Made by `python -m tools.glyphs`; change the drawing there.',
        "",
        "TEXT, NAME and COUNT are derived from Archivo, copyright 2020 The Archivo Project Authors,",
        "under the SIL Open Font License 1.1, and stay under it. SMALL is our own drawing.",
        "",
        "Each font: number of pages, its letters, their widths, and their bytes one after the other.",
        BITS_ORDER,
        '"""',
    ]
    for name, (meaning, letters) in fonts().items():
        pages = next(iter(letters.values())).height // 8
        widths = bytes(picture.width for picture in letters.values())
        lines += [
            "",
            f"# {meaning}",
            f"{name} = (",
            f"    {pages},",
            f"    {_quoted(''.join(letters))},",
            *_literal(widths),
            "    ,",
            *_literal(b"".join(map(column_bytes, letters.values()))),
            ")",
        ]
    return "\n".join(lines) + "\n"


def symbols_source() -> str:
    lines = [
        '"""Symbols of the displays. Made by `python -m tools.glyphs`; change tools/symbols.txt.',
        "",
        "Each symbol: width, number of pages, bytes. The number in a name is its height in pixels.",
        BITS_ORDER,
        '"""',
    ]
    faces = [Image.new("1", (16, 16))]
    for name, sizes, shapes in symbols():
        if name.startswith("DIE_"):
            faces.append(_drawn(shapes, 16))
            continue
        for size in sizes:
            lines += _symbol(f"{name}_{size}", _drawn(shapes, size))
    lines += ["", "# By points, 1 to 6; the first stands for none."]
    lines += ["DICE = (", *(line for face in faces for line in _row(face)), ")"]
    return "\n".join(lines) + "\n"


def main() -> None:
    (NODE / "glyphs.py").write_text(glyphs_source(), encoding="utf-8")
    (NODE / "symbols.py").write_text(symbols_source(), encoding="utf-8")


def _has_mark_above(letter: str) -> bool:
    parts = unicodedata.normalize("NFD", letter)
    return len(parts) == 2 and parts[1] in MARKS


def _marked(plain: Image.Image, mark: tuple[str, ...]) -> Image.Image:
    """With these rows above its middle."""
    width = max(plain.width, len(mark[0]))
    picture = _centred(plain, width)
    left = (width - len(mark[0]) + 1) // 2
    for y, row in enumerate(mark):
        for x, point in enumerate(row):
            picture.putpixel((left + x, y), 255 * (point == "#"))
    return picture


def symbols() -> Iterable[tuple[str, list[int], list[str]]]:
    """Name, heights and shapes of each in tools/symbols.txt."""
    text = (Path(__file__).parent / "symbols.txt").read_text(encoding="utf-8")
    for block in text.split("\n\n")[1:]:
        head, *shapes = block.splitlines()
        name, *sizes = head.split()
        yield name, [int(size) for size in sizes], shapes


def _drawn(shapes: list[str], size: int) -> Image.Image:
    """At 16 a column and a row at the end stay dark: two stand apart, a lit bar keeps its edge."""
    side = 15 if size == 16 else size
    scale = side * FINER
    whole = Image.new("L", (scale, scale))
    draw = ImageDraw.Draw(whole)
    for shape in shapes:
        words = shape.removeprefix("dark ").split()
        ink = 0 if shape.startswith("dark ") else 255
        values = [float(word) for word in words[1:]]
        match words[0]:
            case "disc":
                draw.ellipse(_round(values, scale), fill=ink)
            case "box":
                x0, y0, x1, y1, radius = [value * scale for value in (*values, 0.0)[:5]]
                draw.rounded_rectangle((x0, y0, x1 - 1, y1 - 1), radius, fill=ink)
            case "area":
                draw.polygon([value * scale for value in values], fill=ink)
            case "line":
                _line(draw, values[0], values[1:], scale, ink)
            case "rays":
                number, near, far, width = values
                for ray in range(int(number)):
                    sine, cosine = math.sin(ray * math.tau / number), math.cos(ray * math.tau / number)
                    ends = [0.5 + radius * part for radius in (near, far) for part in (cosine, sine)]
                    _line(draw, width, ends, scale, ink)
            case "hexagon":  # that stands on a corner
                angles = [math.pi / 6 + corner * math.pi / 3 for corner in range(6)]
                parts = [part for angle in angles for part in (math.cos(angle), math.sin(angle))]
                draw.polygon([(0.5 + values[0] * part) * scale for part in parts], fill=ink)
            case "arc":
                *circle, begin, end, width = values
                draw.arc(_round(circle, scale), begin, end, fill=ink, width=round(width * scale))
            case other:
                raise ValueError(f"tools/symbols.txt: {other} is no shape.")
    picture = Image.new("1", (size, size))
    smaller = whole.resize((side, side), Image.Resampling.BOX).point(lambda level: 255 * (level >= 120))
    picture.paste(smaller, (0, 0))
    return picture


def _line(draw: ImageDraw.ImageDraw, width: float, points: list[float], scale: int, ink: int) -> None:
    """With round ends and corners."""
    draw.line([value * scale for value in points], fill=ink, width=round(width * scale))
    for x, y in zip(points[::2], points[1::2], strict=True):
        draw.ellipse(_round([x, y, width / 2], scale), fill=ink)


def _round(circle: list[float], scale: int) -> tuple[float, float, float, float]:
    x, y, radius = circle
    return (x - radius) * scale, (y - radius) * scale, (x + radius) * scale, (y + radius) * scale


def _centred(picture: Image.Image, width: int) -> Image.Image:
    wider = Image.new("1", (width, picture.height))
    wider.paste(picture, ((width - picture.width) // 2, 0))
    return wider


def _symbol(name: str, picture: Image.Image) -> list[str]:
    return [
        "",
        f"{name} = (",
        f"    {picture.width}, {picture.height // 8},",
        *_literal(column_bytes(picture)),
        ")",
    ]


def _row(picture: Image.Image) -> list[str]:
    lines = list(_literal(column_bytes(picture), per_line=16))
    return [
        f"    ({picture.width}, {picture.height // 8},",
        *(f"    {line}" for line in lines[:-1]),
        f"    {lines[-1]}),",
    ]


def _literal(data: bytes, per_line: int = 25) -> Iterable[str]:
    pieces = [data[start : start + per_line] for start in range(0, len(data), per_line)]
    for piece in pieces:
        text = "".join(f"\\x{byte:02x}" for byte in piece)
        yield f'    b"{text}"'


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


if __name__ == "__main__":
    main()
