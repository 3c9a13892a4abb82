"""Waking, and when to try again."""

import os
import threading
import time

import pytest

from pi_controller.hal.serial.waiting import Backoff, Waker
from tests.hal.serial.cable import PATIENCE_S


def test_a_wake_before_the_wait_is_not_lost() -> None:
    waker = Waker()
    waker.wake()
    waker.wake()
    began = time.monotonic()
    assert not waker.wait(None, 20.0)
    assert time.monotonic() - began < 20.0
    waker.close()


def test_a_wait_ends_when_somebody_wakes_and_when_the_port_can_be_read() -> None:
    waker = Waker()
    port, cable = os.pipe()
    woken = threading.Timer(0.01, waker.wake)
    woken.start()
    assert not waker.wait(port, PATIENCE_S)
    woken.join()
    os.write(cable, b"x")
    assert waker.wait(port, PATIENCE_S)
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
