"""Habits of the code that a machine can check."""

import ast
import re
from collections.abc import Iterator

from tests.architecture.sources import ROOT, nodes, python

SUPERVISORS = (
    # The two functions that boundaries use, and only they.
    "pi_controller/defects.py",
    # An exception that leaves a callback ends the pin library's only thread, and with it every later press.
    "pi_controller/hal/gpio.py",
)
BOUNDARIES = {
    "pi_controller/core/game_loop/commands.py": "commands",
    "pi_controller/core/game_loop/loop.py": "the hand-over to the journal",
    "pi_controller/core/game_loop/picture.py": "what is shown",
    "pi_controller/core/hardware_test/parts.py": "the work of probes on threads",
    "pi_controller/core/hardware_test/testing.py": "probes",
    "pi_controller/core/panel/outputs.py": "parts of the panel",
    "pi_controller/core/runtime.py": "restarts of parts, and threads beside the loop",
    "pi_controller/links/broker.py": "what others publish",
    "pi_controller/protocol/server.py": "sockets of requests",
    "pi_controller/hal/evdev.py": "the thread of the USB button, and who listens to it",
    "pi_controller/web/api/game.py": "commands of a desk, which are answered after the message",
    "pi_controller/web/api/seats.py": "claims of phones, which are answered after the message",
    "pi_controller/web/http/guard.py": "requests and sockets of pages",
}
"""Where something goes on whatever is raised inside, by what goes on there."""
CATCHES = {"run_catching", "awaited_value_of", "value_of"}
CATCH_ALL = {None, "Exception", "BaseException"}


def test_only_named_places_catch_everything() -> None:
    places = [
        name
        for name, module in python("pi_controller")
        for node in nodes(module, ast.ExceptHandler)
        if caught(node) & CATCH_ALL
    ]
    assert set(places) == set(SUPERVISORS)


def test_only_named_boundaries_go_on_whatever_is_raised() -> None:
    places = {
        name
        for name, module in python("pi_controller")
        for node in nodes(module, ast.Name)
        if node.id in CATCHES
    }
    assert places == BOUNDARIES.keys()


def test_what_a_boundary_catches_is_told() -> None:
    """An error that comes back as a value is no answer and no log line yet."""
    dropped = [
        f"{name}:{node.lineno}"
        for name, module in python("pi_controller")
        for node in nodes(module, ast.Expr)
        for call in [node.value.value if isinstance(node.value, ast.Await) else node.value]
        if isinstance(call, ast.Call)
        if ast.unparse(call.func) in CATCHES or "return_exceptions" in {word.arg for word in call.keywords}
    ]
    assert dropped == []


JSON_OF_OURS = {
    "pi_controller/web/api/seats.py": "the key alone of a message that was refused",
    "pi_controller/web/api/tables.py": "core's and the virtual tables'",
    "pi_controller/web/http/access.py": "a file",
    "pi_controller/web/http/connections.py": "a file",
    "pi_controller/web/live/broadcaster.py": "core's",
    "pi_controller/web/live/core_link.py": "core's",
    "pi_controller/web/live/notes.py": "a file",
}
"""What web reads without `protocol/strict_json.py`, which bounds every number: `first.data` of a seat holds none."""


def test_what_pages_send_is_read_with_its_numbers_bounded() -> None:
    places = {
        name
        for name, module in python("pi_controller/web")
        for node in nodes(module, ast.Call)
        if ast.unparse(node.func) in {"json.loads", "msgspec.json.decode"}
    }
    assert places == JSON_OF_OURS.keys()


def test_nothing_is_caught_and_dropped() -> None:
    """`except …: pass` hides a fault; contextlib.suppress names it and says that it is meant."""
    dropped = [
        f"{name}:{node.lineno}"
        for name, module in python("pi_controller")
        for node in nodes(module, ast.ExceptHandler)
        if all(isinstance(line, ast.Pass) for line in node.body)
    ]
    assert dropped == []


def test_a_loop_around_a_task_group_ends_when_it_is_told_to() -> None:
    """Before Python 3.13 a TaskGroup forgets that it was cancelled when one of its tasks fails just then."""
    go_on = [
        f"{name}:{node.lineno}"
        for name, module in python("pi_controller")
        for node in nodes(module, ast.While)
        if any(isinstance(inner, ast.TryStar) for inner in ast.walk(node))
        if not any(isinstance(inner, ast.Name) and inner.id == "until_next_try" for inner in ast.walk(node))
    ]
    assert go_on == []


LINES_OF_THE_PAGES = {
    # Modules of the web process that write to the log, and why no stranger can make them do it again and again
    "web/main.py": "at the start",
    "web/api/seats.py": "who has a seat's code, while core is away",
    "web/http/guard.py": "as often as PINs may be guessed",
    "web/http/limits.py": "once a minute",
    "web/http/access.py": "once for each trouble with the disk",
    "web/live/core_link.py": "core, while it is away",
    "web/live/notes.py": "at the start, of who directs and of the staff's notes, and once for each trouble with the disk",
}


def test_no_stranger_writes_the_log() -> None:
    """Misbehaviour is counted (`web/http/limits.py`); what is written here has another reason."""
    told = {"info", "warning", "error", "exception", "critical"}
    found = {
        name.partition("pi_controller/")[2]
        for name, module in python("pi_controller/web")
        for node in nodes(module, ast.Attribute)
        if node.attr in told and ast.unparse(node.value) == "LOG"
    }
    assert found == LINES_OF_THE_PAGES.keys()


def test_nothing_is_set_from_outside_in_core() -> None:
    """Objects are complete when they are made; who changes one calls it. A record belongs to the module that defines it,
    and three names are the standard library's."""
    given = {"sys.excepthook", "record.msg", "threading.current_thread().name"}
    outside = [
        f"{name}:{node.lineno} {ast.unparse(node)}"
        for name, module in python("pi_controller/core")
        for node in nodes(module, ast.Attribute)
        if isinstance(node.ctx, ast.Store)
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
        for node in nodes(module, ast.Call)
        if is_sleep(node)
    ]
    assert sleeps == []


def test_tests_mirror_the_package() -> None:
    packages = {path.parent.name for path in (ROOT / "pi_controller").glob("*/__init__.py")}
    tested = {
        path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").glob("*/**/test_*.py")
    }
    assert packages - tested == set()


def test_every_module_says_what_it_holds() -> None:
    modules = python("benchmarks", "pi_controller", "tools")
    silent = [name for name, module in modules if ast.get_docstring(module) is None]
    assert silent == []


def test_the_journal_alone_puts_private_files_in_place() -> None:
    """`write_private`: whole or not at all, for the owner of the folder also when root makes it. Why core does not start
    is no secret, and the command line, which reads it, is not to load the journal."""
    makers = {
        name
        for name, module in python("pi_controller")
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and node.attr == "O_EXCL"
    }
    journal = {"pi_controller/journal/files.py", "pi_controller/journal/store.py"}
    assert makers == {*journal, "pi_controller/protocol/refusal.py"}


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


WAITS_OF_THEIR_OWN = {
    # Where a test gives up sooner than `tests/patience.py` says, and why a slow machine does not fail it by that
    "tests/browser/test_seen.py:SOON_MS": "the test of a look that finds nothing",
    "tests/browser/covers.py:COMES_WITHIN_S": "a figure of `make screens`, not of the suite",
    "tests/browser/covers.py:GOES_WITHIN_S": "so too",
    "tests/bench/test_listeners.py:27": "a number of listeners",
    "tests/journal/killed.py:44": "one look at a semaphore, of many",
    "tests/slow_disk/hall.py:RESUME_AGAIN_S": "play is resumed again",
    "tests/browser/bidi.py:ANSWERS_WITHIN_S": "the question is asked again",
    "tests/browser/bidi.py:RESTS_WITHIN_S": "so too",
    "tests/hal/sound/test_player.py:ONE_TRY_S": "one of ten tries, which run before everything else",
    "tests/selftest/real_hall.py:PATIENCE_S": "of somebody who misses what is really not there",
    "tests/system/table_hands.py:HELD_AGAIN_S": "a button is held again",
    "tests/system/test_classic.py:PRESSED_AGAIN_S": "a button is pressed again",
}


def test_what_is_waited_for_has_minutes() -> None:
    """A wait ends with its event; how long a machine may take for it stands in `tests/patience.py` alone."""
    found = {
        place
        for name, module in python("tests")
        if not name.startswith(("tests/on_pi", "tests/soak", "tests/chip", "tests/patience.py"))
        for node in nodes(module, ast.Assign, ast.keyword, ast.Call, ast.BinOp)
        for place in short_waits(name, node)
    }
    assert found == WAITS_OF_THEIR_OWN.keys()


WAIT = re.compile(
    r"(DEADLINE|PATIENCE|LONGEST_WAIT|SOON|WITHIN|ONE_TRY|AGAIN)(_M?S|_WITHIN_S)?$|_(WITHIN|AGAIN)_S$"
)


WAITING = {"join", "result", "acquire", "set_default_timeout", "communicate"}
LOOK_S = 0.5
"""What is shorter is one look of many."""


def short_waits(name: str, node: ast.AST) -> Iterator[str]:
    """A constant that is called so, or a number that stands as a limit of time."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
        yield from (
            f"{name}:{one.id}" for one in node.targets if isinstance(one, ast.Name) and WAIT.search(one.id)
        )
    if isinstance(node, ast.keyword) and node.arg == "timeout" and is_limit(node.value):
        yield f"{name}:{node.value.lineno}"
    if isinstance(node, ast.Call) and ast.unparse(node.func) in {"asyncio.wait_for", "asyncio.timeout"}:
        yield from (f"{name}:{each.lineno}" for each in node.args if is_limit(each))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WAITING:
        yield from (f"{name}:{each.lineno}" for each in node.args if is_limit(each) and each.value >= LOOK_S)  # type: ignore[attr-defined]
    if isinstance(node, ast.BinOp) and ast.unparse(node.left) == "time.monotonic()" and is_limit(node.right):
        yield f"{name}:{node.lineno}"


def is_limit(node: ast.expr) -> bool:
    """A number that somebody has thought of; 0 does not wait."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value > 0


def test_the_measure_of_short_waits_itself() -> None:
    text = "PATIENCE_S = 5\nX_WITHIN_S = 2.0\nf(timeout=3)\nf(timeout=0)\nasyncio.wait_for(x, 9)\nasyncio.timeout(LONG)"
    text += "\nt.join(10)\nt.join(0.1)\nuntil = time.monotonic() + 7"
    found = [place for node in ast.walk(ast.parse(text)) for place in short_waits("t", node)]
    assert sorted(found) == ["t:3", "t:5", "t:7", "t:9", "t:PATIENCE_S", "t:X_WITHIN_S"]


def test_each_room_names_its_chapters() -> None:
    """The docstring of a package is its table of contents."""
    missing = []
    for name, module in python("pi_controller"):
        folder = (ROOT / name).parent
        chapters = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
        rooms = {path.parent.name for path in folder.glob("*/__init__.py")}
        if name.endswith("__init__.py") and name.count("/") > 1 and len(chapters | rooms) > 1:
            said = set(re.findall(r"\w+", ast.get_docstring(module) or ""))
            missing += [f"{name}: {one}" for one in sorted((chapters | rooms) - said)]
    assert missing == []


WHERE_LINES_ARE_TOLD_APART = {
    "pi_controller/protocol/changes.py",
    "pi_controller/protocol/question.py",
    "pi_controller/web/live/broadcaster.py",
}


def test_who_follows_core_takes_changes_too() -> None:
    """A line of core's has a whole picture or a change: `CoreLine.shown`. Who looks for pictures alone hears of
    the first only."""
    found = {
        name
        for name, module in python("pi_controller")
        if any(
            isinstance(node, ast.ImportFrom) and "CoreLine" in {one.name for one in node.names}
            for node in ast.walk(module)
        )
        and any(
            node.attr in {"picture", "change"} and ast.unparse(node.value) in {"line", "news", "said"}
            for node in nodes(module, ast.Attribute)
        )
    }
    assert found <= WHERE_LINES_ARE_TOLD_APART
