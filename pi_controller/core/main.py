"""Entry point of the core process."""

import asyncio
import contextlib
import logging
import selectors
import signal
import sys
from collections.abc import Iterator

from pi_controller.control.errors import SocketPathTooLong
from pi_controller.control.options import CoreOptions
from pi_controller.control.paths import socket_path
from pi_controller.core import logs
from pi_controller.core.arming import CannotArm
from pi_controller.core.build import WrongOptions, check_options
from pi_controller.core.recovery import CannotGoOn
from pi_controller.core.service import DiskDoesNotAnswer, Service
from pi_controller.core.supervise import EXIT_STATUS
from pi_controller.core.systemd import Notices
from pi_controller.hal.errors import HardwareError
from pi_controller.hal.system.clock import SystemClock
from pi_controller.hal.system.priority import take_realtime_priority
from pi_controller.journal.errors import JournalError
from pi_controller.journal.store import Store
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load
from pi_controller.settings.sections import Settings

log = logging.getLogger(__name__)

WRONG_USE = 2
"""Exit status: starting again would not help."""

CANNOT_START = (WrongOptions, CannotArm, SocketPathTooLong, JournalError, HardwareError, CannotGoOn)
"""Each carries one sentence for who started the program."""

SWITCH_INTERVAL_S = 0.0005
"""A thread that draws or writes gives way to the loop after this; Python's own 5 ms would delay a freeze."""

END_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main(options: CoreOptions) -> int:
    """Run until a signal ends it. 0: clean end; 1: worth another start; 2: it is not, stderr says why."""
    logs.to_stderr()
    try:
        settings = load(options.settings_path, options.hardware)
        check_options(options, settings)
        socket_path(options.state_dir)
        store = Store(options.state_dir)
        store.prepare()
        with store.lock():
            return _run(options, settings, store)
    except SettingsFault as fault:
        return _leave(WRONG_USE, *fault.problems)
    except CANNOT_START as error:
        return _leave(WRONG_USE, str(error))
    except DiskDoesNotAnswer as error:
        return _leave(EXIT_STATUS, str(error))
    except OSError as error:
        return _leave(WRONG_USE, f"The state folder {options.state_dir} cannot be used: {error}.")


def _run(options: CoreOptions, settings: Settings, store: Store) -> int:
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    take_realtime_priority(settings.core.realtime_priority)
    with asyncio.Runner(loop_factory=precise_loop) as runner:
        return runner.run(_serve(options, settings, store))


def precise_loop() -> asyncio.AbstractEventLoop:
    """epoll rounds waits up to whole milliseconds; select takes microseconds and has clients enough."""
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


async def _serve(options: CoreOptions, settings: Settings, store: Store) -> int:
    service = Service(options, settings, store=store, clock=SystemClock(), notices=Notices.from_environment())
    with _end_signals(service):
        try:
            await service.start()
            await service.stopped.wait()
            if service.refusal is not None:
                raise service.refusal
        finally:
            await service.stop()
    return service.status


@contextlib.contextmanager
def _end_signals(service: Service) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    for number in END_SIGNALS:
        loop.add_signal_handler(number, service.stopped.set)
    try:
        yield
    finally:
        for number in END_SIGNALS:
            loop.remove_signal_handler(number)


def _leave(status: int, *sentences: str) -> int:
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    sys.stderr.flush()
    return status
