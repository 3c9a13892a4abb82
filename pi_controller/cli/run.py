"""`pi-controller run`: core, web and virtual tables, of one hall or of several.

Imports little, since it stays beside them."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pi_controller.cli.family import Controller, Family
from pi_controller.cli.process_arguments import (
    AFTER_INPUT,
    add_core_arguments,
    add_parts_seed,
    add_tables_argument,
    add_unattended,
    add_web_arguments,
    check_simulation,
    check_socket_path,
)
from pi_controller.cli.usage import (
    BAD_USAGE,
    add_settings,
    add_state_dir,
    no_argument,
    parser_for,
    state_dir,
    whole_number,
)
from pi_controller.language.words import words
from pi_controller.sentence import Sentence

FEWEST_HALLS, MOST_HALLS = 2, 8
"""One is what is started without; more than these no usual machine carries."""
PROGRAM = (sys.executable, "-m", "pi_controller")


def run(name: str, given: list[str], *, program: Sequence[str] = PROGRAM) -> int:
    """Run until a signal ends it; `program` takes `core …`, `web …` and `virtual-tables …`."""
    parser = parser_for(name)
    add_settings(parser)
    add_unattended(parser)
    add_core_arguments(parser)
    add_tables_argument(parser, "--nodes")
    add_parts_seed(parser)
    add_state_dir(parser)
    add_web_arguments(parser)
    parser.add_argument(
        "--halls",
        type=_halls,
        metavar="N",
        help=words(Sentence("help.halls", fewest=FEWEST_HALLS, most=MOST_HALLS)),
    )
    arguments = parser.parse_args(given)
    check_simulation(arguments, "--nodes")
    if arguments.halls is not None:
        return _several(arguments, program)
    controller = _controller(arguments, program, check_socket_path(arguments))
    return Family(controller, unattended=arguments.unattended).run()


def _several(arguments: Namespace, program: Sequence[str]) -> int:
    # Imported here: one hall needs no settings in this process.
    from pi_controller.cli.halls.try_out import prepare  # noqa: PLC0415
    from pi_controller.settings.fault import SettingsFault  # noqa: PLC0415

    try:
        tried = prepare(arguments, arguments.halls)
    except SettingsFault as fault:
        print(fault, file=sys.stderr)
        return BAD_USAGE
    controllers = []
    for hall in tried.halls:
        own = Namespace(**vars(arguments) | {"state_dir": hall.state_dir, "settings": hall.settings})
        own.hardware, own.port = "sim", hall.port
        alone = _controller(own, program, check_socket_path(own))
        links = [*program, "links", *_shared(own)]
        controllers.append(replace(alone, beside={**alone.beside, "links": links}, hall=hall.name))
    return Family(*controllers, for_all={"mosquitto": tried.broker}, unattended=arguments.unattended).run()


def _controller(arguments: Namespace, program: Sequence[str], socket: Path) -> Controller:
    tables = {"virtual-tables": [*program, "virtual-tables", *_tables(arguments)]}
    return Controller(
        core=[*program, "core", *_shared(arguments), *_core(arguments)],
        beside={},
        below=tables if arguments.tables else {},
        after={"web": [*program, "web", AFTER_INPUT, *_shared(arguments), *_web(arguments)]},
        socket=socket,
    )


def _halls(text: str) -> int:
    found = whole_number(text)
    if not FEWEST_HALLS <= found <= MOST_HALLS:
        said = Sentence("options.no_halls", text=repr(text), fewest=FEWEST_HALLS, most=MOST_HALLS)
        raise no_argument(said)
    return found


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
    parts = [] if arguments.parts_seed == 1 else [f"--parts-seed={arguments.parts_seed}"]
    return [f"--state-dir={state_dir(arguments)}", f"--nodes={arguments.tables}", *parts]


def _flag(name: str, value: str | int | Path | None) -> list[str]:
    return [] if value is None else [f"{name}={value}"]
