"""kill -9 through the real processes. What `run` does about it: `test_life.py`."""

from argparse import Namespace
from pathlib import Path

from tests.soak import kills
from tests.system.programs import client_of, program, simulated, wait_for_picture


def test_some_kills(tmp_path: Path) -> None:
    """For long: `make soak`."""
    options = Namespace(kills=4, seed=3, slowest=kills.LONGEST_START_S, oldest=float("inf"))
    assert kills.run(tmp_path, options).startswith("4 kills (")


def test_a_kill_during_the_count_in_does_not_let_play_begin(tmp_path: Path) -> None:
    state = tmp_path / "s"
    given = ["core", *simulated(tmp_path, "[game]\nstart_countdown_seconds = 10\n")]
    with program(*given) as core:
        client = client_of(state, core)
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.resume_in_ms is not None)
        core.process.kill()
        core.left()
    with program(*given) as core:
        picture = client_of(state, core).picture()
        assert (picture.running, picture.resume_in_ms, picture.round) == (False, None, 0)
        again = client.command("resume")
        assert again.accepted, again.reasons
        assert client.picture().resume_in_ms is not None
