"""What the checks ask: of core, over its control socket, and of this computer itself.

All of it blocks, for one thread. NoCore and the like are not caught here: they end the session.
"""

import hashlib
import os
import queue
import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from pi_controller.language.words import WordedError
from pi_controller.protocol.client import Client, Probing
from pi_controller.protocol.errors import CoreTrouble, NoCore, SocketPathTooLong
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.probes import Level, ResultT, TablePress, TypedProbe
from pi_controller.protocol.sentences import sentence
from pi_controller.sentence import Sentence, sentence_of

KEEP_S = 10.0
"""A lease ends after 30 s without a sign."""
END_WITHIN_S = 5.0
LONGEST_WHO = 60
PIECE = bytes(1 << 20)
"""Hashed without the interpreter's lock, which other threads get meanwhile."""


class CannotRun(WordedError):  # noqa: N818 - the session's end in one sentence
    """The self-test cannot begin or go on; the sentence says why and what to do."""


class DoesNotAnswer(WordedError):  # noqa: N818 - what a check is there to find
    """The part that was probed does not answer; core's sentence says so. The session may go on."""


class Secrets(Struct, frozen=True, kw_only=True):
    """`pin_guessable`: whether the PIN is one that everybody tries first; None while none is set. `files`:
    the modes, as chmod takes them, of what others must not read, by path in the state folder."""

    pin_guessable: bool | None
    files: dict[str, int]
    pin_trouble: str | None = None
    """Why the PIN's file cannot be used."""


PinCheck = Callable[[str], bool | None]
"""Whether this text is the PIN; None while none is set. ValueError or OSError when its file cannot be
used."""


class CoreUnderTest:
    """Holds the lease of the hardware from `begin` to `end`. `client` is for what needs none."""

    def __init__(self, state_dir: Path, *, pin_matches: PinCheck | None = None) -> None:
        """Without `pin_matches` the PIN is not looked at. CannotRun when the state folder lies too deep for a
        socket."""
        try:
            path = socket_path(state_dir)
        except SocketPathTooLong as error:
            raise CannotRun(sentence_of(error)) from error
        self.client = Client(path)
        self._state_dir = state_dir
        self._pin_matches = pin_matches
        self._probing = Probing(path)
        self._presses: queue.Queue[TablePress] = queue.Queue()
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []

    def begin(self, who: str) -> None:
        """Take the lease, and keep it; CannotRun names who holds it or what forbids it."""
        answer = self._probing.begin(who[:LONGEST_WHO] or "somebody", "selftest")
        if not answer.accepted:
            raise CannotRun(Sentence("list.sentences", sentences=tuple(map(sentence, answer.reason_keys))))
        for name, work in (("keeps the self-test's lease", self._keep_on), ("hears presses", self._listen)):
            thread = threading.Thread(target=work, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def end(self) -> None:
        """Give the lease back; may be called twice."""
        self._over.set()
        self._probing.close()  # core ends the lease with it, and the news of it
        while self._threads:
            self._threads.pop().join(END_WITHIN_S)

    def probe(self, probe: TypedProbe[ResultT]) -> ResultT:
        """What this probe gives. DoesNotAnswer when the part fails, CannotRun when the lease is gone."""
        return self._asked(lambda: self._probing.probe(probe))

    def keep_report(self, level: Level, text: str) -> str:
        """The name under which core keeps this report (JSON); raises as `probe`."""
        return self._asked(lambda: self._probing.keep_report(level, text))

    def presses(self, seconds: float) -> Sequence[TablePress]:
        """Claim buttons pressed since the last call; waits at most so many seconds for the first."""
        found: list[TablePress] = []
        with suppress(queue.Empty):
            found.append(self._presses.get(timeout=seconds))
            while True:
                found.append(self._presses.get_nowait())
        return found

    @contextmanager
    def busy_processors(self) -> Iterator[None]:
        """A load for the computer's own supply: one hashing thread for each processor."""
        over = threading.Event()

        def work() -> None:
            while not over.is_set():
                hashlib.sha256(PIECE).digest()

        threads = [
            threading.Thread(target=work, name="selftest-load", daemon=True)
            for _ in range(os.cpu_count() or 1)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def secrets(self) -> Secrets:
        """The secret files of the state folder, of which nobody reads the contents, and what is to be said of
        the PIN."""
        files = {
            name: stat.S_IMODE(path.stat().st_mode)
            for path in sorted(self._state_dir.rglob("*"))
            if _is_secret(name := str(path.relative_to(self._state_dir)))
            and path.is_file()
            and not path.is_symlink()
        }
        try:
            return Secrets(pin_guessable=_guessable(self._pin_matches), files=files)
        except (ValueError, OSError) as error:
            return Secrets(pin_guessable=None, files=files, pin_trouble=str(error))

    def _asked(self, act: Callable[[], ResultT]) -> ResultT:
        try:
            return act()
        except CoreTrouble as trouble:
            if self._probing.lease is not None:
                try:
                    self._probing.keep()
                except CoreTrouble as lost:
                    raise CannotRun(sentence_of(lost)) from trouble
            raise DoesNotAnswer(sentence_of(trouble)) from trouble

    def _keep_on(self) -> None:
        """For questions that somebody thinks about for long."""
        while not self._over.wait(KEEP_S):
            try:
                self._probing.keep()
            except (NoCore, CoreTrouble):  # the session's own next probe says so
                return

    def _listen(self) -> None:
        try:
            for news in self._probing.watch():
                if news.pressed is not None:
                    self._presses.put(news.pressed)
                if news.ended is not None:
                    return
        except (NoCore, CoreTrouble):  # as above
            return


GUESSED_FIRST = ("123456", "000000", "111111", "654321", "121212", "112233", "123123", "222222")
"""The six-digit PINs that stand at the top of every published list."""
SECRET_NAMES = ("seed", "token", "secret", "pin", "key")
"""In the name of a file that must be private, besides everything of the web side."""


def _guessable(pin_matches: PinCheck | None) -> bool | None:
    if pin_matches is None:
        return None
    for pin in GUESSED_FIRST:
        found = pin_matches(pin)
        if found is None or found:
            return found
    return False


def _is_secret(name: str) -> bool:
    folder, _, file = name.rpartition("/")
    return folder.split("/")[0] == "web" or any(word in file for word in SECRET_NAMES)
