from pi_controller.bus.messages import IdentifyMessage, Order
from pi_controller.bus.requests import APART_US, TIMES, PendingOrder, PendingOrders

SHOW = IdentifyMessage(what="name", seconds=5)


def test_what_has_no_answer_is_said_three_times() -> None:
    orders = PendingOrders()
    orders.add(PendingOrder(SHOW, uid="a"))
    now, said = 1_000, 0
    while (ready := orders.ready_at()) is not None:
        now = max(now, ready)
        assert orders.next(now) is not None
        assert orders.next(now) is None
        said += 1
    assert (said, now) == (TIMES, 1_000 + (TIMES - 1) * APART_US)


def test_a_rebooting_node_answers_nothing() -> None:
    assert not PendingOrder(Order(what="reboot"), uid="a").expects_answer
    assert not PendingOrder(SHOW, uid="a").expects_answer


def test_two_on_one_address_are_told_twice_at_once() -> None:
    orders = PendingOrders()
    orders.add(PendingOrder(Order(what="forget"), address=4, left=2))
    first = orders.next(0)
    assert first is not None
    orders.done(first)
    assert orders.next(0) is first
    assert orders.ready_at() is None


def test_a_newer_identify_replaces_the_older_one_of_the_same_node() -> None:
    orders = PendingOrders()
    for uid in ("a", "b", "a"):
        orders.add(PendingOrder(SHOW, uid=uid))
    orders.add(PendingOrder(Order(what="blank"), uid="a"))
    said = [orders.next(0), orders.next(0), orders.next(0), orders.next(0)]
    assert [one.uid if one else None for one in said] == ["b", "a", "a", None]
