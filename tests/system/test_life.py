"""Starting, dying and ending of the real processes, and what the service manager is told of it."""

import asyncio
import contextlib
import os
import select
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.core.monitoring import SIMULATED, STUCK
from pi_controller.game.commands import Start
from pi_controller.hal.sim.panel import SimulatedPanelView
from pi_controller.hal.system.kernel import Notices
from pi_controller.language.words import words
from pi_controller.protocol.client import Client
from pi_controller.protocol.messages import AskSim
from pi_controller.protocol.paths import socket_path
from pi_controller.web.http.connections import last_served
from tests.matrix import further
from tests.system.programs import (
    DEADLINE_S,
    ONE_ROUND,
    children_of,
    client_of,
    lives,
    program,
    simulated,
    wait_for_picture,
    wait_until,
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

    def has_nothing(self) -> bool:
        """Nothing has come."""
        return not select.select([self._socket], [], [], 0)[0]

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    made = Manager(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("number", [*further(signal.SIGINT), signal.SIGTERM])
def test_run_ends_cleanly_and_leaves_no_child(
    tmp_path: Path, options: list[str | Path], number: signal.Signals
) -> None:
    with program("run", *options, "--port", "0") as running:
        running.said.wait_for("director http")
        running.complained.wait_for("link works once, within 12 hours")
        served = last_served(tmp_path / "s" / "web")
        assert served is not None
        assert f"{served.hall.printed()}/" in running.said.wait_for("hall http")
        assert client_of(tmp_path / "s").command("start").accepted
        children = children_of(running.pid)
        assert len(children) == 2
        assert running.end(number) == 0, "1 would say that a child had to be killed after 5 s"
        assert not any(lives(child) for child in children)
        assert running.faults() == []
    assert not socket_path(tmp_path / "s").exists()


def test_a_dead_web_is_started_again_while_the_game_goes_on_and_a_dead_core_comes_back_paused(
    tmp_path: Path, options: list[str | Path]
) -> None:
    with program("run", *options, "--port", "0") as running:
        running.said.wait_for("director http")
        client = client_of(tmp_path / "s")
        assert client.command("start").accepted
        before = wait_for_picture(client, lambda picture: picture.running)
        core, web = running.child("core"), running.child("web")
        os.kill(web, signal.SIGKILL)
        running.complained.wait_for("web was ended by SIGKILL; it is started again")
        assert wait_until(lambda: running.said.count("director http") == 2)
        assert running.child("web") != web
        after = client.picture()
        assert (after.session, after.running) == (before.session, True)

        web = running.child("web")
        os.kill(core, signal.SIGKILL)
        running.complained.wait_for("core was ended by SIGKILL; it is started again")
        after = wait_for_picture(client, lambda picture: picture.session != before.session)
        assert (after.pause_reasons, after.game_id) == (["recovery"], before.game_id)
        assert running.child("core") != core
        assert running.child("web") == web
        assert running.end() == 0


def test_ready_is_told_when_core_answers_and_not_before(
    tmp_path: Path, options: list[str | Path], manager: Manager
) -> None:
    with program("core", *options, environment={"NOTIFY_SOCKET": manager.address}) as core:
        assert manager.next().startswith("READY=1\nSTATUS=game ")
        assert Client(socket_path(tmp_path / "s")).picture().phase == "ready"
        manager.until("WATCHDOG=1")
        core.process.send_signal(signal.SIGTERM)
        manager.until("STOPPING=1")
        assert core.left() == 0


def test_a_core_that_cannot_start_is_never_ready(
    tmp_path: Path, options: list[str | Path], manager: Manager
) -> None:
    with program("core", *options) as first:
        client_of(tmp_path / "s", first)
        with program("core", *options, environment={"NOTIFY_SOCKET": manager.address}) as second:
            assert second.left() == 2
        assert manager.has_nothing()


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

        def told() -> list[str]:
            messages: list[str] = client.picture().health.messages
            return messages

        client.ask(AskSim(do="shutdown_press"))
        wait_until(lambda: told() in ([words(SIMULATED)], [words(STUCK)]))
        if told() == [words(STUCK)]:  # pressed before the button was seen at rest
            client.ask(AskSim(do="shutdown_release"))
            wait_for_picture(client, lambda picture: not picture.health.messages)
            client.ask(AskSim(do="shutdown_press"))
            wait_until(lambda: told() == [words(SIMULATED)])
        assert core.end() == 0
    assert list(run_time.iterdir()) == []
    assert any(words(SIMULATED) in file.read_text() for file in (state / "games").rglob("*.jsonl"))


def test_another_rule_set_takes_the_place_of_a_game_that_has_not_begun(tmp_path: Path) -> None:
    at = ["--hardware", "sim", "--state-dir", tmp_path / "s"]
    client = Client(socket_path(tmp_path / "s"))
    with program("core", *at):
        wait_for_picture(client, lambda picture: picture.rule_set == "connect")
    with program("core", *at, "--rule-set", "classic", "--players", "5"):
        wait_for_picture(client, lambda picture: picture.rule_set == "classic" and len(picture.seats) == 5)
        assert client.command("start").accepted
        founding = wait_for_picture(client, lambda picture: picture.phase == "founding")
    with program("core", *at, "--rule-set", "classic", "--players", "3"):
        found = wait_for_picture(client, lambda picture: picture.phase == "founding")
        assert (found.game_id, len(found.seats)) == (founding.game_id, 5)
