"""The drill with a spare controller, as the real programs do it; `python -m tests.system.spare` measures it."""

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.system.programs import Program, cli, client_of

SETTINGS = "[game]\nschedule = [{{from_round = 1, seconds = 3600}}]\nstart_countdown_seconds = 0\n[journal]\nsecond_copy = {copy}\n"


class Drill:
    """Two controllers in one folder, paired; `stick` is what goes from one to the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stick = folder / "stick"
        self.stick.mkdir()
        key = folder / "key"
        self.state = {name: folder / name for name in ("a", "b")}
        assert cli("pair", "new", "--state-dir", self.state["a"]).returncode == 0
        assert cli("pair", "export", "--state-dir", self.state["a"], "-o", key).returncode == 0
        assert cli("pair", "import", key, "--state-dir", self.state["b"]).returncode == 0

    def core(self, name: str, *, stick: Path | None = None) -> list[str | Path]:
        """Arguments that start controller `name` with its second copy there."""
        settings = self.folder / f"{name}.toml"
        settings.write_text(SETTINGS.format(copy=json.dumps(str(stick or self.stick))))
        return ["core", "--hardware", "sim", "--settings", settings, "--state-dir", self.state[name]]

    def pull_stick(self) -> Path:
        """The stick in the spare's slot."""
        moved = self.folder / "stick-in-b"
        shutil.copytree(self.stick, moved)
        return moved


def main() -> int:
    """Seconds of the software's part: restore, and core B until it answers."""
    with tempfile.TemporaryDirectory() as name:
        drill = Drill(Path(name))
        first = Program(*drill.core("a"))
        client = client_of(drill.state["a"], first)
        for command in ("start", *["skip"] * 100):
            assert client.command(command).accepted
        first.process.kill()
        first.away()
        stick = drill.pull_stick()
        begun = time.monotonic()
        done = cli("restore", stick, "--state-dir", drill.state["b"])
        restored = time.monotonic()
        second = Program(*drill.core("b", stick=stick))
        picture = client_of(drill.state["b"], second).picture()
        answered = time.monotonic()
        second.away()
    print(done.stdout.strip())
    print(f"restore {restored - begun:.1f} s, core until it answers {answered - restored:.1f} s;", end=" ")
    print(f"paused: {picture.paused}, round {picture.round}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
