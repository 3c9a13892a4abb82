"""What strangers do wrong is counted, never logged line by line; so is what this program does wrong."""

import asyncio
import errno
import logging
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal, get_args

from pi_controller.sentence import Sentence

LOG = logging.getLogger(__name__)

Kind = Literal["frame", "handshake", "hang_up", "no_file", "request", "tls"]
"""A broken WebSocket frame; no handshake; an end without a word or in the middle of an answer, by the peer or
by us who had enough; no file left for another connection; no HTTP, or not understood; a record that cannot be
decrypted."""
BROKEN_OFF = Sentence("defect.broken_off_unnamed")
LINE_S = 60.0
MOST_PLACES = 256
NO_FILE_LEFT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""What accept(2) says when nobody else gets in."""
NO_WAY = frozenset(
    {errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN, errno.ENONET}
)
"""What a connection ends with when the peer is out of reach (tcp(7), ip(7))."""


class Defects:
    """Mistakes of this program that requests and connections have met since the start."""

    def __init__(self, boot_s: Callable[[], float]) -> None:
        self.count = 0
        self._boot_s = boot_s
        self._logged_s: dict[str, float] = {}
        """By their place in the code, when each was logged last."""

    def is_new(self, problem: BaseException | None) -> bool:
        """Count one; whether it is to be logged, which it is once in LINE_S for each place in the code: what
        anybody can ask for, anybody can ask for a thousand times."""
        self.count += 1
        place, now_s = _place(problem), self._boot_s()
        if now_s - self._logged_s.get(place, now_s - LINE_S) < LINE_S:
            return False
        if len(self._logged_s) >= MOST_PLACES:
            self._logged_s.clear()
        self._logged_s[place] = now_s
        return True

    def told(self, error: Exception, at: str) -> Sentence:
        """Count what was raised `at` this place, and log it where it is new. The sentence is the answer; it
        says nothing of the program's inside, which is no business of guests."""
        if self.is_new(error):
            LOG.error("%s broke off", at, exc_info=error)
        return BROKEN_OFF


class Misbehaviour:
    def __init__(self, boot_s: Callable[[], float], defects: Defects) -> None:
        self.counted: Counter[Kind] = Counter(dict.fromkeys(get_args(Kind), 0))
        self.defects = defects
        """What broke off for no reason that a peer could have."""
        self._boot_s = boot_s
        self._told: Counter[Kind] = Counter()
        self._told_s: float | None = None

    def count(self, kind: Kind) -> None:
        self.counted[kind] += 1

    def sweep(self) -> None:
        """One line with what is new, once in LINE_S at most; to be called about once a second."""
        now_s = self._boot_s()
        new = self.counted - self._told
        if not new or (self._told_s is not None and now_s - self._told_s < LINE_S):
            return
        self._told, self._told_s = self.counted.copy(), now_s
        said = ", ".join(f"{kind} {count}" for kind, count in sorted(new.items()))
        LOG.info("connections that misbehaved: %s", said)

    def of_loop(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """For `loop.set_exception_handler`: what a connection's end leaves behind is no fault of ours."""
        problem = context.get("exception")
        if isinstance(problem, OSError) and problem.errno in NO_FILE_LEFT:
            self.count("no_file")
        elif not is_gone(problem) and self.defects.is_new(problem):
            loop.default_exception_handler(context)


def is_gone(problem: object) -> bool:
    """Whether this says only that the peer of a connection is there no more; its end is counted where it is
    lost."""
    return isinstance(problem, ConnectionError) or (isinstance(problem, OSError) and problem.errno in NO_WAY)


def _place(problem: BaseException | None) -> str:
    trace = None if problem is None else problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
    return f"{type(problem).__name__} {where}"
