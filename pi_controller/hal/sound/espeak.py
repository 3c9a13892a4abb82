"""The voice: espeak-ng, a child process for each phrase. Only before a game, never while it runs."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from pi_controller.language.system_errors import why
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence

VOICES: Mapping[str, str] = {
    "en": "en-gb",
    "de": "de",
    "es": "es",
    "pt": "pt",
    "pt-BR": "pt-br",
    "pl": "pl",
}
"""espeak-ng's voice for each language."""
WORDS_PER_MINUTE = 165
LONGEST_S = 10.0
LONGEST_REASON = 120


class NoVoiceError(WordedError):
    """The voice cannot speak at all, or not this."""


class Espeak:
    """Raises NoVoiceError where the engine is missing, crashes or hangs."""

    def __init__(self, program: str = "espeak-ng") -> None:
        self._program = program

    def version(self) -> str:
        """What it calls itself: another version may speak differently."""
        return self._run(["--version"], "").strip()

    def speak(self, text: str, language: str, path: Path) -> None:
        """Write this as a WAV file."""
        voice = VOICES.get(language, language)
        self._run(["-v", voice, "-s", str(WORDS_PER_MINUTE), "-b", "1", "-w", str(path), "--stdin"], text)
        if not path.is_file():
            raise NoVoiceError(Sentence("voice.engine_silent", program=self._program, language=language))

    def _run(self, arguments: list[str], text: str) -> str:
        command = [self._program, *arguments]
        try:
            done = subprocess.run(
                command, input=text.encode(), capture_output=True, timeout=LONGEST_S, check=False
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
            last = said[-1][:LONGEST_REASON] if said else f"exit status {done.returncode}"
            raise NoVoiceError(Sentence("voice.engine_failed", program=self._program, why=last))
        return done.stdout.decode(errors="replace")
