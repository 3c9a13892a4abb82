"""Arms games: new ones on command, and the first one of an empty state folder."""

import secrets
from collections.abc import Callable
from typing import Any, Protocol

from pi_controller.core.asked import Asked
from pi_controller.core.game_time import GameTime
from pi_controller.core.loop import GameLoop
from pi_controller.core.opening import header, rules_from
from pi_controller.core.timers import Timers
from pi_controller.game.game import Game, new_game
from pi_controller.game.phases import arming_not_allowed
from pi_controller.game.rule_sets import RULE_SETS
from pi_controller.protocol.commands import Arm
from pi_controller.settings.sections import Game as GameSettings

SEED_BYTES = 32


class CannotArm(RuntimeError):  # noqa: N818 - an answer to who asked
    """The state folder does not take another game; one sentence."""


class DiskDoesNotAnswer(OSError):  # noqa: N818 - a state of the world
    """The first line of a new game did not get to the disk."""


class GameFiles(Protocol):
    """What arming needs of the journal."""

    def new_game_id(self, ending: str | None = None) -> str:
        """Raises CannotArm. `ending` is the last part of the id; None: drawn."""

    def open_game(self, game: Game, opening: dict[str, Any], *, game_ns: int, boot_ns: int, tag: int) -> None:
        """Begin this game's journal; nothing may be shown of it before the tag comes back as saved."""


class Arming:
    """Makes games. `draw_seed` gives 32 random bytes, or in a simulation the ones that were asked for."""

    def __init__(
        self,
        *,
        files: GameFiles,
        settings: GameSettings,
        timers: Timers,
        rate: float = 1.0,
        draw_seed: Callable[[], bytes] = lambda: secrets.token_bytes(SEED_BYTES),
    ) -> None:
        self._files = files
        self._settings = settings
        self._timers = timers
        self._rate = rate
        self._draw_seed = draw_seed
        self._loop: GameLoop | None = None

    def serve(self, loop: GameLoop) -> None:
        """Arm for this loop from now on."""
        self._loop = loop

    def make(self, arm: Arm | None = None, *, ending: str | None = None) -> tuple[Game, GameTime]:
        """A new game and its clock, which shows boot time; nothing is written yet. `ending` is that of its
        id."""
        changes: dict[str, Any] = {}
        if arm is not None and arm.first_side is not None:
            changes["first_side"] = arm.first_side
        if arm is not None and arm.schedule is not None:
            changes["schedule"] = arm.schedule
        rules = rules_from(self._settings, arm.rule_set if arm is not None else None, **changes)
        now_ns = self._timers.boot_ns()
        game = new_game(self._files.new_game_id(ending), rules, self._draw_seed())
        return game, GameTime(anchor_boot_ns=now_ns, anchor_game_ns=now_ns, rate=self._rate)

    def open(self, game: Game, time: GameTime, *, tag: int) -> None:
        """Begin the game's journal."""
        now_ns = self._timers.boot_ns()
        self._files.open_game(game, header(game), game_ns=time.game_ns(now_ns), boot_ns=now_ns, tag=tag)

    def arm(self, asked: Asked, command: Arm) -> None:
        """Put a new game in place of one that has ended or not begun; takes effect when its journal is on
        the disk."""
        loop = self._loop
        if loop is None:
            raise RuntimeError("arming serves no loop yet")
        reason = self._refusal(loop, command)
        if reason is not None:
            asked.keeps_gate = False
            loop.refuse(asked, (reason,))
        elif not asked.on_disk:
            asked.keeps_gate = True
            loop.gate.wait_for_disk(asked)
        else:
            self._replace(loop, asked, command)

    def _refusal(self, loop: GameLoop, command: Arm) -> str | None:
        if command.rule_set is not None and command.rule_set not in RULE_SETS:
            return f"There is no rule set {command.rule_set}: choose one of {', '.join(RULE_SETS)}."
        against = arming_not_allowed(loop.game.state)
        return None if against is None else " ".join(against.reasons)

    def _replace(self, loop: GameLoop, asked: Asked, command: Arm) -> None:
        try:
            game, time = self.make(command)
        except CannotArm as error:
            loop.refuse(asked, (str(error),))
            loop.gate.open()
            return
        self.open(game, time, tag=loop.reserve_seq())
        loop.ledger.once_saved(lambda: self._show(loop, game, time))
        loop.ledger.when_saved(lambda trouble: self._answer(loop, asked, trouble))

    @staticmethod
    def _show(loop: GameLoop, game: Game, time: GameTime) -> None:
        loop.swap(game, time)
        loop.gate.open()

    @staticmethod
    def _answer(loop: GameLoop, asked: Asked, trouble: str | None) -> None:
        if trouble is None:
            loop.accept(asked)
        else:
            loop.refuse_unkept(asked, f"The new game is armed when the disk answers, not before: {trouble}")
