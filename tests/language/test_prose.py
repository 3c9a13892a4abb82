"""In these folders everything that a person reads is a sentence by its key: their code holds no prose."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture import sources
from tests.architecture.sources import ROOT

PACKAGE = ROOT / "pi_controller"
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
    "cli/completion.py": "what is written for other programs, the shells",
    "cli/bench.py": "a tool of who develops the controller, whose output are figures",
    "cli/broker_files.py": "what is written for another program, Mosquitto, with its remarks",
    "web/api/openapi.py": "describes the interface to programmers; so do the `summary` of a route and a `Meta`",
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
    "while sheets are collected",
    "space kept back",
    "looks after the computer",
    "reads the journal",
    "looks through the tables",
    "keeps the button",
    "keeps the roster",
    "keeps the self-test's lease",
    "opens the display",
    "saves the seat codes",
    "saves the settings",
    "renders the voice",
    "looks for lost games",
    "looks for sticks",
    "looks at the firmware",
    "makes the firmware",
    "keeps the term",
    "reads the copy",
    "saves to a stick",
    "tells the player",
    "no thread could be started",
    "the thread that {} broke off",
    "what followed the end of a connection broke off",
    "a line could not be read",
    "a claim of a seat",
    "It is forgotten who directs",
    "The notes to the moderator are forgotten",
    "The screens that were admitted are forgotten",
    "hears the player",
    "the loop's watchdog",
    "the journal writer",
    "the heartbeat writer",
    "the control server",
    "the game clock",
    "the room picture",
    "the button watch",
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
    "links step-down",
    "Raspberry Pi",
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


HEADERS = re.compile(r"; charset=utf-8$|^attachment; |'none'|=\(\), |^Accept-Language, Cookie$")
"""Their values."""

PAGES = {
    "Hall screen",
    "Hall screen in a corner of an empty page, over another picture",
    "Report of a game",
    "Phone page",
    "Director's page; without a log-in the way to it",
    "Moderator's page; without a log-in the way to it",
    "Judge's page; without a log-in the way to it",
    "Technician's page; without a log-in the way to it",
    "Self-test and walk of the rows",
    "Hardware test",
    "Virtual hall; from another machine with the log-in",
}
"""Summaries of routes, in a table of their own."""

CONSOLE = {
    "virtual hall {}/sim",
    "director {}/login?token={}",
    "Pages are served",
    "(%d log lines were dropped, since nobody took them)",
}
"""Lines that scripts read from the start, what systemd is told, and what the log says of itself."""

DESCRIBES = "Meta"
"""What it says of a field is for programmers who read the interface's description."""
SINKS = {"as_told", "print", "say", "_say", "paragraph", "heading", "table", "key_values", "Response"}
SPOKEN = {"description", "epilog", "help", "meaning", "metavar", "shown", "text", "title", "usage"}
"""Functions, and names of arguments, whose texts a person reads: there one word is a text already."""
TAKEN_APART = {"format", "join"}
BESIDE_A_HOLE = re.compile(r"\{\} [a-z]{3,}|[A-Za-z]{3,} \{\}")
"""A word beside what a program fills in."""
JOINED = {
    "AWG {}": "a measure",
    "pi-controller {}": "the name of this program, and its version",
    "pi-controller {} {}": "the same, and its source",
    "paper {}": "what is typed",
    "table {}": "the same",
    "voice {}": "the same",
    "python {} on {}, {}": "for the makers of this program",
    "scrypt {} {}\n": "a file of our own",
    "{} boards": "a note of the journal",
    "{} ear {}": "in an error for developers",
    "{} mouth {}": "the same",
    "{} lamp": "a part's name, within the program",
    "{} failed": "a log line",
    "{} broke off": "the same",
    "{} stopped": "the same",
    "seat {} {}": "what a report of health is about, within the program",
    "button {} {}": "what a report of health is about, within the program",
    "folder {}": "the same",
    "game {}": "the same",
    "segment {}": "the same",
    "start {}": "the same",
    "node {}": "the name under which a node claims that stands at no board; journals have it",
    "hall {}/": "scripts read it from the start",
    "director {}/login ({})": "the same",
    "technician {}/technician": "the same",
}
"""What reads like a text that is put together, and what it is."""
WORDS_OF_PROGRAMS = {
    "F.zip",
    "HEX",
    "RxB",
    "UID",
    "null",
    "p50 ms",
    "p99 ms",
    "why",
}
"""Placeholders of arguments, keys, verdicts and units."""

KNOWN = NAMES | PROGRAMS | PANEL | PAGES | CONSOLE | MARKUP


def test_no_sentence_stands_in_the_code() -> None:
    assert [f"{where}: {text}" for where, text in prose() if text not in KNOWN] == []


def test_the_exceptions_are_still_there() -> None:
    assert KNOWN - {text for _, text in prose()} == set()
    assert JOINED.keys() - {text for tree in trees().values() for _, text in joined(tree)} == set()
    assert WORDS_OF_PROGRAMS - {text for tree in trees().values() for _, text in told(tree)} == set()


def test_no_text_is_put_together_in_the_code() -> None:
    found = [(f"{path}:{line}", text) for path, tree in trees().items() for line, text in joined(tree)]
    assert [f"{where}: {text}" for where, text in found if text not in KNOWN | JOINED.keys()] == []


def test_what_a_person_reads_is_a_sentence() -> None:
    known = KNOWN | JOINED.keys() | WORDS_OF_PROGRAMS
    found = [(f"{path}:{line}", text) for path, tree in trees().items() for line, text in told(tree)]
    assert [f"{where}: {text}" for where, text in found if text not in known] == []


@pytest.mark.parametrize(
    "code",
    [
        'label = f"{count} boards"',
        'as_told(f"waiting for {board}")',
        'print("Stopped")',
        'paper.heading("Nodes")',
        'parser.add_argument("--rows", help="boards")',
        'parser.add_argument("--rows", help=f"number of {rows}")',
        'web.Response(text=f"<p>Wait {name}</p>")',
        'self._say("Done: " + name)',
    ],
)
def test_the_scan_finds_texts(code: str) -> None:
    tree = ast.parse(code)
    assert {*joined(tree), *told(tree)}


def trees() -> dict[str, ast.Module]:
    """The code of all rooms, by its path."""
    paths = {
        str(path.relative_to(PACKAGE)): path for room in ROOMS for path in (PACKAGE / room).rglob("*.py")
    }
    return {
        name: sources.tree(str(path.relative_to(ROOT)))
        for name, path in sorted(paths.items())
        if name not in ENGLISH
    }


def joined(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of what is filled in beside words."""
    for node in _spoken(tree):
        text = _text(node)
        if isinstance(node, ast.JoinedStr) and text is not None and BESIDE_A_HOLE.search(text):
            yield node.lineno, text


def told(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of what goes to a person as it stands."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _called(call) != DESCRIBES:
            given = call.args if _called(call) in SINKS else []
            for value in (*given, *(word.value for word in call.keywords if word.arg in SPOKEN)):
                for node in _literals(value):
                    text = _text(node)
                    if text is not None and re.search(r"[A-Za-z]{2,}", re.sub(r"<[^>]*>|\{\}", "", text)):
                        yield node.lineno, text


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else _name(call.func)


def _literals(node: ast.expr) -> Iterator[ast.expr]:
    """Texts below this one; what another function makes of one is not looked at."""
    if isinstance(node, (ast.Constant, ast.JoinedStr)):
        yield node
    elif not isinstance(node, ast.Call) or _called(node) in TAKEN_APART:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _literals(child)


def prose() -> Iterator[tuple[str, str]]:
    """Where a text stands that reads like a sentence or the beginning of one, and the text."""
    for path, tree in trees().items():
        for node in _spoken(tree):
            text = _text(node)
            if text is not None and _reads_like_prose(text):
                yield f"{path}:{node.lineno}", text


def _reads_like_prose(text: str) -> bool:
    words = re.findall(r"[A-Za-z']{2,}", text)
    if (
        " " not in text.strip()
        or " | " in text
        or text.lstrip().startswith(BEGINNINGS)
        or HEADERS.search(text)
    ):
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
        if isinstance(child, ast.Call) and _name(child.func) == DESCRIBES:
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
