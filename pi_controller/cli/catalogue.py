"""All commands of `pi-controller`, each with the module of this folder whose `run` does it."""

import textwrap
from dataclasses import dataclass

from pi_controller.language.words import words
from pi_controller.sentence import Sentence

MENU_WIDTH = 74
"""Columns of the text below the menu."""


@dataclass(frozen=True, slots=True)
class _Entry:
    summary: Sentence
    module: str
    """In this folder. Imported when the command is given, so that `run` stays small beside its children."""


COMMANDS = {
    "run": _Entry(Sentence("command.run"), "run"),
    "core": _Entry(Sentence("command.core"), "processes"),
    "web": _Entry(Sentence("command.web"), "processes"),
    "virtual-tables": _Entry(Sentence("command.virtual_tables"), "processes"),
    "status": _Entry(Sentence("command.status"), "status"),
    "arm": _Entry(Sentence("command.arm"), "game"),
    "contribute": _Entry(Sentence("command.contribute"), "game"),
    "start": _Entry(Sentence("command.start"), "game"),
    "pause": _Entry(Sentence("command.pause"), "game"),
    "resume": _Entry(Sentence("command.resume"), "game"),
    "turn": _Entry(Sentence("command.turn"), "game"),
    "skip": _Entry(Sentence("command.skip"), "game"),
    "undo": _Entry(Sentence("command.undo"), "game"),
    "redo": _Entry(Sentence("command.redo"), "game"),
    "add-time": _Entry(Sentence("command.add_time"), "game"),
    "set-schedule": _Entry(Sentence("command.set_schedule"), "game"),
    "set-claims": _Entry(Sentence("command.set_claims"), "game"),
    "claim": _Entry(Sentence("command.claim"), "game"),
    "withdraw": _Entry(Sentence("command.withdraw"), "game"),
    "verdict": _Entry(Sentence("command.verdict"), "game"),
    "last-rounds": _Entry(Sentence("command.last_rounds"), "game"),
    "end": _Entry(Sentence("command.end"), "game"),
    "close": _Entry(Sentence("command.close"), "game"),
    "say": _Entry(Sentence("command.say"), "game"),
    "cover": _Entry(Sentence("command.cover"), "game"),
    "timer": _Entry(Sentence("command.timer"), "game"),
    "identify": _Entry(Sentence("command.identify"), "game"),
    "voice": _Entry(Sentence("command.voice"), "voice"),
    "tables": _Entry(Sentence("command.tables"), "hall.tables"),
    "table": _Entry(Sentence("command.table"), "hall.table"),
    "roster": _Entry(Sentence("command.roster"), "hall.roster"),
    "paper": _Entry(Sentence("command.paper"), "hall.paper"),
    "setup": _Entry(Sentence("command.setup"), "setup.command"),
    "power-budget": _Entry(Sentence("command.power_budget"), "hall.power_budget"),
    "pin": _Entry(Sentence("command.pin"), "access.pin"),
    "certificate": _Entry(Sentence("command.certificate"), "access.certificate"),
    "links": _Entry(Sentence("command.links"), "links"),
    "broker": _Entry(Sentence("command.broker"), "halls.broker"),
    "settings": _Entry(Sentence("command.settings"), "settings"),
    "safe-outputs": _Entry(Sentence("command.safe_outputs"), "safe_outputs"),
    "journal": _Entry(Sentence("command.journal"), "journal"),
    "fallback": _Entry(Sentence("command.fallback"), "fallback"),
    "stick": _Entry(Sentence("command.stick"), "stick"),
    "report": _Entry(Sentence("command.report"), "report"),
    "replay": _Entry(Sentence("command.replay"), "replay"),
    "bundle": _Entry(Sentence("command.bundle"), "bundle"),
    "pair": _Entry(Sentence("command.pair"), "pair"),
    "restore": _Entry(Sentence("command.restore"), "restore"),
    "selftest": _Entry(Sentence("command.selftest"), "selftest"),
    "bench": _Entry(Sentence("command.bench"), "bench"),
    "firmware": _Entry(Sentence("command.firmware"), "hall.firmware"),
    "verify": _Entry(Sentence("command.verify"), "journal"),
}


def overview() -> str:
    """The menu of all commands, one line each."""
    command = Sentence("metavar.command")
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {words(entry.summary)}" for name, entry in COMMANDS.items()]
    return "\n".join(
        [
            words(Sentence("cli.menu_usage", command=command)),
            "",
            *lines,
            "",
            textwrap.fill(
                words(Sentence("cli.menu_statuses", command=command)), MENU_WIDTH, break_on_hyphens=False
            ),
        ]
    )
