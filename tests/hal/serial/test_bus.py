"""All segments together, with the real master under real pyserial on pseudo-terminals."""

import contextlib
import queue
import re
import threading
import time
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from pi_controller.bus.values import (
    BusEvent,
    ClaimOutcome,
    NodeChanged,
    NodeClaim,
    Place,
    SegmentChanged,
    SegmentPort,
    TableState,
)
from pi_controller.hal.roles import Clock
from pi_controller.hal.serial.bus import SILENT_NS, SerialTableBus, open_table_bus
from pi_controller.hal.serial.link import SegmentLink
from pi_controller.hal.system.kernel import SystemClock
from tests.hal.hand_clock import HandClock
from tests.hal.serial.cable import Adapter, open_files, wait_until
from tests.hal.serial.puppet import STATE, UID, Puppet
from tests.hal.serial.tables import tables
from tests.patience import DEADLINE_S
from tests.told import told

Events = queue.SimpleQueue[BusEvent]


@contextlib.contextmanager
def opened(*segments: SegmentPort, clock: Clock | None = None) -> Iterator[tuple[SerialTableBus, Events]]:
    events: Events = queue.SimpleQueue()
    with open_table_bus(segments, baud=250_000, clock=clock or SystemClock(), on_event=events.put) as bus:
        yield bus, events


def is_open(bus: SerialTableBus, nodes: int = 3) -> bool:
    (segment,) = bus.snapshot()
    return segment.link == "open" and sum(node.good > 0 for node in segment.nodes) == nodes


def sentences(events: Events) -> list[str]:
    heard = []
    with contextlib.suppress(queue.Empty):
        while True:
            event = events.get_nowait()
            heard += [told(event.sentence)] if isinstance(event, SegmentChanged) else []
    return heard


def test_tables_are_found_shown_the_state_and_asked(row: Adapter) -> None:
    with tables(row) as there, opened(row.segment) as (bus, events):
        bus.show(STATE)
        wait_until(lambda: is_open(bus), "all nodes answer")
        wait_until(lambda: there.rounds == [1], "the state arrived")
        (segment,) = bus.snapshot()
        assert (segment.name, segment.port, segment.sentence) == ("A", str(row.name), None)
        wait_until(lambda: {node.state for node in bus.snapshot()[0].nodes} == {"good"}, "all are good")
        while not isinstance(first := events.get(timeout=DEADLINE_S), NodeChanged):
            assert "no table has answered" in told(first.sentence)  # on a machine that is slower than that
        assert (first.segment, first.state) == ("A", "good")


def test_at_the_end_all_is_released_within_a_second(row: Adapter) -> None:
    files, threads = open_files(), threading.active_count()
    with opened(row.segment, SegmentPort("B", "/gone")) as (bus, events):
        wait_until(lambda: bus.snapshot()[1].sentence, "both threads run")
        begun_s = time.monotonic()
    assert time.monotonic() - begun_s < DEADLINE_S
    assert (open_files(), threading.active_count()) == (files, threads)
    sentences(events)
    bus.show(STATE)
    bus.revive()
    bus.close()
    assert events.empty()


class Troupe:
    """A bus over puppets; `masters` of each segment, the newest last."""

    def __init__(self, *names: str, clock: HandClock | SystemClock | None = None) -> None:
        self.masters: dict[str, list[Puppet]] = {name: [] for name in names}
        self._clock = clock or SystemClock()
        self.bus = SerialTableBus(
            [SegmentPort(name, f"/gone/{name}") for name in names],
            make_link=self._make_link,
            clock=self._clock,
        )

    def _make_link(self, segment: SegmentPort) -> SegmentLink:
        puppet = Puppet()
        self.masters[segment.name].append(puppet)
        return SegmentLink(
            segment,
            master=puppet,  # type: ignore[arg-type]
            baud=250_000,
            clock=self._clock,
            on_event=lambda _: None,
        )


def test_what_is_said_to_the_bus_reaches_every_segment_in_order() -> None:
    troupe = Troupe("A", "B")
    claim = NodeClaim(uid=UID, boots=1, side="sun", number=1)
    received = ClaimOutcome(claim=claim, at_us=1, status="received")
    taken = replace(received, status="open")
    place = Place(uid=UID, board="A1")
    with troupe.bus as bus:
        bus.places((place,))
        bus.outcomes((received,))
        bus.outcomes((received,))
        bus.outcomes((taken,))
        bus.ask_again()
        bus.identify(None, what="name", seconds=5, number=0)
        bus.order(UID, "swap")
        bus.order(UID, "reboot", 3)
        bus.show(STATE)
        wanted = [
            ("places", (place,)),
            ("outcomes", (received,)),
            ("outcomes", (taken,)),
            ("ask_again",),
            ("identify", None, "name", 5, 0),
            ("order", UID, "swap", 0),
            ("order", UID, "reboot", 3),
        ]
        for (master,) in troupe.masters.values():
            wait_until(lambda master=master: master.shown == [STATE] and len(master.done) == 7, "all arrived")
            assert master.done == wanted


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_segment_whose_thread_has_died_is_started_afresh_with_all_that_it_knew() -> None:
    troupe = Troupe("A", "B")
    place = Place(uid=UID, board="A1")
    claim = NodeClaim(uid=UID, boots=1, side="sun", number=1)
    became = ClaimOutcome(claim=claim, at_us=1, status="open")
    newest = TableState(as_of_us=0, phase="round", round=2)
    with troupe.bus as bus:
        bus.places((place,))
        bus.outcomes((became,))
        bus.show(STATE)
        bus.show(newest)
        (dead,) = (thread for thread in threading.enumerate() if thread.name == "tables-A")
        bus._links[0].tell(lambda master: 1 / 0)
        dead.join(DEADLINE_S)
        silent_ns = bus._links[0].beat_ns()
        wait_until(lambda: bus._links[1].beat_ns() > silent_ns, "the other segment lives on")
        assert bus.beat_ns() == silent_ns, "the oldest sign of life counts"
        bus.revive()
        _, second = troupe.masters["A"]
        wait_until(lambda: second.shown and second.done, "the new master was told")
        assert (second.shown, second.done) == ([newest], [("places", (place,)), ("outcomes", (became,))])
        wait_until(lambda: bus.beat_ns() > silent_ns, "it lives again")
        assert len(troupe.masters["B"]) == 1


def test_a_segment_that_hangs_is_replaced_and_not_waited_for() -> None:
    clock = HandClock()
    troupe = Troupe("A", clock=clock)
    loose = threading.Event()
    with troupe.bus as bus:
        bus._links[0].tell(lambda master: loose.wait(DEADLINE_S))
        wait_until(lambda: not bus._links[0]._orders, "the thread hangs")
        clock.now_ns += SILENT_NS
        bus.revive()
        assert len(troupe.masters["A"]) == 1
        clock.now_ns += 1
        bus.revive()
        assert len(troupe.masters["A"]) == 2
        loose.set()


def test_without_segments_there_is_nothing_to_watch() -> None:
    clock = HandClock()
    with open_table_bus((), baud=250_000, clock=clock, on_event=lambda _: None) as bus:
        assert bus.snapshot() == ()
        assert bus.beat_ns() == clock.now_ns
        bus.show(STATE)
        bus.revive()


@pytest.mark.parametrize(
    ("segments", "sentence"),
    [
        ([SegmentPort(name, f"/dev/{name}") for name in "ABCDEFGHI"], "There are 9 segments: at most 8 can be driven."),
        ([SegmentPort("A", "/dev/a"), SegmentPort("A", "/dev/b")], "Two segments have the same name: give each its own."),
        ([SegmentPort("A", "/dev/a"), SegmentPort("B", "/dev/a")], "Two segments have the same port: give each its own."),
    ],
)  # fmt: skip
def test_segments_that_cannot_be_are_refused(segments: list[SegmentPort], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        open_table_bus(segments, baud=250_000, clock=HandClock(), on_event=lambda _: None)
