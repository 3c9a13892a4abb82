"""What is heard, sample by sample, with loud constants in the place of sounds."""

from array import array
from itertools import pairwise

from pi_controller.hal.sound.orders import RATE_HZ, Planned
from pi_controller.hal.sound.player import FADE, LATEST_NS, Mixer

T = 1_000_000_000_000
BLOCK = 220
BLOCK_NS = BLOCK * 1_000_000_000 // RATE_HZ
VOICE, TONE = 4_000, 1_000


def constant(level: int, count: int) -> "array[int]":
    return array("h", [level] * count)


def mixer() -> Mixer:
    made = Mixer({"beep": constant(TONE, 300)})
    made.load({"a": constant(VOICE, 300), "b": constant(2 * VOICE, 100)})
    return made


def left(frames: bytes) -> list[int]:
    return list(array("h", frames)[0::2])


def heard(made: Mixer, blocks: int, first_ns: int = T) -> list[int]:
    return [
        sample for number in range(blocks) for sample in left(made.block(BLOCK, first_ns + number * BLOCK_NS))
    ]


def test_silence_by_itself() -> None:
    assert heard(mixer(), 2) == [0] * 2 * BLOCK


def test_what_is_said_begins_with_the_next_block_and_ends() -> None:
    made = mixer()
    made.say([["a", "b"]])
    assert heard(made, 3) == [VOICE] * 300 + [2 * VOICE] * 100 + [0] * (3 * BLOCK - 400)


def test_between_groups_there_is_silence() -> None:
    made = mixer()
    made.say([["b"], ["b"]], gap_ms=10)
    assert heard(made, 2) == [2 * VOICE] * 100 + [0] * 220 + [2 * VOICE] * 100 + [0] * 20


def test_what_is_said_next_takes_the_place_of_what_is_said() -> None:
    made = mixer()
    made.load({"a": constant(VOICE, 5_000), "b": constant(10, 50)})
    made.say([["a"]])
    heard(made, 1)
    made.say([["b"]])
    samples = heard(made, 4, T + BLOCK_NS)
    assert samples[0] == VOICE + 10
    assert samples[200] < VOICE, "it fades"
    assert samples[500:] == [0] * (4 * BLOCK - 500)


def test_a_voice_may_have_faded_just_where_a_sound_ends() -> None:
    made = mixer()
    made.load({"a": constant(VOICE, BLOCK + FADE + 1), "b": constant(10, 50)})
    made.say([["a", "b"]])
    heard(made, 1)
    made.say([["b"]])
    assert heard(made, 4, T + BLOCK_NS)[500:] == [0] * (4 * BLOCK - 500)


def test_a_planned_tone_begins_at_its_sample_beside_the_voice() -> None:
    made = mixer()
    made.say([["a"]])
    made.plan([Planned(at_ns=T + BLOCK_NS // 2 + 100, groups=(("beep",),))])
    samples = heard(made, 3)
    assert samples[109] == VOICE
    assert samples[110] == VOICE + TONE
    assert samples[409:411] == [TONE, 0]


def test_a_planned_tone_that_is_too_late_is_left_out() -> None:
    made = mixer()
    made.plan(
        [
            Planned(at_ns=T - LATEST_NS - 1, groups=(("beep",),)),
            Planned(at_ns=T - LATEST_NS, groups=(("beep",),)),
        ]
    )
    assert heard(made, 1)[0] == TONE, "one of them"
    assert made.late == 1


def test_a_new_plan_replaces_the_old_one_but_starts_nothing_twice() -> None:
    made = mixer()
    begun = Planned(at_ns=T + 1_000_000, groups=(("beep",),))
    made.plan([begun, Planned(at_ns=T + 50 * BLOCK_NS, groups=(("beep",),))])
    heard(made, 1)
    made.plan([Planned(at_ns=T + 1_000_900, groups=(("beep",),))])
    assert sum(heard(made, 60, T + BLOCK_NS)) == TONE * (300 - (BLOCK - 22)), "what was left of the first one"


def test_planned_words_take_the_voices_place() -> None:
    made = mixer()
    made.plan([Planned(at_ns=T + BLOCK_NS, groups=(("b",),), voice=True)])
    assert heard(made, 2) == [0] * BLOCK + [2 * VOICE] * 100 + [0] * 120


def test_one_loudspeaker_alone() -> None:
    made = mixer()
    made.say([["a"]], loudspeaker="right")
    frames = array("h", made.block(BLOCK, T))
    assert set(frames[0::2]) == {0}
    assert set(frames[1::2]) == {VOICE}


def test_the_level_changes_without_a_step() -> None:
    made = mixer()
    made.say([["a"]])
    heard(made, 1)
    made.set_level(500)
    made.say([["a"]])
    made.load({"a": constant(VOICE, 5_000)})
    made.say([["a"]])
    samples = heard(made, 6, T + BLOCK_NS)
    assert samples[-1] == VOICE // 2
    assert max(abs(one - two) for one, two in pairwise(samples[1:])) < VOICE


def test_muted_is_silent() -> None:
    made = mixer()
    made.set_level(0)
    heard(made, 1)
    made.say([["a"]])
    assert heard(made, 2) == [0] * 2 * BLOCK


def test_a_name_that_is_not_loaded_is_silent() -> None:
    made = mixer()
    made.say([["nothing", "b"]])
    assert heard(made, 1) == [2 * VOICE] * 100 + [0] * 120


def test_nothing_can_leave_the_range() -> None:
    made = mixer()
    made.load({"a": constant(30_000, 300)})
    made.say([["a"]])
    made.sound(constant(30_000, 300))
    assert set(heard(made, 1)) == {32_767}
