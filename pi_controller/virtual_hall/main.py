"""Entry point of the process with the virtual tables."""

import asyncio
import contextlib
import fcntl
import logging
import os
import signal
from collections.abc import Iterator
from typing import Any

from pi_controller.hal.system import logs
from pi_controller.language.system_errors import why
from pi_controller.language.words import WordedError, words
from pi_controller.protocol.options import TablesOptions
from pi_controller.protocol.paths import tables_socket, virtual_port, virtual_segments
from pi_controller.sentence import Sentence
from pi_controller.virtual_hall.hall import VirtualHall
from pi_controller.virtual_hall.hub import Hub, run_to_the_microsecond
from pi_controller.virtual_hall.table import start_sparing

WRONG_USE = 2
"""Exit status: starting again would not help."""
IDEAL_SEED = 0
END_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class AlreadyRunning(WordedError):  # noqa: N818 - one sentence for who started the program
    """Another process serves virtual tables in this state folder."""


def main(options: TablesOptions) -> int:
    """Run until a signal ends it; 2 with a sentence on stderr when starting again would not help."""
    logs.begin("%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    try:
        with _alone(options), contextlib.suppress(asyncio.CancelledError):
            run_to_the_microsecond(_serve(options))
    except AlreadyRunning as error:
        logs.complain(str(error))
        return WRONG_USE
    except OSError as error:
        said = Sentence("simulated.folder_unusable", folder=str(options.state_dir), why=why(error))
        logs.complain(words(said))
        return WRONG_USE
    finally:
        logs.end()
    return 0


async def _serve(options: TablesOptions) -> None:
    """A signal to end cancels it."""
    for number in END_SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, _cancel, asyncio.current_task())
    ports = {name: virtual_port(options.state_dir, name) for name in virtual_segments(options.tables)}
    seed = options.parts_seed
    hall = VirtualHall(options.tables, start_sparing, seed=seed, sparing=True, ideal=seed == IDEAL_SEED)
    hub = Hub(hall, ports=ports, socket_path=tables_socket(options.state_dir))
    try:
        await hub.run()
    finally:
        await hub.close()


def _cancel(task: asyncio.Task[Any] | None) -> None:
    if task is not None:
        task.cancel()


@contextlib.contextmanager
def _alone(options: TablesOptions) -> Iterator[None]:
    """Holds the lock of the folder with the ports; the system lets go of it when the process dies."""
    folder = virtual_port(options.state_dir, "lock").parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        said = Sentence("simulated.running_already", folder=str(options.state_dir))
        raise AlreadyRunning(said) from error
    finally:
        os.close(handle)
