"""`pi-controller`: finds the command and turns every expected end into an exit status and one sentence."""

import io
import os
import sys
import textwrap
from collections.abc import Sequence

from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    COMMANDS,
    INTERRUPTED,
    UNIT_SETTINGS,
    Stop,
    load,
    run,
    speak_as_the_shell,
)
from pi_controller.language.words import use_own_words, words
from pi_controller.sentence import Sentence

HELP = ("-h", "--help", "help")
MENU_WIDTH = 74
"""Columns of the text below the menu."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. `arguments` are those of the process when None."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    speak_as_the_shell()
    use_own_words(UNIT_SETTINGS.parent / "words")
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
    name, *rest = given
    if name in HELP:
        print(overview())
        return ACCEPTED
    if name == "--version":
        # Imported here: only this needs it, and `run` stays small beside its children.
        from pi_controller.software import own  # noqa: PLC0415

        print(f"pi-controller {own().version} {own().source}")
        return ACCEPTED
    if name not in COMMANDS:
        raise Stop(BAD_USAGE, Sentence("cli.no_such_command", name=repr(name)))
    # `links` without a task is a process, which needs the first chapter alone.
    load(name, whole=bool(rest) and (not rest[0].startswith("-") or rest[0] in HELP))
    return run(name, rest)


def overview() -> str:
    """The menu of all commands, one line each."""
    named = Sentence("metavar.command")
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {words(summary)}" for name, (summary, *_) in COMMANDS.items()]
    statuses = words(Sentence("cli.menu_statuses", command=named))
    below = textwrap.fill(statuses, MENU_WIDTH, break_on_hyphens=False)
    return "\n".join([words(Sentence("cli.menu_usage", command=named)), "", *lines, "", below])
