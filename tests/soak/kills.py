"""kill -9 at random moments of a running game: `python -m tests.soak.kills --kills 1000`.

After every kill: nothing that was answered *accepted* is lost, nothing is invented, no line and no roll has
changed, the game is paused, the time that was left is right within 0.1 s, and the service answers within 1 s
(that last figure is printed, and fails the run only above `--slowest`).
"""

import argparse
import itertools
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from pi_controller.journal.record import encode
from pi_controller.journal.recovery import recover

from pi_controller.control.client import Client
from pi_controller.control.errors import NoCore
from pi_controller.control.paths import socket_path
from pi_controller.journal.verify import verify_export

SETTINGS = """\
[game]
schedule = [{from_round = 1, seconds = 3}, {from_round = 11, seconds = 4}]
robber_seconds = 2
start_countdown_seconds = 0
resume_countdown_seconds = 0
"""
LONGEST_START_S = 30
WITHIN_MS = 100
COMMANDS = [
    ("pause", None),
    ("resume", {"override": True}),
    ("resume", {"override": True}),
    ("add_time", {"ms": 700}),
    ("add_time", {"ms": -300}),
    ("skip", None),
    ("undo", None),
    ("redo", None),
    ("say", {"text": "Stay seated"}),
    ("claim", {"board": "7", "side": "sun"}),
    ("set_schedule", [{"from_round": 1, "seconds": 3}]),
]


class DifferenceError(AssertionError):
    """A promise was broken."""


def boot_ms() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000


class Sender(threading.Thread):
    """Gives random commands as fast as they are answered, and remembers what was sent and what accepted."""

    def __init__(self, client: Client, chance: random.Random, numbers: itertools.count) -> None:
        super().__init__(daemon=True)
        self._client, self._chance, self._numbers = client, chance, numbers
        self.enough = threading.Event()
        self.sent: set[str] = set()
        self.accepted: set[str] = set()

    def run(self) -> None:
        while not self.enough.is_set():
            name, body = self._chance.choice(COMMANDS)
            key = f"soak-{next(self._numbers)}"
            self.sent.add(key)
            try:
                answer = self._client.command(name, body, source="soak", key=key)
            except NoCore:
                return
            if answer.accepted:
                self.accepted.add(key)


class Soak:
    """One state directory, one core after the other."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.settings = folder / "settings.toml"
        self.settings.write_text(SETTINGS)
        self.state = folder / "state"
        self.client = Client(socket_path(self.state))
        self.numbers = itertools.count(1)
        self.sent: set[str] = set()
        self.accepted: set[str] = set()
        self.lines: list[bytes] = []
        self.game_id = ""
        self.starts_s: list[float] = []
        self.errors_ms: list[float] = []
        self.games = 0
        self.core: subprocess.Popen | None = None

    def start(self) -> dict:
        began = time.monotonic()
        arguments = ["core", "--settings", self.settings, "--hardware", "sim", "--state-dir", self.state]
        self.core = subprocess.Popen([sys.executable, "-m", "pi_controller", *arguments])
        while True:
            try:
                picture = self.client.picture()
            except NoCore:
                if self.core.poll() is not None:
                    raise DifferenceError(f"core ended with status {self.core.returncode}") from None
                if time.monotonic() - began > LONGEST_START_S:
                    raise DifferenceError(f"no answer within {LONGEST_START_S} s") from None
                continue
            self.starts_s.append(time.monotonic() - began)
            return picture

    def command(self, name: str, body: object = None) -> None:
        answer = self.client.command(name, body, source="director")
        if not answer.accepted:
            raise DifferenceError(f"{name} was refused: {answer.reasons}")

    def play(self) -> tuple[dict, float]:
        """Let commands rain, kill core; what the last picture said, and when the kill was (boot ms)."""
        sender = Sender(self.client, random.Random(self.chance.random()), self.numbers)
        sender.start()
        quiet = self.chance.random() < 0.5
        threading.Event().wait(self.chance.uniform(0.0, 0.4))
        if quiet:
            sender.enough.set()
            sender.join()
            self.client.command("resume", {"override": True}, source="director")
            picture = self.client.picture()
            threading.Event().wait(self.chance.uniform(0.0, 0.4))
        killed = boot_ms()
        assert self.core is not None
        self.core.send_signal(signal.SIGKILL)
        self.core.wait()
        sender.join()
        self.sent |= sender.sent
        self.accepted |= sender.accepted
        return (picture if quiet else {}), killed

    def check_journal(self) -> None:
        """Read while nobody writes: everything accepted stands there, and what stood there before still does."""
        recovered = recover(self.state)
        if recovered is None:
            raise DifferenceError("the journal is gone")
        if recovered.game_id != self.game_id:
            self.game_id, self.lines, self.sent, self.accepted = recovered.game_id, [], set(), set()
            self.games += 1
        lines = [encode(record) for record in recovered.records]
        kept = {record.data["key"] for record in recovered.records if record.kind == "answered"}
        lost, invented = self.accepted - kept, kept - self.sent
        if lost or invented:
            raise DifferenceError(f"accepted but lost: {sorted(lost)}; never asked: {sorted(invented)}")
        if lines[: len(self.lines)] != self.lines:
            raise DifferenceError("lines that were on the disk have changed")
        self.lines = lines
        report = verify_export(iter(lines))
        if not report.chain_ok:
            raise DifferenceError(f"the verifier says: {report.sentences}")

    def check_picture(self, picture: dict, before: dict, killed: float) -> None:
        if picture["phase"] in ("round", "robber") and (
            not picture["paused"] or "recovery" not in picture["pause_reasons"]
        ):
            raise DifferenceError(f"not paused after a kill: {picture}")
        if not before or not before["running"] or before["game_id"] != picture["game_id"]:
            return
        expected = before["remaining_ms"] - (killed - before["as_of_ms"])
        if (before["round"], before["phase"]) != (picture["round"], picture["phase"]) or expected < WITHIN_MS:
            return
        error = picture["remaining_ms"] - expected
        self.errors_ms.append(error)
        if not -2 <= error <= WITHIN_MS:
            raise DifferenceError(f"{error:.1f} ms off: {picture['remaining_ms']} instead of {expected:.1f}")

    def get_going(self, picture: dict) -> None:
        if picture["phase"] == "ended" or picture["round"] > 25:
            self.command("arm")
        if self.client.picture()["phase"] == "ready":
            self.command("start")
        self.command("resume", {"override": True})


def run(kills: int, seed: int, slowest_s: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder), random.Random(seed))
        soak.get_going(soak.start())
        for number in range(1, kills + 1):
            before, killed = soak.play()
            soak.check_journal()
            picture = soak.start()
            soak.check_picture(picture, before, killed)
            soak.get_going(picture)
            if number % 100 == 0:
                print(f"{number} kills, {len(soak.accepted)} accepted in this game, nothing lost", flush=True)
        soak.core.terminate()
        soak.core.wait()
        report(soak, kills, slowest_s)


def report(soak: Soak, kills: int, slowest_s: float) -> None:
    starts, errors = sorted(soak.starts_s), sorted(soak.errors_ms) or [0.0]
    print(
        f"{kills} kills in {soak.games} games: nothing lost, nothing invented, always paused\n"
        f"answer after the restart: median {statistics.median(starts):.3f} s, "
        f"p99 {starts[int(len(starts) * 0.99)]:.3f} s, slowest {starts[-1]:.3f} s\n"
        f"time left against the truth at the kill ({len(errors)} samples): "
        f"median {statistics.median(errors):+.1f} ms, from {errors[0]:+.1f} to {errors[-1]:+.1f} ms"
    )
    if starts[-1] > slowest_s:
        raise DifferenceError(f"the slowest restart took longer than {slowest_s} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slowest", type=float, default=float(LONGEST_START_S))
    options = parser.parse_args()
    try:
        run(options.kills, options.seed, options.slowest)
    except DifferenceError as difference:
        print(f"broken promise: {difference}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
