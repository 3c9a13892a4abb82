"""The listening socket and the address that people type."""

import errno
import socket

from pi_controller.web.origin import WILDCARDS

SEND_BUFFER = 32 * 1024
"""Bytes the kernel keeps for a connection (it doubles the number): small, so that a full one is noticed."""
RECEIVE_BUFFER = 32 * 1024
"""The same for what comes: nobody has more than 64 KiB to say, and what waits unread costs memory."""
SILENT_PEER_MS = 10_000
"""Who acknowledges nothing for so long is gone (TCP_USER_TIMEOUT, tcp(7)): Wi-Fi lost, laptop shut."""
ACCEPTED_AT_ONCE = 16
"""Connections; then the loop looks at everybody else again."""
BACKLOG = 1024
"""A hall of phones that comes back at once; the kernel may cut it to net.core.somaxconn."""


class PortFault(OSError):  # noqa: N818 - like SettingsFault
    """The address cannot be listened on; the text is one sentence with the remedy."""


def listen_on(host: str, port: int) -> socket.socket:
    """A listening socket whose connections inherit its limits. PortFault says why not."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError) as problem:
        raise PortFault(
            f"The host {host!r} is not known here: choose an address of this machine with --host."
        ) from problem
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, SILENT_PEER_MS)
        if family is socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listening.bind(address)
        listening.listen()
        listening.setblocking(False)  # noqa: FBT003 - the library's own signature
    except OSError as problem:
        listening.close()
        raise PortFault(_why_not(problem, host, port)) from problem
    return listening


def wait_in_line(listening: socket.socket) -> None:
    """So many connections may wait to be accepted. To be called once the loop serves the socket: it sets a
    length of its own, which is also how many it accepts at a time (ACCEPTED_AT_ONCE)."""
    listening.listen(BACKLOG)


def url_of(host: str, port: int) -> str:
    """The address to open on this machine, without a path."""
    shown = "127.0.0.1" if host in WILDCARDS else host
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def _why_not(problem: OSError, host: str, port: int) -> str:
    if problem.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is in use: end the other program, or choose another port with --port."
    if problem.errno == errno.EACCES:
        return f"Port {port} on {host} needs more rights: choose a port above 1023 with --port."
    if problem.errno == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine: choose one of its own with --host."
    return f"Port {port} on {host} cannot be used ({problem.strerror}): choose others with --host and --port."
