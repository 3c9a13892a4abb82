"""Coroutine tests run in a loop of their own, with a deadline that only a hang reaches."""

import asyncio
import inspect
from collections.abc import Iterator

import pytest

from tests import file_calls
from tests.patience import DEADLINE_S


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


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    asyncio.run(_in_time(pyfuncitem.obj(**arguments)))
    return True


async def _in_time(test: object) -> None:
    async with asyncio.timeout(DEADLINE_S):
        await test  # type: ignore[misc]
