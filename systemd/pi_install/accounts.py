"""The step that makes the system's users and groups, and remembers which of them were not there before."""

from dataclasses import dataclass
from pathlib import Path

from pi_install.machine import Machine
from pi_install.record import Record
from pi_install.step import Revert


@dataclass(frozen=True)
class Accounts:
    """What the sysusers file names."""

    users: tuple[str, ...]
    groups: tuple[str, ...]
    file: str

    @property
    def says(self) -> str:
        return (
            f"make users {', '.join(self.users)} and groups {', '.join(self.groups)} where they are missing"
        )

    def is_done(self, machine: Machine, record: Record) -> bool:
        return not self._missing(machine, "passwd", self.users) and not self._missing(
            machine, "group", (*self.groups, *self.users)
        )

    def do(self, machine: Machine, record: Record) -> Revert:
        users = self._missing(machine, "passwd", self.users)
        groups = self._missing(machine, "group", (*self.groups, *self.users))
        record.note("users", [*(record["users"] or []), *users])
        record.note("groups", [*(record["groups"] or []), *groups])
        machine.run("systemd-sysusers", f"--root={machine.root}", Path(self.file).name)
        return lambda: self._remove(machine, record, users, groups)

    def undo(self, machine: Machine, record: Record) -> None:
        """They stay as long as the data that belongs to them."""

    def purge(self, machine: Machine, record: Record) -> None:
        """Remove those that we made."""
        self._remove(machine, record, record["users"] or [], record["groups"] or [])

    def _remove(self, machine: Machine, record: Record, users: list[str], groups: list[str]) -> None:
        prefix = () if machine.live else ("--prefix", str(machine.root))
        for user in users:
            if not self._missing(machine, "passwd", (user,)):
                machine.run("userdel", *prefix, user)
        for group in groups:
            if not self._missing(machine, "group", (group,)):  # a user's own group went with the user
                machine.run("groupdel", *prefix, group)
        record.note("users", [user for user in record["users"] or [] if user not in users] or None)
        record.note("groups", [group for group in record["groups"] or [] if group not in groups] or None)

    def _missing(self, machine: Machine, file: str, names: tuple[str, ...]) -> list[str]:
        lines = machine.at(f"/etc/{file}").read_text(encoding="utf-8").splitlines()
        there = {line.split(":", 1)[0] for line in lines}
        return [name for name in names if name not in there]
