"""Work that may take its time, on threads of its own, each with a deadline."""

from collections.abc import Callable
from typing import TypeVar

from pi_controller.core.display import beside
from pi_controller.core.timers import Timers
from pi_controller.hal.errors import HardwareError
from pi_controller.journal.errors import JournalError


class CannotDo(Exception):  # noqa: N818 - says what is the matter
    """What was asked for cannot be done; one whole sentence."""


ResultT = TypeVar("ResultT")
HandOver = Callable[[Callable[[], None]], object]


class Work:
    """Called on the loop only. What hangs is left behind and told; no second one is begun meanwhile."""

    def __init__(
        self,
        *,
        timers: Timers,
        hand_over: HandOver,
        aside: Callable[[Callable[[], None], str], None] = beside,
    ) -> None:
        self._timers = timers
        self._hand_over = hand_over
        self._aside = aside
        self._running: set[str] = set()

    def do(
        self,
        name: str,
        act: Callable[[], ResultT],
        *,
        limit_s: float,
        done: Callable[[ResultT], None],
        failed: Callable[[str], None],
    ) -> None:
        """`act` is called on a thread; then `done` or, with a sentence, `failed`, on the loop. `name` is such
        as "test of the disk"; after `limit_s` it has failed."""
        if name in self._running:
            failed(f"The {name} before still goes on: wait for its end.")
            return
        self._running.add(name)
        late = f"The {name} gave no answer within {limit_s:g} s: what it asks hangs."
        alarm = self._timers.call_at(
            self._timers.boot_ns() + round(limit_s * 1e9), lambda: settle(lambda: failed(late))
        )
        open_ = True

        def settle(tell: Callable[[], None]) -> None:
            nonlocal open_
            if open_:
                open_ = False
                alarm.cancel()
                tell()

        def back(tell: Callable[[], None]) -> None:
            self._running.discard(name)
            settle(tell)

        def work() -> None:
            try:
                value = act()
            except (CannotDo, HardwareError, JournalError) as error:
                sentence = str(error)
                self._hand_over(lambda: back(lambda: failed(sentence)))
            except OSError as error:
                broken = (
                    f"The {name} failed ({error.strerror or error}): check the memory card and its space."
                )
                self._hand_over(lambda: back(lambda: failed(broken)))
            else:
                self._hand_over(lambda: back(lambda: done(value)))

        self._aside(work, name)
