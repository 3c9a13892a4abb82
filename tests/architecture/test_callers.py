"""No function outlives its last caller."""

import ast
import re
from collections.abc import Iterator

from tests.architecture.sources import Function, functions, python

CALLED_BY_LIBRARIES = {
    "_change_state": "gpiozero, of a pin",
    "buffer_updated": "asyncio, of a BufferedProtocol",
    "can_write_eof": "asyncio, of a transport",
    "do_GET": "http.server",
    "emit": "logging, of a Handler",
    "format_field": "string.Formatter",
    "get_buffer": "asyncio, of a BufferedProtocol",
    "getdata": "luma, of a picture",
    "log_message": "http.server",
    "write_i2c_block_data": "luma, as of an SMBus",
    "writebytes": "luma, as of an SpiDev",
    "writelines": "asyncio, of a transport",
}
ONLY_TESTS_CALL = {
    # What they do with it, which could not be done beside the tests
    "copy_stalled_since_ns": "wait until the second copy hangs, or no longer does",
    "fail_at": "have single transfers to a simulated display fail",
    "from_data": "roll the dice of a journal again",
    "lose_from": "have a simulated cable lose frames",
    "start_firmware": "have the nodes of virtual tables in their own process",
}
KEEP_THE_NAME = {"property", "cached_property", "classmethod", "staticmethod", "contextmanager", "cache"}
"""Decorators after which a function is still called by its name; others enter it somewhere, as `command` and `get` do."""


def test_every_function_has_a_caller() -> None:
    callers = python("pi_controller", "benchmarks", "firmware", "systemd", "tools")
    called = {word for _, module in callers for word in words(module)}
    called |= CALLED_BY_LIBRARIES.keys() | ONLY_TESTS_CALL.keys()
    lost = [
        f"{name}:{function.lineno} {function.name}"
        for name, module in python("pi_controller")
        for function in called_by_name(module)
        if function.name not in called
    ]
    assert lost == []


def words(module: ast.Module) -> Iterator[str]:
    """Every name but those of definitions, and every word of a text but for docstrings: `getattr` may use it."""
    said: set[ast.expr] = set()
    for node in ast.walk(module):
        kind = type(node)
        if kind is ast.Name:
            yield node.id  # type: ignore[attr-defined]
        elif kind is ast.Attribute:
            yield node.attr  # type: ignore[attr-defined]
        elif kind is ast.alias:
            yield node.name  # type: ignore[attr-defined]
        elif isinstance(node, ast.keyword) and node.arg is not None:
            yield node.arg
        elif isinstance(node, ast.Expr):
            said.add(node.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in said:
            yield from re.findall(r"\w+", node.value)


def called_by_name(module: ast.Module) -> Iterator[Function]:
    for function in functions(module):
        decorators = {ast.unparse(one).partition("(")[0] for one in function.decorator_list}
        if decorators <= KEEP_THE_NAME and not function.name.startswith("__"):
            yield function


def test_the_measure_of_callers_itself() -> None:
    text = "class A:\n  def a(self): 'b'\n  def b(self): getattr(self, 'c')\n  @property\n  def d(self): self.a()\n"
    text += "@get('/x')\ndef e(): ...\ndef __f__(): ..."
    module = ast.parse(text)
    assert {one.name for one in called_by_name(module)} - set(words(module)) == {"b", "d"}
