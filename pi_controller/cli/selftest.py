"""`pi-controller selftest`: coded checks of panel, tables and computer, with questions on the console."""

import getpass
import os
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import cast, get_args

from pi_controller.cli.catalogue import COMMANDS
from pi_controller.cli.console import Console
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    Parser,
    Stop,
    add_state_dir,
    parser_for,
    state_dir,
)
from pi_controller.protocol.probes import Level
from pi_controller.roster.checks import NODE
from pi_controller.selftest.catalogue import CHECKS
from pi_controller.selftest.probes import CannotRun
from pi_controller.selftest.report import Report, encode
from pi_controller.selftest.verdicts import Code
from pi_controller.web.http.pin import PinFile

LEVELS: tuple[str, ...] = get_args(Level)
NOTHING_PROVED = "Nothing is proved: the self-test was stopped, or all of it was left out."


def run(name: str, given: list[str]) -> int:
    """0 when nothing failed, 1 when something did, 2 when it could not run or proved nothing."""
    parser = parser_for(name, COMMANDS[name].summary)
    _add_arguments(parser)
    arguments = parser.parse_args(given)
    codes = _codes(arguments.only or [])
    if arguments.node is not None and NODE.fullmatch(arguments.node) is None:
        raise Stop(
            BAD_USAGE,
            f"pi-controller selftest: {arguments.node!r} is no node's unique id (16 digits 0-9, a-f)",
        )
    for file in (arguments.json, arguments.pdf):
        _check_place(file)
    report = _tested(arguments, codes)
    _write(arguments, report)
    if report.verdict == "failed":
        return FAILED
    if report.verdict == "skipped":
        raise Stop(BAD_USAGE, f"pi-controller selftest: {NOTHING_PROVED}")
    return ACCEPTED


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--level",
        choices=LEVELS,
        default="field",
        help="boot: silent, 3 s; field: guided, before an event (default); bench: one node, with long"
        " figures",
    )
    parser.add_argument("--only", nargs="+", metavar="CODE", help="these checks, of whichever level")
    parser.add_argument("--node", metavar="UID", help="the node to be tested on the bench level")
    parser.add_argument("--operator", metavar="NAME", default=_user(), help="who tests (default: you)")
    parser.add_argument("--json", type=Path, metavar="F", help="write the report to this file as well")
    parser.add_argument("--pdf", type=Path, metavar="F", help="write the printable report to this file")
    add_state_dir(parser)


def _user() -> str:
    """Who sits here; a user id without a name stands for itself."""
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):  # KeyError before Python 3.13
        return f"user {os.getuid()}"


def _codes(given: list[str]) -> tuple[Code, ...]:
    unknown = [code for code in given if code.upper() not in CHECKS]
    if unknown:
        raise Stop(
            BAD_USAGE,
            f"pi-controller selftest: {unknown[0]!r} is no check; the checks are {', '.join(CHECKS)}",
        )
    return cast("tuple[Code, ...]", tuple(code.upper() for code in given))


def _check_place(file: Path | None) -> None:
    """Before ten minutes of work are done for a file that cannot be written."""
    if file is None:
        return
    folder = file.absolute().parent
    if not folder.is_dir():
        raise Stop(BAD_USAGE, f"pi-controller selftest: {folder} is no folder; make it first")
    if file.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
        raise Stop(BAD_USAGE, f"pi-controller selftest: {file} cannot be written; name another file")


def _tested(arguments: Namespace, codes: tuple[Code, ...]) -> Report:
    # Imported here and not above: wrong usage need not load the checks.
    from pi_controller.selftest.session import run_selftest  # noqa: PLC0415

    console = Console(sys.stdin, sys.stdout)
    try:
        report = run_selftest(
            state_dir(arguments),
            level=arguments.level,
            only=codes,
            who=arguments.operator,
            operator=console,
            uid=arguments.node,
            pin_matches=_pin_check(state_dir(arguments)),
        )
    except CannotRun as error:
        raise Stop(BAD_USAGE, f"pi-controller selftest: {error}") from error
    console.end(report)
    return report


def _pin_check(folder: Path) -> Callable[[str], bool | None]:
    """Whether a text is the PIN for the pages; None while none is set."""
    pin = PinFile(folder / "web")
    return lambda text: pin.matches(text) if pin.is_set() else None


def _write(arguments: Namespace, report: Report) -> None:
    try:
        if arguments.json is not None:
            arguments.json.write_bytes(encode(report))
        if arguments.pdf is not None:
            # Imported here: only who prints needs it.
            from pi_controller.selftest.printed import print_report  # noqa: PLC0415

            arguments.pdf.write_bytes(print_report(report))
    except OSError as error:
        raise Stop(
            BAD_USAGE,
            f"pi-controller selftest: {error.filename}: {error.strerror}; the controller has kept the report",
        ) from error
