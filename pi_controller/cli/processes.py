"""`core`, `web` and `virtual-tables`: each process alone, as the units and `run` start them.

They speak English from here on: what they write is their log."""

import contextlib
import gc
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import NoReturn

from pi_controller.cli.process_arguments import (
    add_after_input,
    add_core_arguments,
    add_parts_seed,
    add_tables_argument,
    add_unattended,
    add_web_arguments,
    check_simulation,
    check_socket_path,
)
from pi_controller.cli.usage import add_settings, add_state_dir, parser_for, state_dir
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import speak
from pi_controller.protocol.options import CoreOptions, TablesOptions, WebOptions


def run(name: str, given: list[str]) -> NoReturn:
    parser = parser_for(name)
    add_state_dir(parser)
    if name == "virtual-tables":
        add_tables_argument(parser, "--nodes", required=True)
        add_parts_seed(parser)
        _tables(parser.parse_args(given))
    add_settings(parser)
    add_unattended(parser)
    if name == "web":
        add_web_arguments(parser)
        add_after_input(parser)
        _web(parser.parse_args(given))
    add_core_arguments(parser)
    add_tables_argument(parser, "--virtual-tables")
    _core(parser.parse_args(given))


def _core(arguments: Namespace) -> NoReturn:
    check_simulation(arguments, "--virtual-tables")
    check_socket_path(arguments)
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
    # Imported here and not above: core and web must not load each other's libraries, which count in the
    # memory and the start-up time of each, and wrong usage is to be told without loading either.
    with _loading():
        from pi_controller.core.main import main as core_main  # noqa: PLC0415

    speak(ENGLISH)
    leave(core_main(options))


def _tables(arguments: Namespace) -> NoReturn:
    check_socket_path(arguments)
    options = TablesOptions(
        state_dir=state_dir(arguments), tables=arguments.tables, parts_seed=arguments.parts_seed
    )
    # As above.
    with _loading():
        from pi_controller.virtual_hall.main import main as tables_main  # noqa: PLC0415

    speak(ENGLISH)
    leave(tables_main(options))


def _web(arguments: Namespace) -> NoReturn:
    check_socket_path(arguments)
    options = WebOptions(
        state_dir=state_dir(arguments),
        settings_path=arguments.settings,
        host=arguments.host,
        port=arguments.port,
        unattended=arguments.unattended,
    )
    # As above.
    with _loading(), _no_authorities():
        from pi_controller.web.main import main as web_main  # noqa: PLC0415

    if arguments.after_input:
        sys.stdin.buffer.read()
    speak(ENGLISH)
    leave(web_main(options))


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
