"""The files of the repository and their syntax trees."""

import ast
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).parents[2]
Node = TypeVar("Node", bound=ast.AST)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def files() -> tuple[Path, ...]:
    """Everything that is, or would be, committed."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    return tuple(sorted(path for name in listing.split("\0") if name and (path := ROOT / name).is_file()))


@cache
def texts() -> dict[str, str]:
    """Text of every file that is text, by its path in the repository."""
    read: dict[str, str] = {}
    for path in files():
        data = path.read_bytes()
        if b"\0" not in data[:8192]:
            read[str(path.relative_to(ROOT))] = data.decode("utf-8")
    return read


def python(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    """Python files below these folders, by path, parsed."""
    for name in texts():
        if name.endswith(".py") and name.startswith(folders):
            yield name, tree(name)


@cache
def tree(name: str) -> ast.Module:
    """Kept until the end: a file is parsed once for all tests of a process."""
    return ast.parse(texts()[name], name)


@cache
def _by_kind(module: ast.Module) -> dict[type[ast.AST], list[ast.AST]]:
    """Walked once for all tests of a process."""
    found: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    for node in ast.walk(module):
        found[type(node)].append(node)
    return found


def nodes(module: ast.Module, *kinds: type[Node]) -> Iterator[Node]:
    """All of these kinds, however deep."""
    for kind in kinds:
        yield from _by_kind(module).get(kind, ())  # type: ignore[misc]


def functions(module: ast.Module) -> Iterator[Function]:
    return nodes(module, ast.FunctionDef, ast.AsyncFunctionDef)
