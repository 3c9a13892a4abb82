"""A real Mosquitto on a port of its own, and a cable to it that can be cut without a word. Both say since when they carry
nothing, for `hall_watch.py`."""

import contextlib
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.needs import program as installed
from tests.patience import DEADLINE_S
from tests.system.programs import wait_until

HOST = "127.0.0.1"


class Way:
    """What programs reach at `port`, times by time.monotonic."""

    at: ClassVar[dict[int, "Way"]] = {}
    """Those that were laid last, by port."""

    def __init__(self, port: int, to_port: int | None = None) -> None:
        self.port = port
        self._broken_s: float | None = time.monotonic()
        self._broke_s = 0.0
        self._to_port = to_port
        Way.at[port] = self

    @property
    def broken_s(self) -> float | None:
        """Since when nothing has come through, also of what is behind it; None: as far as it is known, all does."""
        behind = Way.at.get(self._to_port or 0)
        found = [one for one in (self._broken_s, behind and behind.broken_s) if one is not None]
        return min(found, default=None)

    @property
    def broke_s(self) -> float:
        """When it broke last, whether or not it is whole again."""
        behind = Way.at.get(self._to_port or 0)
        return max(self._broke_s, behind.broke_s if behind else 0.0)

    def _breaks(self) -> None:
        """To be called once nothing comes through any more."""
        if self._broken_s is None:
            self._broken_s = self._broke_s = time.monotonic()

    def _carries(self) -> None:
        """To be called before anything comes through again."""
        self._broken_s = None


class Broker(Way):
    """Listens at `port`, also after each restart; a new one knows nothing of before."""

    def __init__(self, folder: Path, more: str = "", *, anonymous: bool = True) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(free_port())
        self._program = installed("mosquitto")
        self._file = folder / "mosquitto.conf"
        self._file.write_text(
            f"listener {self.port} {HOST}\nallow_anonymous {str(anonymous).lower()}\nset_tcp_nodelay true\n{more}"
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Broker":
        self._carries()
        self._process = subprocess.Popen(
            [self._program, "-c", str(self._file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_until(lambda: _listens(self.port))
        return self

    def kill(self) -> None:
        """As when somebody pulls its plug."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(DEADLINE_S)
            self._process = None
            self._breaks()

    def stand(self) -> None:
        """It keeps its connections, and answers none of them until it goes on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        self._breaks()

    def go_on(self) -> None:
        assert self._process is not None
        self._carries()
        self._process.send_signal(signal.SIGCONT)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


class Cable(Way):
    """Carries bytes from `port` to another; once cut it takes connections and bytes, and delivers none, as a
    switch does whose other cable is pulled. Mended, what was on it goes on where its ends have not given up.
    Once closed it ends all connections, also new ones, until it is mended."""

    def __init__(self, to_port: int) -> None:
        self._to = to_port
        self._whole = threading.Event()
        self._whole.set()
        self._listening = socket.create_server((HOST, 0))
        super().__init__(self._listening.getsockname()[1], to_port)
        self._carries()
        self._open: list[socket.socket] = []
        self._closed = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._whole.clear()
        self._breaks()

    def end_all(self) -> None:
        """As when the program at the other end dies and is not there for a while."""
        self._closed = True
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._breaks()

    def mend(self) -> None:
        self._carries()
        self._closed = False
        self._whole.set()

    def close(self) -> None:
        self.mend()
        for one in (self._listening, *self._open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                threading.Thread(target=self._join, args=(near,), daemon=True).start()

    def _join(self, near: socket.socket) -> None:
        self._whole.wait()
        if self._closed or _has_given_up(near):
            near.close()
            return
        with contextlib.suppress(OSError):
            far = socket.create_connection((HOST, self._to))
            self._open += [near, far]
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=ends, daemon=True).start()
            return
        near.close()

    def _carry(self, source: Any, sink: Any) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._whole.wait()
                sink.sendall(data)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


def _has_given_up(near: socket.socket) -> bool:
    """A real cable that is mended carries nothing of connections that were begun and ended while it was cut."""
    ended = select.poll()
    ended.register(near, select.POLLRDHUP)
    return bool(ended.poll(0))


@contextlib.contextmanager
def broker(folder: Path, more: str = "", *, anonymous: bool = True) -> Iterator[Broker]:
    running = Broker(folder, more, anonymous=anonymous).start()
    try:
        yield running
    finally:
        running.kill()


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Broker]:
    with broker(tmp_path / "broker") as running:
        yield running


@contextlib.contextmanager
def cable(to_port: int) -> Iterator[Cable]:
    laid = Cable(to_port)
    try:
        yield laid
    finally:
        laid.close()
