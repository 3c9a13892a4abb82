"""A test tone as a WAV file, and ALSA's own player for it.

sound = AplaySound("default")
sentence = sound.play(tone_wav(500), limit_s=4)

The player is a child process of its own: a card that hangs hangs only it.
"""

import io
import math
import struct
import subprocess
import wave

from pi_controller.sentence import Sentence

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


MISSING = Sentence("sound.no_aplay")
LONGEST_REASON = 120


class AplaySound:
    """Implements `roles.Sound`. `device` is an ALSA name, such as `default` or `plughw:CARD=Headphones`."""

    def __init__(self, device: str, *, program: str = "aplay") -> None:
        self._device = device
        self._program = program

    def play(self, wav: bytes, *, limit_s: float) -> Sentence | None:
        command = [self._program, "--quiet", f"--device={self._device}", "-"]
        try:
            done = subprocess.run(command, input=wav, capture_output=True, timeout=limit_s, check=False)
        except FileNotFoundError:
            return MISSING
        except subprocess.TimeoutExpired:
            return Sentence("sound.not_finished", device=self._device, seconds=limit_s)
        except OSError as error:
            return Sentence("sound.not_played", device=self._device, why=error.strerror or str(error))
        if done.returncode == 0:
            return None
        said = done.stderr.decode(errors="replace").strip().splitlines()
        why = said[-1][:LONGEST_REASON] if said else f"exit status {done.returncode}"
        return Sentence("sound.not_played", device=self._device, why=why)
