"""The service manager: READY for it, and whether what is said goes to its journal."""

import os
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


def goes_to_the_journal(descriptor: int, environment: Mapping[str, str]) -> bool:
    """Whether this open file is systemd's journal (systemd.exec(5), JOURNAL_STREAM), which others read."""
    status = os.fstat(descriptor)
    return environment.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"
