"""A Mosquitto of this machine, and programs that talk through it."""

import contextlib
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from pi_controller.bench.processes import ANSWER_WITHIN_S, LOOK_S, BenchError

HOST = "127.0.0.1"
_PLACES = ("mosquitto", "/usr/sbin/mosquitto")


@contextlib.contextmanager
def mosquitto(folder: Path) -> Iterator[int]:
    """Its port; BenchError where it is not installed."""
    with mosquitto_process(folder) as (port, _):
        yield port


@contextlib.contextmanager
def mosquitto_process(folder: Path) -> Iterator[tuple[int, int]]:
    """Its port and its process id; BenchError where it is not installed."""
    program = next(filter(None, map(shutil.which, _PLACES)), None)
    if program is None:
        raise BenchError("Mosquitto is not installed: sudo apt install mosquitto.")
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = int(probe.getsockname()[1])
    file = folder / "mosquitto.conf"
    file.write_text(
        f"listener {port} {HOST}\nallow_anonymous true\nsys_interval 1\nset_tcp_nodelay true\n",
        encoding="utf-8",
    )
    with running(program, "-c", str(file)) as process:
        until = time.monotonic() + ANSWER_WITHIN_S
        while not _listens(port):
            if time.monotonic() > until:
                raise BenchError("Mosquitto does not listen.")
            time.sleep(LOOK_S)
        yield port, process.pid


@contextlib.contextmanager
def running(*command: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A program without channels; gone on the way out."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def settings_of(folder: Path, role: str, hall: str, *, port: int, more: str = "") -> Path:
    """A settings file for this hall; `more` stands above its section `[links]`."""
    file = folder / f"{hall}.toml"
    file.write_text(f'{more}[links]\nrole = "{role}"\nhall = "{hall}"\nport = {port}\n', encoding="utf-8")
    return file


def links_of(state_dir: Path, settings: Path) -> tuple[str, ...]:
    """The command of a links process."""
    given = (f"--state-dir={state_dir}", f"--settings={settings}")
    return (sys.executable, "-m", "pi_controller", "links", *given)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0
