"""What strangers do wrong is counted, never logged line by line."""

import asyncio
import errno
import logging
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal, get_args

LOG = logging.getLogger(__name__)

Kind = Literal["frame", "handshake", "hang_up", "no_file", "request", "tls"]
"""A broken WebSocket frame; no handshake; an end without a word or in the middle of an answer, by the peer or
by us who had enough; no file left for another connection; no HTTP, or not understood; a record that cannot be
decrypted."""
LINE_S = 60.0
MOST_PLACES = 256
NO_FILE_LEFT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""What accept(2) says when nobody else gets in."""
NO_WAY = frozenset(
    {errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN, errno.ENONET}
)
"""What a connection ends with when the peer is out of reach (tcp(7), ip(7))."""


class Misbehaviour:
    def __init__(self, boot_s: Callable[[], float]) -> None:
        self._boot_s = boot_s
        self.counted: Counter[Kind] = Counter(dict.fromkeys(get_args(Kind), 0))
        self.faults = 0
        """Of ours: what broke off for no reason that a peer could have."""
        self._told: Counter[Kind] = Counter()
        self._told_s: float | None = None
        self._faults_s: dict[str, float] = {}
        """By their place in the code, when each was logged last."""

    def count(self, kind: Kind) -> None:
        self.counted[kind] += 1

    def is_new_fault(self, problem: BaseException | None) -> bool:
        """Count a fault; whether it is to be logged, which it is once in LINE_S for each place in the code:
        what anybody can ask for, anybody can ask for a thousand times."""
        self.faults += 1
        place, now_s = _place(problem), self._boot_s()
        if now_s - self._faults_s.get(place, now_s - LINE_S) < LINE_S:
            return False
        if len(self._faults_s) >= MOST_PLACES:
            self._faults_s.clear()
        self._faults_s[place] = now_s
        return True

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
        elif not is_gone(problem) and self.is_new_fault(problem):
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
