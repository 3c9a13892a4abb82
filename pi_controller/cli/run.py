"""`pi-controller run`: core, web and virtual tables. Imports little, since it stays beside them."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from pi_controller.cli.family import Family
from pi_controller.cli.process_arguments import (
    AFTER_INPUT,
    add_core_arguments,
    add_tables_argument,
    add_unattended,
    add_web_arguments,
    check_simulation,
    check_socket_path,
)
from pi_controller.cli.usage import add_settings, add_state_dir, parser_for, state_dir

PROGRAM = (sys.executable, "-m", "pi_controller")


def run(name: str, given: list[str], *, program: Sequence[str] = PROGRAM) -> int:
    """Run until a signal ends it; `program` takes `core …`, `web …` and `virtual-tables …`."""
    parser = parser_for(name)
    add_settings(parser)
    add_unattended(parser)
    add_core_arguments(parser)
    add_tables_argument(parser, "--nodes")
    add_state_dir(parser)
    add_web_arguments(parser)
    arguments = parser.parse_args(given)
    check_simulation(arguments, "--nodes")
    socket = check_socket_path(arguments)
    family = Family(
        core=[*program, "core", *_shared(arguments), *_core(arguments)],
        beside={"virtual-tables": [*program, "virtual-tables", *_tables(arguments)]}
        if arguments.tables
        else {},
        after={"web": [*program, "web", AFTER_INPUT, *_shared(arguments), *_web(arguments)]},
        socket=socket,
        unattended=arguments.unattended,
    )
    return family.run()


def _shared(arguments: Namespace) -> list[str]:
    folder = state_dir(arguments)
    unattended = ["--unattended"] if arguments.unattended else []
    return [f"--state-dir={folder}", *_flag("--settings", arguments.settings), *unattended]


def _core(arguments: Namespace) -> list[str]:
    speed = [] if arguments.speed == 1 else [f"--speed={arguments.speed!r}"]
    tables = [f"--virtual-tables={arguments.tables}"] if arguments.tables else []
    return [
        *_flag("--hardware", arguments.hardware),
        *speed,
        *_flag("--seed-hex", arguments.seed_hex),
        *_flag("--rule-set", arguments.rule_set),
        *_flag("--players", arguments.players),
        *tables,
    ]


def _web(arguments: Namespace) -> list[str]:
    return [*_flag("--host", arguments.host), *_flag("--port", arguments.port)]


def _tables(arguments: Namespace) -> list[str]:
    return [f"--state-dir={state_dir(arguments)}", f"--nodes={arguments.tables}"]


def _flag(name: str, value: str | int | Path | None) -> list[str]:
    return [] if value is None else [f"{name}={value}"]
