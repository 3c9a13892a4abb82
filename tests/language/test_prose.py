"""In these folders everything that a person reads is a sentence by its key: their code holds no prose."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent.parent / "pi_controller"
ROOMS = (
    "bus",
    "cli",
    "core",
    "flashing",
    "game",
    "hal",
    "journal",
    "paper",
    "protocol",
    "roster",
    "selftest",
    "settings",
    "supply",
    "virtual_hall",
    "web",
)
ENGLISH = {
    "journal/verify_game.py": "runs without this package, on whatever computer a guest has",
    "cli/bench.py": "a tool of who develops the controller, whose output are figures",
    "web/api/openapi.py": "describes the interface to programmers; so does the `summary` of a route",
}
"""Their sentences are English."""
DEVELOPERS = {
    "BadFrame",
    "BadMessage",
    "ContradictionError",
    "RuntimeError",
    "TypeError",
    "ValueError",
}
"""What is raised for whoever writes this program: a mistake of ours."""

NAMES = {
    "before the start",
    "while the clock runs",
    "while play is paused",
    "after the end",
    "space kept back",
    "looks after the computer",
    "reads the journal",
    "looks through the tables",
    "keeps the roster",
    "keeps the self-test's lease",
    "opens the display",
    "renders the voice",
    "tells the player",
    "hears the player",
    "the loop's watchdog",
    "the journal writer",
    "the heartbeat writer",
    "the control server",
    "the game clock",
    "the room picture",
    "the button watch",
    "the way to the tables",
    "the local display",
    "the table nodes' segments",
}
"""Names of threads, parts and situations: only log and tests have them."""

PROGRAMS = {
    "pi-controller dice {}",
    "pi-controller commitment {}",
    "reading the journal: {} lines",
    "Remote I/O error",
    "({} lines were left out) {}",
    "%(levelname)s %(name)s: %(message)s",
    "pi-controller: room picture, tables and commands, version 1",
    "pi-controller run: {}",
    "pi-controller selftest",
    "Raspberry Pi",
    "text/html; charset=utf-8",
}
"""What is hashed, told to systemd, or written into the log; the title of the
published schema; the kernel's own words, of which the simulated display makes use; names of commands, of a
computer and of a kind of file."""
BEGINNINGS = ("<!doctype html>", "import ", "# MicroPython runs this file")
"""Of pages and programs."""

PANEL = {"Sun lamp", "Moon lamp", "Pause lamp", "Shutdown button"}
"""Names that the drivers put into their errors."""

MARKUP = {'<font name="{}">{}</font>'}
"""Of the library that sets pages."""


HEADERS = {
    "Accept-Language, Cookie",
    'attachment; filename="{}.jsonl"',
    "camera=(), geolocation=(), microphone=()",
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    "text/css; charset=utf-8",
    "text/html; charset=utf-8",
    "text/javascript; charset=utf-8",
    "text/plain; charset=utf-8",
    "text/plain; version=0.0.4; charset=utf-8",
    "text/x-python; charset=utf-8",
}
"""Their values."""

PAGES = {
    "Hall screen",
    "Director's page; without a log-in the way to it",
    "Technician's page; without a log-in the way to it",
    "Self-test and walk of the rows",
    "Hardware test",
    "Virtual hall; from another machine with the log-in",
}
"""Summaries of routes, in a table of their own."""

CONSOLE = {"virtual hall {}/sim", "director {}/login?token={}", "Pages are served"}
"""Lines that scripts read from the start, and what systemd is told."""

KNOWN = NAMES | PROGRAMS | PANEL | HEADERS | PAGES | CONSOLE | MARKUP


def test_no_sentence_stands_in_the_code() -> None:
    assert [f"{where}: {text}" for where, text in prose() if text not in KNOWN] == []


def test_the_exceptions_are_still_there() -> None:
    assert KNOWN - {text for _, text in prose()} == set()


def prose() -> Iterator[tuple[str, str]]:
    """Where a text stands that reads like a sentence or the beginning of one, and the text."""
    for room in ROOMS:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            if str(path.relative_to(PACKAGE)) in ENGLISH:
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in _spoken(tree):
                text = _text(node)
                if text is not None and _reads_like_prose(text):
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", text


def _reads_like_prose(text: str) -> bool:
    words = re.findall(r"[A-Za-z']{2,}", text)
    if " " not in text.strip() or " | " in text or text.lstrip().startswith(BEGINNINGS):
        return False
    return len(words) > 2 or (len(words) == 2 and text[0].isupper())


def _spoken(node: ast.AST) -> Iterator[ast.expr]:
    """Texts below this node, but no docstrings, log lines and errors for developers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.Raise) and _name(child.exc) in DEVELOPERS:
            continue
        if (
            isinstance(child, ast.Call)
            and isinstance(child.func, ast.Attribute)
            and _name(child.func.value).lower() == "log"
        ):
            continue
        if isinstance(child, ast.keyword) and child.arg == "summary":
            continue
        if isinstance(child, (ast.Constant, ast.JoinedStr)):
            yield child
        else:
            yield from _spoken(child)


def _name(node: ast.AST | None) -> str:
    if isinstance(node, ast.Call):
        return _name(node.func)
    return node.id if isinstance(node, ast.Name) else ""


def _text(node: ast.expr) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
