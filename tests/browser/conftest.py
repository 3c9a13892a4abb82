"""One Chromium for all tests in a row that use it, one stage a module; the page of a test must stay without complaint.

Not one for the whole run: playwright keeps a loop running meanwhile, and other tests run loops of their own.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.browser.screen import CHROMIUM, Screen, launch
from tests.browser.stage import Stage
from tests.browser.stage_files import PAGES
from tests.needs import program
from tests.patience import DEADLINE_MS
from tools.bundles import ESBUILD, bundle

expect.set_options(timeout=DEADLINE_MS)


class _Shared:
    """Chromium with playwright: started for the first test that uses it, ended before one that does not."""

    def __init__(self) -> None:
        self._browser: Browser | None = None
        self._ends = ExitStack()

    def browser(self) -> Browser:
        if self._browser is None:
            playwright = self._ends.enter_context(sync_playwright())
            self._browser = launch(playwright, program(CHROMIUM))
            self._ends.callback(self._browser.close)
        return self._browser

    def end(self) -> None:
        self._browser = None
        self._ends.close()


_shared = _Shared()


@pytest.fixture(scope="module")
def chromium() -> Browser:
    return _shared.browser()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Within a module it stays: fixtures of the module may hold it."""
    if nextitem is not None and (nextitem.path == item.path or "chromium" in _fixtures(nextitem)):
        return
    _shared.end()


def _fixtures(item: pytest.Item) -> list[str]:
    return item.fixturenames if isinstance(item, pytest.Function) else []


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bundled anew in each process, from the sources as they are now: it takes less than what another process
    would wait for."""
    if not ESBUILD.exists():
        pytest.skip("esbuild is not there; `make packages` fetches it")
    folder = tmp_path_factory.mktemp("bundled") / "pages"
    shutil.copytree(PAGES, folder)
    bundle(folder)
    return folder


@pytest.fixture(scope="module")
def one_stage(pages: Path) -> Iterator[Stage]:
    stage = Stage(pages)
    yield stage
    stage.close()


@pytest.fixture
def stage(one_stage: Stage) -> Stage:
    one_stage.clear()
    return one_stage


@pytest.fixture
def new_screen(chromium: Browser, stage: Stage) -> Iterator[Callable[..., Screen]]:
    """Makes screens; keyword arguments go to the browser context (viewport, reduced_motion, has_touch …)."""
    opened: list[tuple[BrowserContext, Screen]] = []

    def make(**options: Any) -> Screen:
        context = chromium.new_context(**{"viewport": {"width": 1920, "height": 1080}} | options)
        screen = Screen(context.new_page(), stage)
        opened.append((context, screen))
        return screen

    yield make
    for context, screen in opened:
        context.close()
        assert screen.complaints == []


@pytest.fixture
def screen(new_screen: Callable[..., Screen]) -> Screen:
    return new_screen()
