"""Which spellings name one board: `a5`, `A 5` and `A05` are `A5`."""

import re
from functools import lru_cache

_LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


@lru_cache(maxsize=4096)
def board_key(name: str) -> str:
    """The same for all spellings of a board: without regard to case, spaces and leading zeros."""
    return _LEADING_ZEROS.sub("", "".join(name.split())).casefold()
