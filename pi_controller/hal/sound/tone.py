"""A test tone as a WAV file in memory. Pure."""

import io
import math
import struct
import wave

RATE_HZ = 44_100
TONE_HZ = 880
LOUDNESS = 0.5
FADE_S = 0.01
"""Without it a loudspeaker clicks at both ends."""


def tone_wav(ms: int) -> bytes:
    """A sine of TONE_HZ for so long, 16 bits, one channel."""
    count = RATE_HZ * ms // 1000
    fade = min(FADE_S * RATE_HZ, count / 2)
    samples = (
        LOUDNESS
        * min(1.0, number / fade, (count - number) / fade)
        * math.sin(2 * math.pi * TONE_HZ * number / RATE_HZ)
        for number in range(count)
    )
    raw = struct.pack(f"<{count}h", *(round(sample * 32_767) for sample in samples))
    file = io.BytesIO()
    with wave.open(file, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(RATE_HZ)
        wav.writeframes(raw)
    return file.getvalue()
