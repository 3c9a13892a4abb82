from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.virtual_hall.cable import Cable, HeardBytes

BYTE_US = 40
FRAME = b"\0\x11\x22\x33\0"
OTHER = b"\0\x44\x55\x66\0"
LONG_US = 10_000_000


def by_end(heard: Sequence[HeardBytes]) -> dict[int, bytes]:
    return {end: b"".join(one.data for one in heard if one.end == end) for end in {one.end for one in heard}}


def cable(ends: int = 4, baud: int = 250_000) -> Cable:
    return Cable(baud=baud, ends=ends, seed=1)


def test_everybody_but_the_talker_hears_each_byte_when_it_is_over() -> None:
    line = cable()
    assert line.next_us() is None
    assert line.talk(0, FRAME, 1000) == 1000 + 5 * BYTE_US
    assert line.heard(1000 + BYTE_US - 1) == []
    assert line.heard(1000 + 2 * BYTE_US) == [HeardBytes(end, FRAME[:2], 1080) for end in (1, 2, 3)]
    assert line.next_us() == 1200
    assert line.heard(LONG_US) == [HeardBytes(end, FRAME[2:], 1200) for end in (1, 2, 3)]
    assert line.next_us() is None
    assert line.heard(LONG_US) == []


def test_bytes_are_paced_at_the_rate_of_the_line() -> None:
    line = cable(baud=115_200)
    assert line.talk(0, bytes(24), 0) == 2083  # 240 bits at 115,200 a second
    arrived = [len(by_end(line.heard(at_us)).get(1, b"")) for at_us in range(0, 2100, 10)]
    assert sum(arrived) == 24
    assert max(arrived) == 1


def test_an_end_that_talks_on_is_heard_without_a_gap() -> None:
    line = cable()
    assert line.talk(0, FRAME, 0) == 200
    assert line.talk(0, OTHER, 50) == 400
    assert by_end(line.heard(LONG_US))[3] == FRAME + OTHER


def test_the_past_cannot_be_talked_into() -> None:
    line = cable()
    line.heard(5000)
    assert line.talk(0, FRAME, 10) == 5200


@pytest.mark.parametrize("offset_us", [0, 1, 39, 40, 100, 160, 199])
@pytest.mark.parametrize("step_us", [7, 40, LONG_US])
def test_a_collision_garbles_both_frames_for_who_hears_both(offset_us: int, step_us: int) -> None:
    line = cable()
    line.talk(1, FRAME, 1000)
    line.talk(2, OTHER, 1000 + offset_us)
    heard = [one for at_us in range(0, 2000, step_us) for one in line.heard(at_us)] + line.heard(LONG_US)
    noise = by_end(heard)
    for end in (0, 3):
        assert FRAME[1:4] + b"\0" not in noise[end]
        assert b"\0" + OTHER[1:4] not in noise[end]
        assert 5 <= len(noise[end]) <= 9
    # a talker hears at most what is said when it is silent itself
    assert len(noise.get(1, b"")) < len(noise[0])
    assert len(noise.get(2, b"")) < len(noise[0])


def test_frames_that_follow_each_other_at_once_are_whole() -> None:
    line = cable()
    line.talk(1, FRAME, 1000)
    line.talk(2, OTHER, 1200)
    assert by_end(line.heard(LONG_US)) == {0: FRAME + OTHER, 3: FRAME + OTHER, 1: OTHER, 2: FRAME}


def test_an_echo_gives_own_bytes_back_and_shows_collisions() -> None:
    line = cable()
    line.hearing(0).echo = True
    line.talk(0, FRAME, 0)
    assert by_end(line.heard(1000)) == dict.fromkeys(range(4), FRAME)
    line.talk(0, FRAME, 1000)
    line.talk(2, OTHER, 1000)
    echo = by_end(line.heard(2000))[0]
    assert len(echo) == len(FRAME)
    assert all(one != other for one, other in zip(echo, FRAME, strict=True))


def test_a_cut_makes_two_cables_until_it_is_mended() -> None:
    line = cable()
    line.cut(2)
    assert line.is_cut(2)
    line.talk(0, FRAME, 0)
    line.talk(3, OTHER, 0)
    assert by_end(line.heard(1000)) == {1: FRAME, 2: OTHER}
    line.mend(2)
    assert not line.is_cut(2)
    line.talk(0, FRAME, 2000)
    assert by_end(line.heard(3000)) == {1: FRAME, 2: FRAME, 3: FRAME}


def test_a_babbling_end_spoils_its_own_piece_only() -> None:
    line = cable(6)
    line.cut(4)
    line.babble(2)
    assert line.talk(2, FRAME, 0) == 0
    line.talk(1, FRAME, 1000)
    line.talk(4, OTHER, 1000)
    heard = by_end(line.heard(1_000_000))
    assert 24_900 <= len(heard[0]) <= 25_000
    assert FRAME not in heard[0]
    assert heard[5] == OTHER
    line.hush(2)
    line.talk(1, FRAME, 1_100_000)
    assert by_end(line.heard(2_000_000))[0] == FRAME


def test_a_line_held_low_is_one_break_and_then_silence() -> None:
    line = cable()
    line.stick(2)
    line.talk(0, FRAME, 0)
    assert by_end(line.heard(1_000_000)) == {0: b"\0", 1: b"\0", 3: b"\0"}
    line.hush(2)
    line.talk(0, FRAME, 2_000_000)
    assert by_end(line.heard(3_000_000))[1] == FRAME


def frames_heard(line: Cable, talker: int, count: int = 1000) -> dict[int, int]:
    """How many of `count` frames each end hears whole."""
    for _ in range(count):
        line.talk(talker, FRAME, 0)
    heard = by_end(line.heard(LONG_US))
    assert all(len(data) % len(FRAME) == 0 for data in heard.values())
    return {end: data.count(FRAME) for end, data in heard.items()}


def test_frames_are_lost_whole_in_one_direction() -> None:
    line = cable()
    line.hearing(2).loss.part = 0.2
    whole = frames_heard(line, 0)
    assert whole[1] == whole[3] == 1000
    assert 740 <= whole[2] <= 860
    line = cable()
    line.hearing(2).loss.part = 1.0
    assert frames_heard(line, 2) == {0: 1000, 1: 1000, 3: 1000}


def test_bit_errors_come_in_the_asked_proportion() -> None:
    line = cable()
    line.hearing(1).bit_errors = 0.01
    line.talk(0, bytes(10_000), 0)
    heard = by_end(line.heard(LONG_US))
    assert 600 <= sum(byte.bit_count() for byte in heard[1]) <= 1000
    assert len(heard[1]) == 10_000


def test_another_rate_is_heard_as_garbage() -> None:
    line = cable()
    line.set_baud(2, 115_200)
    line.talk(0, FRAME, 0)
    heard = by_end(line.heard(LONG_US))
    assert heard[1] == FRAME
    assert heard[2] != FRAME
    line.talk(2, FRAME, LONG_US)
    assert by_end(line.heard(2 * LONG_US))[0] != FRAME


talks = st.lists(
    st.tuples(st.integers(0, 3), st.binary(min_size=1, max_size=20), st.integers(0, 20_000)), max_size=12
)


@given(talks, st.integers(1, 3000), st.booleans())
def test_what_is_heard_does_not_depend_on_how_often_one_listens(
    said: list[tuple[int, bytes, int]], step_us: int, faulty: bool
) -> None:
    outcomes = []
    for step in (step_us, 40_000):
        line = cable()
        line.hearing(1).bit_errors = 0.01 * faulty
        line.hearing(2).loss.part = 0.3 * faulty
        for end, data, at_us in said:
            line.talk(end, data, at_us)
        heard = [one for at_us in range(0, 40_001, step) for one in line.heard(at_us)]
        outcomes.append(by_end(heard + line.heard(40_001)))
    assert outcomes[0] == outcomes[1]


@given(talks)
def test_a_receiver_takes_one_byte_in_a_bytes_time(said: list[tuple[int, bytes, int]]) -> None:
    line = cable(5)
    for end, data, at_us in said:
        line.talk(end, data, at_us)
    heard = [one for at_us in range(0, 40_000, BYTE_US // 2) for one in line.heard(at_us) if one.end == 4]
    assert all(len(one.data) == 1 for one in heard)
    assert all(later.at_us - one.at_us >= BYTE_US for one, later in pairwise(heard))


@given(talks)
def test_next_is_the_time_to_listen(said: list[tuple[int, bytes, int]]) -> None:
    """Who listens only then misses no byte, and is not called in vain for ever."""
    line = cable()
    for end, data, at_us in said:
        line.talk(end, data, at_us)
    calls, heard = 0, []
    while (at_us := line.next_us()) is not None:
        calls += 1
        assert calls < 1000
        heard += line.heard(at_us)
    assert line.heard(LONG_US) == []
    assert not said or heard
