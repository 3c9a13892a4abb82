from pi_controller.core.sound.speaker import Loudness
from tests.core.hand import HandTimers, S

MIN = 60 * S


class Heard:
    def __init__(self, loudness: Loudness) -> None:
        self.loudness = loudness
        self.seen: list[tuple[int, bool]] = []
        loudness.tell(self)

    def loudness_changed(self) -> None:
        self.seen.append((self.loudness.permille, self.loudness.back_soon()))


def made() -> tuple[Loudness, HandTimers, Heard]:
    timers = HandTimers()
    loudness = Loudness(volume_percent=80, ducking_db=12, timers=timers)
    return loudness, timers, Heard(loudness)


def test_a_mute_comes_back_by_itself_and_says_so_before() -> None:
    loudness, timers, heard = made()
    loudness.mute(5)
    assert loudness.muted() is not None
    assert loudness.muted().until_ms == (timers.boot_ns() + 5 * MIN) // 1_000_000  # type: ignore[union-attr]
    timers.move(4 * MIN + 29 * S)
    assert heard.seen == [(0, False)]
    timers.move(1 * S)
    assert heard.seen == [(0, False), (0, True)]
    timers.move(30 * S)
    assert heard.seen == [(0, False), (0, True), (800, False)]
    assert loudness.muted() is None


def test_a_mute_until_it_is_released() -> None:
    loudness, timers, heard = made()
    loudness.mute(None)
    timers.move(600 * MIN)
    assert loudness.permille == 0
    assert loudness.muted().until_ms is None  # type: ignore[union-attr]
    loudness.release()
    assert heard.seen[-1] == (800, False)
    assert timers.waiting() == 0


def test_the_newest_mute_counts() -> None:
    loudness, timers, _ = made()
    loudness.mute(1)
    loudness.mute(3)
    timers.move(2 * MIN)
    assert loudness.permille == 0
    timers.move(1 * MIN)
    assert loudness.permille == 800


def test_softer_while_the_director_speaks_and_never_for_long() -> None:
    loudness, timers, _ = made()
    loudness.duck(on=True)
    assert (loudness.permille, loudness.ducked) == (201, True)
    loudness.duck(on=False)
    assert (loudness.permille, loudness.ducked) == (800, False)
    loudness.duck(on=True)
    timers.move(2 * MIN)
    assert (loudness.permille, loudness.ducked) == (800, False)
