"""Blocking client of the control socket, for the command line and for tests of the hardware."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from pi_controller.protocol import messages
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.messages import ChangeAnswer, LeaseAnswer, News
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.probes import (
    JOB_DEADLINE_S,
    LONGEST_PIECE,
    RESULTS,
    BusProbe,
    DiskProbe,
    KeepReportProbe,
    Level,
    Purpose,
    ReportKept,
    ResultT,
    TestNews,
    TypedProbe,
)
from pi_controller.protocol.question import (
    DEFAULT_TIMEOUT_S,
    AnswerT,
    AskCommand,
    BlockingConnection,
    CommandAnswer,
    Question,
    answer_type,
    decode_answer,
    encode_request,
)
from pi_controller.protocol.tables import TableAction, TablesSnapshot
from pi_controller.roster.model import Roster
from pi_controller.sentence import Sentence

# What the blocking and the asyncio form of the client share: how a line of core's is read, and the sentences
# for a core that does not answer.


DISK_TIMEOUT_S = 40.0
"""Longer than core's own deadlines, so that core says what was late."""


class Client:
    """Each question opens a connection of its own, so that a restart of core between two goes unnoticed.

    All methods raise NoCore when nobody answers, Malformed and CoreTrouble with core's own sentence.
    """

    def __init__(self, path: Path, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self._path = path
        self._timeout_s = timeout_s

    def picture(self) -> Picture:
        return self.ask(messages.AskPicture()).picture

    def command(
        self, name: str, body: object = None, *, source: str = "cli", key: str | None = None
    ) -> CommandAnswer:
        asked = AskCommand(name=name, body=body, source=source, key=key)
        return self.ask(asked)

    def metrics(self) -> dict[str, float | dict[str, float]]:
        return self.ask(messages.AskMetrics()).metrics

    def tables(self) -> TablesSnapshot:
        return self.ask(messages.AskTables()).tables

    def roster(self) -> Roster:
        return self.ask(messages.AskRoster()).roster

    def set_roster(self, roster: Any) -> ChangeAnswer:
        return self.ask(messages.AskSetRoster(roster=roster))

    def table(self, action: TableAction) -> ChangeAnswer:
        return self.ask(messages.AskTable(deed=action))

    def show_pin(self, pin: str) -> None:
        """On the local display, for a minute; CoreTrouble says why nobody could read it there."""
        self.ask(messages.AskShowPin(pin=pin))

    def watch(self, request: Question[Any] | None = None) -> Iterator[News]:
        """The picture at once, then each change and beat, or what another stream brings; NoCore when it
        stops."""
        with self._asked(request or messages.AskWatch()) as connection:
            while True:
                yield decode_answer(connection.receive(self._timeout_s), News)

    def ask(self, request: Question[AnswerT]) -> AnswerT:
        """One request, one answer."""
        with self._asked(request) as connection:
            return decode_answer(connection.receive(self._timeout_s), answer_type(request))

    @contextmanager
    def _asked(self, request: Question[Any]) -> Iterator["BlockingConnection"]:
        line = encode_request(request)
        with closing(BlockingConnection(self._path, self._timeout_s)) as connection:
            connection.send(line)
            yield connection


class Probing:
    """Takes the lease of the hardware for a test, probes, gives it back.

    with Probing(socket_path(state_dir)) as probing:
        answer = probing.begin("Ada", "selftest")
        if answer.accepted:
            inputs = probing.probe(InputsProbe())

    One connection is kept: core ends the lease when it is closed, also by the end of this process.

    All methods raise NoCore when core is gone, Malformed and CoreTrouble with core's own sentence: a part
    that does not answer is CoreTrouble. May be used from several threads; one question at a time is under
    way."""

    def __init__(self, path: Path, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._connection: BlockingConnection | None = None
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
        answer = self._ask(messages.AskTestBegin(who=who, purpose=purpose, take=take))
        self.lease = answer.lease
        return answer

    def keep(self) -> None:
        """The test goes on, though nothing is probed; needed at least every 30 s."""
        self._ask(messages.AskTestKeep(lease=self._held()))

    def end(self) -> None:
        """Give the lease back; outputs follow the game again."""
        lease, self.lease = self._held(), None
        self._ask(messages.AskTestEnd(lease=lease))

    def probe(self, probe: TypedProbe[ResultT]) -> ResultT:
        """Do this, and wait for what it gives."""
        longer_s = JOB_DEADLINE_S if isinstance(probe, BusProbe) else 0
        if isinstance(probe, DiskProbe):
            longer_s = DISK_TIMEOUT_S
        request = messages.AskProbe(probe=probe, lease=self.lease)
        answer = self._ask(request, longer_s=longer_s)
        result: ResultT = msgspec.convert(answer.result, RESULTS[type(probe)])
        return result

    def keep_report(self, level: Level, text: str) -> str:
        """Have this report (JSON) kept; its name."""
        pieces = [text[at : at + LONGEST_PIECE] for at in range(0, len(text), LONGEST_PIECE)]
        kept = ReportKept(name=None)
        for number, piece in enumerate(pieces, 1):
            kept = self.probe(KeepReportProbe(level=level, text=piece, more=number < len(pieces)))
        if kept.name is None:
            raise CoreTrouble(Sentence("core.report_without_name"))
        return kept.name

    def watch(self) -> Iterator[TestNews]:
        """The live news of the test, over a connection of its own, once a second at least; NoCore when they
        stop."""
        asked = messages.AskWatchTest(lease=self._held())
        for news in Client(self._path, timeout_s=self._timeout_s).watch(asked):
            if news.test is not None:
                yield news.test

    def close(self) -> None:
        """Hang up: a lease that is still held ends. May be called twice."""
        self.lease = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _held(self) -> str:
        if self.lease is None:
            raise CoreTrouble(Sentence("core.no_test_begun"))
        return self.lease

    def _ask(self, request: Question[AnswerT], *, longer_s: float = 0) -> AnswerT:
        line = encode_request(request)
        with self._lock:
            if self._connection is None:
                self._connection = BlockingConnection(self._path, self._timeout_s)
            try:
                self._connection.send(line)
                answer = self._connection.receive(self._timeout_s + longer_s)
            except NoCore:
                self.close()
                raise
        return decode_answer(answer, answer_type(request))
