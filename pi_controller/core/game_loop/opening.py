"""New games: the first line of their journal, and arming.

Line 0 contains the complete rules, so that a journal can be read without the settings.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Protocol

import msgspec

from pi_controller import __version__
from pi_controller.core.game_loop.pending import CommandRefused
from pi_controller.core.game_loop.picture import GameTime
from pi_controller.core.runtime import Timers
from pi_controller.game.commands import Command, Contribute, Cover, Step, Timer, WrongValue
from pi_controller.game.events import CommandApplied, Event
from pi_controller.game.game import Game, Seal, new_game
from pi_controller.game.phases import arming_not_allowed
from pi_controller.game.rule_sets import CLASSIC, CLASSIC_SEATS, CONNECT, RULE_SETS, RuleSet, seated
from pi_controller.game.state import State
from pi_controller.journal.record import Record
from pi_controller.journal.seals import Evening
from pi_controller.journal.verify_game import field_paths
from pi_controller.protocol.commands import Arm
from pi_controller.sentence import SaidError, Sentence
from pi_controller.settings.sections import Settings

NS_PER_S = 1_000_000_000


def rules_from(settings: Settings, arm: Arm | None = None) -> RuleSet:
    """The rules of the settings, or those named by an `arm` command with its changes. Raises WrongValue if
    there are no such rules."""
    asked = arm or Arm()
    name = asked.rule_set or settings.game.rule_set
    own = {CONNECT.name: _connect, CLASSIC.name: _classic}.get(name)
    rules = RULE_SETS[name] if own is None else own(settings, asked)
    if asked.turn_seconds is not None:
        rules = replace(rules, schedule=_turns_of(asked.turn_seconds))
    schedule = rules.schedule if asked.schedule is None else asked.schedule
    return replace(rules, first_side=asked.first_side or rules.first_side, schedule=schedule)


def _connect(settings: Settings, _asked: Arm) -> RuleSet:
    game = settings.game
    return replace(
        CONNECT,
        first_side=game.first_side,
        schedule=game.schedule,
        robber_ms=round(game.robber_seconds * 1000),
        rounds_without_seven=game.rounds_without_seven,
        after_robber=game.after_robber,
        allow_consecutive_sevens=game.allow_consecutive_sevens,
        robber_targets=game.robber_targets,
        robber_target_draw=game.robber_target_draw,
        target_points=game.target_points,
        start_countdown_ms=game.start_countdown_seconds * 1000,
        resume_countdown_ms=game.resume_countdown_seconds * 1000,
        claims=game.claims,
    )


def _classic(settings: Settings, asked: Arm) -> RuleSet:
    own = settings.classic
    colours = [seat for seat, _ in CLASSIC_SEATS[: own.players]]
    seats = list(zip_longest(colours, own.names[: own.players], fillvalue=""))
    if asked.seats is not None:
        seats = [(seat.id, seat.name) for seat in asked.seats]
    return replace(
        seated(CLASSIC, seats),
        first_side=own.first,
        schedule=_turns_of(own.turn_seconds),
        rounds_without_seven=own.turns_without_seven * len(seats),
        building_ms=round(own.building_seconds * 1000),
        target_points=own.target_points,
    )


def _turns_of(seconds: float) -> tuple[Step, ...]:
    return (Step(1, seconds),) if seconds else ()


def header(game: Game) -> dict[str, object]:
    """Data of line 0 of a new game; the journal adds its format and the game's id."""
    terms = game.dice.terms
    data: dict[str, object] = {
        "derivation": terms.version,
        "rule_set": game.rules.name,
        "rule_set_version": game.rules.version,
        "rules": msgspec.to_builtins(game.rules),
        "terms": terms.as_data(),
        "commitment": game.dice.commitment,
        "software": __version__,
    }
    if game.seal is not None:
        data["seal"] = msgspec.to_builtins(game.seal)
    return data | {"rehearsal": True} if game.rehearsal else data


def read_rules(data: dict[str, Any]) -> RuleSet:
    """The rule set of a header. Raises ValueError if this version cannot read it or does not know all of
    it."""
    rules = msgspec.convert(data, RuleSet)
    unknown = set(field_paths(data)) - set(field_paths(msgspec.to_builtins(rules)))
    if unknown:
        names = ", ".join(sorted(".".join(path) for path in unknown))
        raise WrongValue(Sentence("start.unknown_fields", names=names))
    return rules


def read_seal(header: dict[str, Any]) -> Seal | None:
    """The seal of a header; None in headers of earlier releases. Raises ValueError if it is malformed."""
    return msgspec.convert(header["seal"], Seal) if "seal" in header else None


def kept_by_another(state: State, now_ns: int) -> list[Command]:
    """Commands that carry over to the next game what it keeps of this one: the rest of the free timer, at
    least one second, and the cover of the screens."""
    kept: list[Command] = []
    timer = state.timer
    left_s = 0.0 if timer is None else (timer.deadline_ns - now_ns) / NS_PER_S
    if timer is not None and left_s >= 1:
        kept.append(Timer(timer.label, seconds=left_s, prepared=timer.prepared))
    if state.cover != "none":
        kept.append(Cover(state.cover))
    return kept


# Arming: makes new games on command, and the first game of an empty state folder.


SEED_BYTES = 32


class CannotArm(SaidError, RuntimeError):  # noqa: N818 - an answer to who asked
    """No new game can be made in the state folder."""


class DiskDoesNotAnswer(SaidError):  # noqa: N818 - a state of the world
    """The first line of a new game was not written in time."""


class GameStore(Protocol):
    """What arming needs of the journal."""

    def new_game_id(self, ending: str | None = None) -> str:
        """Raises CannotArm. `ending` is the last part of the id; None: drawn."""

    def open_game(
        self, game: Game, opening: dict[str, object], *, game_ns: int, boot_ns: int, tag: int
    ) -> Record:
        """Begin the game's journal; returns its first line. Nothing of the game may be shown before `tag`
        comes back as saved."""


class Arming:
    """Makes games. `draw_seed` gives 32 random bytes, or in a simulation those that were `chosen`; then all
    games are rehearsals."""

    def __init__(
        self,
        *,
        files: GameStore,
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

    def use(self, settings: Settings) -> None:
        """Make games by these settings from now on."""
        self._settings = settings

    def check(self, present: State, arm: Arm) -> None:
        """Raises Refused if the present game cannot be replaced, or not by such a game."""
        if arm.rule_set is not None and arm.rule_set not in RULE_SETS:
            raise CommandRefused(
                (Sentence("arm.no_such_rule_set", rule_set=arm.rule_set, known=", ".join(RULE_SETS)),)
            )
        try:
            rules_from(self._settings, arm)
        except WrongValue as wrong:
            raise CommandRefused((wrong.sentence,)) from wrong
        against = arming_not_allowed(present)
        if against is not None:
            raise CommandRefused(against.reasons)

    def make(self, arm: Arm | None = None, *, ending: str | None = None) -> tuple[Game, GameTime]:
        """A new game and its clock, which starts at boot time. Nothing is written yet. `ending`: last part of
        the game's id."""
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
        """Raises Refused if an event contributes a word that was already used for another seal of this
        evening: somebody who knew it could have drawn seeds since."""
        for word in _words(events):
            number = self._evening.spoken_for(word, game.game_id)
            if number is not None:
                raise CommandRefused((Sentence("word.of_another_seal", number=number),))

    def heard(self, game: Game, events: Iterable[Event]) -> None:
        """Record the words of these events as used."""
        for word in _words(events):
            self._evening.heard(game.game_id, word, game.seal)


def _words(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        command = event.action.command if isinstance(event, CommandApplied) else None
        if isinstance(command, Contribute) and command.text is not None:
            yield command.text
