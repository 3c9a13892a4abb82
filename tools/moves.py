"""The table of allowed moves, as the rules page shows it."""

from pi_controller.game.commands import NAMES
from pi_controller.game.moves import nothing
from pi_controller.game.phases import TABLE, Situation

BEGIN = "<!-- table of moves: written by `make generate` -->"
END = "<!-- end of the table -->"


def page_with_moves(page: str) -> str:
    """The page with the table between its two marks made anew."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + "\n\n" + moves_table() + "\n" + END + after


def moves_table() -> str:
    """Situations as columns, commands as rows: done, without effect, or the sentence that refuses."""
    kinds = sorted({kind for row in TABLE.values() for kind in row}, key=lambda kind: NAMES[kind])
    sentences = sorted({entry for row in TABLE.values() for entry in row.values() if isinstance(entry, str)})
    head = ["Command", *(where.value for where in Situation)]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for kind in kinds:
        cells = [_cell(TABLE[where][kind], sentences) for where in Situation]
        lines.append(f"| `{NAMES[kind]}` | {' | '.join(cells)} |")
    notes = [f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1)]
    return "\n".join([*lines, "", *notes, ""])


def _cell(entry: object, sentences: list[str]) -> str:
    if isinstance(entry, str):
        return f"refused ({sentences.index(entry) + 1})"
    return "no effect" if entry is nothing else "yes"
