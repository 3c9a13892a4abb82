"""What the kernel's accounts say of a process: its memory and its processor time."""

import os
from pathlib import Path

from pi_controller.bench.processes import BenchError, children_of, command_line

KIB = 1024
KINDS = ("core", "web")
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def core_and_web(run: int) -> dict[str, int]:
    """The ids of both, of the process `run` that has started them; BenchError when it has not."""
    found = {}
    for child in children_of(run):
        named = [kind for kind in KINDS if kind in command_line(child)]
        if named:
            found[named[0]] = child
    if set(found) != set(KINDS):
        raise BenchError(f"`run` has {', '.join(found) or 'nothing'} beside it, not core and web.")
    return found


def memory_kib(pid: int) -> dict[str, int]:
    """`rss`, `pss` and `uss` of a process; raises OSError when the kernel does not tell."""
    values: dict[str, int] = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]:
        name, _, rest = line.partition(":")
        values[name] = int(rest.split()[0])
    return {
        "rss": values["Rss"],
        "pss": values["Pss"],
        "uss": values["Private_Clean"] + values["Private_Dirty"],
    }


def processor_s(pid: int) -> float:
    """Seconds that this process has taken since it began (proc_pid_stat(5), fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND
