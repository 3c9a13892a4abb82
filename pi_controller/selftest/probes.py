"""What the checks may ask of core, and the client that asks it over the control socket."""

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import Struct

from pi_controller.bus.values import IdentifyWhat, OrderName
from pi_controller.control.tables import TableDeed, TablesSnapshot
from pi_controller.hal.facts import SystemFacts
from pi_controller.roster.model import Roster


class CannotRun(RuntimeError):  # noqa: N818 - the session's end in one sentence
    """The self-test cannot begin or go on; the text says why and what to do."""


class SecretFile(Struct, frozen=True, kw_only=True):
    """A file or folder of the state folder that others must not read."""

    name: str
    mode: int


class Secrets(Struct, frozen=True, kw_only=True):
    """pin: None while none is set; True when it is one that everybody guesses first."""

    pin_guessable: bool | None
    files: tuple[SecretFile, ...]


class Probes(Protocol):
    """Everything that a check may do. All of it blocks; CannotRun when core is gone, refuses, or the lease is lost.
    The answers' types are those of `control.probes`."""

    def begin(self, who: str) -> None:
        """Take the lease; CannotRun names who holds it or what forbids it."""

    def end(self) -> None:
        """Give it back; may be called twice."""

    def lamp(self, lamp: str, *, lit: bool) -> None: ...
    def buzzer(self, ms: int) -> None: ...
    def display(self, pattern: str) -> None: ...
    def inputs(self) -> Any: ...
    def edges(self, since: int) -> Any: ...
    def journal(self) -> Any: ...
    def disk(self, *, writes: int, size: int) -> Any: ...
    def facts(self) -> SystemFacts: ...
    def sound(self, ms: int) -> Any: ...
    def ports(self) -> Sequence[Any]: ...
    def fitted(self) -> Any:
        """What the settings say is there (the probe `settings`)."""

    def secrets(self) -> Secrets: ...
    def bus(self, job: Any) -> Sequence[Any]: ...
    def identify(self, uid: str | None, *, what: IdentifyWhat, seconds: int, number: int = 0) -> None: ...
    def order(self, uid: str, what: OrderName, argument: int = 0) -> None: ...
    def presses(self, seconds: float) -> Sequence[Any]:
        """Claim buttons pressed since the last call; waits at most so many seconds for the first."""

    def tables(self) -> TablesSnapshot: ...
    def roster(self) -> Roster: ...
    def set_roster(self, roster: Roster) -> tuple[str, ...]:
        """The reasons against it; empty: done."""

    def table(self, deed: TableDeed) -> tuple[str, ...]:
        """The reasons against it; empty: done."""

    def keep_report(self, report: dict[str, Any]) -> None: ...
    def reports(self) -> Sequence[str]:
        """Names of the kept ones, newest first."""

    def report(self, name: str) -> dict[str, Any]: ...
