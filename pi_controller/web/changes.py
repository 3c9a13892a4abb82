"""Listeners of many things of which few change: each gets everything once, then what it has missed."""

from collections.abc import Callable, Mapping

import msgspec

from pi_controller.web.audience import Audience, Listener, text_frame

BACKLOG_LIMIT = 4 * 1024 * 1024
"""Bytes: everything about 256 virtual tables, their displays included, is below 1 MiB."""


class Changes(Audience):
    """Whoever reads slowly misses states in between, never the newest one.

    A message is `{"all": bool, "tables": […], "sentence": text or null}`; with `all` nothing else is there.
    """

    def __init__(self, boot_s: Callable[[], float], sentence: str) -> None:
        """`sentence` says what is wrong while there is nothing."""
        super().__init__(boot_s, backlog_limit=BACKLOG_LIMIT)
        self._things: dict[str, tuple[int, bytes]] = {}
        self._count = 1
        self._began = 1
        """At this count everything was new."""
        self._sentence: str | None = sentence
        self._frames: dict[int, bytes] = {}

    @property
    def has_picture(self) -> bool:
        return True

    def begin(self, sentence: str | None) -> None:
        """Forget everything; None: it comes with the next `change`."""
        self._things.clear()
        self._sentence = sentence
        self._count += 1
        self._began = self._count
        self._frames.clear()
        if sentence is not None:
            self._tell_all()

    def change(self, things: Mapping[str, bytes]) -> None:
        """These are as their JSON says from now on."""
        self._count += 1
        self._frames.clear()
        self._things |= {name: (self._count, value) for name, value in things.items()}
        self._tell_all()

    def _frame_for(self, listener: Listener) -> bytes | None:
        seen, listener.has_seen = listener.has_seen, self._count
        if seen == self._count:
            return None
        if seen not in self._frames:
            self._frames[seen] = self._message(seen)
        return self._frames[seen]

    def _message(self, seen: int) -> bytes:
        everything = seen < self._began
        news = [value for count, value in self._things.values() if everything or count > seen]
        message = {
            "all": everything,
            "tables": [msgspec.Raw(value) for value in news],
            "sentence": self._sentence,
        }
        return text_frame(msgspec.json.encode(message))
