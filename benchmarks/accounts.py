"""What the kernel's accounts say of a process: its memory, and how often it woke up."""

from pathlib import Path

from pi_controller.bench.processes import BenchError, children_of, command_line

KIB = 1024
KINDS = ("core", "web")


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


def wake_ups(pid: int) -> dict[int, int]:
    """How often each of its threads has waited (`voluntary_ctxt_switches` in proc_pid_status(5))."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        told = (task / "status").read_text(encoding="utf-8").partition("\nvoluntary_ctxt_switches:")[2]
        found[int(task.name)] = int(told.split()[0])
    return found
