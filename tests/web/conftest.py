"""Coroutine tests run in a loop of their own, with a deadline that only a hang reaches, and with a `hall` if they ask
for one; beside a fixture `codes` it takes these seat codes."""

import asyncio
import contextlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_controller.roster.seat_codes import SeatCodes
from tests import file_calls
from tests.patience import DEADLINE_S
from tests.web.hall import served


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "served(**options): how the test's `hall` is served")


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    """Its folder; the test itself is given the hall, which is served in the test's loop."""
    return tmp_path


@pytest.fixture(autouse=True)
def no_file_on_the_loop() -> Iterator[None]:
    """The pages' loop waits for no disk, whatever is asked of it."""
    file_calls.watch()
    file_calls.offences.clear()
    yield
    assert file_calls.offences == []


@pytest.fixture(autouse=True)
def worker_has_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands behind all others of the machine, and those may never be done."""
    monkeypatch.setattr("pi_controller.web.api.games.LEAST_PRIORITY", "0")
    monkeypatch.setattr("pi_controller.web.api.games.PATIENCE_S", DEADLINE_S)


@pytest.fixture
def codes(tmp_path: Path) -> SeatCodes:
    codes = SeatCodes(tmp_path)
    codes.prepare()
    return codes


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    marker = pyfuncitem.get_closest_marker("served")
    asyncio.run(_in_time(pyfuncitem.obj, arguments, {} if marker is None else marker.kwargs))
    return True


async def _in_time(test: Any, arguments: dict[str, Any], options: dict[str, Any]) -> None:
    async with asyncio.timeout(DEADLINE_S), contextlib.AsyncExitStack() as open_halls:
        if "codes" in arguments:
            options = options | {"seat_codes": True}
        if "hall" in arguments:
            arguments["hall"] = await open_halls.enter_async_context(served(arguments["hall"], **options))
        await test(**arguments)
