import threading

from pi_controller.bus.values import TableState
from pi_controller.core.tables.post import TablePost

DEADLINE_S = 120.0


def state(number: int) -> TableState:
    return TableState(as_of_us=number, phase="round")


def test_the_newest_state_is_delivered_and_what_it_overtook_is_not() -> None:
    delivered: list[int] = []
    entered, go_on, last = threading.Event(), threading.Event(), threading.Event()

    class Bus:
        def show(self, given: TableState) -> None:
            delivered.append(given.as_of_us)
            entered.set()
            assert go_on.wait(DEADLINE_S)
            if given.as_of_us == 9:
                last.set()

    post = TablePost(Bus())
    post.show(state(1))
    assert entered.wait(DEADLINE_S)
    for number in range(2, 10):
        post.show(state(number))
    go_on.set()
    assert last.wait(DEADLINE_S)
    post.close()
    assert delivered == [1, 9]
    assert not post.alive()
    post.close()
