"""Tables as CSV that a spreadsheet opens by a double click."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

from pi_controller.language.numbers import MARKS

BYTE_ORDER_MARK: Final = "\ufeff"
"""At the head of a file: without it spreadsheets take UTF-8 for the encoding of their system."""
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""So begins what a spreadsheet would compute (OWASP, CSV injection)."""


def csv_lines(rows: Iterable[Sequence[object]], language: str | None = None) -> str:
    """These rows, with the line ends of RFC 4180; None is an empty cell.

    Without a language as programs read it: comma between cells, point in numbers. With one, a spreadsheet in
    this language takes the cells apart: semicolons where the decimal mark is a comma.
    """
    separator = ";" if language is not None and MARKS[language] else ","
    into = io.StringIO()
    csv.writer(into, delimiter=separator).writerows([_cell(value, language) for value in row] for row in rows)
    return into.getvalue()


def _cell(value: object, language: str | None) -> object:
    if isinstance(value, float) and language is not None:
        return str(value).translate(MARKS[language])
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
