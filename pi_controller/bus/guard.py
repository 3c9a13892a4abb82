"""What is wrong with a line or its port as a whole, from the bytes on it."""

import re
from collections import deque
from typing import Final

from pi_controller.sentence import Sentence

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
    (re.compile(rb"\$(G[PNLAB]|BD)[A-Z]{3},"), Sentence("bus.satellite_receiver")),
    (re.compile(rb">>> |MicroPython|Traceback \(most"), Sentence("bus.micropython_prompt")),
    (re.compile(rb"(^|[\r\n])(AT|OK|RING|ERROR|NO CARRIER|\+[A-Z]{2,})[\r\n:+]"), Sentence("bus.modem")),
    (re.compile(rb"login:|Linux version|U-Boot"), Sentence("bus.console")),
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

    def sentence(self, now_us: int) -> Sentence | None:
        """What is wrong and what to do."""
        self._turn(now_us)
        if (look := self._other_device()) is not None:
            return look
        if sum(self._stray) > BABBLE_PART * self._bytes_per_us * WINDOW_US * WINDOWS:
            return Sentence("bus.line_is_held", segment=self._name)
        silent = self._unanswered >= SILENT_POLLS and now_us - self._good_us >= SILENCE_US
        if self._ever_good and silent:
            return Sentence("bus.no_table_answers_any_more", segment=self._name)
        return None

    @property
    def wrong_device(self) -> bool:
        """Something speaks on the port that has never said a good frame."""
        return self._other_device() is not None

    def _other_device(self) -> Sentence | None:
        if self._ever_good or self._strange < TEXT_BYTES:
            return None
        readable = sum(32 <= byte < 127 or byte in b"\r\n\t" for byte in self._tail)
        if readable >= TEXT_PART * len(self._tail):
            known = (device for look, device in LOOKS if look.search(self._tail))
            device = next(known, Sentence("bus.device_that_sends_text"))
        elif self._strange >= STRANGE_BYTES and len(set(self._tail)) > 2:
            device = Sentence("bus.device_of_another_kind")
        else:
            return None
        return Sentence("bus.wrong_device", segment=self._name, device=device)

    def _turn(self, now_us: int) -> None:
        if now_us - self._window_us < WINDOW_US:
            return
        gone = (now_us - self._window_us) // WINDOW_US
        for _ in range(min(gone, WINDOWS)):
            self._stray.append(self._now_stray)
            self._now_stray = 0
        self._window_us += gone * WINDOW_US
