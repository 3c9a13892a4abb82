"""Health: sentences about what is not in order, by part. Metrics. Pure."""

from bisect import bisect_left
from collections.abc import Callable

from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import words
from pi_controller.protocol.picture import HealthItem, HealthLevel, HealthView
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence

LOST, UNSAVED = "lost", "unsaved"
"""Parts that report which commands a restart could not restore."""

OF_ONE_GAME = (LOST, UNSAVED, "files")
"""Parts whose sentences are dropped when another game takes over."""


class Health:
    """The newest sentence of each part. `picture` is prepared in advance, because a press must not wait for
    it."""

    def __init__(self, language: str = ENGLISH) -> None:
        """`language` of the picture's words: the hall's."""
        self.language = language
        self._sentences: dict[str, tuple[HealthLevel, Sentence]] = {}
        self.picture = HealthView(level="ok", messages=[], items=[])

    def report(self, part: str, level: HealthLevel, sentence: Sentence | None) -> bool:
        """Set or, with None, clear a part's sentence. Returns True if anything changed."""
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
        """Drop sentences about the previous game."""
        for part in OF_ONE_GAME:
            self.report(part, "warning", None)


# Metrics of the running core: latencies in fixed buckets, counters, gauges.


Numbers = dict[str, float | dict[str, float]]

BUCKETS_S = (0.0001, 0.0003, 0.001, 0.002, 0.005, 0.007, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 3.0)
"""Upper bounds in s; 0.3, 2, 5 and 7 ms are the project's promised limits."""


class Latency:
    """A histogram of seconds with fixed buckets."""

    def __init__(self) -> None:
        self.count = 0
        self.sum_s = 0.0
        self.longest_s = 0.0
        self._buckets = [0] * (len(BUCKETS_S) + 1)

    def add_ns(self, duration_ns: int) -> None:
        seconds = max(0, duration_ns) / 1e9
        self.count += 1
        self.sum_s += seconds
        self.longest_s = max(self.longest_s, seconds)
        self._buckets[bisect_left(BUCKETS_S, seconds)] += 1

    def numbers(self) -> dict[str, float]:
        """Cumulative buckets as `le="0.001"`, then `count`, `sum` and `max`."""
        numbers: dict[str, float] = {}
        below = 0
        for bound, inside in zip((*map(str, BUCKETS_S), "+Inf"), self._buckets, strict=True):
            below += inside
            numbers[f'le="{bound}"'] = below
        return numbers | {"count": self.count, "sum": self.sum_s, "max": self.longest_s}


class Metrics:
    """All metrics of one core. Gauges are read on request."""

    def __init__(self) -> None:
        self.press_to_freeze = Latency()
        self.press_to_saved = Latency()
        self.qualified_to_freeze = Latency()
        self.loop_lag = Latency()
        self._counters = {"defects": 0}
        self._families: list[Callable[[], Numbers]] = []

    def count(self, name: str) -> None:
        self._counters[name] = self._counters.get(name, 0) + 1

    def gauge(self, name: str, read: Callable[[], float]) -> None:
        self.family(lambda: {name: read()})

    def family(self, read: Callable[[], Numbers]) -> None:
        """Add metrics of a part that names them itself, some with labels."""
        self._families.append(read)

    def numbers(self) -> Numbers:
        numbers: Numbers = {
            "press_to_freeze_seconds": self.press_to_freeze.numbers(),
            "press_to_saved_seconds": self.press_to_saved.numbers(),
            "qualified_to_freeze_seconds": self.qualified_to_freeze.numbers(),
            "loop_lag_seconds": self.loop_lag.numbers(),
        }
        numbers.update(self._counters)
        for read in self._families:
            numbers.update(read())
        return numbers
