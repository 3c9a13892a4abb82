"""The processes, each alone as the units and `run` start them: `pi-controller core`, `web`, `virtual-tables`,
`links`; and `safe-outputs`, for after a crash of core. With the arguments that `run` hands on to them.

They speak English from where they begin: what they write is their log. What a process consists of is imported
where it begins, and not above: each must not load the libraries of another, which count in its memory and its
time to start, and wrong usage is told without loading any.
"""

import argparse
import contextlib
import gc
import os
import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, get_args

from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    SETTINGS,
    Argument,
    Stop,
    argument,
    command,
    flag,
    no_argument,
    number,
    state_dir,
    whole_number,
    within,
)
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import all_words, speak, words
from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.protocol.paths import MOST_VIRTUAL_TABLES, socket_path
from pi_controller.sentence import Sentence, listed
from pi_controller.vocabulary import FEWEST_SEATS, MOST_SEATS, RuleSetName

FASTEST = 1000.0
"""Game time this many times as fast is the limit: a 3-2-1 then lasts 3 ms."""
LARGEST_PORT = 65535


def _speed(text: str) -> float:
    found = number(text)
    if not 0 < found <= FASTEST:
        raise no_argument(Sentence("options.no_speed", text=repr(text), most=FASTEST))
    return found


def _seed(text: str) -> str:
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise no_argument(Sentence("options.no_seed", text=repr(text[:80])))
    return text.lower()


CORE = (
    argument("--hardware", choices=("sim", "pi", "none"), meaning=Sentence("help.hardware")),
    argument("--speed", type=_speed, default=1.0, shown="X", meaning=Sentence("help.speed")),
    argument("--rule-set", choices=get_args(RuleSetName), meaning=Sentence("help.rule_set")),
    argument(
        "--players",
        type=whole_number,
        choices=range(FEWEST_SEATS, MOST_SEATS + 1),
        shown="N",
        meaning=Sentence("help.players"),
    ),
    argument("--seed-hex", type=_seed, shown="H", meaning=Sentence("help.seed_hex")),
)
WEB = (
    argument("--host", shown="H", meaning=Sentence("help.host")),
    argument(
        "--port",
        type=within(0, LARGEST_PORT, lambda text: Sentence("options.no_port", text=text)),
        shown="P",
        meaning=Sentence("help.port"),
    ),
)
UNATTENDED = flag("--unattended", Sentence("help.unattended"))
PARTS_SEED = argument(
    "--parts-seed",
    type=within(0, None, lambda text: Sentence("options.no_parts_seed", text=text)),
    default=1,
    shown="N",
    meaning=Sentence("help.parts_seed"),
)
AFTER_INPUT = "--after-input"
"""For `run` alone, which has `web` load its program while core starts."""


def tables_argument(name: str, *, required: bool = False) -> Argument:
    """How many virtual tables; the value is called `tables`, 0 when it is not given."""
    return argument(
        name,
        dest="tables",
        type=within(
            1,
            MOST_VIRTUAL_TABLES,
            lambda text: Sentence("options.no_tables", text=text, most=MOST_VIRTUAL_TABLES),
        ),
        default=0,
        required=required,
        shown="N",
        meaning=Sentence("help.virtual_tables", most=MOST_VIRTUAL_TABLES),
    )


def check_simulation(arguments: Namespace, tables_flag: str) -> None:
    """Refuse what would falsify a real game; when the settings choose the hardware, core itself refuses."""
    if arguments.hardware not in ("pi", "none"):
        return
    simulations = {
        "--speed": arguments.speed != 1,
        "--seed-hex": arguments.seed_hex is not None,
        tables_flag: arguments.tables > 0,
    }
    for name, used in simulations.items():
        if used:
            raise Stop(BAD_USAGE, Sentence("options.simulated_only", flag=name))


def check_socket_path(arguments: Namespace) -> Path:
    """Where the control socket will lie; ends the program when that cannot be bound."""
    try:
        return socket_path(state_dir(arguments))
    except SocketPathTooLong as error:
        raise Stop(BAD_USAGE, error.sentence) from error


@command("core", SETTINGS, UNATTENDED, *CORE, tables_argument("--virtual-tables"), is_process=True)
def core(arguments: Namespace) -> NoReturn:
    """The game."""
    check_simulation(arguments, "--virtual-tables")
    check_socket_path(arguments)
    from pi_controller.protocol.options import CoreOptions  # noqa: PLC0415 - as the head says

    options = CoreOptions(
        state_dir=state_dir(arguments),
        settings_path=arguments.settings,
        hardware=arguments.hardware,
        speed=arguments.speed,
        seed_hex=arguments.seed_hex,
        unattended=arguments.unattended,
        rule_set=arguments.rule_set,
        players=arguments.players,
        virtual_tables=arguments.tables,
    )
    with _loading():
        from pi_controller.core.main import main  # noqa: PLC0415 - as the head says

    speak(ENGLISH)
    leave(main(options))


@command("virtual-tables", tables_argument("--nodes", required=True), PARTS_SEED, is_process=True)
def virtual_tables(arguments: Namespace) -> NoReturn:
    """The nodes' firmware behind simulated boards and cables."""
    check_socket_path(arguments)
    from pi_controller.protocol.options import TablesOptions  # noqa: PLC0415 - as the head says

    options = TablesOptions(
        state_dir=state_dir(arguments), tables=arguments.tables, parts_seed=arguments.parts_seed
    )
    with _loading():
        from pi_controller.virtual_hall.main import main  # noqa: PLC0415 - as the head says

    speak(ENGLISH)
    leave(main(options))


@command(
    "web",
    SETTINGS,
    UNATTENDED,
    *WEB,
    argument(AFTER_INPUT, action="store_true", help=argparse.SUPPRESS),
    is_process=True,
)
def web(arguments: Namespace) -> NoReturn:
    """The pages."""
    check_socket_path(arguments)
    from pi_controller.protocol.options import WebOptions  # noqa: PLC0415 - as the head says

    options = WebOptions(
        state_dir=state_dir(arguments),
        settings_path=arguments.settings,
        host=arguments.host,
        port=arguments.port,
        unattended=arguments.unattended,
    )
    with _loading(), _no_authorities():
        from pi_controller.web.main import main  # noqa: PLC0415 - as the head says

    if arguments.after_input:
        sys.stdin.buffer.read()
    speak(ENGLISH)
    leave(main(options))


@command("links", SETTINGS, UNATTENDED, is_process=True)
def links(arguments: Namespace) -> NoReturn:
    """This hall with others, over a broker."""
    check_socket_path(arguments)
    from pi_controller.protocol.options import LinksOptions  # noqa: PLC0415 - as the head says

    options = LinksOptions(
        state_dir=state_dir(arguments), settings_path=arguments.settings, unattended=arguments.unattended
    )
    from pi_controller.links.main import main  # noqa: PLC0415 - as the head says

    speak(ENGLISH)
    leave(main(options))


@contextlib.contextmanager
def _loading() -> Iterator[None]:
    """Modules are loaded: nearly all that this makes lives to the end, so the collector neither looks at it
    meanwhile nor ever again. Otherwise it took a tenth of the start, and as much once more at its end."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextlib.contextmanager
def _no_authorities() -> Iterator[None]:
    """The client of aiohttp, which nobody uses here, reads all certificate authorities of the system while it
    is loaded (20 ms); it finds none meanwhile (OpenSSL's SSL_CTX_set_default_verify_paths)."""
    names = ("SSL_CERT_FILE", "SSL_CERT_DIR")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, os.devnull))
    try:
        yield
    finally:
        for name, value in before.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value


def leave(status: int) -> NoReturn:
    """End at once. Threads that wait in a driver or for a disk may still run; when one comes back while the
    interpreter is taken apart, CPython before 3.14 may end with SIGABRT (python/cpython issue 87135)."""
    os._exit(status)


@command("safe-outputs", SETTINGS, UNATTENDED)
def safe_outputs(arguments: Namespace) -> int:
    """Lamps dark and buzzer silent, which core's unit calls: 0 when all outputs are low, 1 when one could not
    be driven, 2 for wrong settings or a missing driver. Unattended, wrong settings are made do with."""
    from pi_controller.hal import gpio  # noqa: PLC0415 - as the head says
    from pi_controller.settings.load import load, load_or_make_do  # noqa: PLC0415

    folder = state_dir(arguments)
    settings = (
        load_or_make_do(arguments.settings, None, folder)[0]
        if arguments.unattended
        else load(arguments.settings)
    )
    pins, hardware = settings.pins, settings.hardware
    lamps = {
        Sentence("panel.lamp_of_sun"): pins.sun_lamp,
        Sentence("panel.lamp_of_moon"): pins.moon_lamp,
        Sentence("panel.lamp_of_pause"): pins.pause_lamp,
    }
    buzzer = {Sentence("panel.buzzer_pin"): pins.buzzer}
    outputs = lamps if hardware.lamps == "gpiozero" else {}
    outputs |= buzzer if hardware.buzzer == "gpiozero" else {}
    if not outputs:
        print(words(Sentence("pins.all_simulated")))
        return ACCEPTED
    with gpio.open_pins(hardware.pin_factory, pipe_folder=folder / "pins") as opened:
        problems = gpio.safe_outputs(opened, outputs)
    for problem in all_words(problems):
        print(problem, file=sys.stderr)
    if problems:
        return FAILED
    low = [Sentence("pins.output_at", device=device, pin=pin) for device, pin in outputs.items()]
    print(words(Sentence("pins.low_now", outputs=listed(low))))
    return ACCEPTED
