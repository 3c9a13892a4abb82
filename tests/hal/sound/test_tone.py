import io
import itertools
import struct
import wave

import pytest

from pi_controller.hal.sound.tone import LOUDNESS, RATE_HZ, TONE_HZ, tone_wav


@pytest.mark.parametrize("ms", [1, 50, 1000])
def test_a_tone_of_this_length_pitch_and_loudness(ms: int) -> None:
    with wave.open(io.BytesIO(tone_wav(ms))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE_HZ)
        count = file.getnframes()
        samples = struct.unpack(f"<{count}h", file.readframes(count))
    assert count == RATE_HZ * ms // 1000
    assert abs(samples[0]) < 10, "it begins without a click"
    assert max(map(abs, samples)) <= LOUDNESS * 32_767
    crossings = sum((first < 0) != (second < 0) for first, second in itertools.pairwise(samples))
    assert abs(crossings - 2 * TONE_HZ * ms / 1000) <= 2
