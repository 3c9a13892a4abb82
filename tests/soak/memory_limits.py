"""Processes under the memory limits of their units: by a cgroup where this machine makes one."""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Self

UNITS = Path(__file__).parent.parent.parent / "systemd"
MAX = re.compile(r"^MemoryMax=(\d+)M$", re.MULTILINE)
MIB = 1024 * 1024
GROUPS = Path("/sys/fs/cgroup")
LIMITS = ("memory.limit_in_bytes", "memory.max")
"""Of version 1 and 2."""
PROCESSES = "cgroup.procs"
RESET_PEAK = "5"
"""For clear_refs (proc_pid_clear_refs(5)): VmHWM begins anew."""


def unit_mib(name: str) -> int:
    """MemoryMax of core or web."""
    found = MAX.search((UNITS / f"pi-controller-{name}.service").read_text(encoding="utf-8"))
    assert found is not None
    return int(found[1])


class Limited:
    """These processes have what their units give them for the length of the block. A cgroup counts only what is
    taken from now on, so that what a process has already is taken off its limit."""

    def __init__(self, pids: dict[str, int | None]) -> None:
        self._pids = {name: pid for name, pid in pids.items() if pid is not None}
        self._groups = contextlib.ExitStack()
        self.peaks_mb: dict[str, float] = {}
        self.too_much: list[str] = []

    def __enter__(self) -> Self:
        for name, pid in self._pids.items():
            with contextlib.suppress(OSError):
                Path(f"/proc/{pid}/clear_refs").write_text(RESET_PEAK, encoding="ascii")
            left = unit_mib(name) * MIB - status_kib(pid, "VmRSS") * 1024
            self._groups.enter_context(grouped(pid, left))
        return self

    def __exit__(self, *_raised: object) -> None:
        for name, pid in self._pids.items():
            with contextlib.suppress(OSError, KeyError):  # gone
                peak = status_kib(pid, "VmHWM") * 1024
                self.peaks_mb[name] = peak / 1e6
                if peak > unit_mib(name) * MIB:
                    self.too_much.append(
                        f"{name} had {peak / 1e6:.0f} MB, its unit gives {unit_mib(name)} MiB"
                    )
        self._groups.close()


@contextlib.contextmanager
def grouped(pid: int, most: int) -> Iterator[None]:
    """In a cgroup of its own, below the one in which it is, that may have so many more bytes; where this machine
    makes one."""
    above = own_group()
    group = above / f"pi-controller-flood-{pid}"
    if not MAKES_GROUPS:
        yield
        return
    group.mkdir()
    try:
        limit = next(group / name for name in LIMITS if (group / name).exists())
        limit.write_text(str(most), encoding="ascii")
        (group / PROCESSES).write_text(str(pid), encoding="ascii")
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            (above / PROCESSES).write_text(str(pid), encoding="ascii")
        group.rmdir()


def own_group() -> Path:
    """The cgroup of this process that counts memory (cgroups(7))."""
    found = GROUPS
    for line in Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return GROUPS / "memory" / path.lstrip("/")
        if not controllers:
            found = GROUPS / path.lstrip("/")
    return found


def makes_groups() -> bool:
    group = own_group() / f"pi-controller-flood-try-{os.getpid()}"
    try:
        group.mkdir()
        found = any((group / name).exists() for name in LIMITS)
        group.rmdir()
    except OSError:
        return False
    return found


def status_kib(pid: int, name: str) -> int:
    """A line of /proc/PID/status. OSError, KeyError when it is gone."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    values = dict(line.split(":", 1) for line in lines)
    return int(values[name].split()[0])


MAKES_GROUPS = makes_groups()
HOW = "cgroups" if MAKES_GROUPS else "peaks watched: this machine makes no cgroups for us"
