"""Files of the state folder: where it is, its sockets, and why core did not start."""

import os
from pathlib import Path

import pytest

from pi_controller.language.words import words
from pi_controller.protocol import refusal
from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.protocol.paths import (
    LONGEST_SOCKET_PATH,
    find_state_dir,
    socket_path,
    tables_socket,
    virtual_port,
    virtual_segments,
)
from pi_controller.sentence import Sentence, as_told

NO_UNIT = Path("/nonexistent/unit")


@pytest.mark.parametrize(
    ("given", "environment", "expected"),
    [
        (Path("/a"), {"PI_CONTROLLER_STATE_DIR": "/b"}, "/a"),
        (None, {"PI_CONTROLLER_STATE_DIR": "/b", "STATE_DIRECTORY": "/c"}, "/b"),
        (None, {"STATE_DIRECTORY": "/c:/d", "XDG_STATE_HOME": "/e"}, "/c"),
        (None, {"XDG_STATE_HOME": "/e", "HOME": "/h"}, "/e/pi-controller"),
        (None, {"XDG_STATE_HOME": "relative", "HOME": "/h"}, "/h/.local/state/pi-controller"),
        (None, {"HOME": "/h"}, "/h/.local/state/pi-controller"),
    ],
)
def test_the_state_folder_is_the_first_that_is_named(
    given: Path | None, environment: dict[str, str], expected: str
) -> None:
    assert find_state_dir(given, environment, NO_UNIT) == Path(expected)


def test_an_installed_unit_has_its_own(tmp_path: Path) -> None:
    assert find_state_dir(None, {"HOME": "/h"}, tmp_path) == tmp_path


def test_a_relative_folder_becomes_absolute() -> None:
    assert find_state_dir(Path("here"), {}, NO_UNIT) == Path.cwd() / "here"


def test_the_socket_path_may_be_as_long_as_the_system_takes() -> None:
    fits = Path("/" + "x" * (LONGEST_SOCKET_PATH - len("//control.sock")))
    assert len(bytes(socket_path(fits))) == LONGEST_SOCKET_PATH
    with pytest.raises(SocketPathTooLong, match="has 108 bytes and the system allows 107: choose a shorter"):
        socket_path(Path(f"{fits}x"))
    with pytest.raises(SocketPathTooLong):
        socket_path(Path("/" + "ł" * 60))  # bytes count, not letters


def test_virtual_tables_fill_one_segment_after_the_other(tmp_path: Path) -> None:
    assert virtual_segments(0) == {}
    assert virtual_segments(1) == {"A": 1}
    assert virtual_segments(40) == {"A": 32, "B": 8}
    assert virtual_segments(256) == dict.fromkeys("ABCDEFGH", 32)
    assert virtual_port(tmp_path, "B") == tmp_path / "tables" / "B"
    assert tables_socket(tmp_path) == tmp_path / "tables.sock"


@pytest.mark.parametrize("count", [-1, 257])
def test_too_many_virtual_tables_are_refused(count: int) -> None:
    with pytest.raises(ValueError, match=f"There can be 0 to 256 virtual tables, not {count}"):
        virtual_segments(count)


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
