"""A plan is a list of steps. Each says what it does, knows whether it is so already, does it, can undo it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from pi_install.machine import FailedError, Machine
from pi_install.record import Record

Revert = Callable[[], None]
"""Puts back what was there before this run did the step."""
Say = Callable[[str], None]


class Step(Protocol):
    """One thing that an installed machine has."""

    @property
    def says(self) -> str:
        """What it does, one line in the imperative."""

    def is_done(self, machine: Machine, record: Record) -> bool:
        """Whether there is nothing to do; changes nothing."""

    def do(self, machine: Machine, record: Record) -> Revert:
        """Do it, whole or not at all. Raises FailedError or OSError."""

    def undo(self, machine: Machine, record: Record) -> None:
        """Take it back at uninstallation, also where it was never done."""


def nothing() -> None:
    """The revert of a step that left nothing worth taking back."""


def carry_out(plan: Sequence[Step], machine: Machine, record: Record, say: Say, *, dry_run: bool) -> int:
    """Do what is not yet so; how many steps that were. When one fails, this run's steps are taken back."""
    reverts: list[Revert] = []
    todo = [step for step in plan if not step.is_done(machine, record)]
    if dry_run:
        for step in plan:
            say(f"{'would' if step in todo else 'already so:'} {step.says}")
        return len(todo)
    if not todo:
        return 0
    fresh = not record.path.exists()
    was_finished, record.finished = record.finished, False
    finished = False
    try:
        record.save()
        for step in plan:
            if not step.is_done(machine, record):
                say(step.says)
                reverts.append(step.do(machine, record))
        finished = True
    except OSError as error:
        raise FailedError(f"{error.strerror}: {error.filename or 'while writing'}.") from error
    finally:
        if not finished:
            _take_back(reverts, record, fresh=fresh, was_finished=was_finished)
    record.finished = True
    record.save()
    return len(todo)


def _take_back(reverts: list[Revert], record: Record, *, fresh: bool, was_finished: bool) -> None:
    for revert in reversed(reverts):
        revert()
    if fresh:
        record.path.unlink(missing_ok=True)
        if record.path.parent.is_dir() and not any(record.path.parent.iterdir()):
            record.path.parent.rmdir()
    else:
        record.finished = was_finished
        record.save()


def take_away(plan: Sequence[Step], machine: Machine, record: Record, say: Say, *, dry_run: bool) -> None:
    """Undo all steps, the last one first."""
    for step in reversed(plan):
        if dry_run:
            say(f"would undo: {step.says}")
        else:
            step.undo(machine, record)
