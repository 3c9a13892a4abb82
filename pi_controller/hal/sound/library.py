"""The sounds of all phrases: own recordings where there are any, otherwise the voice's, kept from then on.

library = Library(state_dir, Espeak())
for sound in library.every(wanted): ...

`sounds/LANGUAGE/PHRASE.wav` in the state folder is an own recording. `voice/` holds what is played,
levelled, under names that tell text, voice and version, so that whatever changes is made anew.
"""

import hashlib
import math
import os
import subprocess
import sys
import wave
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from pi_controller.hal.sound.orders import HEADER, RATE_HZ
from pi_controller.language.languages import VOICES
from pi_controller.language.system_errors import why
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence, as_told, sentence_of

# Sound files: written by the voice engine and people's recorders, read by the player.


LONGEST_FILE_S = 20


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
            raw = sound.readframes(min(sound.getnframes(), LONGEST_FILE_S * rate))
    except (wave.Error, EOFError) as error:
        raise NoSoundFileError(Sentence("voice.no_wav", file=name, why=str(error))) from None
    if width != 2 or rate <= 0:
        raise NoSoundFileError(Sentence("voice.not_16_bits", file=name))
    samples = array("h", raw[: len(raw) // (2 * channels) * 2 * channels])
    if sys.byteorder == "big":
        samples.byteswap()
    return _at_rate(_one_channel(samples, channels), rate)


def write(path: Path, samples: Sequence[int]) -> None:
    """Write the file atomically: it has its name only once it is on the disk. Raises OSError."""
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
    """Duration in ms of a file written by `write`, rounded up. Raises OSError."""
    return -(-(path.stat().st_size - HEADER) * 1000 // (2 * RATE_HZ))


def _one_channel(samples: "array[int]", channels: int) -> "array[int]":
    if channels == 1:
        return samples
    parts = [samples[channel::channels] for channel in range(channels)]
    return array("h", [sum(frame) // channels for frame in zip(*parts, strict=True)])


def _at_rate(samples: "array[int]", rate_hz: int) -> "array[int]":
    """Resample by linear interpolation, which is enough for speech: it has little near the highest
    frequencies."""
    if rate_hz == RATE_HZ or len(samples) < 2:
        return samples
    found = array("h")
    for number in range((len(samples) - 1) * RATE_HZ // rate_hz):
        place, part = divmod(number * rate_hz, RATE_HZ)
        found.append(samples[place] + (samples[place + 1] - samples[place]) * part // RATE_HZ)
    return found


# Loudness: all speech equally loud, without clipping. Pure. The measure is the RMS of what is not silence, as
# in the gate of ITU-R BS.1770 but without its frequency weighting: all phrases of a language have one voice,
# and so one spectrum.


TARGET_DBFS = -20.0
"""RMS of every phrase, where its peaks allow it."""
PEAK = 0.75
"""True peak of every phrase, of full scale; with a tone of 0.2 beside it the sum stays below 1."""
SILENT_DB = 40.0
"""Parts this much softer than the loudest one count as silence at the ends."""
GATE_DB = 20.0
"""Parts this much softer than the loudest one are left out of the measure."""
PART = RATE_HZ // 50
"""Samples of the parts that are measured: 20 ms."""
KEPT_FRAMES = RATE_HZ // 200
"""Samples of silence that stay at both ends: 5 ms."""
FULL = 32_767
OVERSAMPLING = 4
_TAPS = 6
"""On each side, of the filter that finds the peaks between samples."""


def levelled(samples: Sequence[int]) -> "array[int]":
    """Trim the silence at both ends and set the common loudness. Silence stays silence."""
    kept = _without_silent_ends(samples)
    loudness, peak = rms(kept), true_peak(kept)
    if not loudness or not peak:
        return array("h")
    gain = min(FULL * 10 ** (TARGET_DBFS / 20) / loudness, FULL * PEAK / peak)
    return array("h", [int(sample * gain) for sample in kept])


def rms(samples: Sequence[int]) -> float:
    """RMS of the parts that are not much softer than the loudest one; 0 for silence."""
    powers = list(_powers(samples))
    loudest = max(powers, default=0.0)
    counted = [power for power in powers if power and power >= loudest * 10 ** (-GATE_DB / 10)]
    return math.sqrt(sum(counted) / len(counted)) if counted else 0.0


def true_peak(samples: Sequence[int]) -> float:
    """The highest level also between samples (ITU-R BS.1770, annex 2): looked for beside high samples."""
    highest = max((abs(sample) for sample in samples), default=0)
    near = [place for place, sample in enumerate(samples) if abs(sample) > 0.6 * highest]
    return max(
        (
            abs(_between(samples, place, step / OVERSAMPLING))
            for place in near
            for step in range(OVERSAMPLING)
        ),
        default=0.0,
    )


def _between(samples: Sequence[int], place: int, fraction: float) -> float:
    """The signal so far behind a sample, by a windowed sinc."""
    if not fraction:
        return float(samples[place])
    total = 0.0
    for tap in range(-_TAPS + 1, _TAPS + 1):
        if 0 <= place + tap < len(samples):
            x = tap - fraction
            window = 0.5 + 0.5 * math.cos(math.pi * x / (_TAPS + 1))
            total += samples[place + tap] * window * math.sin(math.pi * x) / (math.pi * x)
    return total


def _powers(samples: Sequence[int]) -> Iterator[float]:
    for start in range(0, len(samples), PART):
        part = samples[start : start + PART]
        yield sum(sample * sample for sample in part) / len(part)


def _without_silent_ends(samples: Sequence[int]) -> Sequence[int]:
    threshold = max((abs(sample) for sample in samples), default=0) * 10 ** (-SILENT_DB / 20)
    loud = [place for place, sample in enumerate(samples) if abs(sample) > threshold]
    return samples[max(0, loud[0] - KEPT_FRAMES) : loud[-1] + KEPT_FRAMES] if loud else []


# Voice: espeak-ng, a child process for each phrase. Only before a game, never during play.


WORDS_PER_MINUTE = 165
LONGEST_TEXT_S = 10.0
LONGEST_REASON = 120


class NoVoiceError(WordedError):
    """The voice does not work, or cannot speak this text."""


class Espeak:
    """Raises NoVoiceError where the engine is missing, crashes or hangs."""

    def __init__(self, program: str = "espeak-ng") -> None:
        self._program = program

    def version(self) -> str:
        """Its version: another one may speak differently."""
        return self._run(["--version"], "").decode(errors="replace").strip()

    def speak(self, text: str, language: str) -> bytes:
        """The text as a WAV file, through a pipe: on a full disk espeak-ng writes half a file and reports no
        error."""
        voice = VOICES.get(language, language)
        spoken = self._run(["-v", voice, "-s", str(WORDS_PER_MINUTE), "-b", "1", "--stdout", "--stdin"], text)
        if not spoken:
            raise NoVoiceError(Sentence("voice.engine_silent", program=self._program, language=language))
        return spoken

    def _run(self, arguments: list[str], text: str) -> bytes:
        command = [self._program, *arguments]
        try:
            done = subprocess.run(
                command, input=text.encode(), capture_output=True, timeout=LONGEST_TEXT_S, check=False
            )
        except FileNotFoundError:
            raise NoVoiceError(Sentence("voice.engine_missing", program=self._program)) from None
        except subprocess.TimeoutExpired:
            raise NoVoiceError(Sentence("voice.engine_hangs", program=self._program)) from None
        except OSError as error:
            raise NoVoiceError(
                Sentence("voice.engine_failed", program=self._program, why=why(error))
            ) from None
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            silent = Sentence("voice.exit_status", status=done.returncode)
            last = as_told(said[-1][:LONGEST_REASON]) if said else silent
            raise NoVoiceError(Sentence("voice.engine_failed", program=self._program, why=last))
        return done.stdout


OWN, KEPT = "sounds", "voice"
FORM = 1
"""Version of the kept files; another number makes all of them anew."""


@dataclass(frozen=True, slots=True)
class WantedPhrase:
    """A phrase in a language; an empty text needs no sound."""

    language: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class SoundFile:
    """A sound found or made. `path` None: there is none; `trouble` says why if something is wrong."""

    wanted: WantedPhrase
    path: Path | None
    ms: int
    own: bool = False
    made: bool = False
    """Made just now."""
    trouble: Sentence | None = None


class Library:
    """`found` only looks; `every` makes what is missing. Neither raises: faults are in the sounds
    returned."""

    def __init__(self, state_dir: Path, voice: Espeak) -> None:
        self._own = state_dir / OWN
        self._kept = state_dir / KEPT
        self._voice = voice
        self._version: str | None = None

    def own_path(self, wanted: WantedPhrase) -> Path:
        """Where a recording of this phrase would lie."""
        return self._own / wanted.language / f"{wanted.name}.wav"

    def every(self, wanted: Sequence[WantedPhrase]) -> Iterator[SoundFile]:
        """One by one: first all that are there already, then the others as they are made."""
        missing = []
        for one in wanted:
            sound = self.found(one)
            if sound is None:
                missing.append(one)
            else:
                yield sound
        for one in missing:
            yield self._made(one)

    def found(self, wanted: WantedPhrase) -> SoundFile | None:
        """The existing sound. If the engine cannot tell its version, that of any version."""
        own = self._own_version(wanted)
        if not wanted.text and own is None:
            return SoundFile(wanted, None, 0)
        try:
            path = self._path(wanted, own)
        except NoVoiceError:
            earlier = sorted(self._kept.glob(f"{self._stem(wanted, None)}-*.wav"))
            if not earlier:
                return None
            path = earlier[-1]
        try:
            return SoundFile(wanted, path, length_ms(path), own is not None)
        except OSError:
            return None

    def tidy(self, used: Sequence[SoundFile]) -> None:
        """Remove what was kept for another text, voice or recording."""
        names = {sound.path for sound in used}
        with suppress(OSError):
            for path in self._kept.iterdir():
                if path not in names:
                    path.unlink()

    def _made(self, wanted: WantedPhrase) -> SoundFile:
        """Make the sound. An unusable recording is reported and replaced by the voice."""
        own, trouble = self._own_version(wanted), None
        try:
            if own is not None:
                try:
                    return self._recorded(wanted, own)
                except NoSoundFileError as error:
                    trouble, own = error.sentence, None
            with BytesIO(self._voice.speak(wanted.text, wanted.language)) as spoken:
                sound = self._levelled(wanted, None, read(spoken, wanted.name))
            return replace(sound, trouble=trouble)
        except (NoVoiceError, NoSoundFileError) as error:
            return SoundFile(wanted, None, 0, trouble=sentence_of(error))
        except OSError as error:
            trouble = Sentence("voice.not_kept", folder=str(self._kept), why=why(error))
            return SoundFile(wanted, None, 0, trouble=trouble)

    def _recorded(self, wanted: WantedPhrase, own: str) -> SoundFile:
        path = self.own_path(wanted)
        with path.open("rb") as file:
            return self._levelled(wanted, own, read(file, path.name))

    def _levelled(self, wanted: WantedPhrase, own: str | None, samples: Sequence[int]) -> SoundFile:
        self._kept.mkdir(parents=True, exist_ok=True)
        path = self._path(wanted, own)
        write(path, levelled(samples))
        return SoundFile(wanted, path, length_ms(path), own is not None, made=True)

    def _path(self, wanted: WantedPhrase, own: str | None) -> Path:
        """Raises NoVoiceError."""
        version = "own" if own is not None else _digest(self._engine())
        return self._kept / f"{self._stem(wanted, own)}-{version}.wav"

    def _stem(self, wanted: WantedPhrase, own: str | None) -> str:
        spoken = f"{wanted.text}|{VOICES.get(wanted.language)}|{WORDS_PER_MINUTE}"
        tells = f"{own or spoken}|{TARGET_DBFS}|{PEAK}|{FORM}"
        return f"{wanted.language}-{wanted.name}-{_digest(tells)}"

    def _engine(self) -> str:
        if self._version is None:
            self._version = self._voice.version()
        return self._version

    def _own_version(self, wanted: WantedPhrase) -> str | None:
        """Version of an own recording; None without one."""
        try:
            status = self.own_path(wanted).stat()
        except OSError:
            return None
        return f"own|{status.st_mtime_ns}|{status.st_size}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
