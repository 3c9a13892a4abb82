"""The table of what is allowed when, as the rules page shows it: each cell is what the game answers."""

from collections.abc import Iterable

from pi_controller.game import commands as c
from pi_controller.game.game import Decision, Game, apply, decide, new_game, tick
from pi_controller.game.rule_sets import CONNECT, NS_PER_S
from pi_controller.language.words import words

BEGIN = "<!-- table of moves: written by `make generate` -->"
END = "<!-- end of the table -->"

IN_ROUND_1 = (c.Start(), 10)
CLAIM = c.Claim("7", "sun")

SITUATIONS: dict[str, tuple[c.Command | int, ...]] = {
    "before the start": (),
    "in the 3-2-1 before round 1": (c.Start(),),
    "while that is paused": (c.Start(), c.Pause()),
    "while the clock runs": (*IN_ROUND_1, CLAIM),
    "while play is paused": (*IN_ROUND_1, CLAIM, c.Pause()),
    "in the 3-2-1 after a pause": (*IN_ROUND_1, CLAIM, c.Pause(), c.Resume(override=True)),
    "while sheets are collected": (*IN_ROUND_1, CLAIM, c.LastRounds(0), 35),
    "after the end": (*IN_ROUND_1, CLAIM, c.End(confirm=True)),
}
"""How to come to each situation: commands, and seconds to wait. In play one claim is open."""

ASKED: tuple[c.Command, ...] = (
    c.AddTime(5_000),
    c.Claim("9", "sun"),
    c.Contribute("lantern"),
    c.Cover("black"),
    c.End(confirm=True),
    c.LastRounds(3),
    c.Pause(),
    c.Press(),
    c.Resume(override=True),
    c.Say("Hello"),
    c.SetClaims("pause"),
    c.SetSchedule((c.Step(1, 30),)),
    c.Skip(),
    c.Start(),
    c.Timer("Doors", 60),
    c.Turn(),
    c.Verdict("c2", sheet=c.Sheet(settlements=4, cities=5, foreign_left=True, foreign_right=True)),
    c.Withdraw("c2"),
)
"""What is asked in each situation; `c2` is the open claim, named after its action."""


def page_with_moves(page: str) -> str:
    """The page with the table between its two marks made anew."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + "\n\n" + moves_table() + "\n" + END + after


def moves_table() -> str:
    """Situations as columns, commands as rows: done, without effect, or the sentence that refuses."""
    answers = {command: [_ask(steps, command) for steps in SITUATIONS.values()] for command in ASKED}
    sentences = sorted(
        {words(reason) for row in answers.values() for decision in row for reason in decision.reasons}
    )
    head = ["Command", *SITUATIONS]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for command, row in answers.items():
        cells = [_cell(decision, sentences) for decision in row]
        lines.append(f"| `{c.NAMES[type(command)]}` | {' | '.join(cells)} |")
    notes = [f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1)]
    return "\n".join([*lines, "", *notes, ""])


def _ask(steps: Iterable[c.Command | int], command: c.Command) -> Decision:
    game, now_ns = new_game("example", CONNECT, bytes(32)), 0
    for step in steps:
        if isinstance(step, int):
            now_ns += step * NS_PER_S
            for event in tick(game, now_ns):
                game = apply(game, event)
        else:
            game = _done(game, step, now_ns)
    return decide(game, command, at_ns=now_ns, now_ns=now_ns, source="web")


def _done(game: Game, command: c.Command, now_ns: int) -> Game:
    decision = decide(game, command, at_ns=now_ns, now_ns=now_ns, source="table")
    if decision.game is None:
        raise ValueError(f"{command} brings nothing: {decision.reasons}")
    return decision.game


def _cell(decision: Decision, sentences: list[str]) -> str:
    if decision.reasons:
        return f"({sentences.index(words(decision.reasons[0])) + 1})"
    return "yes" if decision.events else "no effect"
