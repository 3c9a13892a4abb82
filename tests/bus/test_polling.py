import itertools

import pytest

from pi_controller.bus.messages import Info
from pi_controller.bus.register import LOST_US, PERIOD_US, SLOW_PERIOD_US, SUSPECT_US, Polling
from pi_controller.bus.snapshot import Node


def node(number: int) -> Node:
    uid = f"{number:016x}"
    return Node(uid=uid, address=number, info=Info(uid=uid, hardware=1, firmware=(1, 0)))


def asked(polling: Polling, now: int) -> int:
    chosen = polling.next(now)
    assert chosen is not None
    return chosen.address


def with_nodes(count: int, *, baud: int = 250_000) -> tuple[Polling, list[Node]]:
    polling = Polling(baud)
    nodes = [node(number) for number in range(1, count + 1)]
    for one in nodes:
        polling.add(one)
    return polling, nodes


def test_all_are_asked_in_turn_at_an_even_pace() -> None:
    polling, _ = with_nodes(3)
    now = 1_000_000
    order = []
    for _ in range(6):
        order.append(asked(polling, now))
        assert polling.next(now) is None
        ready = polling.ready_at()
        assert ready == now + PERIOD_US
        now = ready
    assert order == [1, 2, 3, 1, 2, 3]


def test_a_slot_that_came_late_does_not_make_the_next_come_early() -> None:
    polling, _ = with_nodes(2)
    asked(polling, 1_000_000)
    late = 1_000_000 + 5 * PERIOD_US
    asked(polling, late)
    assert polling.ready_at() == late + PERIOD_US


@pytest.mark.parametrize("late_us", [0, 1, 900, SLOW_PERIOD_US - 1])
def test_at_the_fallback_rate_all_segments_poll_on_one_beat_whenever_each_began(late_us: int) -> None:
    """So that all lines are free at the same moments: a pause waits for the last of them."""
    polling, _ = with_nodes(2, baud=115_200)
    beat = 80 * SLOW_PERIOD_US
    asked(polling, beat + late_us)
    assert polling.ready_at() == beat + SLOW_PERIOD_US
    assert polling.next(beat + SLOW_PERIOD_US - 1) is None
    asked(polling, beat + SLOW_PERIOD_US + late_us)
    assert polling.ready_at() == beat + 2 * SLOW_PERIOD_US


def test_beats_that_were_missed_are_not_made_up_for() -> None:
    polling, _ = with_nodes(2, baud=115_200)
    asked(polling, 80 * SLOW_PERIOD_US)
    asked(polling, 85 * SLOW_PERIOD_US + 700)
    assert polling.ready_at() == 86 * SLOW_PERIOD_US


def test_who_has_to_be_told_something_comes_between_two_slots() -> None:
    polling, nodes = with_nodes(3)
    asked(polling, 1_000_000)
    polling.hurry(nodes[2])
    polling.hurry(nodes[2])
    assert polling.hurried
    assert polling.ready_at() == 0
    assert asked(polling, 1_000_100) == 3
    assert polling.next(1_000_100) is None


def test_nobody_is_hurried_who_is_not_asked_at_all() -> None:
    polling, _ = with_nodes(1)
    polling.hurry(node(9))
    assert not polling.hurried


def test_a_missing_answer_is_asked_for_once_more_then_it_is_a_miss() -> None:
    polling, nodes = with_nodes(2)
    assert asked(polling, 1_000_000) == 1
    assert polling.unanswered(nodes[0], 1_012_000) is None
    assert nodes[0].misses == 0
    assert asked(polling, 1_020_000) == 1
    polling.unanswered(nodes[0], 1_032_000)
    assert nodes[0].misses == 1
    assert asked(polling, 1_040_000) == 2


def live(polling: Polling, until: int, *silent: Node) -> list[tuple[int, int, str]]:
    """All slots up to then: when, whose, and the new state; all but the silent ones answer."""
    asked_nodes = []
    now = 0
    while (ready := polling.ready_at()) is not None and (now := max(now, ready)) <= until:
        chosen = polling.next(now)
        assert chosen is not None
        silence = any(chosen is one for one in silent)
        state = polling.unanswered(chosen, now) if silence else polling.answered(chosen)
        asked_nodes.append((now, chosen.address, state or ""))
    return asked_nodes


def test_a_silent_node_is_suspected_then_lost_and_asked_less_and_less() -> None:
    polling, nodes = with_nodes(2)
    moments = [(now, state) for now, address, state in live(polling, 20_000_000, nodes[0]) if address == 1]
    suspect = next(at for at, (_, state) in enumerate(moments) if state == "suspect")
    lost = next(at for at, (_, state) in enumerate(moments) if state == "lost")
    assert suspect == 3 * 2 - 1
    assert lost == suspect + 7
    gaps = [later - now for (now, _), (later, _) in itertools.pairwise(moments)]
    assert all(SUSPECT_US <= gap < SUSPECT_US + 2 * PERIOD_US for gap in gaps[suspect:lost])
    assert all(LOST_US <= gap < LOST_US + 2 * PERIOD_US for gap in gaps[lost:])


def test_a_lost_node_is_good_at_its_first_answer() -> None:
    polling, nodes = with_nodes(1)
    assert [state for _, _, state in live(polling, 20_000_000, nodes[0]) if state] == ["suspect", "lost"]
    assert polling.answered(nodes[0]) == "good"
    assert polling.answered(nodes[0]) is None


def test_silent_nodes_that_are_due_together_leave_every_second_slot_to_the_living() -> None:
    polling, nodes = with_nodes(20)
    live(polling, 10_000_000, *nodes[1:])
    now, order = 20_000_000, []  # for so long nobody was asked: all of them are due
    for _ in range(10):
        chosen = polling.next(now)
        assert chosen is not None
        if chosen is nodes[0]:
            polling.answered(chosen)
        else:
            polling.unanswered(chosen, now)
        order.append(chosen is nodes[0])
        now += PERIOD_US
    assert order in ([True, False] * 5, [False, True] * 5)


def test_a_segment_of_silent_nodes_waits_for_the_first_of_them() -> None:
    polling, nodes = with_nodes(2)
    slots = live(polling, 20_000_000, *nodes)
    last = slots[-1][0]
    ready = polling.ready_at()
    assert ready is not None
    assert ready > last
    assert polling.next(last + PERIOD_US) is None or ready <= last + PERIOD_US


def test_a_poll_broken_off_is_no_miss_and_comes_first() -> None:
    polling, nodes = with_nodes(3)
    assert asked(polling, 1_000_000) == 1
    polling.abandoned(nodes[0])
    assert nodes[0].missed == 0
    assert asked(polling, 1_020_000) == 1


def test_nobody_there_nobody_asked() -> None:
    polling = Polling(250_000)
    assert polling.ready_at() is None
    assert polling.next(1_000_000) is None


def test_a_removed_node_is_not_asked_any_more() -> None:
    polling, nodes = with_nodes(2)
    polling.hurry(nodes[0])
    polling.remove(nodes[0])
    assert [asked(polling, at * PERIOD_US) for at in range(1, 3)] == [2, 2]
