"""Mistakes of this program, caught where something must go on whatever a part of it raises.

The catch-alls of the package stand here. Only the boundaries that tests/architecture names use them, and each
answers whoever waits, says what is the matter and counts a defect.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from pi_controller.sentence import Sentence

LONGEST = 200
"""Letters of an error's own text that are told."""

ValueT = TypeVar("ValueT")


def run_catching(act: Callable[[], object]) -> Exception | None:
    """Do it; what it raises comes back as a value, which the caller tells of. None: all went well."""
    try:
        act()
    except Exception as error:  # noqa: BLE001 - see the module
        return error
    return None


def value_of(act: Callable[[], ValueT]) -> ValueT | Exception:
    """What it comes to, or what it raises as a value."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - see the module
        return error


async def awaited_value_of(work: Awaitable[ValueT]) -> ValueT | Exception:
    """What the work comes to, or what it raises as a value. Being cancelled is not caught."""
    try:
        return await work
    except Exception as error:  # noqa: BLE001 - see the module
        return error


def named(error: BaseException) -> str:
    """The error as it may stand in a sentence: kind and text, short and in letters that can be sent."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return text.encode("utf-8", "backslashreplace").decode()[:LONGEST]


def broken_off(error: BaseException) -> Sentence:
    """What is answered to whoever asked for something that raised this."""
    return Sentence("defect.broken_off", what=named(error))
