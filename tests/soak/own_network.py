"""A network of its own for a program and its children: several addresses on one machine, none of them loopback."""

import fcntl
import os
import shutil
import socket
import struct
import sys

HALL = "10.77.0.1"
DIRECTOR = "10.77.0.9"
SCREEN, PHONE, NEW_PHONE = "10.77.0.11", "10.77.0.12", "10.77.0.13"
"""Of those who have a key, a code, and neither yet."""
STRANGERS = ("10.77.0.21", "10.77.0.22", "10.77.0.23")
INSIDE = "PI_CONTROLLER_TEST_NETWORK"
SIOCSIFFLAGS, SIOCSIFADDR = 0x8914, 0x8916
UP = 0x1 | 0x8 | 0x40
"""IFF_UP, IFF_LOOPBACK, IFF_RUNNING (netdevice(7))."""


def enter(module: str, arguments: list[str]) -> None:
    """Go on inside: this program begins again in a network namespace, and there gives it its addresses.

    Ends with status 2 and a sentence where the machine does not allow one.
    """
    if os.environ.get(INSIDE):
        _give_addresses()
        return
    unshare = shutil.which("unshare")
    if unshare is None:
        print("unshare is not installed: it belongs to util-linux.", file=sys.stderr)
        sys.exit(2)
    command = [unshare, "--map-root-user", "--net", sys.executable, "-m", module, *arguments]
    os.execve(unshare, command, os.environ | {INSIDE: "1"})  # noqa: S606 - no shell is wanted


def _give_addresses() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", UP))
        for number, address in enumerate((HALL, DIRECTOR, SCREEN, PHONE, NEW_PHONE, *STRANGERS), start=1):
            name = f"lo:{number}".encode()
            asked = struct.pack("16sHH4s8x", name, socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(any_socket, SIOCSIFADDR, asked)
