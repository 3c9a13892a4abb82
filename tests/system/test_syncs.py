"""What the kernel is asked to put on the disk, seen from below the real program: ptrace writes down each call.

A program whose sync does nothing passes every test that only looks at files: they are in memory all the same.
"""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.needs import program as installed
from tests.system.programs import COMMAND, PYTHON_PATH, ROOT, children_of, cli, client_of, program, wait_until

CALLS = "trace=write,fsync,fdatasync,rename,renameat,renameat2,mkdir,sendto"
SYNCED = re.compile(
    r"(fsync|fdatasync)\(\d+<(?P<path>[^>]+)>\)\s+= 0|<\.\.\. (fsync|fdatasync) resumed>\)\s+= 0"
)
COMMANDS = 5


class Watched:
    """The calls in the order in which the kernel finished them."""

    def __init__(self, log: Path) -> None:
        self.calls: list[str] = []
        started: dict[str, str] = {}
        for line in log.read_text(errors="replace").splitlines():
            pid, call = line.split(maxsplit=1)
            if call.endswith("<unfinished ...>"):
                started[pid] = call.removesuffix("<unfinished ...>").rstrip()
            elif call.startswith("<... ") and pid in started:
                self.calls.append(started.pop(pid) + call.partition("resumed>")[2])
            else:
                self.calls.append(call)

    def first(self, *words: str, after: int = -1) -> int:
        """Place of the first call behind `after` with all these words that did not fail."""
        for place in range(after + 1, len(self.calls)):
            call = self.calls[place]
            if all(word in call for word in words) and not re.search(r"= -1 E\w+", call):
                return place
        raise AssertionError(f"no call with {words} after {self.calls[after] if after >= 0 else 'the start'}")

    def synced(self, path: Path, *, after: int = -1) -> int:
        return self.first("sync(", f"<{path}>", after=after)


def tracer(log: Path) -> tuple[str, ...]:
    before = (installed("strace"), "-f", "-y", "-s", "3000", "-o", str(log), "-e", CALLS)
    tried = subprocess.run([*before, "true"], check=False, capture_output=True)
    if tried.returncode != 0:
        pytest.skip(f"this user may not trace a process: {tried.stderr.decode().strip()}")
    return before


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> tuple[Watched, Path, Path]:
    """A core from an empty folder to its end, with some commands: its calls, state folder and game folder."""
    folder = tmp_path_factory.mktemp("evening")
    state, log = folder / "parent" / "s", folder / "calls"
    arguments = ["core", "--hardware", "sim", "--state-dir", state]
    with program(*arguments, before=tracer(log)) as core:
        client = client_of(state, core)
        for number in range(COMMANDS):
            assert client.command("say", {"text": f"text number {number}."}).accepted
        beaten = re.compile(rf"sync\(\d+<{re.escape(str(state / 'heartbeat'))}>")
        wait_until(lambda: beaten.search(log.read_text(errors="replace")))
        (traced,) = children_of(core.pid)
        os.kill(traced, signal.SIGTERM)
        assert core.left() == 0
    (game,) = (state / "games").iterdir()
    return Watched(log), state, game


def test_what_is_accepted_has_been_synced(evening: tuple[Watched, Path, Path]) -> None:
    calls, _, game = evening
    journal = game / "journal.jsonl"
    for number in range(COMMANDS):
        written = calls.first("write(", f"<{journal}>", f"text number {number}.")
        synced = calls.synced(journal, after=written)
        told = calls.first("sendto(", '\\"accepted\\":true', after=written)
        assert synced < told, f"command {number} was told accepted before it was on the disk"


def test_a_new_game_is_synced_with_all_its_folders_before_it_is_shown(
    evening: tuple[Watched, Path, Path],
) -> None:
    calls, state, game = evening
    seed_written = calls.first("write(", f"<{game / 'seed.new'}>")
    seed_synced = calls.synced(game / "seed.new", after=seed_written)
    seed_named = calls.first("rename", "seed.new", after=seed_synced)
    calls.synced(game, after=seed_named)
    made = calls.first("mkdir", f'"{game}"')
    in_games = calls.synced(state / "games", after=made)
    first_line = calls.first("write(", f"<{game / 'journal.jsonl'}>")
    assert in_games < first_line, "the game's folder is named in the folder above before its first line"
    line_synced = calls.synced(game / "journal.jsonl", after=first_line)
    named = calls.synced(game, after=line_synced)
    shown = calls.first("sendto(", '\\"commitment\\"', after=first_line)
    assert named < shown


def test_the_state_folder_is_synced_into_the_one_above(evening: tuple[Watched, Path, Path]) -> None:
    calls, state, _ = evening
    calls.synced(state, after=calls.first("mkdir", f'"{state / "games"}"'))
    calls.synced(state.parent, after=calls.first("mkdir", f'"{state}"'))
    calls.synced(state.parent.parent, after=calls.first("mkdir", f'"{state.parent}"'))


def test_the_heartbeat_is_synced_now_and_then(evening: tuple[Watched, Path, Path]) -> None:
    calls, state, _ = evening
    calls.synced(state / "heartbeat")


def test_a_private_file_is_synced_before_and_after_it_gets_its_name(tmp_path: Path) -> None:
    state, log = tmp_path / "s", tmp_path / "calls"
    made = subprocess.run(
        [*tracer(log), *COMMAND, "pair", "new", "--state-dir", str(state)],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": PYTHON_PATH, "PATH": "/usr/bin:/bin"},
    )
    assert made.returncode == 0, made.stderr
    calls, key = Watched(log), state / "pairing.key"
    written = calls.first("write(", f"<{key}.new>")
    synced = calls.synced(Path(f"{key}.new"), after=written)
    named = calls.first("rename", "pairing.key.new", after=written)
    assert written < synced < named
    calls.synced(state, after=named)
    calls.synced(state.parent, after=calls.first("mkdir", f'"{state}"'))
    assert cli("pair", "show", "--state-dir", state).returncode == 0
