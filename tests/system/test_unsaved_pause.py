"""A pause that the disk did not take, then a kill: the hall finds the time that it saw, not the time played away.

Below the real program the disk refuses every write.
"""

import contextlib
import itertools
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.journal.heartbeat import read_heartbeat
from pi_controller.protocol.messages import AskSim
from tests.needs import program as installed
from tests.system.programs import (
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


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Program]:
    (folder / "settings.toml").write_text(SETTINGS)
    at = (f"--settings={folder / 'settings.toml'}", f"--state-dir={folder / 's'}")
    with program("core", "--hardware=sim", f"--speed={SPEED}", *at) as core:
        yield core


@contextlib.contextmanager
def dead_disk(core: Program) -> Iterator[None]:
    """Every write(2) of the process is answered with EIO, by ptrace; the heartbeat's pwrite64 is not."""
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


def test_a_pause_that_was_not_saved_is_not_played_away(tmp_path: Path) -> None:
    state = tmp_path / "s"
    with running(tmp_path) as core:
        client = client_of(state, core)
        client.ask(AskSim(do="fact", name="disk.free_bytes", value=10**9))
        wait_for_picture(client, well)
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.running)
        with dead_disk(core):
            seen = pause_that_is_not_saved(core, state)
            core.process.kill()
            core.left()
    with running(tmp_path) as core:
        after = client_of(state, core).picture()
        assert core.process.poll() is None
    for name in ("round", "side", "dice", "remaining_ms", "game_id"):
        assert getattr(after, name) == getattr(seen, name), name
    assert (after.paused, after.running) == (True, False)


def pause_that_is_not_saved(core: Program, state: Path) -> Picture:
    """What the hall saw while the pause stood, long enough for the round to be over in the meantime."""
    client = client_of(state, core)
    texts = (f"{number} " + "x" * 150 for number in itertools.count())
    while client.command("say", {"text": next(texts)}).accepted:
        pass
    wait_for_picture(client, lambda picture: "fault" in picture.pause_reasons)

    def beaten_ns() -> int:
        beat = read_heartbeat(state / "heartbeat")
        return beat.game_ns if beat is not None else 0

    until_ns = beaten_ns() + PLAYED_AWAY_NS
    wait_until(lambda: beaten_ns() > until_ns)
    seen = client.picture()
    assert (seen.running, seen.saved_seq < seen.seq) == (False, True)
    return seen
