"""Sentences about what is not in order, by part. Pure."""

from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import words
from pi_controller.protocol.picture import HealthItem, HealthLevel, HealthView
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence

LOST, UNSAVED = "lost", "unsaved"
"""The parts that say which commands of the game a restart could not bring back."""

OF_ONE_GAME = (LOST, UNSAVED, "files")
"""Parts whose sentences are over when another game takes the place of the one they tell of."""


class Health:
    """The newest sentence of each part; `picture` is ready-made, because a press must not wait for it."""

    def __init__(self, language: str = ENGLISH) -> None:
        """`language`: of the words in the picture, the hall's."""
        self.language = language
        self._sentences: dict[str, tuple[HealthLevel, Sentence]] = {}
        self.picture = HealthView(level="ok", messages=[], items=[])

    def report(self, part: str, level: HealthLevel, sentence: Sentence | None) -> bool:
        """Set or, with None, clear the sentence of a part; True when anything changed."""
        before = self._sentences.get(part)
        if sentence is None:
            self._sentences.pop(part, None)
        else:
            self._sentences[part] = (level, sentence)
        if self._sentences.get(part) == before:
            return False
        worst_first = sorted(self._sentences.values(), key=lambda said: said[0] != "fault")
        items = [self._item(level, sentence) for level, sentence in worst_first]
        self.picture = HealthView(
            level=worst_first[0][0] if worst_first else "ok",
            messages=[item.text for item in items],
            items=items,
            lost=LOST in self._sentences or UNSAVED in self._sentences,
        )
        return True

    def _item(self, level: HealthLevel, sentence: Sentence) -> HealthItem:
        seen = view(sentence)
        text = words(sentence, self.language)
        return HealthItem(key=seen.key, params=seen.params, level=level, text=text)

    def next_game(self) -> None:
        """What was told of the game before no longer matters."""
        for part in OF_ONE_GAME:
            self.report(part, "warning", None)
