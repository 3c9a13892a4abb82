"""All commands of `pi-controller`, each with the chapters of this folder that declare it."""

import textwrap

from pi_controller.language.words import words
from pi_controller.sentence import Sentence

MENU_WIDTH = 74
"""Columns of the text below the menu."""


class Entry:
    """`modules` of this folder are imported when the command is given, so that `run` stays small beside its
    children and a pause loads nothing that it does not need."""

    def __init__(self, summary: Sentence, *modules: str) -> None:
        self.summary = summary
        self.modules = modules


COMMANDS = {
    "run": Entry(Sentence("command.run"), "run"),
    "core": Entry(Sentence("command.core"), "processes"),
    "web": Entry(Sentence("command.web"), "processes"),
    "virtual-tables": Entry(Sentence("command.virtual_tables"), "processes"),
    "status": Entry(Sentence("command.status"), "status"),
    "arm": Entry(Sentence("command.arm"), "game"),
    "contribute": Entry(Sentence("command.contribute"), "game"),
    "start": Entry(Sentence("command.start"), "game"),
    "pause": Entry(Sentence("command.pause"), "game"),
    "resume": Entry(Sentence("command.resume"), "game"),
    "turn": Entry(Sentence("command.turn"), "game"),
    "skip": Entry(Sentence("command.skip"), "game"),
    "undo": Entry(Sentence("command.undo"), "game"),
    "redo": Entry(Sentence("command.redo"), "game"),
    "add-time": Entry(Sentence("command.add_time"), "game"),
    "set-schedule": Entry(Sentence("command.set_schedule"), "game"),
    "set-claims": Entry(Sentence("command.set_claims"), "game"),
    "claim": Entry(Sentence("command.claim"), "game"),
    "withdraw": Entry(Sentence("command.withdraw"), "game"),
    "verdict": Entry(Sentence("command.verdict"), "game"),
    "last-rounds": Entry(Sentence("command.last_rounds"), "game"),
    "end": Entry(Sentence("command.end"), "game"),
    "close": Entry(Sentence("command.close"), "game"),
    "say": Entry(Sentence("command.say"), "game"),
    "cover": Entry(Sentence("command.cover"), "game"),
    "timer": Entry(Sentence("command.timer"), "game"),
    "identify": Entry(Sentence("command.identify"), "game"),
    "voice": Entry(Sentence("command.voice"), "voice"),
    "tables": Entry(Sentence("command.tables"), "tables"),
    "table": Entry(Sentence("command.table"), "tables"),
    "roster": Entry(Sentence("command.roster"), "tables"),
    "paper": Entry(Sentence("command.paper"), "hall"),
    "setup": Entry(Sentence("command.setup"), "setup"),
    "power-budget": Entry(Sentence("command.power_budget"), "hall"),
    "pin": Entry(Sentence("command.pin"), "access"),
    "certificate": Entry(Sentence("command.certificate"), "access"),
    "links": Entry(Sentence("command.links"), "processes", "halls", "access"),
    "broker": Entry(Sentence("command.broker"), "broker"),
    "settings": Entry(Sentence("command.settings"), "setup"),
    "safe-outputs": Entry(Sentence("command.safe_outputs"), "processes"),
    "journal": Entry(Sentence("command.journal"), "games"),
    "fallback": Entry(Sentence("command.fallback"), "hall"),
    "stick": Entry(Sentence("command.stick"), "copies"),
    "report": Entry(Sentence("command.report"), "games"),
    "replay": Entry(Sentence("command.replay"), "games"),
    "bundle": Entry(Sentence("command.bundle"), "bundle"),
    "pair": Entry(Sentence("command.pair"), "copies"),
    "restore": Entry(Sentence("command.restore"), "copies"),
    "selftest": Entry(Sentence("command.selftest"), "selftest"),
    "bench": Entry(Sentence("command.bench"), "bench"),
    "firmware": Entry(Sentence("command.firmware"), "firmware"),
    "verify": Entry(Sentence("command.verify"), "games"),
}
"""In the order of the menu."""


def overview() -> str:
    """The menu of all commands, one line each."""
    named = Sentence("metavar.command")
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {words(entry.summary)}" for name, entry in COMMANDS.items()]
    statuses = words(Sentence("cli.menu_statuses", command=named))
    below = textwrap.fill(statuses, MENU_WIDTH, break_on_hyphens=False)
    return "\n".join([words(Sentence("cli.menu_usage", command=named)), "", *lines, "", below])
