"""What stands against commands besides the game's own rules; a director may insist on most. Pure."""

from pi_controller.game.phases import NotAllowed
from pi_controller.sentence import Sentence

KNOWN_GAME = "known game"
"""The part that says that another game was on, which cannot go on here."""


class Obstacles:
    """The newest sentence of each part against the start of a game. Called on the loop only."""

    def __init__(self) -> None:
        self._sentences: dict[str, Sentence] = {}
        self._test: Sentence | None = None

    def test(self, sentence: Sentence | None) -> None:
        """Say that a test of the hardware must not be disturbed by a game; None: there is no test."""
        self._test = sentence

    def set(self, part: str, sentence: Sentence | None) -> None:
        """Say why no game can start now, and what to do; None: nothing stands against it any more."""
        if sentence is None:
            self._sentences.pop(part, None)
        else:
            self._sentences[part] = sentence

    def against_start(self) -> tuple[Sentence, ...]:
        """The sentences, none when a game may start."""
        return tuple(self._sentences.values())

    def against(self, *, disk: Sentence | None) -> dict[str, NotAllowed]:
        """What stands against commands, by name; `disk` is the trouble of the journal, None without any."""
        found = {}
        if disk is not None:
            found["resume"] = NotAllowed((Sentence("resume.without_a_record", trouble=disk),), override=True)
        unfit = self.against_start()
        if unfit:
            found["start"] = NotAllowed(unfit, override=True)
        if self._test is not None:
            found["start"] = NotAllowed((self._test, *unfit))
            found["undo"] = found["redo"] = NotAllowed((self._test,))
        return found
