"""The machine that is measured: its clock, its load, and processes that keep it busy."""

import compileall
import contextlib
import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from pi_controller.hal.roles import HardwareError
from pi_controller.hal.system.kernel import give_back_realtime_priority, take_realtime_priority
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import NoCore
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.picture import Picture

# Ends by itself when its parent has gone, however that died.
_BUSY = """\
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
parent = os.getppid()
print(flush=True)
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""


def boot_ns() -> int:
    """CLOCK_BOOTTIME."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def load() -> str:
    """The three load averages, as uptime(1) shows them."""
    return " ".join(Path("/proc/loadavg").read_text(encoding="ascii").split()[:3])


def realtime_allowed() -> bool:
    """Whether this system gives this program real-time priority."""
    try:
        with realtime(REALTIME):
            return True
    except HardwareError:
        return False


@contextlib.contextmanager
def realtime(priority: int) -> Iterator[None]:
    """This thread and those it starts with this real-time priority; 0 leaves it as it is. HardwareError when
    the system does not give it."""
    take_realtime_priority(priority)
    try:
        yield
    finally:
        if priority:
            give_back_realtime_priority()


@contextlib.contextmanager
def busy_cores() -> Iterator[list[int]]:
    """One process on each core that this program may use, each at full speed; gives their ids."""
    with contextlib.ExitStack() as ending:
        pids = []
        for core in sorted(os.sched_getaffinity(0)):
            process = subprocess.Popen([sys.executable, "-c", _BUSY, str(core)], stdout=subprocess.PIPE)
            ending.enter_context(process)
            ending.callback(process.kill)
            if process.stdout is not None:
                process.stdout.readline()
            pids.append(process.pid)
        yield pids


REALTIME = 20
"""For the rows with `core.realtime_priority`: any that is above 0 does."""

ANSWER_WITHIN_S = 60.0
"""Longer than any machine needs: a benchmark that waits so long has found a defect, not a figure."""

LOOK_S = 0.002
"""How often it is tried again; the figures are no finer than this."""

END_WITHIN_S = 10.0

NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


class BenchError(RuntimeError):
    """The product did not do what the benchmark asked of it; one sentence."""


@contextlib.contextmanager
def compiled(package: Path) -> Iterator[None]:
    """Programs that are started meanwhile find the modules of this folder compiled, as an installed program
    does, and keep what else they compile. BenchError when they cannot be compiled."""
    before = os.environ.pop(NO_BYTECODE, None)
    try:
        if not compileall.compile_dir(package, quiet=2):
            raise BenchError(
                f"The modules in {package} cannot be compiled: run this as the owner of that folder."
            )
        yield
    finally:
        if before is not None:
            os.environ[NO_BYTECODE] = before


@contextlib.contextmanager
def product(command: str, state_dir: Path, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """`pi-controller COMMAND` on this state folder with simulated hardware; ended on the way out."""
    given = [sys.executable, "-m", "pi_controller", command, f"--state-dir={state_dir}", *arguments]
    if command != "web":
        given.append("--hardware=sim")
    process = subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def answers(state_dir: Path, process: "subprocess.Popen[str]") -> Picture:
    """The picture as soon as core gives one."""
    client = Client(socket_path(state_dir))
    until = time.monotonic() + ANSWER_WITHIN_S
    while time.monotonic() < until:
        with contextlib.suppress(NoCore):
            return client.picture()
        if process.poll() is not None:
            raise BenchError(f"The controller ended with status {process.returncode} before it answered.")
        time.sleep(LOOK_S)
    raise BenchError(f"The controller gave no answer within {ANSWER_WITHIN_S:g} s.")


def ask(client: Client, name: str, body: object = None) -> None:
    """Have this done and on the disk; BenchError when it is refused."""
    answer = client.command(name, body, source="bench")
    if not answer.accepted:
        raise BenchError(f"`{name}` was refused: {' '.join(answer.reasons)}")


@contextlib.contextmanager
def pages(state_dir: Path, *arguments: str) -> Iterator[tuple[int, int]]:
    """`run` on this state folder, up to core's first answer: its process id and the pages' port."""
    with product("run", state_dir, "--port=0", *arguments) as run:
        port = port_of(run)
        answers(state_dir, run)
        yield run.pid, port


def port_of(process: "subprocess.Popen[str]") -> int:
    """The port of the hall screen, as soon as `run` or `web` has told it."""
    for line in process.stdout or ():
        if line.startswith("hall http://"):
            return int(line.strip().rstrip("/").rpartition(":")[2])
    raise BenchError("The controller ended before it had told the hall's address.")


def page(port: int) -> int:
    """Bytes of the hall screen's page."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_WITHIN_S)
    try:
        connection.request("GET", "/")
        answer = connection.getresponse()
        size = len(answer.read())
    finally:
        connection.close()
    if answer.status != http.client.OK:
        raise BenchError(f"The hall screen answers with status {answer.status}.")
    return size


def processor_ns(pid: int) -> int:
    """Nanoseconds that all threads of this process have taken, those that have ended too: its clock
    (clock_getcpuclockid(3)). OSError when there is no such process."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def family(pid: int) -> list[int]:
    """Ids of this process, of those that it has started, and of theirs."""
    return [pid, *(one for child in children_of(pid) for one in family(child))]


def children_of(pid: int) -> list[int]:
    """Ids of the processes that this one has started."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text(encoding="ascii").split())
    return sorted(found)


def command_line(pid: int) -> list[str]:
    """What a process was started with."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
