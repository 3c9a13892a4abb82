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
        self._lead: Sentence | None = None

    def lead(self, sentence: Sentence | None) -> None:
        """Say why no play can go on here, since another hall leads; None: nothing stands against it."""
        self._lead = sentence

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
        own = () if self._lead is None else (self._lead,)
        return (*own, *self._sentences.values())

    def against(self, *, disk: Sentence | None) -> dict[str, NotAllowed]:
        """What stands against commands, by name; `disk` is the trouble of the journal, None without any."""
        found = {}
        unwritten = None if disk is None else Sentence("resume.without_a_record", trouble=disk)
        unready = tuple(one for one in (self._lead, unwritten) if one is not None)
        if unready:
            found["resume"] = NotAllowed(unready, override=True)
        unfit = self.against_start()
        if unfit:
            found["start"] = NotAllowed(unfit, override=True)
        if self._test is not None:
            found["start"] = NotAllowed((self._test, *unfit))
            found["undo"] = found["redo"] = NotAllowed((self._test,))
        return found
