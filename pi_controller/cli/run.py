"""`pi-controller run`: core, web and virtual tables, of one hall or of several.

Imports little, since it stays beside them.
"""

import os
import select
import signal
import socket as sockets
import struct
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from pi_controller.cli.processes import (
    AFTER_INPUT,
    CORE,
    PARTS_SEED,
    UNATTENDED,
    WEB,
    check_simulation,
    check_socket_path,
    tables_argument,
)
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    SETTINGS,
    Stop,
    argument,
    command,
    state_dir,
    within,
)
from pi_controller.hal.system import logs
from pi_controller.hal.system.child import Child, GrowingPause, bound_to_parent
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.sentence import Sentence, as_told


def death(process: str, status: int, wait_s: float) -> Sentence:
    """How a child ended, and that it comes back."""
    if status < 0:
        name = signal.Signals(-status).name
        return Sentence("run.ended_by_signal", process=process, signal=name, seconds=wait_s)
    return Sentence("run.ended_with_status", process=process, status=status, seconds=wait_s)


def started_here(
    name: str, command: Sequence[str], *, nice: int = 0, waits: bool = False, apart: bool = False
) -> Child:
    """One that `waits` loads its program and begins at the end of its standard input. What a terminal sends
    to all does not reach one that stands `apart`."""
    return Child(
        name,
        command,
        pause_s=GrowingPause(),
        has_input=waits,
        process_group=0 if apart else None,
        preexec_fn=bound_to_parent(nice),
    )


END_WITHIN_S = 5.0
"""From the signal on, for each controller, as all end at once on one machine; then the children are killed.
The journal's writer needs at most half of it."""
LOOK_FOR_CORE_S = 0.005
SLOW_START_S = 10.0
BEHIND_CORE = 10
"""nice(2) of who comes after core: a full processor gives flooded pages a tenth of what it gives core, as the
units' CPUWeight does. Core, when it wakes up, then need not wait until their slice of time is over."""
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Controller:
    """The children of one controller, by their commands. All are started at once; who comes `after` core
    loads its program meanwhile, and begins once core listens at `socket` or has died. Those `below` end after
    core, whose cables they hold. Of several, each is told of by its hall."""

    def __init__(
        self,
        *,
        core: Sequence[str],
        beside: Mapping[str, Sequence[str]],
        after: Mapping[str, Sequence[str]],
        socket: Path,
        below: Mapping[str, Sequence[str]] | None = None,
        hall: str = "",
    ) -> None:
        def children(commands: Mapping[str, Sequence[str]], **how: Any) -> list[Child]:
            named = {f"{hall}/{name}" if hall else name: command for name, command in commands.items()}
            return [started_here(name, command, **how) for name, command in named.items()]

        (self.core,) = children({"core": core})
        self.beside = children(beside)
        self.after = children(after, nice=BEHIND_CORE, waits=True)
        self.below = children(below or {}, apart=True)
        self.socket = socket
        self.told_slow = False

    @property
    def waiting(self) -> list[Child]:
        """Who comes after core, and has not begun yet."""
        return [child for child in self.after if child.has_input]

    @property
    def may_follow(self) -> bool:
        """Whether who comes after core is to begin now."""
        return self.core.starts > 1 or (self.core.pid is not None and listens(self.socket, self.core.pid))


class ProcessSupervisor:
    """One controller or several, and who serves all of them, such as a broker. `unattended`: also a child
    that cannot be helped is started again. Ctrl-C reaches the children in the terminal's process group as
    well as this parent: a second request to end does no harm. Those that others stand on have groups of
    their own and end last, so that nobody takes an ordinary end for a cable that has gone."""

    def __init__(
        self,
        *controllers: Controller,
        for_all: Mapping[str, Sequence[str]] | None = None,
        unattended: bool = False,
    ) -> None:
        self._controllers = controllers
        serving = (for_all or {}).items()
        self._for_all = [started_here(name, command, apart=True) for name, command in serving]
        cores = [each.core for each in self._controllers]
        beside = [child for each in self._controllers for child in each.beside]
        after = [child for each in self._controllers for child in each.after]
        below = [child for each in self._controllers for child in each.below]
        self._at_once = [*self._for_all, *cores, *beside, *below, *after]
        self._to_end = [*after, *cores, *beside]
        """The pages first."""
        self._to_end_last = [*below, *self._for_all]
        self._indispensable = set(cores)
        self._unattended = unattended
        self._told_to_stop = False

    @property
    def _children(self) -> list[Child]:
        return [*self._to_end, *self._to_end_last]

    def run(self) -> int:
        """0 after a signal to end, 1 when a child had to be killed, 2 when a child cannot be helped."""
        with self._wake_on_signals() as wake:
            began = time.monotonic()
            for child in self._at_once:
                self._start(child)
            status = None
            while status is None and not self._told_to_stop:
                self._start_what_is_due(began)
                _sleep_until_woken(wake, self._next_look_s())
                status = self._reap()
            ended = self._end(wake)
        logs.end()
        return ended if status is None else status

    def _start_what_is_due(self, began: float) -> None:
        for child in self._children:
            if child.due_in_s == 0:
                self._start(child)
        for each in self._controllers:
            if each.waiting and each.may_follow:
                for child in each.waiting:
                    child.close_input()
                    child.has_input = False  # nor need it wait when it is started again
            elif each.waiting and not each.told_slow and time.monotonic() - began > SLOW_START_S:
                each.told_slow = True
                _say(Sentence("run.core_is_slow", path=str(each.socket), seconds=SLOW_START_S))

    def _start(self, child: Child) -> None:
        try:
            child.start()
        except OSError as error:
            wait_s = child.start_later()
            _say(Sentence("run.cannot_be_started", process=child.name, why=why(error), seconds=wait_s))

    def _next_look_s(self) -> float | None:
        waits = [child.due_in_s for child in self._children if child.due_in_s is not None]
        if any(each.waiting for each in self._controllers):
            waits.append(LOOK_FOR_CORE_S)
        return min(waits, default=None)

    def _reap(self) -> int | None:
        """Plan a new start for who died; the exit status when there is no point in it."""
        for child in self._children:
            status = child.reap()
            if status is None or self._told_to_stop:
                continue
            hopeless = status == BAD_USAGE and not self._unattended
            if hopeless and (child in self._indispensable or child.starts == 1):
                return BAD_USAGE  # the child has said why
            wait_s = child.start_later()
            _say(death(child.name, status, wait_s))
        return None

    def _end(self, wake: sockets.socket) -> int:
        """End all; FAILED when one had to be killed."""
        within_s = END_WITHIN_S * len(self._controllers)
        deadline = time.monotonic() + within_s
        late = []
        for children in (self._to_end, self._to_end_last):
            _end_until(deadline, children, wake)
            late += [child for child in children if child.lives and child.reap() is None]
        for child in late:
            _say(Sentence("run.is_killed", process=child.name, seconds=within_s))
            child.kill()
        return FAILED if late else ACCEPTED

    @contextmanager
    def _wake_on_signals(self) -> Iterator[sockets.socket]:
        """A socket that is readable after each signal: none is missed between looking and sleeping."""
        reader, writer = sockets.socketpair()
        reader.settimeout(0)
        writer.settimeout(0)
        numbers = [*STOP_SIGNALS, signal.SIGCHLD]
        if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # started by nohup
            numbers.remove(signal.SIGHUP)
        before = {number: signal.signal(number, self._on_signal) for number in numbers}
        wakeup_before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        try:
            yield reader
        finally:
            signal.set_wakeup_fd(wakeup_before)
            for number, handler in before.items():
                signal.signal(number, handler)
            reader.close()
            writer.close()

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        if number in STOP_SIGNALS:
            self._told_to_stop = True


def _end_until(deadline: float, children: Sequence[Child], wake: sockets.socket) -> None:
    for child in children:
        child.send(signal.SIGTERM)
    while any(child.lives for child in children) and time.monotonic() < deadline:
        for child in children:
            child.reap()
        if any(child.lives for child in children):
            _sleep_until_woken(wake, max(0.0, deadline - time.monotonic()))


def listens(path: Path, pid: int) -> bool:
    """Whether this very process listens there: another instance at the same socket is not ours."""
    with sockets.socket(sockets.AF_UNIX) as probe:
        probe.settimeout(1.0)
        if probe.connect_ex(str(path)) != 0:
            return False
        found = probe.getsockopt(sockets.SOL_SOCKET, sockets.SO_PEERCRED, struct.calcsize("3i"))
    listener_pid: int = struct.unpack("3i", found)[0]
    return listener_pid == pid


def _sleep_until_woken(wake: sockets.socket, timeout_s: float | None) -> None:
    if select.select([wake], [], [], timeout_s)[0]:
        os.read(wake.fileno(), 4096)


def _say(sentence: Sentence) -> None:
    logs.complain(f"pi-controller run: {words(sentence)}")


FEWEST_HALLS, MOST_HALLS = 2, 8
"""One is what is started without; more than these no usual machine carries."""
PROGRAM = [sys.executable, "-m", "pi_controller"]
"""It takes `core …`, `web …` and the others."""


@command(
    "run",
    SETTINGS,
    UNATTENDED,
    *CORE,
    tables_argument("--nodes"),
    PARTS_SEED,
    *WEB,
    argument(
        "--halls",
        type=within(
            FEWEST_HALLS,
            MOST_HALLS,
            lambda text: Sentence("options.no_halls", text=text, fewest=FEWEST_HALLS, most=MOST_HALLS),
        ),
        shown="N",
        meaning=Sentence("help.halls", fewest=FEWEST_HALLS, most=MOST_HALLS),
    ),
    is_process=True,
)
def run(arguments: Namespace) -> int:
    """Run until a signal ends it."""
    check_simulation(arguments, "--nodes")
    if arguments.halls is None:
        controller = _controller(arguments, check_socket_path(arguments))
        return ProcessSupervisor(controller, unattended=arguments.unattended).run()
    # Imported here: one hall needs no settings in this process.
    from pi_controller.cli.halls import prepare  # noqa: PLC0415
    from pi_controller.settings.fault import SettingsFault  # noqa: PLC0415

    try:
        halls, broker = prepare(arguments, arguments.halls)
    except SettingsFault as fault:
        raise Stop(BAD_USAGE, as_told(str(fault))) from fault
    controllers = []
    for hall in halls:
        own = Namespace(**vars(arguments) | {"state_dir": hall.state_dir, "settings": hall.settings})
        own.hardware, own.port = "sim", hall.port
        links = [*PROGRAM, "links", *_shared(own)]
        controllers.append(_controller(own, check_socket_path(own), links=links, hall=hall.name))
    return ProcessSupervisor(
        *controllers, for_all={"mosquitto": broker}, unattended=arguments.unattended
    ).run()


def _controller(
    arguments: Namespace, socket: Path, *, links: Sequence[str] = (), hall: str = ""
) -> Controller:
    """Its programs, each with those of the arguments that are its own."""
    speed = None if arguments.speed == 1 else repr(arguments.speed)
    core = [
        *_given("--hardware", arguments.hardware),
        *_given("--speed", speed),
        *_given("--seed-hex", arguments.seed_hex),
        *_given("--rule-set", arguments.rule_set),
        *_given("--players", arguments.players),
        *_given("--virtual-tables", arguments.tables or None),
    ]
    web = [*_given("--host", arguments.host), *_given("--port", arguments.port)]
    parts = None if arguments.parts_seed == 1 else arguments.parts_seed
    folder, nodes = state_dir(arguments), arguments.tables
    tables = [f"--state-dir={folder}", f"--nodes={nodes}", *_given("--parts-seed", parts)]
    return Controller(
        core=[*PROGRAM, "core", *_shared(arguments), *core],
        beside={"links": links} if links else {},
        below={"virtual-tables": [*PROGRAM, "virtual-tables", *tables]} if nodes else {},
        after={"web": [*PROGRAM, "web", AFTER_INPUT, *_shared(arguments), *web]},
        socket=socket,
        hall=hall,
    )


def _shared(arguments: Namespace) -> list[str]:
    unattended = ["--unattended"] if arguments.unattended else []
    return [f"--state-dir={state_dir(arguments)}", *_given("--settings", arguments.settings), *unattended]


def _given(name: str, value: str | int | Path | None) -> list[str]:
    return [] if value is None else [f"{name}={value}"]
