"""How much a reader has to follow: the functions and files that a pause and a press pass, measured by running them. What a
process does once a second anyway does not count."""

import json
import os
import signal
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_controller.protocol.client import Client
from pi_controller.protocol.messages import AskSim
from tests.system.programs import Program, cli, client_of, program, wait_for_picture, wait_until

MOST = {
    # Functions and files at most, a tenth above what was measured: something of what happens by itself falls into some runs
    "pause over HTTP, in core": (131, 34),
    "pause over HTTP, in web": (73, 16),
    "pause by the command line": (136, 19),
    "press of the button, in core": (168, 42),
}
Journey = set[str]


class Hall:
    """A controller in play whose processes tell what they pass."""

    def __init__(self, running: Program, state: Path, told: Path) -> None:
        self.client: Client = client_of(state)
        self._running, self._state, self._told = running, state, told
        self._still: dict[str, Journey] = {}
        self._address()  # the pages have come up
        assert self.client.command("start").accepted
        self._played()
        for _ in range(2):
            for kind, passed in self.passed(self._two_beats, "core", "web").items():
                self._still[kind] = self._still.get(kind, set()) | passed

    def passed(self, act: Callable[[], object], *kinds: str) -> dict[str, Journey]:
        """What they pass meanwhile, besides what they pass anyway."""
        pids = {kind: self._running.child(kind) for kind in kinds}
        for pid in pids.values():
            os.kill(pid, signal.SIGUSR1)
            wait_until((self._told / f"{pid}.begun").exists)
        act()
        for pid in pids.values():
            os.kill(pid, signal.SIGUSR2)
        return {kind: self._read(pid) - self._still.get(kind, set()) for kind, pid in pids.items()}

    def pause_over_http(self) -> None:
        asked = urllib.request.Request(  # noqa: S310 - of our own
            f"{self._address()}/api/commands/pause",
            b"{}",
            {
                "Authorization": f"Bearer {(self._state / 'web/token').read_text().strip()}",
                "Content-Type": "application/json",
            },
        )
        with urllib.request.urlopen(asked) as answer:  # noqa: S310
            assert json.load(answer)["accepted"]
        self._paused()

    def pause_by_command_line(self) -> Journey:
        ended = cli("pause", "--state-dir", self._state, environment={"JOURNEYS": f"{self._told}:"})
        assert ended.returncode == 0, ended
        (told,) = [
            path for path in self._told.iterdir() if path.name.isdigit() and path.name not in self._pids()
        ]
        return set(told.read_text().splitlines())

    def press(self) -> None:
        self.client.ask(AskSim(do="tap"))
        self._paused()

    def resume(self) -> None:
        assert self.client.command("resume").accepted
        self._played()

    def _paused(self) -> None:
        """Also on the disk, as the next picture says."""
        wait_for_picture(self.client, lambda picture: picture.paused and picture.saved_seq >= picture.seq)

    def _played(self) -> None:
        wait_for_picture(self.client, lambda picture: picture.running and picture.saved_seq >= picture.seq)
        self._two_beats()

    def _two_beats(self) -> None:
        """All that happens by itself has happened."""
        beats = 0
        for news in self.client.watch():
            beats += news.beat is not None
            if beats == 2:
                return

    def _address(self) -> str:
        return self._running.said.wait_for("http://").rpartition(" ")[2].rstrip("/")

    def _pids(self) -> set[str]:
        return {str(self._running.child(kind)) for kind in ("core", "web")}

    def _read(self, pid: int) -> Journey:
        told = self._told / str(pid)
        wait_until(told.exists)
        return set(told.read_text().splitlines())


@pytest.fixture
def journeys(tmp_path: Path) -> Iterator[dict[str, Journey]]:
    state, told = tmp_path / "s", tmp_path / "told"
    told.mkdir()
    given = ("--hardware=sim", f"--state-dir={state}", "--port=0")
    with program("run", *given, environment={"JOURNEYS": f"{told}:signals"}) as running:
        hall = Hall(running, state, told)
        over_http = hall.passed(hall.pause_over_http, "core", "web")
        hall.resume()
        by_command_line = hall.pause_by_command_line()
        hall.resume()
        pressed = hall.passed(hall.press, "core")
        yield {
            "pause over HTTP, in core": over_http["core"],
            "pause over HTTP, in web": over_http["web"],
            "pause by the command line": by_command_line,
            "press of the button, in core": pressed["core"],
        }


def test_no_journey_grows(journeys: dict[str, Journey]) -> None:
    for name, passed in journeys.items():
        most_functions, most_files = MOST[name]
        files = {function.partition(" ")[0] for function in passed}
        assert passed, name
        assert (len(passed) <= most_functions, len(files) <= most_files) == (True, True), (
            f"{name}: {len(passed)} functions in {len(files)} files:\n" + "\n".join(sorted(passed))
        )
