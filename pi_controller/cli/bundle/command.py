"""`pi-controller bundle [-o F.zip]`: gathers, cleans, says what is inside, and writes one file whole."""

import io
import zipfile
from collections.abc import Iterable
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

README = """\
Support bundle of a pi-controller
=================================

Made {when} by version {version}. Send it to whoever helps you. It holds no PIN, no log-in link, no
token, no key and no seed of a game that can still go on: they are not gathered, and every file was searched
for them.
{removed}
What is in it
-------------
{inside}
What was left out
-----------------
{outside}
Never gathered: the folder `web` of the state folder (PIN, tokens, sessions), the pairing key, the seeds of
games, the settings file itself (its comments may say anything) and copies on other devices.
"""


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="F.zip", help="default: a name with the time, here"
    )
    parser.add_argument("--force", action="store_true", help="replace F.zip when it exists")
    add_settings(parser)
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    now = datetime.now(UTC)
    output: Path = arguments.output or Path(f"pi-controller-bundle-{now:%Y%m%d-%H%M%S}.zip")
    settings = arguments.settings or (UNIT_SETTINGS if UNIT_SETTINGS.exists() else None)
    if output.exists() and not arguments.force:
        raise Stop(REFUSED, f"{output} exists already: choose another name, or give --force to replace it.")
    try:
        parts = list(gather(state_dir(arguments), settings))
        content = bundle(parts, known_secrets(state_dir(arguments)), f"{now:%Y-%m-%d %H:%M} UTC")
        write_private(output, content)
    except PermissionError as error:
        raise Stop(
            REFUSED,
            f"{error.filename}: this user may not; run it with sudo, so that secrets can be left out.",
        ) from error
    except OSError as error:
        where = error.filename or output
        remedy = "no bundle was made; check that place, or name another with -o."
        raise Stop(FAILED, f"{where}: {error.strerror}; {remedy}") from error
    left_out = sum(part.content is None for part in parts)
    print(
        f"{output}: {len(parts) - left_out} files, {len(content) // 1024 + 1} KiB; {left_out} were not there."
    )
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
    inside = [
        f"{part.name} ({len(cleaned[part.name].content)} bytes): {part.about}\n"
        for part in parts
        if part.name in cleaned
    ]
    outside = [f"{part.name}: {part.about}. {part.note}\n" for part in parts if part.name not in cleaned]
    removed = [
        f"{name}: {text.removed} secrets were replaced by [removed].\n"
        for name, text in cleaned.items()
        if text.removed
    ]
    return README.format(
        when=when,
        version=__version__,
        removed="".join(removed),
        inside="".join(inside),
        outside="".join(outside) or "Nothing.\n",
    )
