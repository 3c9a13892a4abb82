"""Where the state folder, the control socket and the virtual tables' ports lie."""

from collections.abc import Mapping
from pathlib import Path

from pi_controller.bus.frame import MOST_NODES, MOST_SEGMENTS
from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.sentence import Sentence

SOCKET_NAME = "control.sock"
TABLES_SOCKET_NAME = "tables.sock"
LINKS_SOCKET_NAME = "links.sock"
SEGMENT_NAMES = "ABCDEFGH"
MOST_VIRTUAL_TABLES = MOST_NODES * MOST_SEGMENTS
LONGEST_SOCKET_PATH = 107
"""Bytes: `sun_path` holds 108 with the closing zero (unix(7))."""
UNIT_STATE_DIR = Path("/var/lib/pi-controller")
"""The installed unit's StateDirectory."""


def find_state_dir(
    given: Path | None, environment: Mapping[str, str], unit_state_dir: Path = UNIT_STATE_DIR
) -> Path:
    """The state folder, absolute; it need not exist yet.

    In this order: the one given, $PI_CONTROLLER_STATE_DIR, $STATE_DIRECTORY (set by systemd), the installed
    unit's own when there is one, `pi-controller` in $XDG_STATE_HOME or in ~/.local/state.
    """
    if given is not None:
        return given.absolute()
    # systemd separates several state directories by colons; the unit has one
    named = environment.get("PI_CONTROLLER_STATE_DIR") or environment.get("STATE_DIRECTORY", "").split(":")[0]
    if named:
        return Path(named).absolute()
    if unit_state_dir.is_dir():
        return unit_state_dir
    state_home = Path(environment.get("XDG_STATE_HOME", ""))
    if not state_home.is_absolute():  # the XDG base directory specification has relative ones ignored
        state_home = Path(environment.get("HOME") or Path.home()) / ".local" / "state"
    return state_home / "pi-controller"


def socket_path(state_dir: Path) -> Path:
    """The control socket in this state folder; SocketPathTooLong when the system could not bind it."""
    path = state_dir.absolute() / SOCKET_NAME
    length = len(bytes(path))
    if length > LONGEST_SOCKET_PATH:
        raise SocketPathTooLong(
            Sentence("core.path_too_long", path=str(path), length=length, most=LONGEST_SOCKET_PATH)
        )
    return path


def links_socket(state_dir: Path) -> Path:
    """Where core answers the links process, and nothing but what that may ask; shorter as well."""
    return state_dir.absolute() / LINKS_SOCKET_NAME


def tables_socket(state_dir: Path) -> Path:
    """Where the virtual tables listen; its name is shorter than the control socket's, so it can be bound."""
    return state_dir.absolute() / TABLES_SOCKET_NAME


def virtual_port(state_dir: Path, segment: str) -> Path:
    """The serial port of a segment of virtual tables: a symbolic link that is there while they run."""
    return state_dir.absolute() / "tables" / segment


def virtual_segments(tables: int) -> dict[str, int]:
    """The segments of so many virtual tables, each with its number of nodes; all but the last are full.

    ValueError when they are not 0 to MOST_VIRTUAL_TABLES.
    """
    if not 0 <= tables <= MOST_VIRTUAL_TABLES:
        raise ValueError(f"There can be 0 to {MOST_VIRTUAL_TABLES} virtual tables, not {tables}.")
    starts = range(0, tables, MOST_NODES)
    return {name: min(MOST_NODES, tables - start) for name, start in zip(SEGMENT_NAMES, starts, strict=False)}


def virtual_uid(number: int) -> str:
    """The unique id of the virtual table with this number, counted from 1 through all segments."""
    return f"76746162{number:08x}"
