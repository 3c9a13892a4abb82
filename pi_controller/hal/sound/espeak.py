"""The voice: espeak-ng, a child process for each phrase. Only before a game, never while it runs."""

import subprocess
from collections.abc import Mapping

from pi_controller.language.system_errors import why
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence, as_told

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
        return self._run(["--version"], "").decode(errors="replace").strip()

    def speak(self, text: str, language: str) -> bytes:
        """This as a WAV file. Not by way of the disk: on a full one espeak-ng writes half of it and says
        nothing."""
        voice = VOICES.get(language, language)
        spoken = self._run(["-v", voice, "-s", str(WORDS_PER_MINUTE), "-b", "1", "--stdout", "--stdin"], text)
        if not spoken:
            raise NoVoiceError(Sentence("voice.engine_silent", program=self._program, language=language))
        return spoken

    def _run(self, arguments: list[str], text: str) -> bytes:
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
            silent = Sentence("voice.exit_status", status=done.returncode)
            last = as_told(said[-1][:LONGEST_REASON]) if said else silent
            raise NoVoiceError(Sentence("voice.engine_failed", program=self._program, why=last))
        return done.stdout
