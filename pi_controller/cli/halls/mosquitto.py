"""Mosquitto, the broker: where it is, and its configuration for a try-out and for an event."""

import re
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path

from pi_controller.cli.usage import FAILED, Stop, of_system
from pi_controller.links.payloads import LARGEST
from pi_controller.sentence import Sentence

PLAIN_PORT, TLS_PORT = 1883, 8883
"""As IANA has them (`mqtt`, `secure-mqtt`)."""
ALSO_HERE = "/usr/sbin"
"""Debian puts it there, which is not in everybody's PATH."""

CONFIGURATION, PASSWORDS, RIGHTS = "mosquitto.conf", "passwords", "acl"
AUTHORITY, CERTIFICATE, KEY = "ca.pem", "server.pem", "server_key.pem"


def find_mosquitto() -> str:
    """Its full path. Raises Stop where it is not installed."""
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path=ALSO_HERE)
    if found is None:
        raise Stop(FAILED, Sentence("halls.no_mosquitto"))
    return found


def free_port(host: str) -> int:
    """Raises Stop."""
    try:
        with socket.create_server((host, 0)) as probe:
            port: int = probe.getsockname()[1]
    except OSError as error:
        raise Stop(FAILED, of_system(error, Path(host))) from error
    return port


def reached_at(configuration: str) -> tuple[str, int, bool] | None:
    """Address (empty: all), port and encryption of the first listener; None where there is none."""
    found = re.search(r"^listener\s+(\d+)(?:[ \t]+(\S+))?", configuration, re.MULTILINE)
    encrypted = re.search(r"^certfile\s", configuration, re.MULTILINE) is not None
    return (found[2] or "", int(found[1]), encrypted) if found else None


COMMON = f"""\
# A message does not wait until the one before it is confirmed.
set_tcp_nodelay true
# Halls tell everything again after a new start; nothing is written.
persistence false
max_packet_size {2 * LARGEST}
log_dest stderr
log_type error
log_type warning
"""


def try_out_text(port: int) -> str:
    """For this machine alone: everybody on it may do everything."""
    return f"listener {port} 127.0.0.1\nallow_anonymous true\n{COMMON}"


def copy_text(port: int, folder: Path) -> str:
    """For this machine alone, with the passwords and the rights in this folder: to try them."""
    return (
        f"listener {port} 127.0.0.1\nallow_anonymous false\npassword_file {folder / PASSWORDS}\n"
        f"acl_file {folder / RIGHTS}\nmax_queued_messages 100000\n{COMMON}"
    )


@dataclass(frozen=True, slots=True)
class Variant:
    """How an event's broker is reached. `tls`: encrypted, with a certificate; otherwise the network must be
    the halls' own."""

    tls: bool
    port: int

    def text(self, folder: Path) -> str:
        """The configuration of a broker whose other files lie in this folder."""
        encrypted = (
            f"cafile {folder / AUTHORITY}\ncertfile {folder / CERTIFICATE}\nkeyfile {folder / KEY}\n"
            "tls_version tlsv1.2\n"
        )
        return (
            "# Written by `pi-controller broker setup`.\n"
            f"# {self._meaning}\n"
            f"listener {self.port}\n"
            f"{encrypted if self.tls else ''}"
            "# Nobody without a password; what each may write stands in the list of rights.\n"
            "allow_anonymous false\n"
            f"password_file {folder / PASSWORDS}\n"
            f"acl_file {folder / RIGHTS}\n"
            f"{COMMON}log_type notice\n"
        )

    @property
    def _meaning(self) -> str:
        if self.tls:
            return "Encrypted (TLS), for any network; each hall has a password and rights of its own."
        return (
            "Not encrypted: for a network of the halls' own. Each hall has a password and rights of its own."
        )
