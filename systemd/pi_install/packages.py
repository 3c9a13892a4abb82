"""The step that installs Debian packages, from the machine's own sources or from a bundle's folder."""

from dataclasses import dataclass

from pi_install.machine import FailedError, Machine
from pi_install.record import Record
from pi_install.step import Revert, nothing


@dataclass(frozen=True)
class Packages:
    """Packages stay at uninstallation: something else may use them by then; which ones is said."""

    names: tuple[str, ...]
    purpose: str

    @property
    def says(self) -> str:
        return f"install from Debian for {self.purpose}: {', '.join(self.names)}"

    def _missing(self, machine: Machine) -> list[str]:
        return [name for name in self.names if not self._is_there(machine, name)]

    def _is_there(self, machine: Machine, name: str) -> bool:
        admin = f"--admindir={machine.at('/var/lib/dpkg')}"
        asked = machine.try_run("dpkg-query", admin, "--show", "--showformat=${db:Status-Status}", name)
        return asked.stdout == "installed"

    def is_done(self, machine: Machine, record: Record) -> bool:
        return not self._missing(machine)

    def do(self, machine: Machine, record: Record) -> Revert:
        missing = self._missing(machine)
        asked = machine.try_run(
            "apt-get",
            "install",
            "--yes",
            "--no-install-recommends",
            *missing,
            DEBIAN_FRONTEND="noninteractive",
        )
        if asked.returncode != 0:
            raise FailedError(
                f"Debian packages could not be installed for {self.purpose}; when the machine has a network, "
                f"run: sudo apt update && sudo apt install --no-install-recommends {' '.join(missing)}"
            )
        record.note("packages", sorted({*(record["packages"] or []), *missing}))
        return nothing

    def undo(self, machine: Machine, record: Record) -> None:
        """They stay."""
