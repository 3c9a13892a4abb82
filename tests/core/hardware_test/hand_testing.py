"""Tests of the hardware by hand: a hall on a hand-moved clock, a button and a bus that a test moves, and a client
that remembers what it was told."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from pi_controller.core.hardware_test.firmware import FirmwareImage, FirmwareUpdate
from pi_controller.core.hardware_test.news import ButtonTap, Watchers
from pi_controller.core.hardware_test.parts import ComputerUnderTest, Parts, Work
from pi_controller.core.hardware_test.storage import ReportStore
from pi_controller.core.hardware_test.testing import Testing, TestRequest
from pi_controller.core.runtime import Threads
from pi_controller.hal.roles import Contacts, PinUnusable
from pi_controller.hal.sim.machine import SimFacts, SimSound
from pi_controller.journal.files import DiskFiles
from pi_controller.protocol import messages
from pi_controller.protocol.probes import RESULTS, DiskChecked, Fitted, Probe, Purpose
from pi_controller.protocol.server import Later
from pi_controller.sentence import Sentence
from tests.core.hall import Hall
from tests.core.hand_bus import TableHall, node
from tests.core.hand_button import HandButton
from tests.core.hand_threads import HandThreads

FITTED = Fitted(
    simulated=True,
    contacts="nc_no",
    buzzer=True,
    longest_tone_ms=1000,
    display="ssd1306",
    sound="simulated",
    segments=["A"],
    baud=250_000,
    second_copy=False,
)
CHECKED = DiskChecked(p50_ms=1, p99_ms=2, worst_ms=3, verified=True, free_bytes=10**9, errors=0)


@dataclass
class HandContacts:
    """The big button's levels; `error` is raised when they are read."""

    pressed: bool = False
    error: PinUnusable | None = None

    def listen(self, report: object) -> None: ...

    def contacts(self) -> Contacts:
        if self.error is not None:
            raise self.error
        return Contacts(no_closed=self.pressed, nc_closed=not self.pressed)

    def close(self) -> None: ...


@dataclass
class HandClient:
    """Takes the place of a connection; `hang_up` ends it."""

    under_way: set[Later] = field(default_factory=set)
    gone: bool = False
    on_close: list[Callable[[], None]] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)

    def __hash__(self) -> int:
        return id(self)

    def begin(self, request: Any) -> Later:
        return Later(self, request)  # type: ignore[arg-type]

    def send(self, line: bytes) -> None:
        self.lines.append(msgspec.json.decode(line))

    def stream(self, _kind: str, line: bytes) -> None:
        self.send(line)

    def hang_up(self) -> None:
        for act in self.on_close:
            act()
        self.on_close.clear()

    @property
    def news(self) -> list[dict[str, Any]]:
        """The live news so far, without what they do not carry."""
        found = [line["test"] for line in self.lines if "test" in line]
        return [{name: value for name, value in news.items() if value is not None} for news in found]


def hand_testing(
    hall: Hall,
    tables: TableHall,
    folder: Path,
    *,
    button: HandContacts,
    shutdown: HandButton | None = None,
    threads: Threads | None = None,
    **machine: Any,
) -> Testing:
    """Tests of this hall's hardware; `machine` changes what `ComputerUnderTest` holds."""
    timers = hall.timers
    tap = ButtonTap(outputs=hall.outputs, timers=timers)
    watchers = Watchers(tap=tap, button=button, shutdown=shutdown, timers=timers)
    tables.tell(watchers.pressed)
    tested = {
        "check_line": lambda _game, _token: None,
        "check_disk": lambda _writes, _size: CHECKED,
        "facts": SimFacts(folder).read,
        "ports": list,
        "fitted": FITTED,
        "sound": SimSound(),
        "reports": ReportStore(folder, files=DiskFiles()),
    } | machine
    threads = threads or HandThreads()
    parts = Parts(
        outputs=hall.outputs,
        tap=tap,
        watchers=watchers,
        bus=tables.bus,
        machine=ComputerUnderTest(**tested),
        loop=hall.loop,
        work=Work(loop=hall.loop, timers=timers, threads=threads),
        timers=timers,
        threads=threads,
        clock=timers,
        state_dir=folder,
    )
    testing = Testing(loop=hall.loop, timers=timers, tasks=hall.tasks, table_tap=tables.tap, parts=parts)
    hall.loop.showing.show_to(Sentence("part.test"), testing.shown)
    return testing


IMAGE = FirmwareImage(firmware=(1, 7), key=b"mark", data=b"image")


def hand_firmware(
    hall: Hall,
    tables: TableHall,
    testing: Testing,
    *,
    build: Callable[[], FirmwareImage] = lambda: IMAGE,
    threads: Threads | None = None,
) -> FirmwareUpdate:
    """Firmware 1.7 for these tables."""
    update = FirmwareUpdate(
        loop=hall.loop,
        timers=hall.timers,
        threads=threads or HandThreads(),
        testing=testing,
        bus=tables.bus,
        keeper=tables.keeper,
        version=lambda: (1, 7),
        build=build,
    )
    tables.tell(update.pressed)
    return update


class ProbeBench:
    """A hall in which the hardware can be tested; what goes to a thread is done on the spot, unless `threads` are others."""

    def __init__(
        self,
        folder: Path,
        *,
        threads: Threads | None = None,
        shutdown: HandButton | None = None,
        **machine: Any,
    ) -> None:
        self.hall = Hall()
        self.timers = self.hall.timers
        self.tables = TableHall(folder, self.hall)
        self.bus = self.tables.bus
        self.bus.have(node(1), node(2))
        self.button = HandContacts()
        self.sound = SimSound()
        self.testing = hand_testing(
            self.hall,
            self.tables,
            folder,
            button=self.button,
            shutdown=shutdown,
            threads=threads,
            **({"sound": self.sound} | machine),
        )
        self.tap = self.testing.parts.tap
        self.client = HandClient()
        self.lease = ""
        self.hall.begin()

    def begin(
        self,
        who: str = "Ada",
        purpose: Purpose = "hardware_test",
        *,
        take: bool = False,
        client: HandClient | None = None,
    ) -> "ProbeBench":
        """Ada has the lease."""
        answer = self.ask(messages.AskTestBegin(who=who, purpose=purpose, take=take), client)
        assert answer["accepted"], answer
        self.lease = answer["lease"]
        return self

    def ask(self, request: TestRequest, client: HandClient | None = None) -> dict[str, Any]:
        """The answer; `later` has those that take their time."""
        client = client or self.client
        before = len(client.lines)
        self.testing.answer(client, request)  # type: ignore[arg-type]
        self.hall.move(0)
        told = [line for line in client.lines[before:] if "test" not in line]
        return told[0] if told else {}

    def probe(self, probe: Probe, client: HandClient | None = None) -> Any:
        """What it gives; None when that comes later."""
        answer = self.ask(messages.AskProbe(probe=probe, lease=self.lease), client)
        return self.read(probe, answer) if answer else None

    @staticmethod
    def read(probe: Probe, answer: dict[str, Any]) -> Any:
        """An answer as its type, or the sentence of an error."""
        return (
            answer["error"] if "error" in answer else msgspec.convert(answer["result"], RESULTS[type(probe)])
        )

    def later(self, probe: Probe) -> Any:
        """The newest answer."""
        self.hall.move(0)
        told = [line for line in self.client.lines if "test" not in line]
        return self.read(probe, told[-1])

    @property
    def healths(self) -> list[str]:
        return list(self.hall.picture.health.messages)
