"""One self-test from beginning to end: plain blocking code, on the thread that calls `run`."""

from collections.abc import Callable, Sequence

from pi_controller.selftest.operator import Operator
from pi_controller.selftest.probes import Probes
from pi_controller.selftest.report import Report
from pi_controller.selftest.verdicts import Code, Level


class Session:
    """`who` is the operator's name; `only` empty: all checks of the level; `uid` names the node for the bench level
    (None: the only one that is there). `previous`: the report to compare with; `now` gives ISO 8601 in UTC,
    `seconds` a monotonic time."""

    def __init__(
        self,
        *,
        level: Level,
        only: Sequence[Code],
        who: str,
        probes: Probes,
        operator: Operator,
        previous: Report | None,
        now: Callable[[], str],
        seconds: Callable[[], float],
        uid: str | None = None,
    ) -> None:
        raise NotImplementedError

    def run(self) -> Report:
        """The report, also when the operator stopped it (`ended` is False then). CannotRun with a sentence when
        it could not begin or core went away; the lease is given back in each case."""
        raise NotImplementedError
