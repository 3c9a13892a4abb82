"""One Chromium and one stage a module; the page of a test must stay without complaint.

Not one for the whole run: playwright keeps a loop running meanwhile, and other tests run loops of their own.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.browser.screen import CHROMIUM, Screen, launch
from tests.browser.stage import Stage
from tests.needs import program

expect.set_options(timeout=120_000)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright, program(CHROMIUM))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def one_stage() -> Iterator[Stage]:
    stage = Stage()
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
        assert screen.foreign == []


@pytest.fixture
def screen(new_screen: Callable[..., Screen]) -> Screen:
    return new_screen()
