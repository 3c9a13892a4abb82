"""The pause button's real path: contacts on mock pins under the real driver, in a real core."""

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.button import ButtonWatch
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.main import precise_loop
from pi_controller.core.wiring import devices as wiring
from pi_controller.core.wiring.service import Service
from pi_controller.game.commands import Command, Start
from pi_controller.hal.gpio import SimulatedPins
from pi_controller.hal.roles import Clock
from pi_controller.hal.sim.panel import SimPanel, SimulatedPanelView
from pi_controller.hal.system.kernel import Notices, SystemClock
from pi_controller.journal.store import Store
from pi_controller.protocol.options import CoreOptions
from pi_controller.sentence import as_told
from pi_controller.settings.load import load
from pi_controller.settings.overlay import LayeredSettings
from tests.patience import DEADLINE_S
from tests.slow_clock import HeldClock
from tests.system.programs import AT_ONCE, Picture

SPIKES = 1000
SPIKE_NS = 3_000_000
"""Below the 4 ms for which a press must be stable."""


class Core:
    """A core in this process, on a loop like its own, whose panel a test touches."""

    def __init__(self, service: Service, panel: SimPanel, clock: SystemClock) -> None:
        self.service, self.panel, self.clock = service, panel, clock
        self._changed = asyncio.Event()
        self.loop.showing.show_to(as_told("this test"), lambda _picture: self._changed.set())

    @property
    def loop(self) -> GameLoop:
        return self.service.loop

    async def play(self, command: Command) -> None:
        """Play runs afterwards."""
        decision = self.loop.decide(command, at_ns=self.clock.boot_ns(), source="director")
        assert decision.reasons == ()
        self.loop.commit(decision.events)
        await self.until(lambda picture: picture.running)

    async def until(self, wanted: Callable[[Picture], bool]) -> Picture:
        """The first picture that is like this."""
        async with asyncio.timeout(DEADLINE_S):
            while not wanted(picture := self.loop.picture()):
                self._changed.clear()
                await self._changed.wait()
        return picture


@asynccontextmanager
async def core_at(
    state: Path,
    patch: pytest.MonkeyPatch,
    *,
    contacts: str = "nc_no",
    notices: Notices | None = None,
    more: str = "",
    seen: list[SimulatedPanelView] | None = None,
    clock: SystemClock | None = None,
) -> AsyncIterator[Core]:
    """With `more` settings; `seen` takes every look of the panel."""
    panels: list[SimPanel] = []

    def panel(*arguments: Any, changed: Callable[[], None], **options: Any) -> SimPanel:
        def look() -> None:
            changed()
            if seen is not None and panels:
                seen.append(panels[0].view())

        made = SimPanel(*arguments, changed=look, **options)
        panels.append(made)
        return made

    patch.setattr(wiring, "SimPanel", panel)
    store, settings = Store(state), state / "settings.toml"
    store.prepare()
    settings.write_text(f'{AT_ONCE}[pause_button]\ncontacts = "{contacts}"\n{more}')
    options = CoreOptions(state_dir=state, hardware="sim")
    clock = clock or SystemClock()
    patch.setattr(SimulatedPins, "ticks", lambda _: clock.boot_ns() / 1e9)
    with store.lock():
        told = notices or Notices(None, None)
        layers = LayeredSettings(read := load(settings, "sim"), read)
        service = Service(options, layers, store=store, clock=clock, notices=told)
        try:
            await service.start()
            yield Core(service, panels[0], clock)
        finally:
            await service.stop()
            gc.unfreeze()


def on_its_loop(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    with asyncio.Runner(loop_factory=precise_loop) as runner:
        runner.run(work())


def test_ten_kilohertz_of_bounce_are_one_press(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with core_at(tmp_path / "s", monkeypatch) as core:
            await core.play(Start())
            began_ns = core.clock.boot_ns()
            await asyncio.to_thread(core.panel.bounce().result, DEADLINE_S)
            picture = await core.until(lambda picture: picture.paused)
            assert picture.pause_reasons == ["button"]
            (claim,) = picture.claims
            assert claim.board is None
            assert core.loop.game.state.claims[0].at_ns >= began_ns, "the time of the first edge"

    on_its_loop(work)


def test_spikes_are_no_press_and_the_next_press_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    polled = threading.Semaphore(0)
    poll = ButtonWatch.poll

    def counted(watch: ButtonWatch) -> None:
        poll(watch)
        polled.release()

    def quiet() -> None:
        """The levels have been read so often since that this is no bouncing any more."""
        while polled.acquire(blocking=False):
            pass
        assert all(polled.acquire(timeout=DEADLINE_S) for _ in range(4))

    async def work() -> None:
        clock = HeldClock()
        async with core_at(tmp_path / "s", monkeypatch, contacts="no", clock=clock) as core:
            await core.play(Start())
            with clock.held():
                assert await asyncio.to_thread(spikes, core.panel, clock) <= SPIKE_NS
            await asyncio.to_thread(quiet)
            assert core.loop.picture().running, "a spike was taken for a press"
            ended_ns = clock.boot_ns()
            core.panel.press()
            picture = await core.until(lambda picture: picture.paused)
            assert len(picture.claims) == 1
            assert core.loop.game.state.claims[0].at_ns >= ended_ns

    monkeypatch.setattr(ButtonWatch, "poll", counted)
    on_its_loop(work)


def spikes(panel: SimPanel, clock: Clock) -> int:
    """Closes and opens the contact again and again; how long the longest spike took."""
    longest_ns = 0
    for _ in range(SPIKES):
        began_ns = clock.boot_ns()
        panel.press()
        panel.release()
        longest_ns = max(longest_ns, clock.boot_ns() - began_ns)
    return longest_ns
