"""How a tool's run ends: sentences for people on stderr, and its exit code."""

import sys
from collections.abc import Callable, Iterable


def verdict(judge: Callable[[], Iterable[object]], *errors: type[Exception]) -> int:
    """1 with each fault that `judge` finds, or the one of `errors` that ended it, on stderr; otherwise 0."""
    try:
        faults = list(judge())
    except errors as error:
        faults = [error]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0
