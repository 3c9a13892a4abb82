"""The voice's sounds: rendered in advance by a process of its own, never while the clock runs. Missing or
removed files are made when the clock stands still next."""

import logging
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.runtime import Alarm, Threads, Timers
from pi_controller.core.sound.phrases import NamedSeat, every_phrase
from pi_controller.game.rule_sets import RULE_SETS, seat_word
from pi_controller.hal.sound.library import KEPT, Espeak, Library, SoundFile, WantedPhrase
from pi_controller.hal.sound.orders import LoadOrder, Order
from pi_controller.hal.system.kernel import take_lowest_priority
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.sentences import SentenceView, sentence, view
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import Target

# Renders what can be said, in a process of its own so that core is not delayed.


class RenderOrder(Struct, kw_only=True):
    state_dir: str
    languages: tuple[str, ...]
    rule_set: str
    targets: tuple[Target, ...]
    program: str = "espeak-ng"


class Rendered(Struct, kw_only=True):
    """A sound, or with `path` None why it is missing. `of`: the number of all."""

    language: str
    name: str
    path: str | None
    ms: int
    of: int
    made: bool
    """Rendered just now."""
    trouble: SentenceView | None = None


def seats_of(rule_set: str) -> tuple[NamedSeat, ...]:
    """Seats of this rule set."""
    return tuple(NamedSeat(seat, seat_word(seat, sign.name)) for seat, sign in RULE_SETS[rule_set].may_sit)


def wanted(languages: Sequence[str], rule_set: str, targets: Sequence[Target]) -> list[WantedPhrase]:
    """Every phrase in every language."""
    seats = seats_of(rule_set)
    return [
        WantedPhrase(language, phrase.name, phrase.text(language))
        for language in languages
        for phrase in every_phrase(seats, targets)
    ]


def rendered(sound: SoundFile, of: int) -> Rendered:
    return Rendered(
        language=sound.wanted.language,
        name=sound.wanted.name,
        path=None if sound.path is None else str(sound.path),
        ms=sound.ms,
        of=of,
        made=sound.made,
        trouble=None if sound.trouble is None else view(sound.trouble),
    )


def main() -> None:
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=RenderOrder)
    take_lowest_priority()
    library = Library(Path(order.state_dir), Espeak(order.program))
    phrases = wanted(order.languages, order.rule_set, order.targets)
    sounds = []
    for sound in library.every(phrases):
        sounds.append(sound)
        sys.stdout.buffer.write(msgspec.json.encode(rendered(sound, len(phrases))) + b"\n")
        sys.stdout.buffer.flush()
    library.tidy(sounds)


if __name__ == "__main__":
    main()


log = logging.getLogger(__name__)

PART = "voice"
TOLD_EACH = 25
"""Number of sounds between two progress reports."""
LOOK_NS = 60_000_000_000
"""Interval, while the clock stands still, of checks whether a file was removed or can now be made."""
NEVER, NO_FOLDER = -1, 0
COMMAND = (sys.executable, "-m", "pi_controller.core.sound.voice")


class PlayerOrders(Protocol):
    """The player."""

    def send(self, order: Order) -> None:
        """Hand over an order; returns at once."""

    def close(self) -> None:
        """Stop all sound; may be called twice."""


def sound_name(language: str, phrase: str) -> str:
    """The player's name for this sound."""
    return f"{language}/{phrase}"


class Voice:
    """`lengths`: durations in ms of the existing sounds by language and phrase. Called on the loop only."""

    def __init__(
        self,
        order: RenderOrder,
        *,
        loop: GameLoop,
        timers: Timers,
        threads: Threads,
        player: PlayerOrders,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self.lengths: dict[tuple[str, str], int] = {}
        self._order = order
        self._command = list(command)
        self._kept = Path(order.state_dir) / KEPT
        self._loop = loop
        self._timers = timers
        self._threads = threads
        self._player = player
        self._files: dict[str, str] = {}
        self._child: subprocess.Popen[bytes] | None = None
        self._stands = False
        self._working = self._again = False
        self._next_look: Alarm | None = None
        self._left_as = NEVER
        """The folder's stamp when it was complete."""
        self._done = 0
        self._found: Sentence | None = None
        self._trouble: Sentence | None = None

    def follow(self, picture: Picture) -> None:
        """Render while the clock stands still."""
        stood = self._stands
        self._stands = not picture.running and picture.resume_in_ms is None
        if self._stands and not stood:
            self._look()
        elif stood and not self._stands:
            self.stop()

    def use(self, order: RenderOrder) -> None:
        """Render what this order says, where it differs, while the clock stands still."""
        if order == self._order:
            return
        self._order, self._left_as = order, NEVER
        if self._stands:
            self._look()

    def stop(self) -> None:
        """Stop rendering; what is rendered stays."""
        self._stands = False
        if self._next_look is not None:
            self._next_look.cancel()
        child = self._child
        if child is not None:
            child.kill()

    def _look(self) -> None:
        """Render what is missing; does nothing if the folder has not changed since it was complete."""
        self._again = self._working
        if not self._working:
            self._working, self._done, self._found = True, 0, None
            self._threads.run_in_thread(self._work, "renders the voice")

    def _work(self) -> None:
        """Run the rendering process. On a thread: waits for the disk and for each line of the process."""
        if self._left_as != NEVER and _stamp(self._kept) == self._left_as:
            self._threads.call_on_loop(self._rest)
            return
        status, order = 1, self._order
        try:
            with subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
                self._child = child
                if not self._stands:
                    child.kill()
                self._give_order(child, order)
                for line in _whole(child.stdout or ()):
                    self._tell(msgspec.json.decode(line, type=Rendered))
            status = child.returncode
        except OSError as error:
            trouble = Sentence("voice.not_rendered", why=why(error))
            self._threads.call_on_loop(lambda: self._met(trouble))
        finally:
            self._child = None
            stamp = _stamp(self._kept)
            self._threads.call_on_loop(lambda: self._ended(status, stamp, order))

    def _give_order(self, child: subprocess.Popen[bytes], order: RenderOrder) -> None:
        """Write the order to the process, which may have ended already."""
        with suppress(OSError):
            if child.stdin is not None:
                child.stdin.write(msgspec.json.encode(order))
                child.stdin.close()

    def _tell(self, sound: Rendered) -> None:
        self._threads.call_on_loop(lambda: self._take(sound))

    def _met(self, trouble: Sentence) -> None:
        self._found = trouble

    def _take(self, sound: Rendered) -> None:
        key, name = (sound.language, sound.name), sound_name(sound.language, sound.name)
        if sound.trouble is not None:
            self._met(sentence(sound.trouble))
            if sound.path is None:
                self.lengths.pop(key, None)
                self._files.pop(name, None)
                return
        if sound.path is not None:
            self._files[name] = sound.path
        self.lengths[key] = sound.ms
        self._done += 1
        if sound.made and self._done % TOLD_EACH == 0 and self._done < sound.of:
            self._say(Sentence("voice.being_rendered", done=self._done, of=sound.of))

    def _ended(self, status: int, stamp: int, order: RenderOrder) -> None:
        """Handle the end of rendering by this order; after a stop, the earlier report stays."""
        self._player.send(LoadOrder(files=dict(self._files)))
        if status != 0 and self._stands and self._found is None:
            self._found = Sentence("voice.not_rendered", why=Sentence("voice.exit_status", status=status))
        if self._found is not None and self._found != self._trouble:
            log.warning("the voice: %s", words(self._found))
        if status == 0 or self._found is not None:
            self._trouble = self._found
        complete = status == 0 and self._found is None and order == self._order
        self._left_as = stamp if complete else NEVER
        self._say(self._trouble)
        self._rest()

    def _rest(self) -> None:
        self._working = False
        if self._stands and self._again:
            self._look()
        elif self._stands:
            self._next_look = self._timers.call_at(self._timers.boot_ns() + LOOK_NS, self._look)

    def _say(self, said: Sentence | None) -> None:
        self._loop.report(PART, "warning", said)


def _stamp(folder: Path) -> int:
    """A value that changes if files were removed or added."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return NO_FOLDER


def _whole(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The complete lines: a process that is killed may leave half a line."""
    return (line for line in lines if line.endswith(b"\n"))
