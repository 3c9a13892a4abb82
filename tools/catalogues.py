"""Sorts the catalogues of texts and compiles them for `gettext`."""

from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

LOCALES = Path("pi_controller") / "locale"


def catalogues(root: Path) -> dict[str, bytes]:
    """Path below the repository and content of each catalogue: sorted by key, and compiled beside it."""
    made: dict[str, bytes] = {}
    for path in sorted((root / LOCALES).glob("*/LC_MESSAGES/*.po")):
        with path.open("rb") as file:
            catalogue = read_po(file, locale=path.parts[-3], abort_invalid=True)
        name = str(path.relative_to(root))
        made[name] = _source(catalogue)
        made[str(Path(name).with_suffix(".mo"))] = _compiled(catalogue)
    return made


def _source(catalogue: Catalog) -> bytes:
    written = BytesIO()
    write_po(written, catalogue, width=0, sort_output=True, omit_header=False)
    return written.getvalue()


def _compiled(catalogue: Catalog) -> bytes:
    written = BytesIO()
    write_mo(written, catalogue)
    return written.getvalue()
