"""The English catalogue and the code name the same sentences with the same parameters."""

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

from babel.messages.pofile import read_po

PACKAGE = Path(__file__).parent.parent.parent / "pi_controller"
CATALOGUE = PACKAGE / "locale" / "en" / "LC_MESSAGES" / "controller.po"


def texts() -> dict[str, tuple[str, ...]]:
    """Key and all forms of its text."""
    with CATALOGUE.open("rb") as file:
        catalogue = read_po(file, locale="en")
    return {
        message.id if isinstance(message.id, str) else message.id[0]: (message.string,)
        if isinstance(message.string, str)
        else tuple(message.string)
        for message in catalogue
        if message.id
    }


def said() -> Iterator[tuple[str, str, frozenset[str]]]:
    """Where each sentence is said, its key, its parameters."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Sentence":
                where = f"{path.relative_to(PACKAGE)}:{node.lineno}"
                key = node.args[0] if len(node.args) == 1 else None
                assert isinstance(key, ast.Constant), f"{where}: the key of a sentence is written out"
                names = [word.arg for word in node.keywords]
                assert None not in names, f"{where}: the parameters of a sentence are written out"
                yield where, str(key.value), frozenset(name for name in names if name)


def named_in(text: str) -> set[str]:
    """The parameters that a text names."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_sentence_has_a_text_with_its_parameters() -> None:
    known = texts()
    assert [where for where, key, _ in said() if key not in known] == []
    wrong = [
        f"{where}: {key}"
        for where, key, params in said()
        if any(not named_in(text) <= params for text in known[key])
        or params - {"count"} - set.union(*(named_in(text) for text in known[key]))
    ]
    assert wrong == []


def test_every_text_is_said_and_has_words() -> None:
    used = {key for _, key, _ in said()}
    assert [key for key in texts() if key not in used] == []
    assert [key for key, forms in texts().items() if not all(forms)] == []
