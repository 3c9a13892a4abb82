"""What stands against commands besides the game's own rules; a director may insist on most. Pure."""

from pi_controller.game.phases import NotAllowed

MEND_IT_FIRST = "Mend it first, or resume with override to play on without a record."


class Obstacles:
    """The newest sentence of each part against the start of a game. Called on the loop only."""

    def __init__(self) -> None:
        self._sentences: dict[str, str] = {}
        self._test: str | None = None

    def test(self, sentence: str | None) -> None:
        """Say that a test of the hardware must not be disturbed by a game; None: there is no test."""
        self._test = sentence

    def set(self, part: str, sentence: str | None) -> None:
        """Say why no game can start now, and what to do; None: nothing stands against it any more."""
        if sentence is None:
            self._sentences.pop(part, None)
        else:
            self._sentences[part] = sentence

    def against_start(self) -> tuple[str, ...]:
        """The sentences, none when a game may start."""
        return tuple(self._sentences.values())

    def against(self, *, disk: str | None) -> dict[str, NotAllowed]:
        """What stands against commands, by name; `disk` is the trouble of the journal, None without any."""
        found = {}
        if disk is not None:
            found["resume"] = NotAllowed((f"{disk} {MEND_IT_FIRST}",), override=True)
        unfit = self.against_start()
        if unfit:
            found["start"] = NotAllowed(unfit, override=True)
        if self._test is not None:
            found["start"] = NotAllowed((self._test, *unfit))
            found["undo"] = found["redo"] = NotAllowed((self._test,))
        return found
