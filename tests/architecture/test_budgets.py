"""Sizes: a file, a function, its nesting and its parameters."""

import ast

from tests.architecture.sources import Function, functions, length, python, texts

BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)
SOURCES = (".py", ".js", ".css", ".html", ".sh")
PUT_TOGETHER = {"pi_controller/web/verify.html"}
"""From short files, by `make generate`."""


def test_files_are_short() -> None:
    lengths = {name: text.count("\n") for name, text in texts().items() if name.endswith(SOURCES)}
    assert {name for name, lines in lengths.items() if lines > 400} == PUT_TOGETHER


def test_functions_are_short() -> None:
    sizes = {
        f"{name}:{node.lineno} {node.name}": length(node)
        for name, module in python("pi_controller", "tests", "tools")
        for node in functions(module)
    }
    assert {name: lines for name, lines in sizes.items() if lines > 60} == {}
    long = {name: lines for name, lines in sizes.items() if lines > 30 and name.startswith("pi_controller")}
    assert len(long) <= 0.05 * sum(name.startswith("pi_controller") for name in sizes), long


def test_nesting_is_shallow() -> None:
    deep = {
        f"{name}:{node.lineno} {node.name}": depth
        for name, module in python("pi_controller", "tools")
        for node in functions(module)
        if (depth := nesting(node.body)) > 3
    }
    assert deep == {}


def test_parameters_are_few_and_named_beyond_three() -> None:
    """A helper of one file may take five by place; a constructor takes the parts that `build` hands to it, by name."""
    many = {
        f"{name}:{node.lineno} {node.name}": (by_place, everything)
        for name, module in python("pi_controller")
        for node in functions(module)
        for by_place, everything in [parameters(node)]
        if by_place > (5 if node.name.startswith("_") else 3) or (everything > 8 and node.name != "__init__")
    }
    assert many == {}


def nesting(body: list[ast.stmt]) -> int:
    """Deepest level of branches in these statements; an `elif` is no level of its own."""
    return max((level(node) for node in body), default=0)


def level(node: ast.stmt) -> int:
    if not isinstance(node, BRANCHES):
        return 0
    inner = [nesting(part) for part in bodies(node)]
    following = [level(part) for part in getattr(node, "orelse", []) if is_elif(node)]
    return max([1 + depth for depth in inner] + following)


def bodies(node: ast.stmt) -> list[list[ast.stmt]]:
    parts = [getattr(node, "body", []), getattr(node, "finalbody", [])]
    parts += [] if is_elif(node) else [getattr(node, "orelse", [])]
    return parts + [part.body for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]]


def is_elif(node: ast.stmt) -> bool:
    following = getattr(node, "orelse", [])
    return isinstance(node, ast.If) and len(following) == 1 and isinstance(following[0], ast.If)


def parameters(node: Function) -> tuple[int, int]:
    """How many can be given by place, and how many there are, `self` and `cls` left aside."""
    by_place = [arg.arg for arg in node.args.posonlyargs + node.args.args if arg.arg not in {"self", "cls"}]
    return len(by_place), len(by_place) + len(node.args.kwonlyargs)


def test_the_measure_of_nesting_itself() -> None:
    text = "if a:\n  for b in c:\n    try:\n      pass\n    except E:\n      while d: pass\nelif e:\n  pass\nelse:\n  pass"
    assert nesting(ast.parse(text).body) == 4
    assert nesting(ast.parse("if a: pass\nelif b: pass\nelif c: pass").body) == 1
