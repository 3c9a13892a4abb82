"""kill -9 at random moments of a running game: `python -m tests.soak.kills --kills 1000`.

After every kill: nothing that was answered *accepted* is lost, nothing is invented, no line and no roll has
changed, and the game is paused with what was left at the last heartbeat. How old that heartbeat was and how
long the restart took depend on the machine: both are printed, and fail the run only above `--oldest` and
`--slowest`.
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

from pi_controller.control.client import Client
from pi_controller.control.errors import NoCore
from pi_controller.control.paths import socket_path
from pi_controller.journal.heartbeat import read_heartbeat
from pi_controller.journal.record import encode
from pi_controller.journal.recovery import recover
from pi_controller.journal.verify import verify_export

SETTINGS = """\
[game]
schedule = [{from_round = 1, seconds = 3}, {from_round = 11, seconds = 4}]
robber_seconds = 2
start_countdown_seconds = 0
resume_countdown_seconds = 0
"""
LONGEST_START_S = 30
ROUNDING_MS = 2
"""The picture is in whole milliseconds, rounded up."""
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
        self.ages_ms: list[float] = []
        self.games = 0
        self.last_beat_ms = 0.0
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
            raise DifferenceError(f"{name} was refused: {answer.reasons}; {self.client.picture()}")

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
        beat = read_heartbeat(self.state / "heartbeat")
        self.last_beat_ms = beat.boot_ns / 1_000_000 if beat else 0.0
        recovered = recover(self.state)
        if recovered is None:
            raise DifferenceError("the journal is gone")
        if recovered.game_id != self.game_id:
            raise DifferenceError(f"game {self.game_id} is gone, game {recovered.game_id} came back")
        lines = [encode(record) for record in recovered.records]
        kept = {record.data["key"] for record in recovered.records if record.kind == "answered"}
        lost, invented = self.accepted - kept, kept - self.sent
        if lost or invented:
            raise DifferenceError(f"accepted but lost: {sorted(lost)}; never asked: {sorted(invented)}")
        if lines[: len(self.lines)] != self.lines:
            raise DifferenceError("lines that were on the disk have changed")
        self.lines = lines
        report = verify_export(iter(lines))
        if report.verdict == "refused":
            raise DifferenceError(f"the verifier says: {report.sentences}")

    def check_picture(self, picture: dict, before: dict, killed: float) -> None:
        if picture["phase"] in ("round", "robber") and (
            not picture["paused"] or "recovery" not in picture["pause_reasons"]
        ):
            raise DifferenceError(f"not paused after a kill: {picture}")
        if not before or not before["running"] or before["game_id"] != picture["game_id"]:
            return
        beat_ms = max(self.last_beat_ms, before["as_of_ms"])
        expected = before["remaining_ms"] - (beat_ms - before["as_of_ms"])
        if (before["round"], before["phase"]) != (picture["round"], picture["phase"]):
            if expected > ROUNDING_MS:
                raise DifferenceError(f"{expected:.1f} ms were left, but the next phase is on: {picture}")
            return
        self.ages_ms.append(killed - beat_ms)
        if abs(picture["remaining_ms"] - expected) > ROUNDING_MS:
            raise DifferenceError(f"{picture['remaining_ms']} ms left instead of {expected:.1f}: {picture}")

    def get_going(self, picture: dict) -> None:
        if picture["round"] > 25 and picture["phase"] != "ended":
            self.command("end", {"confirm": True})
            picture = self.client.picture()
        if picture["phase"] == "ended":
            self.command("arm")
            picture = self.client.picture()
        if picture["game_id"] != self.game_id:
            self.game_id, self.lines = picture["game_id"], []
            self.sent, self.accepted = set(), set()
            self.games += 1
        if picture["phase"] == "ready":
            self.command("start")
        self.command("resume", {"override": True})


def run(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder), random.Random(options.seed))
        try:
            soak.get_going(soak.start())
            for number in range(1, options.kills + 1):
                one_kill(soak)
                if number % 100 == 0:
                    print(f"{number} kills, nothing lost", flush=True)
        finally:
            if soak.core is not None:
                soak.core.kill()
                soak.core.wait()
        report(soak, options)


def one_kill(soak: Soak) -> None:
    before, killed = soak.play()
    soak.check_journal()
    picture = soak.start()
    soak.check_picture(picture, before, killed)
    soak.get_going(picture)


def report(soak: Soak, options: argparse.Namespace) -> None:
    starts, ages = sorted(soak.starts_s), sorted(soak.ages_ms) or [0.0]
    print(
        f"{options.kills} kills in {soak.games} games: nothing lost, nothing invented, always paused\n"
        f"answer after the restart: median {statistics.median(starts):.3f} s, "
        f"p99 {starts[int(len(starts) * 0.99)]:.3f} s, slowest {starts[-1]:.3f} s\n"
        f"play lost, the age of the last heartbeat at the kill ({len(ages)} samples): "
        f"median {statistics.median(ages):.1f} ms, p99 {ages[int(len(ages) * 0.99)]:.1f} ms, "
        f"oldest {ages[-1]:.1f} ms"
    )
    if starts[-1] > options.slowest:
        raise DifferenceError(f"the slowest restart took longer than {options.slowest} s")
    if ages[-1] > options.oldest:
        raise DifferenceError(f"more than {options.oldest} ms of play were lost")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slowest", type=float, default=LONGEST_START_S, help="seconds")
    parser.add_argument("--oldest", type=float, default=float("inf"), help="milliseconds")
    options = parser.parse_args()
    try:
        run(options)
    except DifferenceError as difference:
        print(f"broken promise: {difference}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
