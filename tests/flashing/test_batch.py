from collections.abc import Callable
from itertools import islice

from pi_controller.flashing.batch import Done, one_after_the_other
from pi_controller.flashing.errors import PicoLost
from pi_controller.flashing.ports import Port


def port(serial: str) -> Port:
    return Port(device=f"/dev/{serial}", serial=serial)


class Bench:
    """What is plugged in at each look; the last look lasts."""

    def __init__(self, *looks: str) -> None:
        self.looks = list(looks)
        self.waits = 0

    def ports(self) -> tuple[Port, ...]:
        return tuple(map(port, self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]))

    def wait(self) -> None:
        self.waits += 1
        assert self.waits < 100, "nothing more comes"


def serve(bench: Bench, count: int, install: Callable[[str], str] = "installed {}".format) -> list[Done]:
    return list(islice(one_after_the_other(bench.ports, install, bench.wait), count))


def names(done: list[Done]) -> list[str]:
    return [one.port.serial for one in done]


def test_each_pico_has_its_turn_once() -> None:
    assert names(serve(Bench("", "a", "a", "a", "", "b", "b"), 2)) == ["a", "b"]


def test_several_at_once_are_served_in_order() -> None:
    assert names(serve(Bench("ba"), 2)) == ["b", "a"]


def test_a_port_is_used_only_when_it_has_been_there_for_a_look() -> None:
    """The system gives its access rights a moment later."""
    bench = Bench("", "a")
    serve(bench, 1)
    assert bench.waits == 2


def test_a_restart_is_no_unplugging() -> None:
    gone = [""] * 5  # the caller looks every half second
    assert names(serve(Bench("a", "a", *gone, "a", "a", "a", "b", "b"), 2)) == ["a", "b"]


def test_one_that_was_unplugged_has_its_turn_again() -> None:
    gone = [""] * 6
    assert names(serve(Bench("a", "a", *gone, "a", "a"), 2)) == ["a", "a"]


def test_trouble_with_one_does_not_stop_the_next() -> None:
    def install(device: str) -> str:
        if device == "/dev/a":
            raise PicoLost("gone")
        return "done"

    first, second = serve(Bench("ab"), 2, install)
    assert (first.sentence, str(first.trouble)) == ("gone", "gone")
    assert (second.sentence, second.trouble) == ("done", None)
