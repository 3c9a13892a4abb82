"""Runs a whole self-test from here: a client of core like the command line."""

from pathlib import Path

from pi_controller.selftest.operator import Operator
from pi_controller.selftest.report import Report
from pi_controller.selftest.session import run_selftest
from pi_controller.web.pin import PinFault, PinFile
from pi_controller.web.selftest_host import Run
from pi_controller.web.selftest_views import BeginBody


def selftest_runner(state_dir: Path, pin: PinFile) -> Run:
    """Runs self-tests of this state folder's core, on the calling thread; each raises CannotRun."""

    def pin_matches(text: str) -> bool | None:
        try:
            return pin.matches(text) if pin.is_set() else None
        except PinFault:
            return False  # a damaged one lets nobody in, and the mode of the file is looked at anyway

    def run(plan: BeginBody, operator: Operator) -> Report:
        return run_selftest(
            state_dir,
            level=plan.level,
            only=plan.only,
            who=plan.operator,
            operator=operator,
            uid=plan.uid,
            pin_matches=pin_matches,
        )

    return run
