"""Sentences about what is not in order, by part. Pure."""

from typing import Any, Literal

Level = Literal["warning", "fault"]


class Health:
    """The newest sentence of each part; `picture` is ready-made, because a press must not wait for it."""

    def __init__(self) -> None:
        self._sentences: dict[str, tuple[Level, str]] = {}
        self.picture: dict[str, Any] = {"level": "ok", "messages": []}

    def report(self, part: str, level: Level, sentence: str | None) -> bool:
        """Set or, with None, clear the sentence of a part; True when anything changed."""
        before = self._sentences.get(part)
        if sentence is None:
            self._sentences.pop(part, None)
        else:
            self._sentences[part] = (level, sentence)
        if self._sentences.get(part) == before:
            return False
        worst_first = sorted(self._sentences.values(), key=lambda said: said[0] != "fault")
        self.picture = {
            "level": worst_first[0][0] if worst_first else "ok",
            "messages": [sentence for _, sentence in worst_first],
        }
        return True
