"""KiCad's files are nested lists: `dump` writes them, `parse` reads them."""

import re
from collections.abc import Iterator
from uuid import UUID, uuid5

_SPACE = UUID("6f2a2f0e-6f1c-5d0b-9c39-3d6d0a6f4b11")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+')


class Text(str):
    """An atom that is written in quotes."""

    __slots__ = ()


def uuid(*names: object) -> Text:
    """The same identity for the same names, so that files do not change without a reason."""
    return Text(uuid5(_SPACE, "/".join(str(name) for name in names)))


def number(value: float) -> str:
    """At most four decimals (0.1 µm), without a useless tail."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def dump(node: object, depth: int = 0) -> str:
    """One list on a line if it is short, otherwise an item a line."""
    if isinstance(node, list | tuple):
        parts = [dump(item, depth + 1) for item in node]
        line = "(" + " ".join(parts) + ")"
        if len(line) + depth <= 100 and "\n" not in line:
            return line
        flat = 1
        while flat < len(node) and not isinstance(node[flat], list | tuple):
            flat += 1
        indent = "\n" + "\t" * (depth + 1)
        rest = "".join(indent + part for part in parts[flat:])
        return "(" + " ".join(parts[:flat]) + rest + "\n" + "\t" * depth + ")"
    if isinstance(node, Text):
        return '"' + node.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(node, float | int):
        return number(node)
    return str(node)


def parse(text: str) -> list:
    """The outermost list; quoted atoms become Text, others str. Raises ValueError where it does not close."""
    stack: list[list] = [[]]
    for match in _TOKEN.finditer(text):
        atom = match.group()
        if atom == "(":
            stack.append([])
        elif atom == ")":
            if len(stack) == 1:
                raise ValueError("a list is closed that was never opened")
            done = stack.pop()
            stack[-1].append(done)
        elif atom.startswith('"'):
            stack[-1].append(
                Text(re.sub(r"\\(.)", lambda hit: "\n" if hit[1] == "n" else hit[1], atom[1:-1]))
            )
        else:
            stack[-1].append(atom)
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ValueError("the file is cut short")
    return stack[0][0]


def children(node: list, name: str) -> Iterator[list]:
    """Lists in `node` that begin with this name."""
    for item in node:
        if isinstance(item, list) and item and item[0] == name:
            yield item


def child(node: list, name: str) -> list:
    """The first of them; raises KeyError where there is none."""
    for item in children(node, name):
        return item
    raise KeyError(name)
