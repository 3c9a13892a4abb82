"""The stages of a measurement at twice the rate, answer by answer; with real firmware: test_jobs_firmware."""

from collections.abc import Callable

import pytest

from pi_controller.bus.jobs import MarginTask, Pinging
from pi_controller.bus.messages import HealthMessage, Info, Order, Ping, Pong, Prbs
from pi_controller.bus.requests import Reply, Request
from pi_controller.bus.snapshot import Node
from tests.told import told

HEALTH = HealthMessage(epoch=1, state_seq=1)
SECOND = 1_000_000


class Margin:
    """A task with so many nodes; `now` moves by 5 ms with each answer."""

    def __init__(self, nodes: int = 2, *, frames: int = 4) -> None:
        data = Prbs(1)
        self.nodes = [_node(number) for number in range(1, nodes + 1)]
        self.task = MarginTask(
            self.nodes, frames=frames, make=lambda count: Pinging(self.nodes, frames=count, data=data)
        )
        self.now = 10 * SECOND
        self.orders: list[int] = []

    def go(self, until: Callable[[], bool], *, deaf: int | None = None) -> None:
        """Everything is answered, but by the node with this address nothing."""
        for _ in range(10_000):
            self.task.turn(self.now)
            if until() or self.task.over:
                return
            request = self.task.next(self.now)
            self.now += 5_000
            if request is not None:
                self.reply(request, silent=request.dst == deaf)
        raise AssertionError("it does not come to that")

    def reply(self, request: Request, *, silent: bool = False) -> None:
        if isinstance(request.message, Order):
            self.orders.append(request.dst)
        if silent:
            self.task.failed(request, garbled=False)
            return
        answer = Pong(data=request.message.data, master_us=1) if isinstance(request.message, Ping) else HEALTH
        self.task.answered(
            request, Reply(message=answer, src=request.dst, sent_us=self.now - 3_000, at_us=self.now)
        )

    def ordering(self) -> "Margin":
        self.go(lambda: self.task.quiet)
        return self

    def measuring(self) -> "Margin":
        self.go(lambda: self.task.tuned)
        return self


def _node(address: int) -> Node:
    uid = f"e6614c311b{address:06x}"
    info = Info(uid=uid, hardware=1, firmware=(1, 2))
    return Node(uid=uid, address=address, info=info, board=f"A{address}" if address > 1 else None)


def test_all_are_asked_told_measured_and_waited_for() -> None:
    margin = Margin(frames=50).ordering()
    assert margin.task.ready_at() == 0
    first = margin.task.next(margin.now)
    assert first is not None
    assert first.message == Order(what="rate", argument=3), "2 s, and 9 ms for each of 100 frames"
    margin.reply(first)
    margin.measuring()
    assert (margin.orders, margin.task.quiet, margin.task.ready_at()) == ([1, 2], False, 0)
    margin.go(lambda: not margin.task.tuned)
    returned = margin.now
    assert (margin.task.quiet, margin.task.over, margin.task.next(margin.now)) == (True, False, None)
    assert margin.task.ready_at() == returned + 1_800_000
    margin.task.turn(returned + 1_799_999)
    assert not margin.task.over
    margin.task.turn(returned + 1_800_000)
    assert (margin.task.over, margin.task.quiet, margin.task.sentence) == (True, False, None)
    assert [(node.sent, node.answered) for node in margin.task.nodes()] == [(50, 50)] * 2


def test_who_does_not_know_ping_is_named_and_nobody_is_told_the_rate() -> None:
    margin = Margin(3)
    margin.go(lambda: margin.task.over, deaf=1)
    assert told(margin.task.sentence) == (
        "these tables do not answer PING: node 0001; bring their firmware up to date first"
    )
    assert (margin.orders, margin.task.tuned) == ([], False)


def test_without_tables_it_is_over_at_once() -> None:
    margin = Margin(0)
    assert (margin.task.over, told(margin.task.sentence)) == (True, "no table answers")


def test_who_does_not_answer_the_order_is_told_three_times() -> None:
    """It may have followed all the same: its PINGs will tell."""
    margin = Margin().ordering()
    margin.go(lambda: margin.task.tuned, deaf=2)
    assert margin.orders == [1, 2, 2, 2]


def test_an_answer_that_is_no_health_is_none() -> None:
    margin = Margin(1).ordering()
    for _ in range(3):
        request = margin.task.next(margin.now)
        assert request is not None
        strange = Pong(data=bytes(24), master_us=1)
        margin.task.answered(request, Reply(message=strange, src=1, sent_us=margin.now, at_us=margin.now))
    assert margin.task.next(margin.now) is None
    margin.task.turn(margin.now)
    assert margin.task.tuned


def test_an_order_that_was_broken_off_is_said_again_first() -> None:
    margin = Margin().ordering()
    first = margin.task.next(margin.now)
    assert first is not None
    assert margin.task.ready_at() == 0
    margin.task.withdrawn(first)
    again = margin.task.next(margin.now)
    assert again is not None
    assert again.dst == first.dst
    second = margin.task.next(margin.now)
    assert second is not None
    assert margin.task.ready_at() is None, "both are out"
    margin.task.turn(margin.now)
    assert not margin.task.tuned, "their answers have not come"


@pytest.mark.parametrize("stage", ["asking", "measuring"])
def test_a_ping_that_was_broken_off_counts_as_not_said(stage: str) -> None:
    margin = Margin(1, frames=3)
    if stage == "measuring":
        margin.measuring()
    request = margin.task.next(margin.now)
    assert request is not None
    margin.task.withdrawn(request)
    assert margin.task.nodes()[0].sent == 0


def test_a_damaged_answer_at_the_other_rate_is_counted() -> None:
    margin = Margin(1, frames=3).measuring()
    request = margin.task.next(margin.now)
    assert request is not None
    margin.task.failed(request, garbled=True)
    assert (margin.task.nodes()[0].sent, margin.task.nodes()[0].bad) == (1, 1)


def test_when_the_nodes_return_before_all_frames_are_said_it_says_so() -> None:
    margin = Margin(1, frames=100).measuring()
    for _ in range(2):
        request = margin.task.next(margin.now)
        assert request is not None
        margin.reply(request)
    margin.now += 4 * SECOND
    margin.go(lambda: margin.task.over)
    assert told(margin.task.sentence) == "the time at the other rate ran out before all frames were sent"
    assert margin.task.nodes()[0].answered == 2


@pytest.mark.parametrize(
    ("stage", "takes_time"), [("asking", False), ("ordering", True), ("measuring", True)]
)
def test_another_job_waits_until_the_usual_rate_is_back(stage: str, takes_time: bool) -> None:
    margin = Margin()
    if stage != "asking":
        getattr(margin, stage)()
    assert margin.task.abandon(margin.now) is takes_time
    assert not margin.task.tuned
    if takes_time:
        margin.now += 1_800_000
        margin.task.turn(margin.now)
        assert (margin.task.over, margin.task.sentence) == (True, None)
