"""READY for the service manager; says nothing where there is none."""

import socket
from collections.abc import Mapping


def notify_ready(environment: Mapping[str, str]) -> None:
    """Tell systemd that the web side listens (sd_notify(3)). OSError when its socket is not there."""
    address = environment.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as notices:
        notices.connect(address)
        notices.sendall(b"READY=1\nSTATUS=Pages are served")
