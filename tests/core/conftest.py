"""Halls on a hand-moved clock: what a test leaves under way ends with it."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.core.disk import DiskHall
from tests.core.hand import EVENTS, settle


@pytest.fixture(autouse=True)
def _nothing_stays_under_way() -> Iterator[None]:
    yield
    for task in asyncio.all_tasks(EVENTS):
        task.cancel()
    settle()


@pytest.fixture(autouse=True)
def _every_journal_is_closed() -> Iterator[None]:
    yield
    while DiskHall.opened:
        DiskHall.opened.pop().crash()
