"""Keeps the player's process running: one that ends or falls silent is started again.

player = PlayerProcess("default", delay_ms=0, news=…); player.send(Say(…)); player.close()

Orders are taken without waiting; two threads do the rest.
"""

import logging
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from pi_controller.hal.sound import orders
from pi_controller.hal.sound.orders import LevelOrder, LoadOrder, Order, PlayerReport, SoundPlan
from pi_controller.hal.system.child import Child

log = logging.getLogger(__name__)

SILENT_S = 2.0
"""A player that reports nothing for this long counts as hanging, for example in a driver."""
LOOK_S = 0.25
"""Shortest wait between two looks at a player that may hang."""
AGAIN_S = 0.5
"""Least time between two starts, so that a player that cannot run costs little."""
JOIN_S = 1.0


def command(device: str, delay_ms: int) -> list[str]:
    return [sys.executable, "-m", "pi_controller.hal.sound.player", device, str(delay_ms)]


class _Ended:
    """Among the orders: a player has ended."""


class PlayerProcess:
    """`news` gets the player's reports, None when it has ended; on a thread, so it must only hand over."""

    def __init__(
        self,
        device: str,
        *,
        delay_ms: int,
        news: Callable[[PlayerReport | None], None],
        start: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._news = news
        self._orders: queue.SimpleQueue[Order | _Ended | None] = queue.SimpleQueue()
        self._lasting: dict[type[Order], Order] = {}
        """Orders that a newly started player must get."""
        self._child = Child(
            "player",
            list(start or command(device, delay_ms)),
            pause_s=lambda lived_s: max(0.0, AGAIN_S - lived_s),
            has_input=True,
            stdout=subprocess.PIPE,
            env=environment,
            bufsize=0,
        )
        self._closed = False
        self._heard_s = time.monotonic()
        self._listener: threading.Thread | None = None
        self._thread = threading.Thread(target=self._work, name="tells the player", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """Of the process that plays, None while there is none."""
        process = self._child.process
        return None if process is None or process.poll() is not None else process.pid

    def send(self, order: Order) -> None:
        """Take an order; returns at once."""
        self._orders.put(order)

    def close(self) -> None:
        """Stop the player. May be called twice."""
        self._orders.put(None)
        self._thread.join(3 * JOIN_S)

    def _work(self) -> None:
        while True:
            self._keep_alive()
            try:
                order = self._orders.get(timeout=self._rest_s())
            except queue.Empty:
                continue
            if isinstance(order, _Ended):
                continue
            if order is None:
                self._end()
                return
            if isinstance(order, LoadOrder | LevelOrder | SoundPlan):
                self._lasting[type(order)] = order
            self._write(order)

    def _rest_s(self) -> float:
        """Until there is something to do without an order: the next start, or a report that is overdue."""
        due_in_s = self._child.due_in_s
        if due_in_s is not None:
            return due_in_s
        return max(LOOK_S, self._heard_s + SILENT_S - time.monotonic())

    def _keep_alive(self) -> None:
        if self._child.reap() is not None:
            self._child.start_later()
        if not self._child.lives:
            if not self._child.due_in_s:
                self._start()
        elif time.monotonic() - self._heard_s > SILENT_S:
            log.warning("the player has reported nothing for %.0f s; it is started again", SILENT_S)
            self._child.send(signal.SIGKILL)

    def _start(self) -> None:
        self._heard_s = time.monotonic()
        try:
            self._child.start()
        except OSError:
            log.exception("the player cannot be started")
            self._child.start_later()
            self._news(None)
            return
        process = self._child.process
        if process is None:
            return
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
        self._listener = threading.Thread(
            target=self._listen, args=(process, self._child.starts), name="hears the player", daemon=True
        )
        self._listener.start()
        for order in list(self._lasting.values()):
            self._write(order)

    def _listen(self, process: subprocess.Popen[bytes], start: int) -> None:
        """Until this player ends."""
        if process.stdout is not None:
            with process.stdout as reports:
                for line in reports:
                    self._heard_s = time.monotonic()
                    self._news(orders.report(line))
        process.wait()
        self._orders.put(_Ended())
        if start == self._child.starts and not self._closed:
            self._news(None)

    def _write(self, order: Order) -> None:
        """Write an order. What a player that ends or hangs does not take is lost: it would be too late for
        the next one. An order may be longer than a pipe."""
        process = self._child.process
        if process is None or process.stdin is None:
            return
        rest, within_s = memoryview(orders.encode(order)), time.monotonic() + SILENT_S
        while rest and time.monotonic() < within_s:
            try:
                rest = rest[os.write(process.stdin.fileno(), rest) :]
            except BlockingIOError:
                select.select([], [process.stdin], [], LOOK_S)
            except OSError:
                return
        if rest:
            log.warning("the player has taken no order for %.0f s; it is started again", SILENT_S)
            self._child.send(signal.SIGKILL)

    def _end(self) -> None:
        self._closed = True
        self._child.close_input()  # which ends it
        if self._child.process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._child.process.wait(JOIN_S)
        if self._child.reap() is None:
            self._child.kill(JOIN_S)
        if self._listener is not None:
            self._listener.join(JOIN_S)
