"""Keeps the player's process running: one that ends or falls silent is started again.

player = PlayerProcess("default", delay_ms=0, news=…); player.send(Say(…)); player.close()

Orders are taken without waiting; two threads do the rest.
"""

import logging
import os
import queue
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from pi_controller.hal.sound import orders
from pi_controller.hal.sound.orders import LevelOrder, LoadOrder, Order, PlayerReport, SoundPlan

log = logging.getLogger(__name__)

SILENT_S = 2.0
"""A player that reports nothing for this long counts as hanging, for example in a driver."""
LOOK_S = 0.25
AGAIN_S = 0.5
"""Least time between two starts, so that a player that cannot run costs little."""
JOIN_S = 1.0


def command(device: str, delay_ms: int) -> list[str]:
    return [sys.executable, "-m", "pi_controller.hal.sound.player", device, str(delay_ms)]


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
        self._command = list(start or command(device, delay_ms))
        self._environment = environment
        self._news = news
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._lasting: dict[type[Order], Order] = {}
        """Orders that a newly started player must get."""
        self._child: subprocess.Popen[bytes] | None = None
        self._heard_s = self._started_s = time.monotonic()
        self._listener: threading.Thread | None = None
        self._thread = threading.Thread(target=self._work, name="tells the player", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """Of the process that plays, None while there is none."""
        child = self._child
        return None if child is None or child.poll() is not None else child.pid

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
                order = self._orders.get(timeout=LOOK_S)
            except queue.Empty:
                continue
            if order is None:
                self._end()
                return
            if isinstance(order, LoadOrder | LevelOrder | SoundPlan):
                self._lasting[type(order)] = order
            self._write(order)

    def _keep_alive(self) -> None:
        child, now_s = self._child, time.monotonic()
        if child is not None and child.poll() is None:
            if now_s - self._heard_s > SILENT_S:
                log.warning("the player has reported nothing for %.0f s; it is started again", SILENT_S)
                child.kill()
            return
        if child is None or now_s - self._started_s >= AGAIN_S:
            self._start(now_s)

    def _start(self, now_s: float) -> None:
        self._heard_s = self._started_s = now_s
        _close(self._child)
        try:
            child = self._child = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment, bufsize=0
            )
        except OSError:
            log.exception("the player cannot be started")
            self._news(None)
            return
        if child.stdin is not None:
            os.set_blocking(child.stdin.fileno(), False)
        self._listener = threading.Thread(
            target=self._listen, args=(child,), name="hears the player", daemon=True
        )
        self._listener.start()
        for order in list(self._lasting.values()):
            self._write(order)

    def _listen(self, child: subprocess.Popen[bytes]) -> None:
        """Until this child ends."""
        if child.stdout is not None:
            with child.stdout as reports:
                for line in reports:
                    self._heard_s = time.monotonic()
                    self._news(orders.report(line))
        child.wait()
        if child is self._child:
            self._news(None)

    def _write(self, order: Order) -> None:
        """Write an order. What a player that ends or hangs does not take is lost: it would be too late for
        the next one. An order may be longer than a pipe."""
        child = self._child
        if child is None or child.stdin is None:
            return
        rest, within_s = memoryview(orders.encode(order)), time.monotonic() + SILENT_S
        while rest and time.monotonic() < within_s:
            try:
                rest = rest[os.write(child.stdin.fileno(), rest) :]
            except BlockingIOError:
                select.select([], [child.stdin], [], LOOK_S)
            except OSError:
                return
        if rest:
            log.warning("the player has taken no order for %.0f s; it is started again", SILENT_S)
            child.kill()

    def _end(self) -> None:
        child, self._child = self._child, None
        _close(child)
        if child is None:
            return
        try:
            child.wait(JOIN_S)
        except subprocess.TimeoutExpired:
            child.kill()
            with suppress(subprocess.TimeoutExpired):  # in a driver that hangs it outlives this
                child.wait(JOIN_S)
        if self._listener is not None:
            self._listener.join(JOIN_S)


def _close(child: subprocess.Popen[bytes] | None) -> None:
    """Close its input, which ends it."""
    if child is not None and child.stdin is not None:
        with suppress(OSError):
            child.stdin.close()
