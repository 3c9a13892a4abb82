"""Core's reason not to start, from process to process."""

import os
from pathlib import Path

import pytest

from pi_controller.language.words import words
from pi_controller.protocol import refusal
from pi_controller.sentence import Sentence, as_told

FULL = Sentence("system.no_space_left")


def test_a_reason_is_left_read_and_withdrawn(tmp_path: Path) -> None:
    assert refusal.read(tmp_path) is None
    refusal.leave(tmp_path, [FULL])
    gone = as_told("The disk is gone: change it \N{EN DASH} now.")
    refusal.leave(tmp_path, [Sentence("start.without", parts=FULL, why=gone), FULL])
    said = Sentence("list.sentences", sentences=(Sentence("start.without", parts=FULL, why=gone), FULL))
    assert refusal.read(tmp_path) == said
    assert words(FULL, "de") in words(said, "de")
    assert (tmp_path / refusal.FILE_NAME).stat().st_mode & 0o777 == 0o600
    refusal.withdraw(tmp_path)
    refusal.withdraw(tmp_path)
    assert refusal.read(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_nothing_is_no_further_trouble(tmp_path: Path) -> None:
    refusal.leave(tmp_path / "none", [FULL])
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
    refusal.leave(tmp_path, [FULL, *[as_told("x" * 1_000)] * 100])
    said = refusal.read(tmp_path)
    assert said is not None
    assert words(said).startswith(words(FULL))
    assert 10_000 < len(words(said)) < refusal.LONGEST


def test_what_another_release_has_left_comes_as_it_is(tmp_path: Path) -> None:
    for text in ("The disk is full.", '[{"key":"nobody.says_this"}]'):
        (tmp_path / refusal.FILE_NAME).write_text(text)
        assert refusal.read(tmp_path) == as_told(text)
