"""The probes over core's control socket."""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from pi_controller.bus.values import BusJob, IdentifyWhat, JobResult, OrderName
from pi_controller.hal.names import LampName
from pi_controller.hal.roles import SystemFacts
from pi_controller.protocol import probes as ask
from pi_controller.protocol.client import Client, Probing
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore, SocketPathTooLong
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.probes import (
    Buzzed,
    DiskChecked,
    Drawn,
    Edges,
    Fitted,
    Inputs,
    JournalChecked,
    Level,
    PanelCurrent,
    PortView,
    Sounded,
    TablePress,
)
from pi_controller.protocol.sentences import SentenceView, sentence
from pi_controller.protocol.tables import TableAction, TablesSnapshot
from pi_controller.roster.model import Roster
from pi_controller.selftest.busy import busy_processors
from pi_controller.selftest.probes import CannotRun, DoesNotAnswer, Secrets
from pi_controller.selftest.secret_files import PinCheck, look_at_secrets
from pi_controller.sentence import Sentence, said_by

KEEP_S = 10.0
"""A lease ends after 30 s without a sign."""
END_WITHIN_S = 5.0
LONGEST_WHO = 60


class ControlProbes:
    """Implements `selftest.probes.Probes`; blocks, for one thread. `pin_matches` says whether a text is the
    PIN (None: none is set); without it the PIN is not looked at."""

    def __init__(self, state_dir: Path, *, pin_matches: PinCheck | None = None) -> None:
        """CannotRun when the state folder lies too deep for a socket."""
        try:
            path = socket_path(state_dir)
        except SocketPathTooLong as error:
            raise CannotRun(said_by(error)) from error
        self._state_dir = state_dir
        self._pin_matches = pin_matches
        self._client = Client(path)
        self._probing = Probing(path)
        self._presses: queue.Queue[TablePress] = queue.Queue()
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []

    def begin(self, who: str) -> None:
        with _told():
            answer = self._probing.begin(who[:LONGEST_WHO] or "somebody", "selftest")
        if not answer.accepted:
            raise CannotRun(Sentence("list.sentences", sentences=_said(answer.reason_keys)))
        for name, work in (("keeps the self-test's lease", self._keep_on), ("hears presses", self._listen)):
            thread = threading.Thread(target=work, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def keep(self) -> None:
        with _told():
            self._guarded(self._probing.keep)

    def end(self) -> None:
        self._over.set()
        self._probing.close()  # core ends the lease with it, and the news of it
        while self._threads:
            self._threads.pop().join(END_WITHIN_S)

    def lamp(self, lamp: LampName, *, lit: bool) -> None:
        self._probe(ask.LampProbe(lamp=lamp, lit=lit))

    def buzzer(self, ms: int) -> Buzzed:
        return self._probe(ask.BuzzerProbe(ms=ms))

    def display(self, pattern: ask.Pattern) -> Drawn:
        return self._probe(ask.DisplayProbe(pattern=pattern))

    def inputs(self) -> Inputs:
        return self._probe(ask.InputsProbe())

    def edges(self, since: int) -> Edges:
        return self._probe(ask.EdgesProbe(since=since))

    def journal(self) -> JournalChecked:
        return self._probe(ask.JournalProbe())

    def disk(self, *, writes: int, size: int) -> DiskChecked:
        return self._probe(ask.DiskProbe(writes=writes, size=size))

    def facts(self) -> SystemFacts:
        return self._probe(ask.FactsProbe())

    def sound(self, ms: int) -> Sounded:
        return self._probe(ask.SoundProbe(ms=ms))

    def current(self) -> PanelCurrent:
        return self._probe(ask.PanelCurrentProbe())

    def ports(self) -> Sequence[PortView]:
        return self._probe(ask.PortsProbe()).ports

    def fitted(self) -> Fitted:
        return self._probe(ask.FittedProbe())

    def load(self) -> AbstractContextManager[None]:
        return busy_processors()

    def secrets(self) -> Secrets:
        return look_at_secrets(self._state_dir, self._pin_matches)

    def session(self) -> str:
        with _told():
            return self._client.picture().session

    def bus(self, job: BusJob) -> Sequence[JobResult]:
        return [found.result() for found in self._probe(ask.BusProbe(job=job)).results]

    def identify(self, uid: str | None, *, what: IdentifyWhat, seconds: int, number: int = 0) -> None:
        self._probe(ask.IdentifyProbe(uid=uid, what=what, seconds=seconds, number=number))

    def order(self, uid: str, what: OrderName, argument: int = 0) -> None:
        self._probe(ask.OrderProbe(uid=uid, what=what, argument=argument))

    def presses(self, seconds: float) -> Sequence[TablePress]:
        found: list[TablePress] = []
        until = time.monotonic() + seconds
        while not self._presses.empty() or (not found and time.monotonic() < until):
            try:
                found.append(self._presses.get(timeout=max(0.0, until - time.monotonic()) or 0.001))
            except queue.Empty:
                break
        return found

    def tables(self) -> TablesSnapshot:
        with _told():
            return self._client.tables()

    def roster(self) -> Roster:
        with _told():
            return self._client.roster()

    def set_roster(self, roster: Roster) -> tuple[Sentence, ...]:
        with _told():
            return _said(self._client.set_roster(msgspec.to_builtins(roster)).reason_keys)

    def table(self, action: TableAction) -> tuple[Sentence, ...]:
        with _told():
            return _said(self._client.table(action).reason_keys)

    def keep_report(self, level: Level, text: str) -> str:
        with _told():
            return self._guarded(lambda: self._probing.keep_report(level, text))

    def reports(self) -> Sequence[str]:
        return [entry.name for entry in self._probe(ask.ReportsProbe()).reports]

    def report(self, name: str) -> Any:
        return self._probe(ask.ReportProbe(name=name)).report

    def _probe(self, probe: ask.TypedProbe[ask.ResultT]) -> ask.ResultT:
        with _told():
            return self._guarded(lambda: self._probing.probe(probe))

    def _guarded(self, act: Callable[[], ask.ResultT]) -> ask.ResultT:
        """DoesNotAnswer for what core says of a part; CannotRun when it is the lease that is gone."""
        try:
            return act()
        except CoreTrouble as trouble:
            self._still_held(trouble)
            raise DoesNotAnswer(said_by(trouble)) from trouble

    def _still_held(self, trouble: CoreTrouble) -> None:
        if self._probing.lease is None:
            return
        try:
            self._probing.keep()
        except CoreTrouble as lost:
            raise CannotRun(said_by(lost)) from trouble

    def _keep_on(self) -> None:
        """The lease's keeper, for questions that somebody thinks about for long."""
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


@contextmanager
def _told() -> Iterator[None]:
    """Core's troubles as the self-test's."""
    try:
        yield
    except (NoCore, CoreTrouble, Malformed) as error:
        raise CannotRun(said_by(error)) from error


def _said(reasons: Sequence[SentenceView]) -> tuple[Sentence, ...]:
    return tuple(map(sentence, reasons))
