"""A pause that the disk did not take, then a kill: the hall finds the time that it saw, not the time played away.

Below the real program the disk refuses every write, or is full to its last byte.
"""

import contextlib
import itertools
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.journal.heartbeat import read_heartbeat
from pi_controller.protocol.messages import AskSim
from tests.matrix import further
from tests.needs import program as installed
from tests.system.programs import (
    Lines,
    Picture,
    Program,
    client_of,
    program,
    wait_for_picture,
    wait_until,
    well,
)

SETTINGS = """\
[game]
schedule = [{from_round = 1, seconds = 35}]
start_countdown_seconds = 0
resume_countdown_seconds = 0
"""
SPEED = 30
PLAYED_AWAY_NS = 60_000_000_000
"""Game time that passes while the pause stands and is not saved."""
SMALL_DISK = 'mount -t tmpfs -o size=4m none "$0"'


class Failing:
    """A state folder whose disk can be made to fail under the core that runs there."""

    def __init__(self, folder: Path) -> None:
        self.state = self.here = folder / "s"
        self.settings = folder / "settings.toml"
        self.settings.write_text(SETTINGS)
        self.before: tuple[str, ...] = ()

    @contextlib.contextmanager
    def core(self) -> Iterator[Program]:
        arguments = ["core", "--hardware", "sim", "--settings", self.settings, "--state-dir", self.state]
        with program(*arguments, "--speed", str(SPEED), before=self.before) as core:
            yield core

    @contextlib.contextmanager
    def dead(self, core: Program) -> Iterator[None]:
        raise NotImplementedError
        yield


class Refusing(Failing):
    """Every write(2) of the process is answered with EIO, by ptrace; the heartbeat's pwrite64 is not."""

    @contextlib.contextmanager
    def dead(self, core: Program) -> Iterator[None]:
        arguments = ["-f", "-o", "/dev/null", "-e", "trace=write", "-e", "inject=write:error=EIO"]
        with subprocess.Popen(
            [installed("strace"), *arguments, "-p", str(core.pid)], stderr=subprocess.PIPE, text=True
        ) as tracer:
            try:
                if "attached" not in (said := tracer.stderr.readline() if tracer.stderr else ""):
                    pytest.skip(f"this user may not trace a process: {said}")
                yield
            finally:
                tracer.terminate()


class Full(Failing):
    """A real file system of 4 MiB, filled to the last byte; a process of ours keeps it in being."""

    def __init__(self, folder: Path, holder: int) -> None:
        super().__init__(folder)
        self.here = Path(f"/proc/{holder}/root{self.state}")
        self.before = ("nsenter", "-U", "-m", "--preserve-credentials", "-t", str(holder))

    @contextlib.contextmanager
    def dead(self, core: Program) -> Iterator[None]:
        with (self.here / "photos").open("wb", buffering=0) as photos, contextlib.suppress(OSError):
            while True:
                photos.write(bytes(4096))
        yield
        (self.here / "photos").unlink()


@pytest.fixture(params=["refusing", *further("full")])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Failing]:
    if request.param == "refusing":
        yield Refusing(tmp_path)
        return
    state = tmp_path / "s"
    state.mkdir()
    apart = ("unshare", "-rm", "sh", "-c")
    if subprocess.run([*apart, SMALL_DISK, state], check=False, capture_output=True).returncode != 0:
        pytest.skip("this user may not mount a small disk in a name space of its own")
    hold = f"{SMALL_DISK} && echo mounted && exec cat"
    with subprocess.Popen(
        [*apart, hold, state], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        try:
            Lines(holder.stdout).wait_for("mounted")
            yield Full(tmp_path, holder.pid)
        finally:
            holder.kill()


def test_a_pause_that_was_not_saved_is_not_played_away(disk: Failing) -> None:
    with disk.core() as core:
        client = client_of(disk.here, core)
        client.ask(AskSim(do="fact", name="disk.free_bytes", value=10**9))
        wait_for_picture(client, well)
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.running)
        with disk.dead(core):
            seen = pause_that_is_not_saved(core, disk)
            core.process.kill()
            core.left()
    with disk.core() as core:
        after = client_of(disk.here, core).picture()
        assert core.process.poll() is None
    for name in ("round", "side", "dice", "remaining_ms", "game_id"):
        assert getattr(after, name) == getattr(seen, name), name
    assert (after.paused, after.running) == (True, False)


def pause_that_is_not_saved(core: Program, disk: Failing) -> Picture:
    """What the hall saw while the pause stood, long enough for the round to be over in the meantime."""
    client = client_of(disk.here, core)
    texts = (f"{number} " + "x" * 150 for number in itertools.count())
    while client.command("say", {"text": next(texts)}).accepted:
        pass
    wait_for_picture(client, lambda picture: "fault" in picture.pause_reasons)

    def beaten_ns() -> int:
        beat = read_heartbeat(disk.here / "heartbeat")
        return beat.game_ns if beat is not None else 0

    until_ns = beaten_ns() + PLAYED_AWAY_NS
    wait_until(lambda: beaten_ns() > until_ns)
    seen = client.picture()
    assert (seen.running, seen.saved_seq < seen.seq) == (False, True)
    return seen
