"""Habits of the code that a machine can check."""

import ast
import subprocess
import sys

from tests.architecture.sources import ROOT, python
from tools.generate import stale

SUPERVISORS = (
    # The two functions that boundaries use, and only they.
    "pi_controller/defects.py",
    # An exception that leaves a callback ends the pin library's only thread, and with it every later press.
    "pi_controller/hal/gpio/buttons.py",
)
BOUNDARIES = {
    "pi_controller/core/game_loop/command_queue.py": "commands",
    "pi_controller/core/game_loop/saves.py": "the hand-over to the journal",
    "pi_controller/core/game_loop/showing.py": "what is shown",
    "pi_controller/core/hardware_test/reply.py": "probes",
    "pi_controller/core/hardware_test/work.py": "their work on threads",
    "pi_controller/core/panel/outputs.py": "parts of the panel",
    "pi_controller/core/runtime/supervise.py": "restarts of parts",
    "pi_controller/core/runtime/threads.py": "threads beside the loop",
    "pi_controller/protocol/server.py": "sockets of requests",
    "pi_controller/web/api/seats.py": "claims of phones, which are answered after the message",
    "pi_controller/web/http/guard.py": "requests and sockets of pages",
}
"""Where something goes on whatever is raised inside, by what goes on there."""
CATCH_ALL = {None, "Exception", "BaseException"}


LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"


def test_imports_point_down() -> None:
    # in a process of its own, because it switches off the loggers that it finds
    found = subprocess.run(
        [sys.executable, "-c", LINT], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout


def test_generated_files_are_current() -> None:
    assert stale() == [], "run `make generate`"


def test_only_named_places_catch_everything() -> None:
    places = [
        name
        for name, module in python("pi_controller")
        for node in ast.walk(module)
        if isinstance(node, ast.ExceptHandler) and caught(node) & CATCH_ALL
    ]
    assert set(places) == set(SUPERVISORS)


def test_only_named_boundaries_go_on_whatever_is_raised() -> None:
    places = {
        name
        for name, module in python("pi_controller")
        for node in ast.walk(module)
        if isinstance(node, ast.Name) and node.id in {"caught", "caught_in"}
    }
    assert places == BOUNDARIES.keys()


def test_what_a_boundary_catches_is_told() -> None:
    """An error that comes back as a value is no answer and no log line yet."""
    dropped = [
        f"{name}:{node.lineno}"
        for name, module in python("pi_controller")
        for node in ast.walk(module)
        if isinstance(node, ast.Expr)
        for call in [node.value.value if isinstance(node.value, ast.Await) else node.value]
        if isinstance(call, ast.Call) and ast.unparse(call.func) in {"caught", "caught_in"}
    ]
    assert dropped == []


JSON_OF_OURS = {
    "pi_controller/web/api/seats.py": "the key alone of a message that was refused",
    "pi_controller/web/api/hardware_test.py": "core's",
    "pi_controller/web/api/virtual_tables.py": "of the virtual tables",
    "pi_controller/web/http/links.py": "a file",
    "pi_controller/web/http/people.py": "a file",
    "pi_controller/web/http/served.py": "a file",
    "pi_controller/web/live/core_link.py": "core's",
    "pi_controller/web/live/directing.py": "a file",
    "pi_controller/web/live/notes.py": "a file",
    "pi_controller/web/live/phones.py": "core's",
    "pi_controller/web/live/screen_register.py": "a file",
}
"""What web reads without `protocol/strict_json.py`, which bounds every number: `first.data` of a seat holds none."""


def test_what_pages_send_is_read_with_its_numbers_bounded() -> None:
    places = {
        name
        for name, module in python("pi_controller/web")
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"json.loads", "msgspec.json.decode"}
    }
    assert places == JSON_OF_OURS.keys()


def test_nothing_is_caught_and_dropped() -> None:
    """`except …: pass` hides a fault; contextlib.suppress names it and says that it is meant."""
    dropped = [
        f"{name}:{node.lineno}"
        for name, module in python("pi_controller")
        for node in ast.walk(module)
        if isinstance(node, ast.ExceptHandler) and all(isinstance(line, ast.Pass) for line in node.body)
    ]
    assert dropped == []


LINES_OF_THE_PAGES = {
    # Modules of the web process that write to the log, and why no stranger can make them do it again and again
    "web/main.py": "at the start",
    "web/api/seats.py": "who has a seat's code, while core is away",
    "web/http/misbehaviour.py": "once a minute",
    "web/http/tokens.py": "once for each trouble with the disk",
    "web/live/core_link.py": "core, while it is away",
    "web/live/directing.py": "at the start",
    "web/live/kept_file.py": "what the disk does not take, of who directs and of screens that were admitted",
    "web/live/notes.py": "at the start, and of the staff's notes",
    "web/live/screen_register.py": "at the start",
}


def test_no_stranger_writes_the_log() -> None:
    """Misbehaviour is counted (`web/http/misbehaviour.py`); what is written here has another reason."""
    told = {"info", "warning", "error", "exception", "critical"}
    found = {
        name.partition("pi_controller/")[2]
        for name, module in python("pi_controller/web")
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and node.attr in told and ast.unparse(node.value) == "LOG"
    }
    assert found == LINES_OF_THE_PAGES.keys()


def test_nothing_is_set_from_outside_in_core() -> None:
    """Objects are complete when they are made; who changes one calls it. A record belongs to the module that defines it,
    and three names are the standard library's."""
    given = {"sys.excepthook", "record.msg", "threading.current_thread().name"}
    outside = [
        f"{name}:{node.lineno} {ast.unparse(node)}"
        for name, module in python("pi_controller/core")
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if ast.unparse(node.value) not in {"self", "cls"}
        if node.attr not in fields(module) and ast.unparse(node) not in given
    ]
    assert outside == []


def fields(module: ast.Module) -> set[str]:
    """Of the records that this module defines."""
    return {
        line.target.id
        for kind in module.body
        if isinstance(kind, ast.ClassDef)
        for line in kind.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    }


def test_tests_never_sleep() -> None:
    sleeps = [
        f"{name}:{node.lineno}"
        for name, module in python("tests")
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and is_sleep(node)
    ]
    assert sleeps == []


def test_tests_mirror_the_package() -> None:
    packages = {path.parent.name for path in (ROOT / "pi_controller").glob("*/__init__.py")}
    tested = {
        path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").glob("*/**/test_*.py")
    }
    assert packages - tested == set()


def test_every_module_says_what_it_holds() -> None:
    modules = python("pi_controller", "tools")
    silent = [name for name, module in modules if ast.get_docstring(module) is None]
    assert silent == []


def caught(node: ast.ExceptHandler) -> set[str | None]:
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    return {None if kind is None else ast.unparse(kind) for kind in kinds}


def is_sleep(node: ast.Call) -> bool:
    if ast.unparse(node.func) not in {"time.sleep", "asyncio.sleep", "sleep"}:
        return False
    return [ast.unparse(argument) for argument in node.args] != ["0"]


def test_the_measure_of_sleep_itself() -> None:
    calls = ["time.sleep(1)", "asyncio.sleep(0.1)", "asyncio.sleep(0)", "sleep(n)", "loop.call_later(1)"]
    found = [is_sleep(ast.parse(call, mode="eval").body) for call in calls]  # type: ignore[arg-type]
    assert found == [True, True, False, True, False]
