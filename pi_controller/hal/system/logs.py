"""What a process says, on its log and on its standard output: one thread writes it, so that a terminal that
stands still or a pipe that nobody reads holds up nothing else.

logs.begin("%(levelname)s %(name)s: %(message)s")
logs.say("hall http://127.0.0.1:8080/")
logs.end()
"""

import contextlib
import errno
import logging
import os
import queue
import select
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType

STDOUT, STDERR = 1, 2
"""The descriptors themselves: a thread that waits to write to `sys.stderr` holds a lock of it."""

MOST_WAITING = 1000
"""Lines that nobody has taken yet; what comes beyond them is dropped and counted."""
DROPPED = "(%d log lines were dropped, since nobody took them)"
LONGEST_LINE = 64 * 1024
"""Characters of one entry with its traceback; the rest is cut off."""
END_WITHIN_S = 1.0
"""What is left at the end of the process has this long to be taken."""

WINDOW_S = 10.0
MOST_LINES = 100
"""In each window; far below 1 MB a minute, far above what a game writes."""

log = logging.getLogger(__name__)


class Limit(logging.Filter):
    """Lets MOST_LINES through in each window and says at the next window's first line how many it left
    out."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now_s = now_s
        self._since_s = now_s()
        self._lines = 0

    def filter(self, record: logging.LogRecord) -> bool:
        now_s = self._now_s()
        if now_s - self._since_s >= WINDOW_S:
            left_out, self._lines, self._since_s = max(0, self._lines - MOST_LINES), 0, now_s
            if left_out:
                record.msg = f"({left_out} lines were left out) {record.msg}"
        self._lines += 1
        return self._lines <= MOST_LINES


class LogThread(logging.Handler):
    """Takes lines from any thread and returns at once; its own thread, which no end of the process waits for,
    writes them in this order."""

    def __init__(self, *, most_waiting: int = MOST_WAITING) -> None:
        super().__init__()
        self._most_waiting = most_waiting
        # Its put() neither waits nor takes a lock of Python's: also a destructor may log in the middle of it.
        self._waiting: queue.SimpleQueue[tuple[int, str | logging.LogRecord] | threading.Event] = (
            queue.SimpleQueue()
        )
        self.dropped = 0
        """Lines that nobody took in time, since the start."""
        self._told = 0
        self._thread = threading.Thread(target=self._work, name="log", daemon=True)
        self._thread.start()

    def put(self, descriptor: int, line: str) -> None:
        """This line without its end, for this descriptor."""
        self._hand_over((descriptor, line))

    def emit(self, record: logging.LogRecord) -> None:
        """Its traceback is put into words by the thread: that reads sources, which are files. Its values are
        put into words now: they may change."""
        record.msg, record.args = record.getMessage(), None
        self._hand_over((STDERR, record))

    @property
    def waiting(self) -> int:
        """Entries that the thread has not taken yet."""
        return self._waiting.qsize()

    def drain(self, within_s: float) -> bool:
        """Wait until all that was put until now is written; False when that took too long."""
        written = threading.Event()
        self._waiting.put(written)
        return written.wait(within_s)

    def _hand_over(self, entry: tuple[int, str | logging.LogRecord]) -> None:
        if self.waiting >= self._most_waiting:
            self.dropped += 1
        else:
            self._waiting.put(entry)

    def _work(self) -> None:
        while True:
            entry = self._waiting.get()
            if isinstance(entry, threading.Event):
                entry.set()
                continue
            descriptor, said = entry
            line = said if isinstance(said, str) else self.format(said)
            missing = self.dropped - self._told
            if missing:
                self._told += missing
                _write(STDERR, DROPPED % missing)
            _write(descriptor, line)
            del entry, said  # a traceback holds frames, and they whatever they worked on


def _write(descriptor: int, line: str) -> None:
    """Waits for as long as it takes. Where nobody reads any more, or nothing is open, it is lost."""
    if len(line) > LONGEST_LINE:
        line = f"{line[:LONGEST_LINE]} …"
    rest = memoryview(f"{line}\n".encode(errors="backslashreplace"))
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:  # whoever shares the terminal has made it so
            select.select([], [descriptor], [])
        except OSError as error:
            if error.errno != errno.EINTR:
                return


_thread: LogThread | None = None
_beginning = threading.Lock()


def _started() -> LogThread:
    global _thread  # noqa: PLW0603 - there is one log of a process
    with _beginning:
        if _thread is None:
            _thread = LogThread()
        return _thread


def begin(form: str, *, level: int = logging.INFO) -> None:
    """From now on everything that is logged goes to standard error in this form, over the thread: also what
    Python itself would write there, such as a thread's or a destructor's exception. A storm of lines is cut
    off."""
    handler = _started()
    handler.setFormatter(logging.Formatter(form))
    if not handler.filters:
        handler.addFilter(Limit())
    logging.basicConfig(level=level, handlers=[handler])
    logging.captureWarnings(capture=True)
    sys.excepthook = broke_off
    threading.excepthook = _thread_broke_off
    sys.unraisablehook = _ignored


def say(line: str) -> None:
    """On standard output, for who started the process; returns at once."""
    _started().put(STDOUT, line)


def complain(line: str) -> None:
    """On standard error, as it is; returns at once."""
    _started().put(STDERR, line)


def figures(process: str) -> dict[str, float | dict[str, float]]:
    """How many lines of this process nobody took in time, for the metrics."""
    return {"log_lines_dropped_total": {f'process="{process}"': 0 if _thread is None else _thread.dropped}}


def end(within_s: float = END_WITHIN_S) -> None:
    """The process ends: what was said is written, if somebody takes it in time."""
    if _thread is not None:
        _thread.drain(within_s)


def broke_off(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """For `sys.excepthook`: the process ends by this."""
    if issubclass(kind, KeyboardInterrupt):
        complain(kind.__name__)
    else:
        log.critical("the process breaks off", exc_info=(kind, error, trace))
    end()


def _thread_broke_off(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        name = "a thread" if args.thread is None else args.thread.name
        log.error("%s broke off", name, exc_info=(args.exc_type, args.exc_value, args.exc_traceback))


def _ignored(args: "sys.UnraisableHookArgs") -> None:
    with contextlib.suppress(ReferenceError):
        error = args.exc_value
        told = None if error is None else (args.exc_type, error, args.exc_traceback)
        log.error("an exception is ignored in %r", args.object, exc_info=told)
