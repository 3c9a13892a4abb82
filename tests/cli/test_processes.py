import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import atexit, sys
atexit.register(print, "taken apart")
from pi_controller.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
WRONG_USE = 2


@pytest.mark.parametrize("name", ["core", "web"])
def test_a_process_ends_without_taking_the_interpreter_apart(tmp_path: Path, name: str) -> None:
    """Its threads may still run then, which CPython does not always survive."""
    (tmp_path / "s.toml").write_text("[game]\nrobber_seconds = -1\n")
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, name, f"--settings={tmp_path}/s.toml", f"--state-dir={tmp_path}"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
    )
    assert ended.returncode == WRONG_USE
    assert "robber_seconds" in ended.stderr
    assert ended.stdout == ""
