"""Starting, dying and ending of the real processes, and what the service manager is told of it."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from pi_controller import __version__
from pi_controller.core.monitoring import SIMULATED, STUCK
from pi_controller.game.commands import Start
from pi_controller.hal.sim.panel import SimulatedPanelView
from pi_controller.hal.system.kernel import Notices
from pi_controller.language.words import words
from pi_controller.protocol.client import Client
from pi_controller.protocol.messages import AskSim
from pi_controller.protocol.paths import socket_path
from pi_controller.software import own
from pi_controller.web.http.connections import last_served
from tests.matrix import further
from tests.system.audience import Audience, Picture
from tests.system.broker import free_port
from tests.system.programs import (
    DEADLINE_S,
    ONE_ROUND,
    Program,
    children_of,
    cli,
    client_of,
    kill_child,
    lives,
    program,
    simulated,
    told,
    wait_for_picture,
    wait_until,
    well,
)
from tests.system.test_button import core_at, on_its_loop

SILENCE_S = 2.5
"""A watchdog notice comes twice a second: this is five missing ones."""


@pytest.fixture
def options(tmp_path: Path) -> list[str | Path]:
    return simulated(tmp_path)


class Manager:
    """In the place of systemd: a socket for notices."""

    def __init__(self, folder: Path) -> None:
        self.address = str(folder / "notify")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.address)
        self._socket.settimeout(DEADLINE_S)

    def next(self) -> str:
        return self._socket.recv(4096).decode()

    def until(self, notice: str) -> None:
        while self.next() != notice:
            pass

    def is_silent(self) -> bool:
        """Nothing comes; what had come before does not count."""
        self._socket.settimeout(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                self._socket.recv(4096)
        self._socket.settimeout(SILENCE_S)
        try:
            self._socket.recv(4096)
        except TimeoutError:
            return True
        finally:
            self._socket.settimeout(DEADLINE_S)
        return False

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    made = Manager(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("number", [*further(signal.SIGINT), signal.SIGTERM])
def test_run_starts_again_what_dies_and_ends_cleanly(
    tmp_path: Path, options: list[str | Path], number: signal.Signals
) -> None:
    """The game goes on without web; it comes back paused after core, which web outlives with its feeds."""
    client = Client(socket_path(tmp_path / "s"))
    with program("run", *options, f"--port={free_port()}") as running:
        address = running.said.wait_for("hall http").split()[1].rstrip("/")
        running.complained.wait_for("link works once, within 12 hours")
        served = last_served(tmp_path / "s" / "web")
        assert served is not None
        assert served.hall.printed() == address
        assert client_of(tmp_path / "s").command("start").accepted
        before = wait_for_picture(client, lambda picture: picture.running)
        one_software(running, address, f"--state-dir={tmp_path / 's'}")

        core, web = running.child("core"), running.child("web")
        os.kill(web, signal.SIGKILL)
        running.complained.wait_for("web was ended by SIGKILL; it will be restarted")
        assert wait_until(lambda: running.said.count("director http") == 2)
        assert running.child("web") != web
        after = client.picture()
        assert (after.session, after.running) == (before.session, True)

        web = running.child("web")
        after = asyncio.run(watch_the_fall(running, address))
        running.complained.wait_for("core was ended by SIGKILL; it will be restarted")
        assert after.pause_reasons == ["recovery"]
        for name in ("game_id", "round", "side", "dice", "commitment"):
            assert getattr(after, name) == getattr(before, name), name
        assert running.child("core") != core
        assert running.child("web") == web

        children = children_of(running.pid)
        assert len(children) == 2
        assert running.end(number) == 0, "1 would say that a child had to be killed after 5 s"
        assert not any(lives(child) for child in children)
    assert not socket_path(tmp_path / "s").exists()


def one_software(running: Program, address: str, state_dir: str) -> None:
    """Core, pages and command line of one installation tell the same."""
    version = cli("--version").stdout.split()
    assert version == ["pi-controller", __version__, own().source]

    def of_core() -> Any:
        return json.loads(cli("status", "--json", state_dir).stdout)["software"]

    def of_the_pages() -> Any:
        with urllib.request.urlopen(f"{address}/api/session") as answer:  # noqa: S310
            return json.load(answer)["software"]

    for asked in (of_core, of_the_pages):
        wait_until(lambda asked=asked: asked()["source"])
        assert asked() == {"version": version[1], "source": version[2]}
    assert version[2] in cli("status", state_dir).stdout.splitlines()[-1]


async def watch_the_fall(running: Program, address: str) -> Picture:
    """The first picture of the new core, over the same open socket as the last of the old one."""
    async with Audience(f"{address}/api/feed", usual_times=False) as audience:
        # Core pauses play itself where a busy machine has let it stand still.
        before = await audience.until(lambda seen: seen.running or seen.pause_reasons == ["recovery"])
        await asyncio.to_thread(kill_child, running, "core")
        after = await audience.until(lambda picture: picture.session != before.session)
        async with aiohttp.ClientSession() as session, session.get(f"{address}/api/state") as answer:
            assert (await answer.json())["session"] == after.session
        assert audience.connections == 1
    return after


@pytest.mark.parametrize("speed", [*further(1), 30])
def test_a_core_that_was_stopped_feeds_no_watchdog_and_comes_back_paused_where_the_hall_saw_it(
    tmp_path: Path, manager: Manager, speed: int
) -> None:
    """For two seconds and a half, or at speed 30 more than a minute of the game."""
    options = simulated(tmp_path, ONE_ROUND.replace("3600", "600"))
    with program(
        "core", *options, f"--speed={speed}", environment={"NOTIFY_SOCKET": manager.address}
    ) as core:
        manager.until("WATCHDOG=1")
        client = client_of(tmp_path / "s", core)
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.running)
        os.kill(core.pid, signal.SIGSTOP)
        wait_until(lambda: Path(f"/proc/{core.pid}/stat").read_text().rpartition(") ")[2][0] == "T")
        assert manager.is_silent()
        os.kill(core.pid, signal.SIGCONT)
        manager.until("WATCHDOG=1")
        seen = wait_for_picture(client, lambda picture: picture.paused)
        assert (seen.round, seen.pause_reasons) == (1, ["recovery"])
        assert seen.remaining_ms > 0
        assert "health.stood_still_paused" in [item.key for item in seen.health.items]
        assert client.command("resume").accepted
        assert wait_for_picture(client, lambda picture: picture.running).round == 1
        assert core.end() == 0


def test_the_watchdog_is_fed_by_the_loop_alone(
    tmp_path: Path, manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All threads go on, but the loop that owns the clock stands still."""
    stand, standing = threading.Event(), threading.Event()

    def hold() -> None:
        standing.set()
        assert stand.wait(DEADLINE_S)

    async def work() -> None:
        notices = Notices(manager.address, None)
        async with core_at(
            tmp_path / "s", monkeypatch, notices=notices, more="[core]\nlost_part_seconds = 60\n"
        ):
            await asyncio.to_thread(manager.until, "WATCHDOG=1")
            asyncio.get_running_loop().call_later(0, hold)
            watching = asyncio.to_thread(is_silent_while_it_stands)
            assert await watching
            await asyncio.to_thread(manager.until, "WATCHDOG=1")

    def is_silent_while_it_stands() -> bool:
        assert standing.wait(DEADLINE_S)
        try:
            return manager.is_silent()
        finally:
            stand.set()

    on_its_loop(work)


def test_outputs_are_low_after_a_clean_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[SimulatedPanelView] = []

    async def work() -> None:
        async with core_at(tmp_path / "s", monkeypatch, seen=seen) as core:
            await core.play(Start())
            await core.until(lambda _: core.panel.view().sun)

    on_its_loop(work)
    assert any(view.sun and view.pause_lamp for view in seen)
    last = seen[-1]
    assert (last.sun, last.moon, last.pause_lamp, last.buzzer) == (False, False, False, False)


def test_a_simulated_shutdown_button_never_switches_the_computer_off(tmp_path: Path) -> None:
    """Also where core runs as the service, with the folder in which a file switches the computer off."""
    run_time, state = tmp_path / "run", tmp_path / "s"
    run_time.mkdir()
    arguments = simulated(tmp_path, "[shutdown_button]\nhold_seconds = 1\n")
    with program("core", *arguments, environment={"RUNTIME_DIRECTORY": str(run_time)}) as core:
        client = client_of(state, core)

        def said() -> list[str]:
            return told(client.picture())

        client.ask(AskSim(do="shutdown_press"))
        wait_until(lambda: said() in ([words(SIMULATED)], [words(STUCK)]))
        if said() == [words(STUCK)]:  # pressed before the button was seen at rest
            client.ask(AskSim(do="shutdown_release"))
            wait_for_picture(client, well)
            client.ask(AskSim(do="shutdown_press"))
            wait_until(lambda: said() == [words(SIMULATED)])
        assert core.end() == 0
    assert list(run_time.iterdir()) == []
    assert any(words(SIMULATED) in file.read_text() for file in (state / "games").rglob("*.jsonl"))


def test_the_rule_set_of_a_game_that_has_begun_stays(tmp_path: Path) -> None:
    at = ["core", "--hardware", "sim", "--state-dir", tmp_path / "s", "--rule-set", "classic"]
    with program(*at, "--players", "5") as core:
        client = client_of(tmp_path / "s", core)
        assert client.command("start").accepted
        founding = wait_for_picture(client, lambda picture: picture.phase == "founding")
    with program(*at, "--players", "3") as core:
        found = client_of(tmp_path / "s", core).picture()
        assert (found.game_id, found.phase, len(found.seats)) == (founding.game_id, "founding", 5)
