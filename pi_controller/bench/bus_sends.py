"""A segment full of scripted nodes, and the moments at which the driver of its port has taken a pause.

Not those at which it has arrived: from one end of a pseudo-terminal to the other the system carries bytes on
a worker of its own at ordinary priority, which on a busy machine takes tens of milliseconds; a UART has none.
"""

import contextlib
import queue
from collections.abc import Iterator
from pathlib import Path

from pi_controller.bench.processes import ANSWER_WITHIN_S, BenchError, boot_ns
from pi_controller.bench.tables import cables
from pi_controller.bus.frame import Receiver
from pi_controller.bus.messages import Pause, State, from_frame
from pi_controller.hal.serial import link
from pi_controller.hal.serial.port import SerialPort
from pi_controller.hal.serial.port import open_port as usual

NODES = 32
"""On the segment: it is full."""


class BusSends:
    """`port` is that of the segment, for the settings of a core."""

    def __init__(self, port: str) -> None:
        self.port = port
        self._pauses: queue.SimpleQueue[int] = queue.SimpleQueue()

    def sent(self, data: bytes, at_ns: int) -> None:
        """The driver has taken these bytes."""
        messages = [from_frame(frame) for frame in Receiver().feed(data)]
        if any(isinstance(one, Pause) or (isinstance(one, State) and one.paused) for one in messages):
            self._pauses.put(at_ns)

    def pause_ns(self, after_ns: int) -> int:
        """When the driver had the first frame that says paused, of those after this moment. BenchError when
        none comes."""
        at_ns = 0
        while at_ns <= after_ns:
            try:
                at_ns = self._pauses.get(timeout=ANSWER_WITHIN_S)
            except queue.Empty:
                raise BenchError("No pause went out on the table bus.") from None
        return at_ns


@contextlib.contextmanager
def bus_sends(folder: Path) -> Iterator[BusSends]:
    """Ports that are opened meanwhile tell what is sent by them."""
    with cables(segments=1, nodes=NODES, folder=folder) as there:
        sends = BusSends(there.segments[0].port)

        def open_port(name: str, *, baud: int) -> SerialPort:
            port = usual(name, baud=baud)
            send = port.send

            def stamped(data: bytes) -> None:
                send(data)
                sends.sent(data, boot_ns())

            port.send = stamped  # type: ignore[method-assign]
            return port

        link.open_port = open_port  # type: ignore[attr-defined]
        try:
            yield sends
        finally:
            link.open_port = usual  # type: ignore[attr-defined]
