"""The real programs, started as a person starts them. Nothing here waits by the clock: only for lines, ends and
answers, with deadlines that no slow machine reaches."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from pi_controller.cli.main import main
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import NoCore
from pi_controller.protocol.messages import News, PictureAnswer
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.question import CoreLine
from tests.patience import DEADLINE_S

ROOT = Path(__file__).parents[2]
PYTHON_PATH = f"{ROOT / 'tests/slow_disk'}{os.pathsep}{ROOT}{os.pathsep}{ROOT / 'firmware'}"
COMMAND = (sys.executable, "-m", "pi_controller")
PROCESSES = ("core", "links", "run", "virtual-tables", "web")
"""The commands that go on until somebody ends them."""
ONE_ROUND = "[game]\nschedule = [{from_round = 1, seconds = 3600}]\nstart_countdown_seconds = 0\n"
"""Settings of a game whose first round outlasts every test."""
AT_ONCE = f"{ONE_ROUND}resume_countdown_seconds = 0\n"
BUSY = re.compile(r"The controller (was \d+ ms late|froze for)")
"""How the messages begin that tell of a busy machine."""
for _read in (CoreLine, PictureAnswer, News):
    msgspec.json.Decoder(
        _read
    )  # two threads that are the first to read a struct end the process (msgspec 0.22)


class Lines:
    """What a program says on one of its channels, read as it comes."""

    def __init__(self, pipe: Any) -> None:
        self._pipe = pipe
        self._said: list[str] = []
        self._ended = False
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for(self, part: str) -> str:
        """The first line with this in it."""

        def ready() -> bool:
            return self._ended or any(part in line for line in self._said)

        with self._changed:
            assert self._changed.wait_for(ready, DEADLINE_S), f"{part!r} was not said: {self._said}"
            found = [line for line in self._said if part in line]
        assert found, f"it ended without saying {part!r}: {self._said}"
        return found[0]

    def count(self, part: str) -> int:
        """In how many lines so far this is."""
        with self._changed:
            return sum(part in line for line in self._said)

    def all(self) -> list[str]:
        """Everything, once the program has ended."""
        self._reader.join(DEADLINE_S)
        assert not self._reader.is_alive()
        return self._said

    def _read(self) -> None:
        with self._pipe:
            for line in self._pipe:
                with self._changed:
                    self._said.append(line.rstrip("\n"))
                    self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()


class Program:
    """`python -m pi_controller …`, and with `before` something that starts it. No loop of it may touch a file by its path
    (`tests/file_calls.py`)."""

    def __init__(
        self,
        *arguments: str | Path,
        environment: dict[str, str] | None = None,
        before: tuple[str, ...] = (),
        limits: Callable[[], None] | None = None,
    ) -> None:
        self._file_calls = tempfile.NamedTemporaryFile("r")  # noqa: SIM115 - as long as the program is there
        self._told: set[str] = set()
        self.process = subprocess.Popen(
            [*before, *COMMAND, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ
            | {"PYTHONPATH": PYTHON_PATH, "FILE_CALLS_TOLD": self._file_calls.name}
            | (environment or {}),
            preexec_fn=limits,  # noqa: PLW1509 - only sets a limit of the child
        )
        self.said = Lines(self.process.stdout)
        self.complained = Lines(self.process.stderr)

    def faults(self) -> list[str]:
        """What it said on stderr, once it has ended, besides information and warnings of a busy machine, and
        besides that core ended before web did."""
        slow = "pi-controller run: core does not listen at"
        of_web = (
            "web: The pages wait for core",
            "web: the director's link works once",
            "web: Only this computer can open the pages",
        )
        harmless = ("INFO ", "WARNING ", *of_web, slow)
        return [line for line in self.complained.all() if not line.startswith(harmless)]

    @property
    def pid(self) -> int:
        return self.process.pid

    def child(self, name: str) -> int:
        """Pid of the child of `run` with this name, once it is there."""
        return wait_until(lambda: _child(self.pid, name))

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Tell it to end; its exit status."""
        self.process.send_signal(number)
        return self.left()

    def left(self) -> int:
        """Exit status, once it has ended. None may end as by a defect of the interpreter."""
        status = self.process.wait(DEADLINE_S)
        assert status != -signal.SIGABRT, "\n".join(self.complained.all())
        return status

    def file_calls(self) -> list[str]:
        """On its loops, and on those of its children."""
        if not self._file_calls.closed:
            self._told.update(self._file_calls.read().splitlines())
        return sorted(self._told)

    def away(self) -> None:
        """Whatever happened in a test: the program and its children are gone afterwards."""
        children = children_of(self.pid)
        for pid in (self.pid, *children):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(DEADLINE_S)
        self.said.all(), self.complained.all()
        self.file_calls()
        self._file_calls.close()


@contextlib.contextmanager
def program(*arguments: str | Path, **options: Any) -> Iterator[Program]:
    started = Program(*arguments, **options)
    try:
        yield started
    finally:
        started.away()
    calls = started.file_calls()
    assert calls == [], calls


def simulated(folder: Path, settings: str = ONE_ROUND) -> list[str | Path]:
    """Options for a controller with these settings and its state folder `s` there."""
    (folder / "settings.toml").write_text(settings)
    return ["--hardware=sim", f"--settings={folder / 'settings.toml'}", f"--state-dir={folder / 's'}"]


def cli(
    *arguments: str | Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """One command line from start to end. In this process, unless it could stay or has an environment of its own."""
    given = [*map(str, arguments)]
    if environment is None and given[0] not in PROCESSES:
        said, complained = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            status = main(given)
        told = (stream.buffer.getvalue().decode() for stream in (said, complained))  # type: ignore[attr-defined]
        return subprocess.CompletedProcess(given, status, *told)
    return subprocess.run(
        [*COMMAND, *given],
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": PYTHON_PATH} | (environment or {}),
        timeout=DEADLINE_S,
    )


def client_of(state_dir: Path, core: Program | None = None) -> Client:
    """A client, once a core answers there."""
    client = Client(socket_path(state_dir))

    def answers() -> bool:
        assert core is None or core.process.poll() is None, core.complained.all()
        with contextlib.suppress(NoCore):
            client.picture()
            return True
        return False

    wait_until(answers)
    return client


def told(picture: Picture) -> list[str]:
    """What is wrong besides a busy machine."""
    return [message for message in picture.health.messages if not BUSY.match(message)]


def well(picture: Picture) -> bool:
    """Nothing is wrong but that the machine is busy."""
    return told(picture) == []


def wait_for_picture(client: Client, wanted: Callable[[Picture], bool]) -> Picture:
    """The first picture of the feed that is like this; a core that is started anew meanwhile is asked again."""
    until = time.monotonic() + DEADLINE_S
    seen: Picture | None = None
    while time.monotonic() < until:
        with contextlib.suppress(NoCore), contextlib.closing(client.watch()) as news:
            for each in news:
                seen = each.picture or seen
                if each.picture is not None and wanted(each.picture):
                    return each.picture
                assert time.monotonic() < until, f"it did not come to that: {seen}"
        give_way()
    raise AssertionError(f"it did not come to that: {seen}")


def wait_until(ready: Callable[[], Any]) -> Any:
    """What `ready` gives, once it is true; for states of the system that nobody announces."""
    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:
        found = ready()
        if found:
            return found
        give_way()
    raise AssertionError("it did not come to that")


def give_way() -> None:
    """Before it is asked once more: what is waited for needs the processor, too."""
    threading.Event().wait(0.01)


def children_of(pid: int) -> list[int]:
    """Living children, also those that nobody has waited for."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdigit() else []
            if fields and int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def kill_child(running: Program, name: str) -> None:
    """kill -9 of this child of `run`; returns once it is dead."""
    pid = running.child(name)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not lives(pid))


def _child(pid: int, name: str) -> int | None:
    for child in children_of(pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            if name.encode() in words:
                return child
    return None
