"""The log's own thread: whoever logs waits for nobody, and what nobody takes is dropped and counted."""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from pi_controller.hal.system.logs import LogThread
from tests.patience import DEADLINE_S


class Pipe:
    """Takes what fits in, until somebody reads."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        self.full = 0

    def fill(self) -> None:
        os.set_blocking(self.writing, False)
        for size in (1 << 16, 1):
            try:
                while True:
                    self.full += os.write(self.writing, b"." * size)
            except BlockingIOError:
                continue
        os.set_blocking(self.writing, True)

    def read(self, until: str) -> str:
        """What it takes to come to these words, without what filled it."""
        found = b""
        while until.encode() not in found:
            found += os.read(self.reading, 1 << 16)
        return found.decode().lstrip(".")


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    os.close(pipe.reading)
    os.close(pipe.writing)


def test_a_pipe_that_nobody_reads_holds_up_nobody_and_what_is_lost_is_counted_and_told(pipe: Pipe) -> None:
    pipe.fill()
    said = LogThread(most_waiting=10)
    said.put(pipe.writing, "the first")
    while said.waiting:  # its thread has taken it, and hangs in the pipe
        threading.Event().wait(0.001)
    for number in range(25):
        said.put(pipe.writing, f"line {number}")
    assert said.dropped == 15
    assert not said.drain(0.01), "nobody has taken them"
    found = pipe.read("line 9\n")
    assert found.splitlines() == ["the first", *(f"line {number}" for number in range(10))]
    assert said.drain(DEADLINE_S)
    said.put(pipe.writing, "later")
    assert pipe.read("later\n").splitlines() == ["later"]


def test_a_line_is_put_into_words_when_it_is_logged_and_its_traceback_on_the_thread() -> None:
    """Sources are files: where the exception was caught nobody may wait for them."""
    script = """
import logging, threading
from pi_controller.hal.system import logs
logs.begin("%(threadName)s %(message)s")
seen = []
logging.Formatter.formatException = lambda self, info: f"{threading.current_thread().name}: {info[1]!r}"
things = ["before"]
log = logging.getLogger("here")
log.warning("%s", things)
things.append("after")
try:
    1 / 0
except ZeroDivisionError:
    log.exception("broken")
class Bad:
    def __del__(self):
        raise KeyError("in a destructor")
Bad()
thread = threading.Thread(target=lambda: [][0], name="mine")
thread.start()
thread.join()
logs.say("on the other channel")
logs.end(60)
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=DEADLINE_S
    )
    assert ended.stdout == "on the other channel\n"
    lines = ended.stderr.splitlines()
    assert lines[:3] == [
        "MainThread ['before']",
        "MainThread broken",
        "log: ZeroDivisionError('division by zero')",
    ]
    assert "log: KeyError('in a destructor')" in lines
    assert lines[-2:] == ["mine mine broke off", "log: IndexError('list index out of range')"]


def test_a_handler_that_nobody_may_wait_for_is_the_only_one() -> None:
    script = """
import logging
from pi_controller.hal.system import logs
logs.begin("%(message)s")
assert [type(one).__name__ for one in logging.getLogger().handlers] == ["LogThread"]
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=DEADLINE_S)
    assert logging.Handler in LogThread.__mro__
