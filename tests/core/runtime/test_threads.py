"""Threads beside the loop: bounded in number, and none of them costs the others anything."""

import asyncio
import threading
from functools import partial

import pytest

from pi_controller.core import runtime as threads
from pi_controller.core.runtime import LoopThreads
from tests.patience import DEADLINE_S


class Held:
    """Work that hangs until it is let go."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.loose = threading.Event()

    def act(self) -> None:
        self.begun.release()
        self.loose.wait(DEADLINE_S)


class Beside:
    """Threads beside the running loop, which tell it what they have done."""

    def __init__(self, most: int) -> None:
        self.threads = LoopThreads(asyncio.get_running_loop(), most=most)
        self.told: asyncio.Queue[str] = asyncio.Queue()

    def tell(self, what: str) -> None:
        self.threads.call_on_loop(lambda: self.told.put_nowait(what))


def test_what_a_thread_has_done_is_told_on_the_loop_under_its_name() -> None:
    async def play() -> None:
        beside = Beside(2)
        beside.threads.run_in_thread(lambda: beside.tell(threading.current_thread().name), "looks")
        assert await asyncio.wait_for(beside.told.get(), DEADLINE_S) == "looks"

    asyncio.run(play())


def test_no_more_threads_than_the_most_and_the_rest_in_the_order_of_asking() -> None:
    async def play() -> None:
        beside, held = Beside(3), [Held() for _ in range(3)]
        for one in held:
            beside.threads.run_in_thread(one.act, "hangs")
        for name in "abcdefgh":
            beside.threads.run_in_thread(partial(beside.tell, name), f"tells {name}")
        for one in held:
            assert await asyncio.to_thread(one.begun.acquire, timeout=DEADLINE_S)
        assert [thread.name for thread in threading.enumerate()].count("hangs") == 3
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("tells")]
        assert beside.told.empty()
        held[0].loose.set()
        assert [await asyncio.wait_for(beside.told.get(), DEADLINE_S) for _ in range(8)] == list("abcdefgh")
        for one in held:
            one.loose.set()

    asyncio.run(play())


def test_what_raises_is_told_and_keeps_nothing_else_from_its_turn() -> None:
    told: list[str] = []

    async def play() -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, context: told.append(repr(context["exception"]))
        )
        beside = Beside(1)
        beside.threads.run_in_thread(lambda: 1 / 0, "fails")  # type: ignore[arg-type, return-value]
        beside.threads.run_in_thread(partial(beside.tell, "done"), "works")
        assert await asyncio.wait_for(beside.told.get(), DEADLINE_S) == "done"

    asyncio.run(play())
    assert told == ["ZeroDivisionError('division by zero')"]


def test_where_the_system_gives_no_thread_the_work_waits_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    start, refused = threading.Thread.start, [RuntimeError("can't start new thread")]

    def scarce(thread: threading.Thread) -> None:
        if refused:
            raise refused.pop()
        start(thread)

    async def play() -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, context: told.append(repr(context["exception"]))
        )
        beside = Beside(1)
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", scarce)
            patch.setattr(threads, "AGAIN_S", 0.0)
            beside.threads.run_in_thread(partial(beside.tell, "done"), "works")
            assert await asyncio.wait_for(beside.told.get(), DEADLINE_S) == "done"

    asyncio.run(play())
    assert told == ['RuntimeError("can\'t start new thread")']


def test_after_the_end_of_the_loop_nobody_is_called() -> None:
    events = asyncio.new_event_loop()
    beside = LoopThreads(events)
    events.close()
    beside.call_on_loop(lambda: pytest.fail("nobody is there"))
