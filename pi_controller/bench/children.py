"""Real processes of the product: started, asked, measured from outside, ended."""

import contextlib
import http.client
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pi_controller.bench.hall import ANSWER_WITHIN_S, BenchError
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import NoCore
from pi_controller.protocol.paths import socket_path

LOOK_S = 0.002
"""How often it is tried again; the figures are no finer than this."""

END_WITHIN_S = 10.0


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


def answers(state_dir: Path, process: "subprocess.Popen[str]") -> dict[str, Any]:
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


def children_of(pid: int) -> list[int]:
    """Ids of the processes that this one has started."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text(encoding="ascii").split())
    return sorted(found)


def memory_kib(pid: int) -> dict[str, int]:
    """`rss`, `pss` and `uss` of a process; raises OSError when the kernel does not tell."""
    values: dict[str, int] = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]:
        name, _, rest = line.partition(":")
        values[name] = int(rest.split()[0])
    return {
        "rss": values["Rss"],
        "pss": values["Pss"],
        "uss": values["Private_Clean"] + values["Private_Dirty"],
    }


def command_line(pid: int) -> list[str]:
    """What a process was started with."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
