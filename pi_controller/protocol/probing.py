"""Blocking client for a test of the hardware: takes the lease, probes, gives it back.

with Probing(socket_path(state_dir)) as probing:
    answer = probing.begin("Ada", "selftest")
    if answer.accepted:
        inputs = probing.probe(InputsProbe())

One connection is kept: core ends the lease when it is closed, also by the end of this process.
"""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeVar

import msgspec

from pi_controller.protocol import messages
from pi_controller.protocol.bus_jobs import JOB_DEADLINE_S
from pi_controller.protocol.client import DEFAULT_TIMEOUT_S, why_not
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.messages import LeaseAnswer, Request
from pi_controller.protocol.probe_results import Kept, TestNews
from pi_controller.protocol.probes import (
    LONGEST_PIECE,
    RESULTS,
    BusProbe,
    DiskProbe,
    KeepReportProbe,
    Level,
    Purpose,
    ResultT,
    TypedProbe,
)

DISK_TIMEOUT_S = 40.0
"""Longer than core's own deadlines, so that core says what was late."""

AnswerT = TypeVar("AnswerT")


class Probing:
    """All methods raise NoCore when core is gone, Malformed and CoreTrouble with core's own sentence: a part
    that does not answer is CoreTrouble. May be used from several threads; one question at a time is under
    way."""

    def __init__(self, path: Path, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._lines: _Lines | None = None
        self.lease: str | None = None
        """From `begin` to `end`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def begin(self, who: str, purpose: Purpose, *, take: bool = False) -> LeaseAnswer:
        """Ask for the lease; `take`: also from somebody else. Not accepted: the reasons say why."""
        answer = self._ask(messages.AskTestBegin(who=who, purpose=purpose, take=take), LeaseAnswer)
        self.lease = answer.lease
        return answer

    def keep(self) -> None:
        """The test goes on, though nothing is probed; needed at least every 30 s."""
        self._ask(messages.AskTestKeep(lease=self._held()), messages.DoneAnswer)

    def end(self) -> None:
        """Give the lease back; outputs follow the game again."""
        lease, self.lease = self._held(), None
        self._ask(messages.AskTestEnd(lease=lease), messages.DoneAnswer)

    def probe(self, probe: TypedProbe[ResultT]) -> ResultT:
        """Do this, and wait for what it gives."""
        request = messages.AskProbe(probe=probe, lease=self.lease)
        answer = self._ask(request, messages.ProbeAnswer, timeout_s=self._patience_s(probe))
        result: ResultT = msgspec.convert(answer.result, RESULTS[type(probe)])
        return result

    def keep_report(self, level: Level, text: str) -> str:
        """Have this report (JSON) kept; its name."""
        pieces = [text[at : at + LONGEST_PIECE] for at in range(0, len(text), LONGEST_PIECE)]
        kept = Kept(name=None)
        for number, piece in enumerate(pieces, 1):
            kept = self.probe(KeepReportProbe(level=level, text=piece, more=number < len(pieces)))
        if kept.name is None:
            raise CoreTrouble("the controller did not keep the report: it gave no name for it")
        return kept.name

    def watch(self) -> Iterator[TestNews]:
        """The live news of the test, over a connection of its own; NoCore when they stop."""
        lines = _Lines(self._path, self._timeout_s)
        try:
            lines.send(messages.AskWatchTest(lease=self._held()))
            while True:
                line = lines.receive(None)
                yield messages.decode_answer(line, messages.TestLine).test
        finally:
            lines.close()

    def close(self) -> None:
        """Hang up: a lease that is still held ends. May be called twice."""
        self.lease = None
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    def _held(self) -> str:
        if self.lease is None:
            raise CoreTrouble("no test has begun: begin one first")
        return self.lease

    def _patience_s(self, probe: object) -> float:
        if isinstance(probe, BusProbe):
            return self._timeout_s + JOB_DEADLINE_S
        return self._timeout_s + (DISK_TIMEOUT_S if isinstance(probe, DiskProbe) else 0)

    def _ask(self, request: Request, expected: type[AnswerT], *, timeout_s: float | None = None) -> AnswerT:
        with self._lock:
            if self._lines is None:
                self._lines = _Lines(self._path, self._timeout_s)
            try:
                self._lines.send(request)
                line = self._lines.receive(self._timeout_s if timeout_s is None else timeout_s)
            except NoCore:
                self.close()
                raise
        return messages.decode_answer(line, expected)


class _Lines:
    """One connection to core."""

    def __init__(self, path: Path, timeout_s: float) -> None:
        self._path = path
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.settimeout(timeout_s)
        try:
            self._connection.connect(str(path))
        except OSError as error:
            self._connection.close()
            raise NoCore(why_not(error, path)) from error
        self._file: BinaryIO = self._connection.makefile("rb")

    def send(self, request: Request) -> None:
        try:
            self._connection.sendall(messages.encode_request(request))
        except OSError as error:
            raise NoCore(why_not(error, self._path)) from error

    def receive(self, timeout_s: float | None) -> bytes:
        self._connection.settimeout(timeout_s)
        try:
            line: Any = self._file.readline(messages.LONGEST_ANSWER)
        except TimeoutError as error:
            raise NoCore(f"The controller at {self._path} gave no answer within {timeout_s:g} s") from error
        except (OSError, ValueError) as error:
            raise NoCore(f"The connection to the controller at {self._path} is closed") from error
        if not line.endswith(b"\n"):
            raise NoCore(f"The controller at {self._path} hung up before it had answered")
        return bytes(line)

    def close(self) -> None:
        self._file.close()
        self._connection.close()
