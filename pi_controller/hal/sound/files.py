"""Sound files: what the voice engine and people's recorders write in, what the player reads out."""

import os
import sys
import wave
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from pi_controller.hal.sound.tones import HEADER, RATE_HZ
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence

LONGEST_S = 20


class NoSoundFileError(WordedError):
    """The file cannot be used."""


def read(file: BinaryIO, name: str) -> "array[int]":
    """The samples as one channel at RATE_HZ. Raises NoSoundFileError and OSError.

    espeak-ng and most recorders write PCM of 16 bits; other forms are refused. What espeak-ng writes into
    a pipe says a length that it is far from.
    """
    try:
        with wave.open(file) as sound:
            channels, width, rate = sound.getnchannels(), sound.getsampwidth(), sound.getframerate()
            raw = sound.readframes(min(sound.getnframes(), LONGEST_S * rate))
    except (wave.Error, EOFError) as error:
        raise NoSoundFileError(Sentence("voice.no_wav", file=name, why=str(error))) from None
    if width != 2 or rate <= 0:
        raise NoSoundFileError(Sentence("voice.not_16_bits", file=name))
    samples = array("h", raw[: len(raw) // (2 * channels) * 2 * channels])
    if sys.byteorder == "big":
        samples.byteswap()
    return _at_rate(_one_channel(samples, channels), rate)


def write(path: Path, samples: Sequence[int]) -> None:
    """Whole or not at all: under its name once it is on the disk. Raises OSError."""
    half = path.with_suffix(".half")
    with half.open("wb") as file:
        with wave.open(file, "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(RATE_HZ)
            sound.writeframes(array("h", samples).tobytes())
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)


def length_ms(path: Path) -> int:
    """Of a file that `write` has written, rounded up. Raises OSError."""
    return -(-(path.stat().st_size - HEADER) * 1000 // (2 * RATE_HZ))


def _one_channel(samples: "array[int]", channels: int) -> "array[int]":
    if channels == 1:
        return samples
    parts = [samples[channel::channels] for channel in range(channels)]
    return array("h", [sum(frame) // channels for frame in zip(*parts, strict=True)])


def _at_rate(samples: "array[int]", rate_hz: int) -> "array[int]":
    """By straight lines between samples: a recording of speech has little near the highest frequencies."""
    if rate_hz == RATE_HZ or len(samples) < 2:
        return samples
    found = array("h")
    for number in range((len(samples) - 1) * RATE_HZ // rate_hz):
        place, part = divmod(number * rate_hz, RATE_HZ)
        found.append(samples[place] + (samples[place + 1] - samples[place]) * part // RATE_HZ)
    return found
