"""The texts within a script of the pages: what stands between quotation marks, and between those of templates."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<regex>(?<=[(,=:!&|?{;\[>])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)
    |(?P<tick>(?:\b(?:html|svg))?`)
    |(?P<open>\{)|(?P<close>\})""",
    re.DOTALL | re.VERBOSE,
)
PIECE = re.compile(r"(?P<end>`)|(?P<hole>\$\{)|\\.|[^`\\$]+|\$", re.DOTALL)
HOLE = "\0"
"""Stands in a template for what the script puts there."""


@dataclass(frozen=True, slots=True)
class Text:
    line: int
    text: str
    markup: bool
    """Whether it is a template of elements."""


def texts_of(script: str) -> Iterator[Text]:
    """All of them; those within a template's holes come before it."""
    yield from _Reader(script).read()


class _Reader:
    def __init__(self, script: str) -> None:
        self._script = script
        self._at = 0

    def read(self, *, within_hole: bool = False) -> Iterator[Text]:
        depth = 0
        while found := TOKEN.search(self._script, self._at):
            self._at = found.end()
            if found["string"]:
                yield Text(self._line(found.start()), found["string"][1:-1], markup=False)
            elif found["tick"]:
                yield from self._template(found.start(), markup=len(found["tick"]) > 1)
            elif found["open"]:
                depth += 1
            elif found["close"]:
                depth -= 1
                if within_hole and depth < 0:
                    return

    def _template(self, start: int, *, markup: bool) -> Iterator[Text]:
        text = ""
        while piece := PIECE.match(self._script, self._at):
            self._at = piece.end()
            if piece["end"]:
                break
            if piece["hole"]:
                text += HOLE
                yield from self.read(within_hole=True)
            else:
                text += piece[0]
        yield Text(self._line(start), text, markup)

    def _line(self, place: int) -> int:
        return self._script.count("\n", 0, place) + 1
