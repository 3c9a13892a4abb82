"""All commands of `pi-controller`, each with the module of this folder whose `run` does it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Entry:
    summary: str
    module: str
    """In this folder. Imported when the command is given, so that `run` stays small beside its children."""


COMMANDS = {
    "run": _Entry("start core and web, and start again what dies", "run"),
    "core": _Entry("the game alone, without network", "processes"),
    "web": _Entry("the pages alone, beside a running core", "processes"),
    "virtual-tables": _Entry("simulated table nodes alone, beside a core with --virtual-tables", "processes"),
    "status": _Entry("what the hall sees now", "status"),
    "arm": _Entry("prepare a new game", "game"),
    "contribute": _Entry("add the hall's public word to the dice, before the start", "game"),
    "start": _Entry("3-2-1, then round 1", "game"),
    "pause": _Entry("freeze the clock", "game"),
    "resume": _Entry("3-2-1, then go on with the time that was left", "game"),
    "skip": _Entry("end the phase now", "game"),
    "undo": _Entry("take the last action back, or replace it", "game"),
    "redo": _Entry("do again what the last undo took back", "game"),
    "add-time": _Entry("give or take milliseconds", "game"),
    "set-schedule": _Entry("other round lengths from the next round on", "game"),
    "set-claims": _Entry("what a claim from a table does: ask the director, or pause at once", "game"),
    "claim": _Entry("claim the victory, as if pressed at the board", "game"),
    "withdraw": _Entry("take a claim back", "game"),
    "verdict": _Entry("confirm or reject a claim, or count its sheet", "game"),
    "last-rounds": _Entry("announce the end", "game"),
    "end": _Entry("end the game", "game"),
    "say": _Entry("a line on all screens", "game"),
    "timer": _Entry("a free countdown, outside rounds", "game"),
    "identify": _Entry("let a screen or table show its name", "game"),
    "tables": _Entry("the table nodes: segments, nodes, likely faults", "tables"),
    "table": _Entry("do something to a table: identify, swap, replace, enrol …", "table"),
    "roster": _Entry("which board stands where: show, export, import, new", "roster"),
    "paper": _Entry("labels, cable list, hall map, supply and network sheet as PDF", "paper"),
    "setup": _Entry("questions about what is wired, and the settings file from the answers", "setup.command"),
    "power-budget": _Entry("voltage at the last table; supplies, injectors and fuses", "power_budget"),
    "pin": _Entry("the PIN for director and technician: new, off, show", "pin"),
    "settings": _Entry("show, check or upgrade the settings", "settings"),
    "safe-outputs": _Entry("all lamps dark and the buzzer silent, when no core runs", "safe_outputs"),
    "journal": _Entry("list, show or export games", "journal"),
    "bundle": _Entry("one file for whoever helps: logs, journals, reports, no secrets", "bundle.command"),
    "pair": _Entry("the key shared with a spare controller: new, export, import, show", "pair"),
    "restore": _Entry("go on with a game from its second copy, when no core runs", "restore"),
    "selftest": _Entry("test panel, tables and computer: boot, field or bench level", "selftest"),
    "bench": _Entry("figures of this machine: latencies, clock, start, memory", "bench"),
    "firmware": _Entry("compile the table nodes' firmware and put it on Picos", "firmware"),
    "verify": _Entry("re-compute dice and hash chain of an exported game", "journal"),
}


def overview() -> str:
    """The menu of all commands, one line each."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {entry.summary}" for name, entry in COMMANDS.items()]
    return "\n".join(
        [
            "usage: pi-controller COMMAND …",
            "",
            *lines,
            "",
            "`pi-controller COMMAND --help` tells more. Exit status: 0 done, 1 failed,",
            "2 wrong usage or settings, 3 refused by the game, 4 no controller answers.",
        ]
    )
