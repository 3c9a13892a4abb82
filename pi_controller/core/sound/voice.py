"""The voice's sounds: rendered ahead by a process of its own, and never while the clock runs."""

import logging
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

import msgspec

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.runtime.threads import Threads
from pi_controller.core.sound.rendering import Rendered, RenderOrder
from pi_controller.hal.sound.orders import Load, Order
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.sentences import sentence
from pi_controller.sentence import Sentence

log = logging.getLogger(__name__)

PART = "voice"
TOLD_EACH = 25
"""Sounds, between two words about how far it is."""
COMMAND = (sys.executable, "-m", "pi_controller.core.sound.rendering")


class Player(Protocol):
    """What plays."""

    def send(self, order: Order) -> None:
        """Hands over and returns."""

    def close(self) -> None:
        """Silence; may be called twice."""


def sound_name(language: str, phrase: str) -> str:
    """Under which the player knows it."""
    return f"{language}/{phrase}"


class Voice:
    """`lengths` are the sounds that there are, in milliseconds by language and phrase. Called on the loop
    only."""

    def __init__(
        self,
        order: RenderOrder,
        *,
        loop: GameLoop,
        threads: Threads,
        player: Player,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self.lengths: dict[tuple[str, str], int] = {}
        self._order = order
        self._command = list(command)
        self._loop = loop
        self._threads = threads
        self._player = player
        self._files: dict[str, str] = {}
        self._child: subprocess.Popen[bytes] | None = None
        self._working = False
        self._complete = False
        self._trouble: Sentence | None = None

    def follow(self, picture: Picture) -> None:
        """Work while the clock stands still, until everything is there."""
        if picture.running or picture.resume_in_ms is not None:
            self.stop()
        elif not self._working and not self._complete:
            self._working = True
            self._threads.run_in_thread(self._render, "renders the voice")

    def again(self) -> None:
        """Look at everything once more, when the clock stands still next."""
        self._complete = False

    def stop(self) -> None:
        """What is rendered already stays."""
        child = self._child
        if child is not None:
            child.kill()

    def _render(self) -> None:
        """On a thread: it waits for the process, line by line."""
        complete = False
        try:
            with subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
                self._child = child
                self._give_order(child)
                for line in _whole(child.stdout or ()):
                    self._tell(msgspec.json.decode(line, type=Rendered))
            complete = child.returncode == 0
        except OSError as error:
            trouble = Sentence("voice.not_rendered", why=why(error))
            self._threads.call_on_loop(lambda: self._say(trouble))
        finally:
            self._child = None
            self._threads.call_on_loop(lambda: self._ended(complete=complete))

    def _give_order(self, child: subprocess.Popen[bytes]) -> None:
        """One that ends at once does not take it."""
        with suppress(OSError):
            if child.stdin is not None:
                child.stdin.write(msgspec.json.encode(self._order))
                child.stdin.close()

    def _tell(self, sound: Rendered) -> None:
        self._threads.call_on_loop(lambda: self._take(sound))

    def _take(self, sound: Rendered) -> None:
        if sound.trouble is not None:
            self._trouble = sentence(sound.trouble)
        if sound.path is not None:
            self._files[sound_name(sound.language, sound.name)] = sound.path
        if sound.path is not None or sound.trouble is None:
            self.lengths[sound.language, sound.name] = sound.ms
        done = len(self.lengths)
        if sound.made and done % TOLD_EACH == 0 and done < sound.of:
            self._say(Sentence("voice.being_rendered", done=done, of=sound.of))

    def _ended(self, *, complete: bool) -> None:
        self._working = False
        self._complete = self._complete or complete
        self._player.send(Load(files=dict(self._files)))
        if self._trouble is not None:
            log.warning("the voice: %s", words(self._trouble))
        self._say(self._trouble)
        self._trouble = None

    def _say(self, said: Sentence | None) -> None:
        self._loop.report(PART, "warning", said)


def _whole(lines: Iterable[bytes]) -> Iterator[bytes]:
    """A process that is ended in the middle of a line leaves half of it."""
    return (line for line in lines if line.endswith(b"\n"))
