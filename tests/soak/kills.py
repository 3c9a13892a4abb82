"""kill -9 at random moments of a running game: `python -m tests.soak.kills --kills 1000`.

Core is killed while commands rain, while the clock runs alone, during its own start-up and recovery, while it
arms a game and while it ends one. After every kill: nothing that was answered *accepted* is lost, nothing is
invented, no line and no roll has changed, and the game is paused with what was left at the last heartbeat. How
old that heartbeat was (that is the play that is lost) and how long the restart took depend on the machine: both
are printed, and fail the run only above `--oldest` and `--slowest`.
"""

import argparse
import contextlib
import itertools
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import NoCore
from pi_controller.protocol.paths import socket_path
from tests.soak.promises import DifferenceError, Picture, Promises, kept

SETTINGS = """\
[game]
schedule = [{from_round = 1, seconds = 3}, {from_round = 11, seconds = 4}]
robber_seconds = 2
start_countdown_seconds = 0
resume_countdown_seconds = 0
"""
LONGEST_START_S = 30
LAST_ROUND = 25
"""A game that has come so far is ended, and the next one begins."""
COMMANDS = [
    ("pause", None),
    ("resume", {"override": True}),
    ("resume", {"override": True}),
    ("add_time", {"ms": 700}),
    ("add_time", {"ms": -300}),
    ("skip", None),
    ("undo", None),
    ("redo", None),
    ("say", None),
    ("claim", {"board": "7", "side": "sun"}),
    ("claim", {}),
    ("set_schedule", [{"from_round": 1, "seconds": 3}]),
]


def boot_ms() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000


class Sender(threading.Thread):
    """Gives commands as fast as they are answered, until `enough` or until core is gone; remembers the keys."""

    def __init__(
        self, client: Client, next_command: Callable[[], tuple[str, object]], keys: Callable[[], str]
    ) -> None:
        super().__init__(daemon=True)
        self._client, self._next_command, self._keys = client, next_command, keys
        self.enough = threading.Event()
        self.once = False
        self.sent: dict[str, str] = {}
        self.accepted: list[str] = []

    def run(self) -> None:
        while not self.enough.is_set():
            name, body = self._next_command()
            key = self._keys()
            text = f"message {key}." if name == "say" else ""
            self.sent[key] = text
            try:
                answer = self._client.command(name, {"text": text} if text else body, source="soak", key=key)
            except NoCore:
                return
            if answer.accepted:
                self.accepted.append(key)
            if self.once:
                return


class Watcher(threading.Thread):
    """Sees every picture until core is gone."""

    def __init__(self, client: Client) -> None:
        super().__init__(daemon=True)
        self._client = client
        self.pictures: list[Picture] = []

    def run(self) -> None:
        with contextlib.suppress(NoCore), contextlib.closing(self._client.watch()) as news:
            self.pictures += (each.picture for each in news if each.picture is not None)


class Soak:
    """One state directory, one core after the other."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.chance = chance
        self.settings = folder / "settings.toml"
        self.settings.write_text(SETTINGS)
        self.state = folder / "state"
        self.client = Client(socket_path(self.state))
        self.promises = Promises(self.state)
        self.starts_s: list[float] = []
        self.kinds: Counter[str] = Counter()
        self._numbers = itertools.count(1)
        self._core: subprocess.Popen[bytes] | None = None
        self._watcher = Watcher(self.client)
        self._killed_ms = 0.0
        self._told = False
        self._known: set[str] = set()
        self._armed: list[str] = []
        """Keys whose *accepted* stands in the journal of the game that they made."""

    def spawn(self) -> subprocess.Popen[bytes]:
        arguments = ["core", "--settings", self.settings, "--hardware", "sim", "--state-dir", self.state]
        self._core = subprocess.Popen([sys.executable, "-m", "pi_controller", *arguments])
        return self._core

    def start(self) -> Picture:
        """A new core; the first picture it shows."""
        began = time.monotonic()
        core = self.spawn()
        pause = threading.Event()
        while True:
            try:
                picture = self.client.picture()
            except NoCore:
                pause.wait(0.001)
                if core.poll() is not None:
                    raise DifferenceError(f"core ended with status {core.returncode}") from None
                if time.monotonic() - began > LONGEST_START_S:
                    raise DifferenceError(f"no answer within {LONGEST_START_S} s") from None
                continue
            self.starts_s.append(time.monotonic() - began)
            return picture

    def watch(self) -> None:
        self._watcher = Watcher(self.client)
        self._watcher.start()

    def kill(self) -> None:
        if self._core is not None:
            self._killed_ms = boot_ms()
            self._core.send_signal(signal.SIGKILL)
            self._core.wait()

    def one_kill(self) -> None:
        """One kill of a running game, and everything that must hold after it."""
        self.watch()
        kind = self.chance.choices(["rain", "alone", "start-up", "end", "arm"], [8, 8, 5, 2, 2])[0]
        self.kinds[kind] += 1
        before, games = getattr(self, f"_{kind.replace('-', '_')}")()
        killed_ms = self._killed_ms
        self._watcher.join()
        for picture in self._watcher.pictures:
            self.promises.saw(picture)
        self.promises.check_journal(games=games)
        if kind == "start-up":
            for _ in range(self.chance.randint(1, 3)):
                self._kill_during_start()
                self.promises.check_journal(games=games, before_the_fall=False)
        picture = self.start()
        self.promises.check_return(picture, before, killed_ms)
        if kind == "end" and self._told and picture.phase != "ended":
            raise DifferenceError(f"the end was accepted, but the game goes on: {picture}")
        self.get_going(picture)

    def _rain(self) -> tuple[None, set[str]]:
        """Commands until the last moment."""
        sender = self._sender(lambda: self.chance.choice(COMMANDS))
        self._wait(0.4)
        self.kill()
        self._heard(sender)
        return None, {self.promises.game_id}

    def _alone(self) -> tuple[Picture, set[str]]:
        """Some commands, then nothing but the clock."""
        sender = self._sender(lambda: self.chance.choice(COMMANDS))
        self._wait(0.2)
        sender.enough.set()
        self._heard(sender)
        self._run_on(self.client.picture())
        picture = self.client.picture()
        self._wait(0.4)
        self.kill()
        return picture, {self.promises.game_id}

    _start_up = _alone

    def _end(self) -> tuple[None, set[str]]:
        """While the game ends."""
        sender = self._sender(lambda: ("end", {"confirm": True}), once=True)
        self._wait(0.02)
        self.kill()
        self._told = self._heard(sender)
        return None, {self.promises.game_id}

    def _arm(self) -> tuple[None, set[str]]:
        """While the next game takes the place of one that has ended."""
        self.do("end", {"confirm": True})
        old = self.promises.game_id
        sender = self._sender(lambda: ("arm", {}), once=True)
        self._wait(0.03)
        self.kill()
        sender.join()
        self._watcher.join()
        seen = {picture.game_id for picture in self._watcher.pictures} - {old}
        new = {path.name for path in (self.state / "games").iterdir()} - self._known - {old}
        self.promises.answered(sender.sent, ())
        self._armed = sender.accepted
        if len(new | seen) > 1 or seen - new:
            raise DifferenceError(f"more than one game was armed: {new}, {seen}")
        return None, new if sender.accepted or seen else {old, *new}

    def _kill_during_start(self) -> None:
        """Not asked anything before: the start itself is hit, or the time just after it."""
        self.spawn()
        self._wait(0.6)
        self.kill()

    def _sender(self, next_command: Callable[[], tuple[str, object]], *, once: bool = False) -> Sender:
        sender = Sender(self.client, next_command, self._key)
        sender.once = once
        sender.start()
        return sender

    def _heard(self, sender: Sender) -> bool:
        sender.join()
        self.promises.answered(sender.sent, sender.accepted)
        return bool(sender.accepted)

    def _wait(self, longest_s: float) -> None:
        threading.Event().wait(self.chance.uniform(0.0, longest_s))

    def _key(self) -> str:
        return f"soak-{next(self._numbers)}"

    def do(self, name: str, body: object = None) -> None:
        """A command that must be accepted."""
        key = self._key()
        answer = self.client.command(name, body, source="director", key=key)
        if not answer.accepted:
            raise DifferenceError(f"{name} was refused: {answer.reasons}; {self.client.picture()}")
        if name == "arm":
            self.promises.answered({key: ""}, ())
            self._armed = [key]
        else:
            self.promises.answered({key: ""}, [key])

    def get_going(self, picture: Picture) -> None:
        """A game that runs, whatever came back."""
        if picture.round > LAST_ROUND and picture.phase != "ended":
            self.promises.turn_to(picture.game_id)
            self.do("end", {"confirm": True})
            picture = self.client.picture()
        if picture.phase == "ended":
            self.do("arm")
            picture = self.client.picture()
        self.promises.turn_to(picture.game_id)
        self.promises.answered(dict.fromkeys(self._armed, ""), self._armed)
        self._armed = []
        self._known = {path.name for path in (self.state / "games").iterdir()}
        self._run_on(picture)

    def _run_on(self, picture: Picture) -> None:
        """The clock runs; the commands may have undone the start itself."""
        if picture.phase == "ready":
            self.do("start")
        self.do("resume", {"override": True})


def run(folder: Path, options: argparse.Namespace) -> str:
    soak = Soak(folder, random.Random(options.seed))
    try:
        soak.get_going(soak.start())
        for number in range(1, options.kills + 1):
            soak.one_kill()
            if number % 100 == 0:
                print(f"{number} kills, nothing lost", flush=True)
    finally:
        soak.kill()
    return report(soak, options)


def report(soak: Soak, options: argparse.Namespace) -> str:
    starts, lost = sorted(soak.starts_s), sorted(soak.promises.lost_ms) or [0.0]
    kinds = ", ".join(f"{count} {kind}" for kind, count in soak.kinds.most_common())
    said = (
        f"{options.kills} kills ({kinds}) in {soak.promises.games} games: nothing lost, nothing invented, "
        "always paused\n"
        f"answer after the restart: median {statistics.median(starts):.3f} s, "
        f"p99 {starts[int(len(starts) * 0.99)]:.3f} s, slowest {starts[-1]:.3f} s\n"
        f"play lost, since the last heartbeat before the kill ({len(lost)} samples): "
        f"median {statistics.median(lost):.1f} ms, p99 {lost[int(len(lost) * 0.99)]:.1f} ms, "
        f"most {lost[-1]:.1f} ms"
    )
    if starts[-1] > options.slowest:
        raise DifferenceError(f"{said}\nthe slowest restart took longer than {options.slowest} s")
    if lost[-1] > options.oldest:
        raise DifferenceError(f"{said}\nmore than {options.oldest} ms of play were lost")
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slowest", type=float, default=LONGEST_START_S, help="seconds")
    parser.add_argument("--oldest", type=float, default=float("inf"), help="milliseconds")
    options = parser.parse_args()
    return kept(lambda folder: run(folder, options))


if __name__ == "__main__":
    sys.exit(main())
