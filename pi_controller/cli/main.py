"""`pi-controller`: finds the command and turns every expected end into an exit status and one sentence."""

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from pi_controller.cli.catalogue import COMMANDS, overview
from pi_controller.cli.usage import ACCEPTED, BAD_USAGE, INTERRUPTED, TASKS, Stop, run, speak_as_the_shell
from pi_controller.sentence import Sentence

HELP = ("-h", "--help", "help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. `arguments` are those of the process when None."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    speak_as_the_shell()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a locale that lacks a player's letters
    try:
        status = _run(given)
        sys.stdout.flush()
    except Stop as stop:
        print(stop, file=sys.stderr)
        return stop.status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Who read the output has gone; the interpreter's own flush at the end must not complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ACCEPTED
    return status


def _run(given: list[str]) -> int:
    if not given:
        raise Stop(BAD_USAGE, Sentence("cli.no_command_given"))
    if given[0] in HELP:
        print(overview())
        return ACCEPTED
    if given[0] == "--version":
        # Imported here: only this needs it, and `run` stays small beside its children.
        from pi_controller.software import own  # noqa: PLC0415

        print(f"pi-controller {own().version} {own().source}")
        return ACCEPTED
    name, rest = given[0], given[1:]
    if name not in COMMANDS:
        raise Stop(BAD_USAGE, Sentence("cli.no_such_command", name=repr(name)))
    # `links` without a task is a process, which needs the first chapter alone.
    is_task = bool(rest) and (not rest[0].startswith("-") or rest[0] in HELP)
    modules = COMMANDS[name].modules if is_task else COMMANDS[name].modules[:1]
    chapters = [import_module(f"pi_controller.cli.{module}") for module in modules]
    if any(typed.split()[0] == name for typed in TASKS):
        return run(name, rest)
    status: int = chapters[0].run(name, rest)  # `bench` and `selftest` have parsers of their own
    return status
