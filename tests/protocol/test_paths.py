from pathlib import Path

import pytest

from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.protocol.paths import (
    LONGEST_SOCKET_PATH,
    find_state_dir,
    socket_path,
    tables_socket,
    virtual_port,
    virtual_segments,
)

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


def test_the_limit_counts_bytes_not_letters() -> None:
    with pytest.raises(SocketPathTooLong):
        socket_path(Path("/" + "ł" * 60))


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
