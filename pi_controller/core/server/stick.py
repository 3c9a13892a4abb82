"""The evening on a stick, by a process of its own: whatever the stick does, the clock goes on."""

import contextlib
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.recovery import Chosen
from pi_controller.core.runtime import Alarm, Threads, Timers, by_thread
from pi_controller.hal.system.facts import Stick, mounted_sticks
from pi_controller.journal.errors import JournalError
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.protocol.messages import (
    AskCopy,
    AskStick,
    StickAnswer,
    StickLine,
    StickPlace,
    StickView,
    encode_change,
    encode_error,
)
from pi_controller.protocol.question import encode
from pi_controller.protocol.sentences import sentence, view
from pi_controller.protocol.server import ClientConnection, Later
from pi_controller.sentence import Sentence, sentence_of

COMMAND = (sys.executable, "-m", "pi_controller", "stick", "--lines")
PATIENCE_NS = 600_000_000_000
"""Even a slow stick takes a long evening in this time."""
MOST_WAITING = 16
BUSY = Sentence("archive.busy")
NOT_LOOKED = Sentence("stick.not_looked")
"""Told when the look ends with a defect of this program."""


class StickJob:
    """Who asks hears which sticks there are and how far saving is; one is saved to at a time. Called on the
    loop only. `root` stands in the place of /, `command` is what writes."""

    def __init__(
        self,
        state_dir: Path,
        *,
        timers: Timers,
        threads: Threads,
        command: Sequence[str] = COMMAND,
        root: Path = Path("/"),
    ) -> None:
        self._state_dir = state_dir
        self._timers = timers
        self._threads = threads
        self._command = command
        self._root = root
        self._waiting: deque[tuple[Later, AskStick]] = deque()
        self._last = StickView(sticks=[])
        self._newest = StickLine()
        self._reason: Sentence | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._deadline: Alarm | None = None

    def answer(self, client: ClientConnection, request: AskStick) -> None:
        """When it has been looked for sticks, which may wait for one that is broken."""
        if len(self._waiting) >= MOST_WAITING:
            client.send(encode_error(request.id, BUSY, request.language))
            return
        self._waiting.append((client.begin(request), request))
        if len(self._waiting) == 1:
            self._look()

    def stop(self) -> None:
        """What is not yet written stays away."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._kill()

    def _kill(self) -> None:
        child = self._child
        if child is not None:
            child.kill()

    def _look(self) -> None:
        def work() -> list[StickPlace] | None:
            return [_with_room(stick) for stick in mounted_sticks(self._root)]

        by_thread(self._threads, work, self._looked, broken=None, name="looks for sticks")

    def _looked(self, sticks: list[StickPlace] | None) -> None:
        """None: the look ended with a defect of this program."""
        later, request = self._waiting.popleft()
        if self._waiting:
            self._look()
        later.do(lambda: self._answered(request, sticks))

    def _answered(self, request: AskStick, sticks: list[StickPlace] | None) -> bytes:
        if sticks is None:
            return encode_error(request.id, NOT_LOOKED, request.language)
        seen = request.seen == self._last.number
        if request.save is not None and seen and self._last.state != "working":
            self._begin(request.save, sticks, request.language)
        said = "" if self._reason is None else words(self._reason, request.language)
        told = msgspec.structs.replace(self._last, sticks=sticks, reason=said)
        return encode(StickAnswer(id=request.id, stick=told))

    def _begin(self, place: str, sticks: list[StickPlace], language: str) -> None:
        self._last = StickView(sticks=[], number=self._last.number + 1, state="working", place=place)
        self._reason, self._newest = None, StickLine()
        if place not in {stick.place for stick in sticks}:
            self._fail(Sentence("stick.not_there", folder=place))
            return
        self._deadline = self._timers.call_at(self._timers.boot_ns() + PATIENCE_NS, self._kill)
        self._threads.run_in_thread(lambda: self._work(place, language), "saves to a stick")

    def _work(self, place: str, language: str) -> None:
        """On a thread: it waits for the process, line by line."""
        command = [*self._command, place, "--state-dir", str(self._state_dir)]
        trouble = Sentence("stick.broken_off")
        try:
            with subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                env={**os.environ, "LC_ALL": language.replace("-", "_")},
            ) as child:
                self._child = child
                for line in _whole(child.stdout or ()):
                    self._tell(msgspec.json.decode(line, type=StickLine))
        except OSError as error:
            trouble = Sentence("cli.of_system", path=place, why=why(error))
        finally:
            self._child = None
            self._threads.call_on_loop(lambda: self._ended(trouble))

    def _tell(self, line: StickLine) -> None:
        self._threads.call_on_loop(lambda: self._heard(line))

    def _heard(self, line: StickLine) -> None:
        self._newest = line
        if line.of:
            self._last = msgspec.structs.replace(self._last, step=line.step, done=line.done, of=line.of)

    def _ended(self, trouble: Sentence) -> None:
        """What became of it: of a process that has not said so nobody knows."""
        if self._deadline is not None:
            self._deadline.cancel()
        line = self._newest
        if line.folder:
            self._last = msgspec.structs.replace(
                self._last, state="done", folder=line.folder, files=line.files
            )
        else:
            self._fail(trouble if line.reason is None else sentence(line.reason))

    def _fail(self, reason: Sentence) -> None:
        self._reason = reason
        self._last = msgspec.structs.replace(self._last, state="failed", reason_key=view(reason))


def _with_room(stick: Stick) -> StickPlace:
    free = None
    with contextlib.suppress(OSError):
        space = os.statvfs(stick.place)
        free = space.f_bavail * space.f_frsize // 1024
    return StickPlace(
        place=stick.place, name=Path(stick.place).name, free_kib=free, read_only=stick.read_only
    )


def _whole(lines: Iterable[bytes]) -> Iterator[bytes]:
    """A process that is ended in the middle of a line leaves half of it."""
    return (line for line in lines if line.endswith(b"\n"))


# What becomes of the copy of another controller that was found in the place of the second copy: a person
# decides.


UNDER_WAY = Sentence("restore.game_under_way")
BROKEN_OFF = Sentence("archive.broken_off")
"""Told when it ends with a defect of this program."""


class CopyDecision:
    """`choose` reads the game of that id from the copy, on a thread; `leave` ends core so that it goes on
    with what was chosen; `use` lets the journal write to the device. Called on the loop only."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        threads: Threads,
        choose: Callable[[str], Chosen],
        leave: Callable[[Chosen], None],
        use: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._threads = threads
        self._choose = choose
        self._leave = leave
        self._use = use

    def answer(self, client: ClientConnection, request: AskCopy) -> None:
        if request.deed.do == "use":
            self._use()
            client.send(encode_change(request, ()))
        elif self._loop.game.state.phase not in ("ready", "ended"):
            client.send(encode_change(request, (UNDER_WAY,)))
        else:
            work, then = partial(self._look, request), partial(self._decided, client.begin(request), request)
            by_thread(self._threads, work, then, broken=BROKEN_OFF, name="reads the copy")

    def _look(self, request: AskCopy) -> Chosen | Sentence:
        """On the thread."""
        try:
            return self._choose(request.deed.game)
        except (JournalError, OSError) as error:
            return sentence_of(error)

    def _decided(self, later: Later, request: AskCopy, found: Chosen | Sentence) -> None:
        reasons = (found,) if isinstance(found, Sentence) else ()
        later.do(lambda: encode_change(request, reasons))
        if not isinstance(found, Sentence):
            self._leave(found)
