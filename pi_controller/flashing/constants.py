"""Whole numbers that have a name, as MicroPython's compiler wants them: `_LIMIT = const(5)`.

The sources run under CPython too, which knows no `const`. So it is put in when they are compiled. The
compiler then writes the number wherever the name stands, and leaves a name that begins with an underscore
out: the Pico keeps each name that it has met for ever, and looks each one up whenever it is mentioned.
"""

import ast
from collections import Counter

_NUMBERS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift, ast.BitOr, ast.BitAnd)


def with_constants(source: str) -> str:
    """The same program, line by line. One that is none is left as it is: the compiler says what is wrong."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return source
    stored = Counter(
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    known: set[str] = set()
    lines = source.encode().splitlines(keepends=True)
    for statement in tree.body:
        if not isinstance(statement, ast.Assign) or not _is_number(value := statement.value, known):
            continue
        target = statement.targets[0]
        if (
            len(statement.targets) == 1
            and isinstance(target, ast.Name)
            and target.id.isupper()
            and stored[target.id] == 1
        ):
            known.add(target.id)
            last, end = value.end_lineno or value.lineno, value.end_col_offset or 0
            lines[last - 1] = lines[last - 1][:end] + b")" + lines[last - 1][end:]
            first, begin = value.lineno, value.col_offset
            lines[first - 1] = lines[first - 1][:begin] + b"const(" + lines[first - 1][begin:]
    return b"".join(lines).decode()


def _is_number(value: ast.expr, known: set[str]) -> bool:
    """Whether the compiler can work it out: whole numbers, and names of such."""
    match value:
        case ast.Constant(value=number):
            return type(number) is int
        case ast.Name(id=name):
            return name in known
        case ast.UnaryOp(op=ast.USub(), operand=number):
            return _is_number(number, known)
        case ast.BinOp(left=left, op=op, right=right):
            return isinstance(op, _NUMBERS) and _is_number(left, known) and _is_number(right, known)
    return False
