"""What stands against the start of a game besides the game's own rules; a director may insist. Pure."""


class Obstacles:
    """The newest sentence of each part. Called on the loop only."""

    def __init__(self) -> None:
        self._sentences: dict[str, str] = {}

    def set(self, part: str, sentence: str | None) -> None:
        """Say why no game can start now, and what to do; None: nothing stands against it any more."""
        if sentence is None:
            self._sentences.pop(part, None)
        else:
            self._sentences[part] = sentence

    def against_start(self) -> tuple[str, ...]:
        """The sentences, none when a game may start."""
        return tuple(self._sentences.values())
