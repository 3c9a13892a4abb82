"""How the web side runs a whole self-test: a client of core like the command line."""

from collections.abc import Callable
from pathlib import Path

from pi_controller.selftest.operator import Operator
from pi_controller.selftest.probes import CannotRun
from pi_controller.selftest.report import Report
from pi_controller.web.selftest_views import BeginBody


def selftest_runner(state_dir: Path) -> Callable[[BeginBody, Operator], Report]:
    """Runs a self-test of the core that uses this state folder, on the calling thread. Raises CannotRun."""

    def run(_plan: BeginBody, _operator: Operator) -> Report:
        raise CannotRun(f"The self-test of {state_dir} cannot run here yet: use the command line")

    return run


def print_report(report: Report) -> bytes:
    """The report as a printed page."""
    raise CannotRun(f"The report of {report.when} cannot be printed here yet")
