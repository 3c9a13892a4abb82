"""`pi-controller bundle [-o F.zip]`: gathers, cleans, says what is inside, and writes one file whole."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from pi_controller import __version__
from pi_controller.cli.bundle.gather import BundlePart, Cleaned, clean, gather, known_secrets
from pi_controller.cli.setup.command import UNIT_SETTINGS
from pi_controller.cli.usage import (
    ACCEPTED,
    FAILED,
    REFUSED,
    Stop,
    add_settings,
    add_state_dir,
    parser_for,
    state_dir,
)
from pi_controller.journal.private import write_private
from pi_controller.language.system_errors import why
from pi_controller.language.words import all_words, words
from pi_controller.sentence import Sentence

README = """\
{title}
{underline}

{made}
{removed}
{inside}
{inside_underline}
{parts}
{outside}
{outside_underline}
{missing}
{never}
"""


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="F.zip", help=words(Sentence("help.bundle_output"))
    )
    parser.add_argument("--force", action="store_true", help=words(Sentence("help.bundle_force")))
    add_settings(parser)
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    now = datetime.now(UTC)
    output: Path = arguments.output or Path(f"pi-controller-bundle-{now:%Y%m%d-%H%M%S}.zip")
    settings = arguments.settings or (UNIT_SETTINGS if UNIT_SETTINGS.exists() else None)
    if output.exists() and not arguments.force:
        raise Stop(REFUSED, Sentence("bundle.file_exists", path=str(output)))
    try:
        parts = list(gather(state_dir(arguments), settings))
        content = bundle(parts, known_secrets(state_dir(arguments)), f"{now:%Y-%m-%d %H:%M} UTC")
        write_private(output, content)
    except PermissionError as error:
        raise Stop(REFUSED, Sentence("bundle.not_allowed", path=str(error.filename))) from error
    except OSError as error:
        where = str(error.filename or output)
        raise Stop(FAILED, Sentence("bundle.not_made", path=where, why=why(error))) from error
    left_out = sum(part.content is None for part in parts)
    kib, files = len(content) // 1024 + 1, len(parts) - left_out
    told = Sentence("bundle.is_made", path=str(output), count=files, kib=kib, left_out=left_out)
    print(words(told))
    return ACCEPTED


def bundle(parts: Iterable[BundlePart], secrets: tuple[bytes, ...], when: str) -> bytes:
    """The ZIP file; the text that says what is in it comes first."""
    found = list(parts)
    cleaned = {part.name: clean(part.content, secrets) for part in found if part.content is not None}
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("README.txt", clean(_readme(found, cleaned, when).encode(), secrets).content)
        for name, text in cleaned.items():
            file.writestr(name, text.content)
    return whole.getvalue()


def _readme(parts: list[BundlePart], cleaned: dict[str, Cleaned], when: str) -> str:
    title, inside = words(Sentence("bundle.title")), words(Sentence("bundle.what_is_inside"))
    outside = words(Sentence("bundle.what_was_left_out"))
    return README.format(
        title=title,
        underline="=" * len(title),
        made=words(Sentence("bundle.made", when=when, version=__version__)),
        removed=_lines(_removed(cleaned)),
        inside=inside,
        inside_underline="-" * len(inside),
        parts=_lines(_inside(parts, cleaned)),
        outside=outside,
        outside_underline="-" * len(outside),
        missing=_lines(_outside(parts, cleaned)) or words(Sentence("bundle.nothing")) + "\n",
        never=words(Sentence("bundle.never_gathered")),
    )


def _lines(told: Iterable[Sentence]) -> str:
    return "".join(f"{line}\n" for line in all_words(told))


def _removed(cleaned: dict[str, Cleaned]) -> Iterator[Sentence]:
    for name, text in cleaned.items():
        if text.removed:
            yield Sentence("bundle.secrets_replaced", name=name, count=text.removed)


def _inside(parts: list[BundlePart], cleaned: dict[str, Cleaned]) -> Iterator[Sentence]:
    for part in parts:
        if part.name in cleaned:
            length = len(cleaned[part.name].content)
            yield Sentence("bundle.part_inside", name=part.name, count=length, about=part.about)


def _outside(parts: list[BundlePart], cleaned: dict[str, Cleaned]) -> Iterator[Sentence]:
    for part in parts:
        if part.name not in cleaned:
            yield Sentence("bundle.part_left_out", name=part.name, about=part.about, note=part.note)
