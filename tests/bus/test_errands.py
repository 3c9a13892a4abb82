from pi_controller.bus.errands import APART_US, TIMES, Errand, Errands
from pi_controller.bus.messages import Identify, Order

SHOW = Identify(what="name", seconds=5)


def test_what_has_no_answer_is_said_three_times() -> None:
    errands = Errands()
    errands.add(Errand(SHOW, uid="a"))
    now, said = 1_000, 0
    while (ready := errands.ready_at()) is not None:
        now = max(now, ready)
        assert errands.next(now) is not None
        assert errands.next(now) is None
        said += 1
    assert (said, now) == (TIMES, 1_000 + (TIMES - 1) * APART_US)


def test_an_answer_ends_it() -> None:
    errands = Errands()
    errands.add(Errand(Order(what="blank"), uid="a"))
    errand = errands.next(0)
    assert errand is not None
    assert errand.expects_answer
    errands.done(errand)
    assert errands.ready_at() is None
    errands.done(errand)


def test_a_rebooting_node_answers_nothing() -> None:
    assert not Errand(Order(what="reboot"), uid="a").expects_answer
    assert not Errand(SHOW, uid="a").expects_answer


def test_two_on_one_address_are_told_twice_at_once() -> None:
    errands = Errands()
    errands.add(Errand(Order(what="forget"), address=4, left=2))
    first = errands.next(0)
    assert first is not None
    errands.done(first)
    assert errands.next(0) is first
    assert errands.ready_at() is None


def test_a_newer_identify_replaces_the_older_one_of_the_same_node() -> None:
    errands = Errands()
    for uid in ("a", "b", "a"):
        errands.add(Errand(SHOW, uid=uid))
    errands.add(Errand(Order(what="blank"), uid="a"))
    said = [errands.next(0), errands.next(0), errands.next(0), errands.next(0)]
    assert [one.uid if one else None for one in said] == ["b", "a", "a", None]
