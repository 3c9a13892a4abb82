"""Where the state folder and the control socket lie."""

from collections.abc import Mapping
from pathlib import Path

from pi_controller.control.errors import SocketPathTooLong

SOCKET_NAME = "control.sock"
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
            f"The path of the control socket, {path}, has {length} bytes and the system allows"
            f" {LONGEST_SOCKET_PATH}: choose a shorter --state-dir"
        )
    return path
