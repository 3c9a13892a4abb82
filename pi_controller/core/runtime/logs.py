"""Log lines to stderr, where the service manager picks them up; a storm of them is cut off."""

import logging
import time
from collections.abc import Callable

WINDOW_S = 10.0
MOST_LINES = 100
"""In each window; far below 1 MB a minute, far above what a game writes."""


class Limit(logging.Filter):
    """Lets MOST_LINES through in each window and says at the next window's first line how many it left
    out."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now_s = now_s
        self._since_s = now_s()
        self._lines = 0

    def filter(self, record: logging.LogRecord) -> bool:
        now_s = self._now_s()
        if now_s - self._since_s >= WINDOW_S:
            left_out, self._lines, self._since_s = max(0, self._lines - MOST_LINES), 0, now_s
            if left_out:
                record.msg = f"({left_out} lines were left out) {record.msg}"
        self._lines += 1
        return self._lines <= MOST_LINES


def to_stderr() -> None:
    handler = logging.StreamHandler()
    handler.addFilter(Limit())
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", handlers=[handler])
