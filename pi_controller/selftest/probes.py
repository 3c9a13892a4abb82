"""What the checks may ask of core; `control_probes` asks it over the control socket."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from msgspec import Struct

from pi_controller.bus.values import BusJob, IdentifyWhat, JobResult, OrderName
from pi_controller.hal.names import LampName
from pi_controller.hal.roles import SystemFacts
from pi_controller.language.words import WordedError
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
    Pattern,
    PortView,
    Sounded,
    TablePress,
)
from pi_controller.protocol.tables import TableAction, TablesSnapshot
from pi_controller.roster.model import Roster
from pi_controller.sentence import Sentence


class CannotRun(WordedError):  # noqa: N818 - the session's end in one sentence
    """The self-test cannot begin or go on; the sentence says why and what to do."""


class DoesNotAnswer(WordedError):  # noqa: N818 - what a check is there to find
    """The part that was probed does not answer; core's sentence says so. The session may go on."""


class SecretFile(Struct, frozen=True, kw_only=True):
    """A file or folder, by its path in the state folder, that others must not read; `mode` as chmod takes
    it."""

    name: str
    mode: int


class Secrets(Struct, frozen=True, kw_only=True):
    """`pin_guessable`: whether the PIN is one that everybody tries first; None while none is set."""

    pin_guessable: bool | None
    files: tuple[SecretFile, ...]
    pin_trouble: str | None = None
    """Why the PIN's file cannot be used."""


class Probes(Protocol):
    """Everything that a check may do. All of it blocks. CannotRun when core is gone or the lease is lost,
    DoesNotAnswer when a part fails. The answers are those of `control.probe_results`."""

    def begin(self, who: str) -> None:
        """Take the lease; CannotRun names who holds it or what forbids it."""

    def keep(self) -> None:
        """The test goes on, though nothing is probed; CannotRun when the lease is lost."""

    def end(self) -> None:
        """Give the lease back; may be called twice."""

    def lamp(self, lamp: LampName, *, lit: bool) -> None: ...
    def buzzer(self, ms: int) -> Buzzed:
        """Sound for so long; returns when it is silent again."""

    def display(self, pattern: Pattern) -> Drawn: ...
    def inputs(self) -> Inputs: ...
    def edges(self, since: int) -> Edges: ...
    def journal(self) -> JournalChecked: ...
    def disk(self, *, writes: int, size: int) -> DiskChecked: ...
    def facts(self) -> SystemFacts: ...
    def sound(self, ms: int) -> Sounded: ...
    def current(self) -> PanelCurrent:
        """What the panel's lamps and buzzer take now."""

    def ports(self) -> Sequence[PortView]: ...
    def fitted(self) -> Fitted: ...
    def load(self) -> AbstractContextManager[None]:
        """Keep all processors of this computer busy."""

    def secrets(self) -> Secrets: ...
    def session(self) -> str:
        """Core's own: another one after a restart."""

    def bus(self, job: BusJob) -> Sequence[JobResult]:
        """Done on every segment; empty without segments."""

    def identify(self, uid: str | None, *, what: IdentifyWhat, seconds: int, number: int = 0) -> None: ...
    def order(self, uid: str, what: OrderName, argument: int = 0) -> None: ...
    def presses(self, seconds: float) -> Sequence[TablePress]:
        """Claim buttons pressed since the last call; waits at most so many seconds for the first."""

    def tables(self) -> TablesSnapshot: ...
    def roster(self) -> Roster: ...
    def set_roster(self, roster: Roster) -> tuple[Sentence, ...]:
        """The reasons against it; empty: done."""

    def table(self, action: TableAction) -> tuple[Sentence, ...]:
        """The reasons against it; empty: done."""

    def keep_report(self, level: Level, text: str) -> str:
        """The name under which core keeps it."""

    def reports(self) -> Sequence[str]:
        """Names of the kept ones, newest first."""

    def report(self, name: str) -> Any:
        """Its JSON value."""
