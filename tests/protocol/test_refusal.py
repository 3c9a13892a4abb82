"""Core's reason not to start, from process to process."""

import os
from pathlib import Path

import pytest

from pi_controller.protocol import refusal


def test_a_reason_is_left_read_and_withdrawn(tmp_path: Path) -> None:
    assert refusal.read(tmp_path) is None
    refusal.leave(tmp_path, "The disk is full.")
    refusal.leave(tmp_path, "The disk is gone: change it \N{EN DASH} now.")
    assert refusal.read(tmp_path) == "The disk is gone: change it \N{EN DASH} now."
    assert (tmp_path / refusal.FILE_NAME).stat().st_mode & 0o777 == 0o600
    refusal.withdraw(tmp_path)
    refusal.withdraw(tmp_path)
    assert refusal.read(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_nothing_is_no_further_trouble(tmp_path: Path) -> None:
    refusal.leave(tmp_path / "none", "The disk is full.")
    refusal.withdraw(tmp_path / "none")
    assert refusal.read(tmp_path / "none") is None


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_is_neither_followed_nor_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / refusal.FILE_NAME
    other = tmp_path / "secret"
    other.write_text("secret")
    if kind == "link":
        path.symlink_to(other)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert refusal.read(tmp_path) is None


def test_it_is_read_to_a_limit(tmp_path: Path) -> None:
    refusal.leave(tmp_path, "x" * 100_000)
    assert refusal.read(tmp_path) == "x" * refusal.LONGEST
