"""What is wrong with a line or its port as a whole, from the bytes on it."""

import re
from collections import deque
from typing import Final

WINDOW_US: Final = 250_000
WINDOWS: Final = 4
BABBLE_PART: Final = 0.35
"""Of the line's capacity, over a second: more bytes without a good frame than damaged answers could bring."""
SILENCE_US: Final = 1_800_000
SILENT_POLLS: Final = 6
KEPT_BYTES: Final = 240
TEXT_BYTES: Final = 24
STRANGE_BYTES: Final = 2000
"""More than five rounds of discovery bring when all answers collide."""
TEXT_PART: Final = 0.85
LOOKS: Final = (
    (re.compile(rb"\$(G[PNLAB]|BD)[A-Z]{3},"), "a satellite receiver"),
    (re.compile(rb">>> |MicroPython|Traceback \(most"), "a MicroPython prompt; it runs no table firmware"),
    (re.compile(rb"(^|[\r\n])(AT|OK|RING|ERROR|NO CARRIER|\+[A-Z]{2,})[\r\n:+]"), "a modem"),
    (re.compile(rb"login:|Linux version|U-Boot"), "the console of a computer"),
)


class Guard:
    """Watches one line; `sentence` is None as long as nothing is wrong."""

    def __init__(self, *, name: str, baud: int) -> None:
        self._name = name
        self._bytes_per_us = baud / 10_000_000
        self._stray: deque[int] = deque(maxlen=WINDOWS)
        self._window_us = 0
        self._now_stray = 0
        self._tail = b""
        self._strange = 0
        self._ever_good = False
        self._good_us = 0
        self._unanswered = 0

    def reopened(self) -> None:
        """Another device may be behind the port now."""
        self._stray.clear()
        self._now_stray = self._strange = self._unanswered = 0
        self._tail = b""
        self._ever_good = False

    def good(self, now_us: int) -> None:
        """A node's good frame arrived."""
        self._ever_good = True
        self._good_us = now_us
        self._unanswered = 0
        self._tail = b""
        self._strange = 0

    def unanswered(self) -> None:
        """A poll brought nothing."""
        self._unanswered += 1

    def heard(self, data: bytes, expected: int, now_us: int) -> None:
        """Bytes arrived; so many of them, or of those just before, were good frames that were waited for."""
        self._turn(now_us)
        self._now_stray += len(data) - expected
        if not self._ever_good:
            self._strange += len(data) - expected
            self._tail = (self._tail + data)[-KEPT_BYTES:]

    def sentence(self, now_us: int) -> str | None:
        """What is wrong and what to do."""
        self._turn(now_us)
        if (look := self._other_device()) is not None:
            return look
        if sum(self._stray) > BABBLE_PART * self._bytes_per_us * WINDOW_US * WINDOWS:
            return (
                f"Segment {self._name}: a table node speaks without being asked, or something holds the "
                "line: unplug tables from the far end until the others return"
            )
        silent = self._unanswered >= SILENT_POLLS and now_us - self._good_us >= SILENCE_US
        if self._ever_good and silent:
            return (
                f"Segment {self._name}: no table answers any more: check the adapter, the tables' power and "
                "the first cable; if they are well, something holds the line: unplug tables from the far end "
                "until the others return"
            )
        return None

    @property
    def wrong_device(self) -> bool:
        """Something speaks on the port that has never said a good frame."""
        return self._other_device() is not None

    def _other_device(self) -> str | None:
        if self._ever_good or self._strange < TEXT_BYTES:
            return None
        readable = sum(32 <= byte < 127 or byte in b"\r\n\t" for byte in self._tail)
        if readable >= TEXT_PART * len(self._tail):
            what = next((name for look, name in LOOKS if look.search(self._tail)), "a device that sends text")
        elif self._strange >= STRANGE_BYTES and len(set(self._tail)) > 2:
            what = "a device at another speed or of another kind"
        else:
            return None
        return (
            f"Segment {self._name}: the device on this port is not the table bus but looks like {what}: "
            "plug the bus adapter in there, or name the right port in the settings"
        )

    def _turn(self, now_us: int) -> None:
        if now_us - self._window_us < WINDOW_US:
            return
        gone = (now_us - self._window_us) // WINDOW_US
        for _ in range(min(gone, WINDOWS)):
            self._stray.append(self._now_stray)
            self._now_stray = 0
        self._window_us += gone * WINDOW_US
