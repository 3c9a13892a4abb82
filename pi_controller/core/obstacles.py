"""What stands against the start of a game besides the game's own rules. Pure."""


class Obstacles:
    """The newest sentence of each part. Called on the loop only."""

    def __init__(self) -> None:
        self._sentences: dict[str, tuple[str, bool]] = {}

    def set(self, part: str, sentence: str | None, *, absolute: bool = False) -> None:
        """Say why no game can start now, and what to do; None: nothing stands against it any more.

        An `absolute` one also stands against a director who insists.
        """
        if sentence is None:
            self._sentences.pop(part, None)
        else:
            self._sentences[part] = (sentence, absolute)

    def against_start(self, *, override: bool) -> tuple[str, ...]:
        """The sentences, none when a game may start; with `override` the absolute ones only."""
        return tuple(sentence for sentence, absolute in self._sentences.values() if absolute or not override)
