"""Steps that hand the units over to systemd and start the controller, and one that silences others."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from pi_install.files import PutFile
from pi_install.machine import FailedError, Machine
from pi_install.record import Record
from pi_install.step import Revert, nothing

CORE, WEB = "pi-controller-core.service", "pi-controller-web.service"
LINKS = "pi-controller-links.service"
"""Where `links.role` is "none" it ends at once, which is no failure."""
UNITS = "/etc/systemd/system"
BOOT_ID = "/proc/sys/kernel/random/boot_id"


@dataclass(frozen=True)
class Services:
    """`enabled` start with the machine; core, web and links at once, unless it must be started again
    first."""

    enabled: tuple[str, ...]
    optional: tuple[str, ...]
    """Started again with core and web, when they run."""
    contents: tuple[bytes, ...] = field(repr=False)
    """Release and units: when one of them changes, all of them are started again."""

    @property
    def says(self) -> str:
        return f"enable {', '.join(self.enabled)}; start core, web and links"

    @property
    def _started(self) -> list[str]:
        return [unit for unit in (CORE, WEB, LINKS) if unit in self.enabled]

    def _stamp(self) -> str:
        return hashlib.sha256(b"\0".join(self.contents)).hexdigest()[:16]

    def is_done(self, machine: Machine, record: Record) -> bool:
        if record["running"] != self._stamp():
            return False
        return all(machine.ask_systemctl("is-enabled", unit) for unit in self.enabled)

    def do(self, machine: Machine, record: Record) -> Revert:
        if not machine.live:
            machine.systemctl("enable", *self.enabled)
        else:
            self._hand_over(machine)
            self._start(machine, record)
        record.note("running", self._stamp())
        return lambda: record.note("running", None)

    def _hand_over(self, machine: Machine) -> None:
        machine.systemctl("daemon-reexec")  # also takes the hardware watchdog's time over
        machine.systemctl("restart", "systemd-journald.service")
        machine.try_run("sysctl", "--quiet", "--load", "/etc/sysctl.d/60-pi-controller.conf")
        machine.run("systemd-tmpfiles", "--create", "/etc/tmpfiles.d/pi-controller.conf")
        machine.try_run("udevadm", "control", "--reload")
        machine.try_run(
            "udevadm", "trigger", "--subsystem-match=tty", "--subsystem-match=gpio", "--subsystem-match=input"
        )
        machine.systemctl("enable", *self.enabled)

    def _start(self, machine: Machine, record: Record) -> None:
        """A start that fails ends an upgrade; a first installation stays: its settings can be corrected."""
        record.note("problem", None)
        if must_start_again(machine, record):
            return
        was_running = machine.ask_systemctl("is-active", CORE)
        try:
            for unit in self._started:
                machine.systemctl("restart", unit)
        except FailedError:
            said = last_words(machine)
            if was_running:
                raise FailedError(f"The new release does not start: {said}") from None
            record.note("problem", said)
            return
        machine.systemctl("restart", *(unit for unit in self.enabled if unit.endswith(".path")))
        for unit in self.optional:
            if machine.at(f"{UNITS}/{unit}").exists():
                machine.systemctl("try-restart", unit)

    def restart_older(self, machine: Machine) -> None:
        """After an upgrade was taken back: run what was there before."""
        there = [unit for unit in self._started if machine.at(f"{UNITS}/{unit}").exists()]
        if not machine.live or CORE not in there:
            return
        for unit in self.enabled:
            wanted = machine.at(f"{UNITS}/multi-user.target.wants/{unit}")
            if not machine.at(f"{UNITS}/{unit}").exists() and wanted.is_symlink():
                wanted.unlink()  # the release before had no such unit
        machine.systemctl("daemon-reload")
        machine.systemctl("restart", *there)

    def undo(self, machine: Machine, record: Record) -> None:
        units = (*self.enabled, *self.optional)
        there = [unit for unit in units if machine.at(f"{UNITS}/{unit}").exists()]
        if not there:
            return
        if machine.live:
            machine.systemctl("disable", "--now", *there)
            machine.systemctl("reset-failed")
        else:
            machine.systemctl("disable", *there)


@dataclass(frozen=True)
class Enabled:
    """A unit that starts with the machine; the hall screen not before, as it takes the screen from whoever
    installs."""

    unit: str
    at_once: bool = False

    @property
    def says(self) -> str:
        return f"enable {self.unit}"

    def is_done(self, machine: Machine, record: Record) -> bool:
        return machine.ask_systemctl("is-enabled", self.unit)

    def do(self, machine: Machine, record: Record) -> Revert:
        machine.systemctl("enable", *(("--now",) if self.at_once and machine.live else ()), self.unit)
        return lambda: self.undo(machine, record)

    def undo(self, machine: Machine, record: Record) -> None:
        if self.is_done(machine, record):
            machine.systemctl("disable", *(("--now",) if machine.live else ()), self.unit)


@dataclass(frozen=True)
class Without:
    """A unit that this release does not have, being older than the one before: it is taken away."""

    unit: str
    path: str

    @property
    def says(self) -> str:
        return f"remove {self.unit}, which this release does not have"

    def is_done(self, machine: Machine, record: Record) -> bool:
        return not machine.at(self.path).exists()

    def do(self, machine: Machine, record: Record) -> Revert:
        kept = PutFile(self.path, machine.at(self.path).read_bytes())
        enabled = machine.ask_systemctl("is-enabled", self.unit)
        machine.systemctl("disable", *(("--now",) if machine.live else ()), self.unit)
        kept.undo(machine, record)

        def put_back() -> None:
            kept.do(machine, record)
            if enabled:
                machine.systemctl("enable", *(("--now",) if machine.live else ()), self.unit)

        return put_back

    def undo(self, machine: Machine, record: Record) -> None:
        """Nothing: it is not there."""


@dataclass(frozen=True)
class Silence:
    """Units of others that would take the adapters or the evening: masked, unless somebody did already."""

    units: tuple[str, ...]

    @property
    def says(self) -> str:
        return f"keep from starting: {', '.join(self.units)}"

    def is_done(self, machine: Machine, record: Record) -> bool:
        return not self._open(machine)

    def _open(self, machine: Machine) -> list[str]:
        return [unit for unit in self.units if not self._place(machine, unit).is_symlink()]

    def _place(self, machine: Machine, unit: str) -> Path:
        return machine.at(f"/etc/systemd/system/{unit}")

    def do(self, machine: Machine, record: Record) -> Revert:
        masked = self._open(machine)
        running = [unit for unit in masked if machine.live and machine.ask_systemctl("is-active", unit)]
        record.note("masked", sorted({*(record["masked"] or []), *masked}))
        record.note("stopped", sorted({*(record["stopped"] or []), *running}))
        if running:
            machine.systemctl("stop", *running)
        machine.systemctl("mask", *masked)
        return lambda: self.undo(machine, record)

    def undo(self, machine: Machine, record: Record) -> None:
        masked = [unit for unit in record["masked"] or [] if self._place(machine, unit).is_symlink()]
        if masked:
            machine.systemctl("unmask", *masked)
        for unit in record["stopped"] or []:
            machine.systemctl("start", unit)
        record.note("masked", None)
        record.note("stopped", None)


@dataclass(frozen=True)
class Reload:
    """At uninstallation, after the files are gone: systemd and udev forget them. Nothing to do before."""

    says: str = "let systemd and udev read their files again"

    def is_done(self, machine: Machine, record: Record) -> bool:
        return True

    def do(self, machine: Machine, record: Record) -> Revert:
        return nothing

    def undo(self, machine: Machine, record: Record) -> None:
        if machine.live:
            machine.systemctl("daemon-reexec")
            machine.systemctl("restart", "systemd-journald.service")
            machine.try_run("udevadm", "control", "--reload")


def last_words(machine: Machine) -> str:
    """What core said last in the journal."""
    lines = machine.try_run(
        "journalctl",
        "--quiet",
        "--no-pager",
        "--output=cat",
        "--lines=30",
        f"--unit={CORE}",
        "SYSLOG_FACILITY=3",
    ).stdout.splitlines()
    own = [line for line in lines if line.strip()]
    return own[-1] if own else f"look at: journalctl -u {CORE}"


def note_start_again(machine: Machine) -> str:
    """What is remembered when only a new start of the machine brings a change into force."""
    return machine.at(BOOT_ID).read_text(encoding="utf-8").strip()


def must_start_again(machine: Machine, record: Record) -> bool:
    """Whether the machine has not been started again since."""
    noted = record["start_again"]
    return noted is not None and noted == note_start_again(machine)
