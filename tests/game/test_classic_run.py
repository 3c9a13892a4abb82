"""Some classic games against the reference, in processes of their own; `make rules-classic` plays 20,000."""

import subprocess
import sys
from pathlib import Path


def test_classic_games_agree_with_the_reference():
    run = subprocess.run(
        [sys.executable, "-m", "tests.game.classic_run", "--games", "30"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "30 classic games agree" in run.stdout
