"""Seeded games, each against one with other unseen rolls: what is previewed, refused and told must be the same, byte
for byte. `python -m tests.core.game_loop.foresight_run --games 10000`.

Each game is played twice by the real loop: with its own dice, and with dice that are others from the first roll on that
the hall had not seen at its end. At each step it is asked everything that looks ahead twice as well, the second time
with dice that are others from the first roll on that the hall has not seen by then.
"""

import logging
import random
import sys
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from pi_controller.core.game_loop.loop import work_out
from pi_controller.core.game_loop.picture import PictureFrame
from pi_controller.core.game_loop.recovery import sight_of
from pi_controller.core.server.requests import answer_about_actions
from pi_controller.core.tables.state import table_state
from pi_controller.game.commands import Step
from pi_controller.game.dice import DiceBook, Roll, Target
from pi_controller.game.game import Game, decide, new_game
from pi_controller.game.room import outcome, room
from pi_controller.game.rule_sets import CLASSIC, CONNECT, RuleSet
from pi_controller.game.state import Idle
from pi_controller.game.turn_order import DRAWN, HIGHEST, Seat, TurnOrder
from pi_controller.protocol.commands import parse_command
from pi_controller.protocol.messages import AskActions
from pi_controller.protocol.picture import Picture
from pi_controller.sentence import Sentence
from tests.core.hall import Hall
from tests.core.hand import MS, S
from tests.game import many_games

STEPS = 24
GAMES = 10_000


@dataclass(frozen=True, slots=True)
class OtherDice(DiceBook):
    """Those of a game up to what the hall has seen; behind, a 7 wherever there is none and the other way round, and
    somebody else who begins."""

    furthest: tuple[int, int] = (0, 0)
    lot: bool = False
    turns: bool = False

    def round_roll(self, round_no: int, draw: int) -> Roll:
        own = DiceBook.round_roll(self, round_no, draw)
        if ((round_no, 1) if self.turns else (round_no, draw)) <= self.furthest:
            return own
        terms = self.terms
        no_seven = round_no <= terms.rounds_without_seven or (draw > 0 and not terms.allow_consecutive_sevens)
        if own.sum == 7 or no_seven:
            return Roll((1, 1) if own.dice != (1, 1) else (6, 6), own.draw)
        return Roll((3, 4), own.draw)

    def robber_target(self, round_no: int, draw: int) -> Target:
        own = DiceBook.robber_target(self, round_no, draw)
        return own if (round_no, draw) <= self.furthest else Target(4 if own.target != 4 else 10, (2, 2))

    def first_seat(self, order: TurnOrder) -> Seat:
        own = DiceBook.first_seat(self, order)
        return own if self.lot else order.after(own)

    def opening_rolls(self, order: TurnOrder) -> list[list[tuple[Seat, tuple[int, int]]]]:
        own = DiceBook.opening_rolls(self, order)
        return own if self.lot else own[::-1]


class Heard(logging.Handler):
    """What stands in the log."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def rules_of(chance: random.Random) -> RuleSet:
    if chance.random() < 0.35:
        turns = {
            "schedule": chance.choice([(), (Step(1, 20),)]),
            "first_side": chance.choice(["highest", "drawn", "red"]),
        }
        return replace(CLASSIC, **turns, building_ms=chance.choice([0, 15_000]))
    return replace(
        CONNECT,
        first_side=chance.choice(["sun", "drawn", "drawn"]),
        schedule=(Step(1, chance.choice([8, 35])),),
        rounds_without_seven=chance.choice([0, 0, 1, 10]),
        after_robber=chance.choice(["due_side", "other_side"]),
        allow_consecutive_sevens=chance.choice([True, False]),
    )


def with_others(game: Game, furthest: tuple[int, int], *, lot: bool) -> Game:
    """This game with dice that are others behind `furthest`, and with another `lot` unless that has fallen."""
    book, turns = game.dice, game.rules.play == "turns"
    by_lot = game.rules.first_side in (DRAWN, HIGHEST)
    dice = OtherDice(
        book.seed, book.game_id, book.terms, furthest=furthest, lot=lot or not by_lot, turns=turns
    )
    return msgspec.structs.replace(game, dice=dice)


class Played:
    """One game that is played by the loop. `told` is all that anybody got to know of it, `differs` what was previewed
    or refused by rolls that nobody had seen."""

    def __init__(self, number: int, until: "Played | None" = None) -> None:
        self.chance = random.Random(number)
        game = new_game(f"game-{number}", rules_of(self.chance), self.chance.randbytes(32))
        self.started = False
        self.told: list[tuple[str, str]] = []
        self.differs: list[str] = []
        self.previews = 0
        if until is not None:
            game = with_others(game, until.hall.loop.game.furthest, lot=until.started)
        self.hall = Hall(game=game)
        self._encode = msgspec.json.Encoder().encode
        self.hall.loop.showing.show_to(Sentence("part.pages"), self._tell_pages, expect=self._tell_pages)
        self.hall.loop.showing.show_to(Sentence("part.tables"), self._tell_tables, expect=self._tell_tables)

    def play(self) -> "Played":
        heard = Heard()
        logging.getLogger().addHandler(heard)
        try:
            self.hall.begin()
            for _ in range(
                self.chance.choice([0, 2, self.chance.randrange(STEPS), self.chance.randrange(STEPS)])
            ):
                self._look_ahead()
                self._step()
            self._look_ahead()
        finally:
            logging.getLogger().removeHandler(heard)
        self.told += [("log", line) for line in heard.lines]
        self.told += [("journal", repr(line)) for line in self.hall.log.lines]
        return self

    def _tell_pages(self, picture: Picture) -> None:
        self.told.append(("picture", self._encode(picture).decode()))

    def _tell_tables(self, picture: Picture) -> None:
        self.told.append(("tables", repr(table_state(picture, offset_us=0, brightness=5))))

    def _step(self) -> None:
        chance, hall = self.chance, self.hall
        hall.move(chance.choice([1 * MS, 200 * MS, 3 * S, 3 * S, chance.randrange(40) * S]))
        kind = chance.random()
        if kind < 0.1:
            now_ns = hall.timers.boot_ns()
            hall.loop.expect_press(now_ns - 1 * MS, now_ns + 3 * MS)
        elif kind < 0.25:
            hall.press()
        else:
            name, body = self._command()
            answers = hall.ask(name, body, source=chance.choice(["web", "web", "web", "table"]))
            self.told.append(("answer", repr(answers)))
        state = hall.loop.game.state  # a start may also come as what an undo puts in
        self.started = self.started or state.phase != "ready" or not isinstance(state.clock, Idle)
        self.told.append(("beat", repr(sight_of(hall.loop.game, self._game_ns(), lines=0, saved=0))))

    def _command(self) -> tuple[str, Any]:
        ready = self.hall.loop.game.state.phase == "ready"
        if ready and self.chance.random() < 0.6:
            return self.chance.choice([("contribute", {"text": "heron"}), ("start", None), ("start", None)])
        if self.chance.random() < 0.3:
            return self.chance.choice(
                [("undo", None), ("redo", None), ("undo", {"replace": self._replacement()})]
            )
        name, body = self.chance.choice([*REPLACEMENTS, ("turn", {}), ("resume", {"override": True})])
        return name, body

    def _replacement(self) -> dict[str, Any]:
        name, body = self.chance.choice(REPLACEMENTS)
        return {"name": name, "body": body}

    def _game_ns(self) -> int:
        return self.hall.loop.time.game_ns(self.hall.timers.boot_ns())

    def _look_ahead(self) -> None:
        """Everything that looks ahead, asked twice."""
        own = self.hall.loop.game
        other = with_others(own, own.furthest, lot=self.started)
        mine, others = self._foreseen(own), self._foreseen(other)
        self.hall.loop.game = own
        self.previews += len(mine)
        self.differs += [
            f"{one} or {another}" for one, another in zip(mine, others, strict=True) if one != another
        ]
        self.told += [("preview", one) for one in mine]

    def _foreseen(self, game: Game) -> list[str]:
        self.hall.loop.game = game
        boot_ns, now_ns = self.hall.timers.boot_ns(), self._game_ns()
        asked: list[Any] = [{"name": name, "body": body} for name, body in REPLACEMENTS]
        chosen = asked[boot_ns // MS % len(asked)]
        found = [answer_about_actions(self.hall.loop, AskActions(replace=chosen), boot_ns).decode()]
        replacements = [parse_command("undo", {"replace": replacement}) for replacement in asked]
        for undo in replacements:
            left = outcome(game, undo, now_ns)
            shown = None if left.game is None else self._encode(room(left.game, now_ns))
            found.append(f"{left.unseen}, {left.against}, {shown}")
        frame = PictureFrame("s", 0, 0, None, self.hall.loop.health.picture)
        ahead = work_out(game, self.hall.loop.time, frame, at_ns=boot_ns, counts_ns=boot_ns)
        found.append("" if ahead is None else self._encode(ahead.picture).decode())
        commands = [
            *replacements,
            *(parse_command(name, body) for name, body in REPLACEMENTS),
            *(parse_command(name, None) for name in ("undo", "redo", "start", "turn")),
        ]
        for command in commands:
            said = decide(game, command, at_ns=now_ns, now_ns=now_ns, source="web")
            found.append(f"{command}: {said.reasons}, {bool(said.events)}")
        return found


REPLACEMENTS: list[tuple[str, Any]] = [
    ("skip", {}),
    ("pause", {}),
    ("start", {}),
    ("resume", {}),
    ("add_time", {"ms": 1}),
    ("add_time", {"ms": -8_000}),
    ("add_time", {"ms": -60_000}),
    ("last_rounds", {"count": 1}),
    ("claim", {"board": "A1", "side": "sun"}),
    ("claim", {"board": "B2", "side": "moon"}),
    ("turn", {}),
    ("end", {"confirm": True}),
]
"""What an undo may put in the place of what it takes back; these are the commands of the game as well."""


class Pair:
    """A game, and the same one with other dice from the first roll on that its hall never saw."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.compared = (0, 0)

    def run(self) -> None:
        """AssertionError with the first difference."""
        own = Played(self._number).play()
        assert own.differs == [], own.differs[0]
        other = Played(self._number, until=own).play()
        for one, another in zip(own.told, other.told, strict=True):
            assert one == another, f"{one} or {another}"
        self.compared = (own.previews, len(own.told))


if __name__ == "__main__":
    sys.exit(
        many_games.main(
            Pair,
            about=__doc__,
            games=GAMES,
            agreed="{} games are the same with other unseen rolls: {} previews and refusals, {} messages",
        )
    )
