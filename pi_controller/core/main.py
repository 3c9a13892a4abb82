"""Entry point of the core process."""

import asyncio
import contextlib
import functools
import logging
import selectors
import signal
import sys
from collections.abc import Iterator
from types import TracebackType

from msgspec.structs import replace

from pi_controller.core.game_loop.opening import CannotArm, DiskDoesNotAnswer
from pi_controller.core.game_loop.recovery import Chosen, Shortfall, take_over
from pi_controller.core.runtime import EXIT_STATUS
from pi_controller.core.wiring.devices import WrongOptions, check_options
from pi_controller.core.wiring.service import Service
from pi_controller.hal.roles import HardwareError
from pi_controller.hal.system import logs
from pi_controller.hal.system.kernel import Notices, SystemClock, take_realtime_priority
from pi_controller.journal.errors import JournalError, StateInUse
from pi_controller.journal.store import Store, write_private
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.protocol import refusal
from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.protocol.options import CoreOptions
from pi_controller.protocol.paths import socket_path
from pi_controller.sentence import Sentence, sentence_of
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import FILE_NAME as KEPT_SETTINGS
from pi_controller.settings.load import load, load_or_make_do
from pi_controller.settings.overlay import LayeredSettings, layered
from pi_controller.settings.sections import Settings
from pi_controller.settings.standing import HallRole, read_standing

log = logging.getLogger(__name__)

WRONG_USE = 2
"""Exit status: starting again would not help."""
LONGEST_MISTAKE = 1000
"""Letters of an error's own text that pages show."""

CANNOT_START = (WrongOptions, CannotArm, SocketPathTooLong, JournalError, HardwareError)
"""Each carries one sentence for who started the program."""

SWITCH_INTERVAL_S = 0.0001
"""A thread that draws or writes gives way to the loop after this, and the loop to a segment that has a pause
to send; Python's own 5 ms would delay a freeze."""

END_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main(options: CoreOptions) -> int:
    """Run until a signal ends it. 0: clean end; 1: worth another start; 2: it is not, stderr says why."""
    logs.begin("%(levelname)s %(name)s: %(message)s")
    sys.excepthook = functools.partial(_break_off, options)
    try:
        settings, shortfalls = _settings(options)
        check_options(options, settings)
        layers, left_out = layered(settings, options.state_dir)
        socket_path(options.state_dir)
        store = Store(options.state_dir)
        store.prepare()
        with store.lock():
            if not shortfalls:
                _keep_settings(options)
            if left_out:
                shortfalls.append(Shortfall("settings", Sentence("list.sentences", sentences=left_out)))
            return _run(options, layers, store, shortfalls)
    except SettingsFault as fault:
        return _leave(WRONG_USE, options, *fault.problems)
    except StateInUse as error:
        return _leave(WRONG_USE, None, sentence_of(error))
    except CANNOT_START as error:
        return _leave(WRONG_USE, options, sentence_of(error))
    except DiskDoesNotAnswer as error:
        return _leave(EXIT_STATUS, options, sentence_of(error))
    except OSError as error:
        folder = str(options.state_dir)
        return _leave(WRONG_USE, options, Sentence("start.folder_unusable", folder=folder, why=why(error)))
    finally:
        logs.end()


def _settings(options: CoreOptions) -> tuple[Settings, list[Shortfall]]:
    """Raises SettingsFault, except when nobody would read it."""
    if not options.unattended:
        return _as_asked(load(options.settings_path, options.hardware), options), []
    settings, problems = load_or_make_do(options.settings_path, options.hardware, options.state_dir)
    told = Shortfall("settings", Sentence("list.sentences", sentences=problems))
    return _as_asked(settings, options), [told] if problems else []


def _standing(options: CoreOptions, shortfalls: list[Shortfall]) -> HallRole:
    """Raises SettingsFault, except when nobody would read it: then the hall is what its settings say."""
    try:
        return read_standing(options.state_dir)
    except SettingsFault as fault:
        if not options.unattended:
            raise
        shortfalls.append(Shortfall("settings", Sentence("list.sentences", sentences=fault.problems)))
        return HallRole()


def _as_asked(settings: Settings, options: CoreOptions) -> Settings:
    """The settings with what the command line names of the game in its place."""
    game, classic = settings.game, settings.classic
    return replace(
        settings,
        game=replace(game, rule_set=options.rule_set or game.rule_set),
        classic=replace(classic, players=options.players or classic.players),
    )


def _keep_settings(options: CoreOptions) -> None:
    """These settings are in order: a later start may fall back on them."""
    if options.settings_path is None:
        return
    kept = options.state_dir / KEPT_SETTINGS
    try:
        content = options.settings_path.read_bytes()
        if not kept.is_file() or kept.read_bytes() != content:
            write_private(kept, content)
    except OSError as error:
        log.warning("the settings could not be kept for a later start: %s", error)


def _run(options: CoreOptions, layers: LayeredSettings, store: Store, shortfalls: list[Shortfall]) -> int:
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        take_realtime_priority(layers.settings.core.realtime_priority)
    except HardwareError as error:
        if not options.unattended:
            raise
        shortfalls.append(Shortfall("system", sentence_of(error)))
    with asyncio.Runner(loop_factory=precise_loop) as runner:
        return runner.run(_serve(options, layers, store, shortfalls))


def precise_loop() -> asyncio.AbstractEventLoop:
    """epoll rounds waits up to whole milliseconds; select takes microseconds and has clients enough."""
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


async def _serve(
    options: CoreOptions, layers: LayeredSettings, store: Store, shortfalls: list[Shortfall]
) -> int:
    standing = _standing(options, shortfalls)
    refusal.withdraw(options.state_dir / "web")  # a web process that still has reason says so again
    service = Service(
        options,
        layers,
        store=store,
        clock=SystemClock(),
        notices=Notices.from_environment(),
        shortfalls=tuple(shortfalls),
        standing=standing,
    )
    with _end_signals(service):
        try:
            await service.start()
            refusal.withdraw(options.state_dir)
            await service.stopped.wait()
            if service.refusal is not None:
                raise service.refusal
        finally:
            await service.stop()
        refusal.withdraw(options.state_dir)
        if service.chosen is not None:
            _take_over(service.chosen)
    return service.status


def _take_over(chosen: Chosen) -> None:
    """The journal is closed, and the folder is still held. Where it fails nothing was changed: the next start
    asks again."""
    try:
        for told in take_over(chosen, SystemClock()):
            log.info("%s", words(told))
    except (JournalError, OSError) as error:
        log.warning("the game of the copy was not taken over: %s", words(sentence_of(error)))


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


def _break_off(
    options: CoreOptions, kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """After a mistake of ours: the log gets all of it, the pages a sentence until core runs again."""
    logs.broke_off(kind, error, trace)
    if issubclass(kind, Exception):  # not Ctrl-C, which somebody pressed
        mistake = Sentence("start.mistake", kind=kind.__name__, what=str(error)[:LONGEST_MISTAKE])
        refusal.leave(options.state_dir, [mistake])


def _leave(status: int, options: CoreOptions | None, *sentences: Sentence) -> int:
    """Say why, also to the web process of these options; None: to the one of another core it is no news."""
    for sentence in sentences:
        logs.complain(words(sentence))
    if options is not None:
        refusal.leave(options.state_dir, sentences)
    return status
