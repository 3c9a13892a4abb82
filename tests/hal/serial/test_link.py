"""One segment on a real pseudo-terminal under real pyserial, with a master that says what the test wants."""

import os
import threading
import time
from typing import Any

import pytest
import serial

from pi_controller.bus.requests import Send
from pi_controller.bus.values import ButtonHeard, NodeChanged, SegmentChanged, SegmentPort
from pi_controller.hal.serial import link as under_test
from pi_controller.hal.serial.link import Backoff, Waker
from pi_controller.hal.serial.port import PortLost
from pi_controller.sentence import Sentence, as_told
from tests.hal.serial.cable import Adapter, open_files, wait_until
from tests.hal.serial.puppet import STATE, UID, Stage, stage
from tests.patience import DEADLINE_S
from tests.told import told

MODEM = as_told("Segment A: that is a modem")


def test_a_wake_before_the_wait_is_not_lost() -> None:
    waker = Waker()
    waker.wake()
    waker.wake()
    began = time.monotonic()
    assert not waker.wait(None, DEADLINE_S)
    assert time.monotonic() - began < 20.0
    waker.close()


def test_a_wait_ends_when_somebody_wakes_and_when_the_port_can_be_read() -> None:
    waker = Waker()
    port, cable = os.pipe()
    woken = threading.Timer(0.01, waker.wake)
    woken.start()
    assert not waker.wait(port, DEADLINE_S)
    woken.join()
    os.write(cable, b"x")
    assert waker.wait(port, DEADLINE_S)
    assert waker.wait(port, -1.0)
    waker.close()
    for fd in (port, cable):
        os.close(fd)


def test_after_the_end_nobody_is_woken_and_nobody_waits() -> None:
    waker = Waker()
    waker.close()
    waker.close()
    waker.wake()
    with pytest.raises(ValueError, match="closed"):
        waker.wait(None, 0)


def test_the_next_try_is_later_each_time_until_one_works() -> None:
    backoff = Backoff()
    assert backoff.due_us == 0
    waits = []
    for _ in range(5):
        backoff.failed(1_000_000)
        waits.append(backoff.due_us - 1_000_000)
    assert waits == [200_000, 400_000, 800_000, 1_000_000, 1_000_000]
    backoff.worked()
    backoff.failed(0)
    assert backoff.due_us == 200_000


CYCLES = 200


def hear(row: Adapter, wanted: bytes) -> bytes:
    heard = b""
    until = time.monotonic() + DEADLINE_S
    while wanted not in heard:
        assert time.monotonic() < until, f"{wanted!r} never came"
        heard += row.hear(0.1)
    return heard


def test_what_the_master_says_goes_out_and_what_comes_in_is_its_to_judge(row: Adapter) -> None:
    with stage(row.segment) as it:
        it.link.tell(lambda master: master.frames.append(b"poll;"))  # type: ignore[attr-defined]
        assert hear(row, b"poll;") == b"poll;"
        row.say(b"health;")
        wait_until(lambda: it.puppet.heard == b"health;", "the answer reached the master")
        assert it.puppet.reopenings == 1


def test_a_new_state_goes_out_before_all_that_waits_behind_one_frame_at_most(row: Adapter) -> None:
    with stage(row.segment) as it:
        it.puppet.poll = b"poll;"
        for round_number in range(1, 21):
            hear(row, b"poll;poll;")
            it.link.show(under_test.TableState(as_of_us=0, phase="round", round=round_number))
            heard = hear(row, b"state %d;" % round_number)
            assert heard.count(b"state") == 1


class SlowPort:
    """A driver that holds each frame until the test says that it is on the line."""

    low_latency = False

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.is_full = False
        self.overtaken = 0
        self._pipe = os.pipe()

    def fileno(self) -> int:
        return self._pipe[0]

    def send(self, data: bytes) -> None:
        self.overtaken += self.is_full
        self.is_full = True
        self.sent.append(data)

    def is_sending(self) -> bool:
        return self.is_full

    def is_moved(self) -> bool:
        return False

    def close(self) -> None:
        for fd in self._pipe:
            os.close(fd)


def show(it: Stage, number: int) -> None:
    """The state of this round, until the master has it."""
    it.link.show(under_test.TableState(as_of_us=0, phase="round", round=number))
    wait_until(lambda: len(it.puppet.shown) == number, "the master has the new state")


def test_never_a_second_frame_while_the_driver_has_one(row: Adapter, monkeypatch: pytest.MonkeyPatch) -> None:
    port = SlowPort()
    monkeypatch.setattr(under_test, "open_port", lambda _name, *, baud: port)
    with stage(row.segment) as it:
        it.puppet.poll, it.puppet.poll_us = b"poll;", 0
        for round_number in range(1, 21):
            wait_until(lambda: port.is_full, "a frame went to the driver")
            before = len(port.sent)
            show(it, round_number)
            port.is_full = False
            wait_until(lambda before=before: len(port.sent) > before, "the next frame went to the driver")
            assert port.sent[before] == b"state %d;" % round_number
    assert port.overtaken == 0


def test_a_segment_counts_as_open_only_after_a_node_has_answered(row: Adapter) -> None:
    with stage(row.segment) as it:
        wait_until(lambda: it.puppet.reopenings, "the port was opened")
        wait_until(lambda: it.link.snapshot().port == str(row.name), "the snapshot names the port")
        assert it.link.snapshot().link == "closed"
        row.say(b"health;")
        wait_until(lambda: it.link.snapshot().link == "open", "the segment is open")
        snapshot = it.link.snapshot()
        assert (snapshot.sentence, snapshot.reopened) == (None, 0)
        assert it.events.empty()


def test_a_port_that_nobody_answers_at_is_a_sentence(row: Adapter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_controller.hal.serial.link.HANDSHAKE_US", 1)
    with stage(row.segment) as it:
        assert it.events.get(timeout=DEADLINE_S) == SegmentChanged(
            segment="A", sentence=Sentence("port.nobody_answers_yet", segment="A", port=str(row.name))
        )
        assert it.link.snapshot().link == "closed"
        row.say(b"health;")
        assert it.events.get(timeout=DEADLINE_S) == SegmentChanged(segment="A", sentence=None)


def test_a_wrong_device_is_never_open(row: Adapter) -> None:
    with stage(row.segment) as it:
        it.puppet.line = "wrong_device"
        it.puppet.to_tell = [SegmentChanged(segment="A", sentence=MODEM)]
        assert it.events.get(timeout=DEADLINE_S) == SegmentChanged(segment="A", sentence=MODEM)
        wait_until(lambda: it.link.snapshot().link == "wrong_device", "the snapshot says so")
        assert it.link.snapshot().sentence == MODEM


def test_a_port_that_is_not_there_is_a_sentence_until_it_comes(row: Adapter) -> None:
    row.vanish()
    with stage(row.segment) as it:
        assert it.events.get(timeout=DEADLINE_S) == SegmentChanged(
            segment="A",
            sentence=Sentence(
                "bus.segment", segment="A", trouble=Sentence("port.not_there", port=str(row.name))
            ),
        )
        assert it.link.snapshot().link == "closed"
        it.link.show(STATE)
        wait_until(lambda: it.puppet.shown, "the master is told all the same")
        row.plug()
        hear(row, b"state 1;")
        row.say(b"health;")
        assert it.events.get(timeout=DEADLINE_S) == SegmentChanged(segment="A", sentence=None)
        assert it.link.snapshot().link == "open"


def test_a_port_in_use_is_busy_until_the_other_program_ends(row: Adapter) -> None:
    """B17."""
    with serial.Serial(str(row.name), 9600, exclusive=True), stage(row.segment) as it:
        event = it.events.get(timeout=DEADLINE_S)
        assert isinstance(event, SegmentChanged)
        assert "is used by another segment of this controller: give each segment" in told(event.sentence)
        assert it.link.snapshot().link == "busy"
    with stage(row.segment) as it:
        wait_until(lambda: it.puppet.reopenings, "the port was opened")


def test_an_adapter_that_returns_is_found_within_two_seconds(row: Adapter) -> None:
    """B13."""
    with stage(row.segment) as it:
        wait_until(lambda: it.puppet.reopenings, "the port was opened")
        row.say(b"health;")
        wait_until(lambda: it.link.snapshot().link == "open", "the segment is open")
        row.vanish()
        event = it.events.get(timeout=DEADLINE_S)
        assert isinstance(event, SegmentChanged)
        assert "has gone" in told(event.sentence)
        assert it.link.snapshot().link == "closed"
        assert [node.state for node in it.link.snapshot().nodes] == ["lost"]
        assert it.link._backoff.due_us - time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000 <= 1_000_000
        row.plug()
        it.puppet.poll = b"poll;"
        hear(row, b"poll;")
        row.say(b"health;")
        wait_until(lambda: it.link.snapshot().link == "open", "the segment is open again")
        assert it.link.snapshot().reopened == 1
        assert [node.state for node in it.link.snapshot().nodes] == ["good"]


def test_unplugged_again_and_again_it_leaves_no_descriptor_and_no_thread(row: Adapter) -> None:
    """B13."""
    with stage(row.segment, first_us=500, longest_us=500) as it:
        wait_until(lambda: it.puppet.reopenings, "the port was opened")
        row.say(b"health;")
        wait_until(lambda: it.puppet.heard, "the port works")
        files, threads = open_files(), threading.active_count()
        for cycle in range(2, CYCLES + 2):
            row.unplug()
            row.plug()
            wait_until(lambda: it.puppet.reopenings == cycle, "the port was opened again")  # noqa: B023
        it.puppet.heard = b""
        row.say(b"health;")
        wait_until(lambda: it.puppet.heard, "the port works")
        assert (open_files(), threading.active_count()) == (files, threads)
        wait_until(lambda: it.link.snapshot().reopened == CYCLES, "the reopenings are counted")


@pytest.mark.parametrize("is_pulled", [True, False])
def test_an_adapter_that_returns_as_another_device_is_followed_by_its_name(
    row: Adapter, monkeypatch: pytest.MonkeyPatch, is_pulled: bool
) -> None:
    """B14; also where the old device never says that it has gone."""
    monkeypatch.setattr(under_test, "MOVED_US", 1000)
    with stage(row.segment) as it:
        it.puppet.poll = b"poll;"
        hear(row, b"poll;")
        old, before = row.fd, row.name.readlink()
        row.plug()
        assert row.name.readlink() != before
        if is_pulled:
            os.close(old)
        hear(row, b"poll;")
        row.say(b"health;")
        wait_until(lambda: it.puppet.heard == b"health;", "the new device is heard")
        if not is_pulled:
            os.close(old)


def test_a_device_that_takes_nothing_holds_up_nobody_else(row: Adapter) -> None:
    """B15: the newest state is all that waits for it."""
    with stage(row.segment) as it:
        it.puppet.poll, it.puppet.poll_us = bytes(40), 0
        event = it.events.get(timeout=DEADLINE_S)
        assert isinstance(event, SegmentChanged)
        assert "has accepted no data for 0.3 s" in told(event.sentence)
        spent_s = time.thread_time()
        for round_number in range(1, 1001):
            it.link.show(under_test.TableState(as_of_us=0, phase="round", round=round_number))
        assert time.thread_time() - spent_s < 1.0
        assert len(it.link._orders) == 0
        it.puppet.poll = None
        hear(row, b"state 1000;")


def test_events_are_handed_on_in_their_order(row: Adapter) -> None:
    news = [NodeChanged(segment="A", uid=UID, state="good"), ButtonHeard(uid=UID, side="sun")]
    with stage(row.segment) as it:
        it.puppet.to_tell = list(news)
        assert [it.events.get(timeout=DEADLINE_S) for _ in news] == news


def test_nothing_is_told_after_the_end(row: Adapter) -> None:
    with stage(row.segment) as it:
        wait_until(lambda: it.puppet.reopenings, "the port was opened")
        it.link.stop()
        it.puppet.to_tell = [ButtonHeard(uid=UID, side="sun")]
    assert it.events.empty()
    it.link.show(STATE)
    it.link.stop()


def test_a_running_thread_gives_signs_of_life(row: Adapter) -> None:
    with stage(row.segment) as it:
        first_ns = it.link.beat_ns()
        wait_until(lambda: it.link.beat_ns() > first_ns, "a sign of life")
        row.vanish()
        wait_until(lambda: not it.events.empty(), "the port has gone")
        first_ns = it.link.beat_ns()
        wait_until(lambda: it.link.beat_ns() > first_ns, "a sign of life without a port")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_master_that_speaks_while_it_speaks_is_a_defect(
    row: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stage(row.segment) as it:
        monkeypatch.setattr(it.puppet, "next", lambda _: Send(b"poll;", expects_answer=True))
        wait_until(lambda: not it.link.is_alive(), "the thread ended")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_defect_ends_the_thread_and_releases_its_port(row: Adapter) -> None:
    before = open_files()
    with stage(row.segment) as it:
        wait_until(lambda: it.puppet.reopenings, "the port was opened")
        it.puppet.defect = ZeroDivisionError("a defect")
        wait_until(lambda: not it.link.is_alive(), "the thread ended")
        assert open_files() == before
        last_ns = it.link.beat_ns()
        it.link.show(STATE)
        assert it.link.beat_ns() == last_ns


def test_a_port_that_fails_at_once_each_time_is_tried_ever_more_slowly(
    row: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []

    def open_broken(_name: str, *, baud: int) -> Any:
        opened.append(baud)
        return Broken()

    class Broken(SlowPort):
        def is_sending(self) -> bool:
            raise PortLost(as_told("The serial port has gone."))

    monkeypatch.setattr(under_test, "open_port", open_broken)
    before = open_files()
    with stage(SegmentPort("A", str(row.name)), first_us=10_000, longest_us=3_600_000_000) as it:
        wait_until(
            lambda: len(opened) >= 4 and it.link._backoff._next_us == 10_000 * 2 ** len(opened),
            "each time that failed doubled the next wait",
        )
    assert open_files() == before
