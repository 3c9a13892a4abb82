"""Log and standard output of a process, written by one thread, so that a stopped terminal or a pipe that
nobody reads delays nothing else.

logs.begin("%(levelname)s %(name)s: %(message)s"); logs.say("hall http://127.0.0.1:8080/"); logs.end()
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
"""File descriptors. `sys.stderr` is not used: a thread that waits to write to it holds its lock."""

MOST_WAITING = 1000
"""Most waiting lines; further ones are dropped and counted."""
DROPPED = "(%d log lines were dropped, since nobody took them)"
LONGEST_LINE = 64 * 1024
"""Characters of one entry with its traceback; the rest is cut off."""
END_WITHIN_S = 1.0
"""Time for the remaining lines at the end of the process."""

WINDOW_S = 10.0
MOST_LINES = 100
"""Most lines per window: far below 1 MB a minute, far above what a game writes."""

log = logging.getLogger(__name__)


class LogLimit(logging.Filter):
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
    """Takes lines from any thread and returns at once; its daemon thread writes them in order."""

    def __init__(self, *, most_waiting: int = MOST_WAITING) -> None:
        super().__init__()
        self._most_waiting = most_waiting
        # Its put() neither waits nor takes a lock of Python's: also a destructor may log in the middle of it.
        self._waiting: queue.SimpleQueue[tuple[int, str | logging.LogRecord] | threading.Event] = (
            queue.SimpleQueue()
        )
        self.dropped = 0
        """Lines dropped since the start."""
        self._told = 0
        self._thread = threading.Thread(target=self._work, name="log", daemon=True)
        self._thread.start()

    def put(self, descriptor: int, line: str) -> None:
        """This line without its end, for this descriptor."""
        self._hand_over((descriptor, line))

    def emit(self, record: logging.LogRecord) -> None:
        """The thread formats the traceback, since that reads source files. The values are formatted now,
        since they may change."""
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
    """Write, waiting as long as it takes. The line is lost if nobody reads any more or the descriptor is
    closed."""
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
    """Send everything logged from now on to standard error in this form through the thread, including what
    Python itself writes, such as exceptions of threads and destructors. A flood of lines is limited."""
    handler = _started()
    handler.setFormatter(logging.Formatter(form))
    if not handler.filters:
        handler.addFilter(LogLimit())
    logging.basicConfig(level=level, handlers=[handler])
    logging.captureWarnings(capture=True)
    sys.excepthook = broke_off
    threading.excepthook = _thread_broke_off
    sys.unraisablehook = _ignored


def say(line: str) -> None:
    """Write to standard output, for whoever started the process; returns at once."""
    _started().put(STDOUT, line)


def complain(line: str) -> None:
    """Write to standard error unchanged; returns at once."""
    _started().put(STDERR, line)


def figures(process: str) -> dict[str, float | dict[str, float]]:
    """The number of dropped lines of this process, for the metrics."""
    return {"log_lines_dropped_total": {f'process="{process}"': 0 if _thread is None else _thread.dropped}}


def end(within_s: float = END_WITHIN_S) -> None:
    """Write what is left at the end of the process, if somebody reads it in time."""
    if _thread is not None:
        _thread.drain(within_s)


def broke_off(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """For `sys.excepthook`: log the exception that ends the process."""
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
