"""Makes games: new ones on command, and the first one of an empty state folder."""

import secrets
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from pi_controller.core.game_loop.game_time import GameTime
from pi_controller.core.game_loop.opening import header, rules_from
from pi_controller.core.game_loop.pending import Refused
from pi_controller.core.runtime.timers import Timers
from pi_controller.game.commands import Contribute, WrongValue
from pi_controller.game.events import CommandApplied, Event
from pi_controller.game.game import Game, new_game
from pi_controller.game.phases import arming_not_allowed
from pi_controller.game.rule_sets import RULE_SETS
from pi_controller.game.state import State
from pi_controller.journal.record import Record
from pi_controller.journal.seals import Evening
from pi_controller.protocol.commands import Arm
from pi_controller.sentence import SaidError, Sentence
from pi_controller.settings.sections import Settings

SEED_BYTES = 32


class CannotArm(SaidError, RuntimeError):  # noqa: N818 - an answer to who asked
    """The state folder does not take another game."""


class DiskDoesNotAnswer(SaidError):  # noqa: N818 - a state of the world
    """The first line of a new game did not get to the disk."""


class GameFiles(Protocol):
    """What arming needs of the journal."""

    def new_game_id(self, ending: str | None = None) -> str:
        """Raises CannotArm. `ending` is the last part of the id; None: drawn."""

    def open_game(
        self, game: Game, opening: dict[str, object], *, game_ns: int, boot_ns: int, tag: int
    ) -> Record:
        """Begin this game's journal with the line that is returned; nothing may be shown of it before the tag
        comes back as saved."""


class Arming:
    """Makes games. `draw_seed` gives 32 random bytes, or in a simulation the ones that were `chosen`: then
    all games are rehearsals."""

    def __init__(
        self,
        *,
        files: GameFiles,
        settings: Settings,
        timers: Timers,
        evening: Evening,
        rate: float = 1.0,
        draw_seed: Callable[[], bytes] = lambda: secrets.token_bytes(SEED_BYTES),
        chosen: bool = False,
    ) -> None:
        self._files = files
        self._settings = settings
        self._timers = timers
        self._rate = rate
        self._draw_seed = draw_seed
        self._evening = evening
        self._chosen = chosen

    def check(self, present: State, arm: Arm) -> None:
        """Raises Refused when no game can take the place of the present one, or not such a game."""
        if arm.rule_set is not None and arm.rule_set not in RULE_SETS:
            raise Refused(
                (Sentence("arm.no_such_rule_set", rule_set=arm.rule_set, known=", ".join(RULE_SETS)),)
            )
        try:
            rules_from(self._settings, arm)
        except WrongValue as wrong:
            raise Refused((wrong.sentence,)) from wrong
        against = arming_not_allowed(present)
        if against is not None:
            raise Refused(against.reasons)

    def make(self, arm: Arm | None = None, *, ending: str | None = None) -> tuple[Game, GameTime]:
        """A new game and its clock, which shows boot time; nothing is written yet. `ending` is that of its
        id."""
        rules = rules_from(self._settings, arm)
        now_ns = self._timers.boot_ns()
        rehearsal = self._chosen or (arm is not None and arm.rehearsal)
        game_id = self._files.new_game_id(ending)
        seal = self._evening.next(game_id)
        game = new_game(game_id, rules, self._draw_seed(), rehearsal=rehearsal, seal=seal)
        return game, GameTime(anchor_boot_ns=now_ns, anchor_game_ns=now_ns, rate=self._rate)

    def open(self, game: Game, time: GameTime, *, tag: int) -> None:
        """Begin the game's journal."""
        now_ns = self._timers.boot_ns()
        game_ns = time.game_ns(now_ns)
        line = self._files.open_game(game, header(game), game_ns=game_ns, boot_ns=now_ns, tag=tag)
        self._evening.armed(line)

    def check_words(self, game: Game, events: Iterable[Event]) -> None:
        """Raises Refused when one of these events gives a word that was spoken for another seal of this
        evening: whoever drew seeds since then knew it."""
        for word in _words(events):
            number = self._evening.spoken_for(word, game.game_id)
            if number is not None:
                raise Refused((Sentence("word.of_another_seal", number=number),))

    def heard(self, game: Game, events: Iterable[Event]) -> None:
        """The hall has heard the words that these events give."""
        for word in _words(events):
            self._evening.heard(game.game_id, word, game.seal)


def _words(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        command = event.action.command if isinstance(event, CommandApplied) else None
        if isinstance(command, Contribute) and command.text is not None:
            yield command.text
