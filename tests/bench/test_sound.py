from array import array

from benchmarks.null_sink import HEARD, Ear
from benchmarks.sound import _first_after, _nearest
from pi_controller.hal.sound.orders import RATE_HZ

MS = 1_000_000


def frames(*parts: tuple[int, int]) -> bytes:
    """Levels with their milliseconds, on both channels."""
    samples = [level for level, ms in parts for _ in range(2 * (ms * RATE_HZ // 1000))]
    return array("h", samples).tobytes()


def test_sounds_are_heard_where_they_begin_after_silence() -> None:
    ear = Ear(50 * MS)
    begun = ear.hear(frames((0, 100), (HEARD + 1, 100), (0, 20), (900, 100)), 0)
    assert [round(at / MS) for at in begun] == [100]
    assert [round(at / MS) for at in ear.hear(frames((0, 100), (900, 10)), 400 * MS)] == [500]


def test_a_sound_that_goes_on_in_the_next_block_has_not_begun_again() -> None:
    ear = Ear(50 * MS)
    assert len(ear.hear(frames((900, 100)), 0)) == 1
    assert ear.hear(frames((900, 100)), 100 * MS) == []


def test_which_sound_belongs_to_which_moment() -> None:
    begun = [100 * MS, 700 * MS]
    assert _first_after(begun, 60 * MS) == 40
    assert _first_after(begun, 101 * MS) is None
    assert _nearest(begun, 702 * MS) == 2
    assert _nearest([], 0) is None
