"""Scripted tables at the other end of an adapter, on a thread of their own."""

import contextlib
import os
import select
import threading
import time
from collections.abc import Iterator

from pi_controller.bench.scripted_nodes import ScriptedRow
from tests.hal.serial.cable import Adapter


class Tables:
    def __init__(self, adapter: Adapter, *, nodes: int, echo: bool) -> None:
        self.rounds: list[int] = []
        self._adapter = adapter
        self._echo = echo
        self._row = ScriptedRow(segment=0, nodes=nodes, baud=250_000, on_round=self.rounds.append)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _serve(self) -> None:
        while not self._over.is_set():
            fd = self._adapter.fd
            if fd == -1:
                self._over.wait(0.001)
                continue
            with contextlib.suppress(OSError, ValueError):  # unplugged meanwhile
                self._once(fd)

    def _once(self, fd: int) -> None:
        ready, _, _ = select.select([fd], [], [], 0.001)
        now_us = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000
        try:
            data = os.read(fd, 4096) if ready else b""
        except OSError:  # nobody has the other end open
            self._over.wait(0.001)
            return
        if self._echo and data:
            os.write(fd, data)
        if data:
            self._row.hear(data, now_us)
        for answer in self._row.due(now_us):
            os.write(fd, answer)


@contextlib.contextmanager
def tables(adapter: Adapter, *, nodes: int = 3, echo: bool = False) -> Iterator[Tables]:
    made = Tables(adapter, nodes=nodes, echo=echo)
    made.start()
    try:
        yield made
    finally:
        made.stop()
