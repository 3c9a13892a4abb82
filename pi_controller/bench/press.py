"""From an edge at a pin to frozen outputs, with idle and with busy cores.

The moments at the table bus are those at which the driver of its port has taken a pause, not those at which
it has arrived: from one end of a pseudo-terminal to the other the system carries bytes on a worker of its own
at ordinary priority, which on a busy machine takes tens of milliseconds; a UART has none.
"""

import asyncio
import contextlib
import queue
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pi_controller.bench.figures import Figure, Say, in_ms, limits
from pi_controller.bench.live_core import LiveCore, settings_with, with_live_core
from pi_controller.bench.processes import (
    ANSWER_WITHIN_S,
    REALTIME,
    BenchError,
    boot_ns,
    busy_cores,
    realtime,
    realtime_allowed,
)
from pi_controller.bench.tables import cables, until_answered
from pi_controller.bus.frame import Receiver
from pi_controller.bus.messages import PauseMessage, StateMessage, from_frame
from pi_controller.core.main import precise_loop
from pi_controller.core.runtime import Latency
from pi_controller.game.state import Frozen, Running
from pi_controller.hal.serial import link
from pi_controller.hal.serial.port import SerialPort
from pi_controller.hal.serial.port import open_port as usual

QUALIFICATION_NS = {"no": 4_000_000, "nc_no": 1_000_000}
"""Of stable level before a press counts, by the contacts that are wired."""

PRESSES_A_GAME = 25
"""A fresh game then: an evening has no more, and lists in the picture stay as long as they really are."""

BRISK_S = (0.025, 0.045)
"""Rest between the end of a tone and the next press, at no fixed distance from any timer."""

FLOOR_SAMPLES = 200

NODES = 32
"""On the segment: it is full."""

BAR = limits(p50=0.5, p99=2.0)
"""From the moment at which a press counts."""


class BusSends:
    """`port` is that of the segment, for the settings of a core."""

    def __init__(self, port: str) -> None:
        self.port = port
        self._pauses: queue.SimpleQueue[int] = queue.SimpleQueue()

    def sent(self, data: bytes, at_ns: int) -> None:
        """The driver has taken these bytes."""
        messages = [from_frame(frame) for frame in Receiver().feed(data)]
        if any(
            isinstance(one, PauseMessage) or (isinstance(one, StateMessage) and one.paused)
            for one in messages
        ):
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


@dataclass
class Presses:
    """Nanoseconds of each press, from the edge at the pin."""

    frozen: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    stamp_error: list[int] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    bus: list[int] = field(default_factory=list)


class SeenOutputs:
    """Stamps what shows after a press: pins when their level changes, the picture when it is published."""

    def __init__(self, core: LiveCore) -> None:
        self.shown = threading.Event()
        self.freeze_ns = 0
        self.made_ns = 0
        self.lamp_at_ns = 0
        self.buzzer_at_ns = 0
        self._core = core
        self._at = core.settings.pins
        self._before = core.pins.watch(self._changed)
        core.loop.metrics.press_to_freeze = ObservedLatency(self._frozen)

    def open(self) -> None:
        """Before the next press."""
        self.shown.clear()
        self.lamp_at_ns = self.buzzer_at_ns = 0

    def _changed(self) -> None:
        now_ns = boot_ns()
        level = self._core.pins.level
        if not self.lamp_at_ns and not level(self._at.pause_lamp):
            self.lamp_at_ns = now_ns
        if not self.buzzer_at_ns and level(self._at.buzzer):
            self.buzzer_at_ns = now_ns
        if self._before is not None:
            self._before()

    def _frozen(self, duration_ns: int) -> None:
        self.freeze_ns = duration_ns
        self.made_ns = self._core.loop.showing.made_ns
        self.shown.set()


class ObservedLatency(Latency):
    """A histogram of core that also hands each value on."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        super().__init__()
        self._tell = tell

    def add_ns(self, duration_ns: int) -> None:
        super().add_ns(duration_ns)
        self._tell(duration_ns)


def press_often(
    core: LiveCore, count: int, *, bus: BusSends | None = None, rest_s: tuple[float, float] = BRISK_S
) -> Presses:
    """Press so often after a rest between these two lengths, play on after each; the script for
    `with_live_core`. At `bus` each is seen to go out."""
    chance = random.Random(1)  # noqa: S311 - moments of presses
    presses = Presses()
    seen = SeenOutputs(core)
    if bus is not None:
        until_answered(core.snapshot, NODES)
    for number in range(count):
        if number % PRESSES_A_GAME == 0:
            core.new_round()
        until_ready(core)
        time.sleep(chance.uniform(*rest_s))
        press_once(core, seen, presses, bus=bus)
        core.resume()
    return presses


def press_once(core: LiveCore, seen: SeenOutputs, presses: Presses, *, bus: BusSends | None = None) -> None:
    """BenchError when it does not freeze everything."""
    pins, contacts = core.settings.pins, core.settings.pause_button.contacts
    seen.open()
    edge_ns = boot_ns()
    if contacts == "nc_no":
        core.pins.drive(pins.pause_nc, high=True)
    core.pins.drive(pins.pause_no, high=False)
    driven_ns = boot_ns()
    if not seen.shown.wait(ANSWER_WITHIN_S):
        raise BenchError("A press froze nothing: the button's path is broken.")
    clock = core.on_loop(lambda: core.loop.game.state.clock)
    if not isinstance(clock, Frozen):
        raise BenchError("A press was shown, but the clock runs.")
    at_ns = core.loop.time.boot_ns(clock.at_ns)
    frozen_ns = max(seen.made_ns, seen.lamp_at_ns, seen.buzzer_at_ns) - edge_ns
    for what, moment_ns in (("pause lamp", seen.lamp_at_ns), ("buzzer", seen.buzzer_at_ns)):
        if not moment_ns:
            raise BenchError(f"A press was shown, but the {what} did not change.")
    presses.frozen.append(frozen_ns)
    counted_ns = edge_ns + QUALIFICATION_NS[contacts]
    presses.after.append(max(0, edge_ns + frozen_ns - counted_ns))
    presses.written.append(max(0, at_ns + seen.freeze_ns - counted_ns))
    if bus is not None:
        presses.bus.append(max(0, bus.pause_ns(edge_ns) - counted_ns))
    presses.stamp_error.append(max(0, edge_ns - at_ns, at_ns - driven_ns))
    core.pins.drive(pins.pause_no, high=True)
    if contacts == "nc_no":
        core.pins.drive(pins.pause_nc, high=False)


def until_ready(core: LiveCore) -> None:
    """The clock runs, and its tone has ended."""
    until_ns = boot_ns() + int(ANSWER_WITHIN_S * 1e9)
    pins = core.settings.pins
    while not runs(core) or core.pins.level(pins.buzzer) or not core.pins.level(pins.pause_lamp):
        if boot_ns() > until_ns:
            raise BenchError("After a press play does not go on, or the buzzer never falls silent.")
        time.sleep(0.01)


def runs(core: LiveCore) -> bool:
    """Whether the clock does."""
    # Twice through the loop: what this one's first pass set going has happened by the second.
    core.on_loop(lambda: None)
    return core.on_loop(lambda: isinstance(core.loop.game.state.clock, Running))


def bare_timer(wait_ns: int, count: int, realtime_priority: int = 0) -> list[int]:
    """How late asyncio alone is: a hand-over from a thread, then a timer of this length; nanoseconds."""
    late: list[int] = []

    async def measure() -> None:
        loop = asyncio.get_running_loop()
        for _ in range(count):
            fired: asyncio.Future[int] = loop.create_future()
            begun_ns = await asyncio.to_thread(_hand_over, loop, fired, wait_ns)
            late.append(await fired - begun_ns - wait_ns)

    with realtime(realtime_priority), asyncio.Runner(loop_factory=precise_loop) as runner:
        runner.run(measure())
    return late


def _hand_over(loop: asyncio.AbstractEventLoop, fired: "asyncio.Future[int]", wait_ns: int) -> int:
    time.sleep(0.01)
    begun_ns = boot_ns()

    def arm() -> None:
        left_s = (begun_ns + wait_ns - boot_ns()) / 1e9
        loop.call_later(max(0.0, left_s), lambda: fired.set_result(boot_ns()))

    loop.call_soon_threadsafe(arm)
    return begun_ns


def edge(*, presses: int, folder: Path, say: Say) -> list[Figure]:
    """Both kinds of button; beside busy cores, the same with real-time priority, and beside idle ones."""
    figures: list[Figure] = []
    for beside, priority in (("busy", 0), ("realtime", REALTIME), ("idle", 0)):
        if priority and not realtime_allowed():
            say("press: this system gives no real-time priority, so that row is left out")
            continue
        for contacts in ("no", "nc_no"):
            say(f"press: {presses} presses, contacts {contacts}, {beside}")
            with contextlib.nullcontext() if beside == "idle" else busy_cores():
                late = bare_timer(QUALIFICATION_NS[contacts], FLOOR_SAMPLES, priority)
                found = _press_beside(presses, contacts, priority, folder)
            figures += _figures(f"press.{beside}.{contacts}", contacts, found, late)
    return figures


def _press_beside(presses: int, contacts: str, priority: int, folder: Path) -> Presses:
    with realtime(priority), bus_sends(folder) as bus:
        settings = settings_with(contacts=contacts, realtime_priority=priority, segment=bus.port)
        return with_live_core(lambda core: press_often(core, presses, bus=bus), settings, folder=folder)


def _figures(name: str, contacts: str, found: Presses, late: list[int]) -> list[Figure]:
    qualification_ms = QUALIFICATION_NS[contacts] / 1e6
    return [
        Figure(
            name=name,
            what=f"edge at the pin to lamps, buzzer and picture; {qualification_ms:g} ms of it qualify it",
            unit="ms",
            measured=in_ms(found.frozen),
            floor=in_ms([QUALIFICATION_NS[contacts] + each for each in late]),
            floor_is="the qualification and a bare asyncio hand-over and timer",
            limits=limits(p50=qualification_ms + 1, p99=qualification_ms + 3),
        ),
        *(
            Figure(
                name=f"{name}.{end}",
                what=f"from there to {what}",
                unit="ms",
                measured=in_ms(took),
                floor=in_ms(late),
                floor_is="a bare asyncio hand-over and timer",
                limits=BAR,
            )
            for end, what, took in (
                ("after", "lamps, buzzer and the picture made", found.after),
                ("bus", f"the state in the driver of a segment of {NODES} nodes", found.bus),
                ("written", "the picture written to the web process", found.written),
            )
        ),
        Figure(
            name=f"{name}.stamp",
            what="frozen time outside the two stamps taken around the edge",
            unit="ms",
            measured=in_ms(found.stamp_error),
            limits=limits(max=1.0),
        ),
    ]
