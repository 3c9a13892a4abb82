"""The sounds of all phrases: own recordings where there are any, otherwise the voice's, kept from then on.

library = Library(state_dir, Espeak())
for sound in library.every(wanted): ...

`sounds/LANGUAGE/PHRASE.wav` in the state folder is an own recording. `voice/` holds what is played,
levelled, under names that tell text, voice and version, so that whatever changes is made anew.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

from pi_controller.hal.sound import files
from pi_controller.hal.sound.espeak import VOICES, WORDS_PER_MINUTE, Espeak, NoVoiceError
from pi_controller.hal.sound.files import NoSoundFileError
from pi_controller.hal.sound.loudness import PEAK, TARGET_DBFS, levelled
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence, said_by

OWN, KEPT = "sounds", "voice"
FORM = 1
"""Of what is kept; another number makes everything anew."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A phrase in a language; an empty text needs no sound."""

    language: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Sound:
    """What was found or made. `path` None: there is no sound, `trouble` says why if something is wrong."""

    wanted: Wanted
    path: Path | None
    ms: int
    own: bool = False
    made: bool = False
    """Just now."""
    trouble: Sentence | None = None


class Library:
    """`found` makes nothing; `every` makes what is missing. Both raise nothing: what is wrong stands in the
    sounds."""

    def __init__(self, state_dir: Path, voice: Espeak) -> None:
        self._own = state_dir / OWN
        self._kept = state_dir / KEPT
        self._voice = voice
        self._version: str | None = None

    def own_path(self, wanted: Wanted) -> Path:
        """Where a recording of this phrase would lie."""
        return self._own / wanted.language / f"{wanted.name}.wav"

    def every(self, wanted: Sequence[Wanted]) -> Iterator[Sound]:
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

    def found(self, wanted: Wanted) -> Sound | None:
        """What is there already; where the engine cannot say its version, what any version has spoken."""
        own = self._own_version(wanted)
        if not wanted.text and own is None:
            return Sound(wanted, None, 0)
        try:
            path = self._path(wanted, own)
        except NoVoiceError:
            earlier = sorted(self._kept.glob(f"{self._stem(wanted, None)}-*.wav"))
            if not earlier:
                return None
            path = earlier[-1]
        try:
            return Sound(wanted, path, files.length_ms(path), own is not None)
        except OSError:
            return None

    def tidy(self, used: Sequence[Sound]) -> None:
        """Remove what was kept for another text, voice or recording."""
        names = {sound.path for sound in used}
        with suppress(OSError):
            for path in self._kept.iterdir():
                if path not in names:
                    path.unlink()

    def _made(self, wanted: Wanted) -> Sound:
        """A recording that cannot be used gives way to the voice, and is told."""
        own, trouble = self._own_version(wanted), None
        try:
            if own is not None:
                try:
                    return self._recorded(wanted, own)
                except NoSoundFileError as error:
                    trouble, own = error.sentence, None
            with BytesIO(self._voice.speak(wanted.text, wanted.language)) as spoken:
                sound = self._levelled(wanted, None, files.read(spoken, wanted.name))
            return replace(sound, trouble=trouble)
        except (NoVoiceError, NoSoundFileError) as error:
            return Sound(wanted, None, 0, trouble=said_by(error))
        except OSError as error:
            trouble = Sentence("voice.not_kept", folder=str(self._kept), why=why(error))
            return Sound(wanted, None, 0, trouble=trouble)

    def _recorded(self, wanted: Wanted, own: str) -> Sound:
        path = self.own_path(wanted)
        with path.open("rb") as file:
            return self._levelled(wanted, own, files.read(file, path.name))

    def _levelled(self, wanted: Wanted, own: str | None, samples: Sequence[int]) -> Sound:
        self._kept.mkdir(parents=True, exist_ok=True)
        path = self._path(wanted, own)
        files.write(path, levelled(samples))
        return Sound(wanted, path, files.length_ms(path), own is not None, made=True)

    def _path(self, wanted: Wanted, own: str | None) -> Path:
        """Raises NoVoiceError."""
        version = "own" if own is not None else _digest(self._engine())
        return self._kept / f"{self._stem(wanted, own)}-{version}.wav"

    def _stem(self, wanted: Wanted, own: str | None) -> str:
        spoken = f"{wanted.text}|{VOICES.get(wanted.language)}|{WORDS_PER_MINUTE}"
        tells = f"{own or spoken}|{TARGET_DBFS}|{PEAK}|{FORM}"
        return f"{wanted.language}-{wanted.name}-{_digest(tells)}"

    def _engine(self) -> str:
        if self._version is None:
            self._version = self._voice.version()
        return self._version

    def _own_version(self, wanted: Wanted) -> str | None:
        """Of an own recording; None when there is none."""
        try:
            status = self.own_path(wanted).stat()
        except OSError:
            return None
        return f"own|{status.st_mtime_ns}|{status.st_size}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
