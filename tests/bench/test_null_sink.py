"""The sink's processes, without PipeWire: programs of our own stand in its place."""

import os
from pathlib import Path

import pytest

from benchmarks.null_sink import NullSink
from tests.needs import program
from tests.system.programs import children_of

WAITS = "#!/bin/sh\nexec {sleep} 600\n"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where programs are looked for: a pipewire that only waits, and nothing else."""
    folder = tmp_path / "programs"
    folder.mkdir()
    put(folder, "pipewire", WAITS.format(sleep=program("sleep")))
    monkeypatch.setenv("PATH", str(folder))
    return folder


def put(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def test_a_start_that_breaks_off_leaves_no_process(programs: Path, tmp_path: Path) -> None:
    before = children_of(os.getpid())
    (tmp_path / "runtime").mkdir()
    with pytest.raises(FileNotFoundError, match="pw-cli"), NullSink(tmp_path / "runtime"):
        pass
    assert children_of(os.getpid()) == before


def test_a_program_that_ends_at_once_is_told_at_once(programs: Path, tmp_path: Path) -> None:
    put(programs, "pipewire", "#!/bin/sh\necho no room\nexit 1\n")
    put(programs, "pw-cli", "#!/bin/sh\nexit 0\n")
    (tmp_path / "runtime").mkdir()
    with pytest.raises(TimeoutError, match="no room"), NullSink(tmp_path / "runtime"):
        pass
