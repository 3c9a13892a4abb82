"""Undo, redo and replace as decision 0008 describes them: every fold begins with the first action."""

from dataclasses import dataclass, field

from pi_controller.game import clockwork
from pi_controller.game.actions import undoable
from pi_controller.game.commands import Command, Pause, Redo, Undo
from pi_controller.game.corrections import ROUNDS_BACK, performed
from pi_controller.game.dice import Basis
from pi_controller.game.events import Action, Corrected
from pi_controller.game.game import Game
from pi_controller.game.moves import MoveRefused
from pi_controller.game.state import CountingDown, Running, State
from pi_controller.sentence import Sentence


@dataclass
class PlainGame:
    """The list of actions and nothing else; `decide` answers with the correction, None, or a sentence."""

    basis: Basis
    first: State
    actions: list[Action] = field(default_factory=list)
    undone: list[Corrected] = field(default_factory=list)
    next_action: int = 1

    @classmethod
    def of(cls, game: Game) -> "PlainGame":
        return cls(game.basis, game.state)

    def fold(self, actions: list[Action], until_ns: int) -> State:
        state = self.first
        for action in actions:
            state = performed(state, action, self.basis)
        return clockwork.advance(state, until_ns, self.basis)

    def state(self, now_ns: int) -> State:
        return self.fold(self.actions, now_ns)

    def decide(self, game: Game, command: Command, now_ns: int, source: str) -> Corrected | Sentence | None:
        """`game` is only asked for what the hall has seen."""
        try:
            if isinstance(command, Undo):
                return self._take(self._undo(game, command.replace, now_ns))
            if isinstance(command, Redo):
                return self._take(self._redo(game, now_ns))
            self._do(Action(self.next_action, command, now_ns, now_ns, source))
        except MoveRefused as refused:
            return refused.sentence
        return None

    def _do(self, action: Action) -> None:
        before = self.state(action.seen_ns)
        if self.fold([*self.actions, action], action.seen_ns) == before:
            return
        self.actions.append(action)
        self.next_action += 1
        if undoable(action):
            self.undone = []

    def _undo(self, game: Game, instead: Command | None, now_ns: int) -> Corrected:
        index = max((i for i, action in enumerate(self.actions) if undoable(action)), default=None)
        if index is None:
            raise MoveRefused(Sentence("undo.nothing"))
        removed, put = self.actions[index], None
        before = self.fold(self.actions[:index], removed.seen_ns)
        after = self.fold(self.actions[: index + 1], removed.seen_ns)
        if instead is not None:
            put = Action(self.next_action, instead, removed.at_ns, removed.seen_ns, removed.source)
        elif after.played and not before.played and isinstance(before.clock, (Running, CountingDown)):
            put = Action(self.next_action, Pause(), removed.at_ns, removed.seen_ns, removed.source)
        event = Corrected("undone", index, removed, put, now_ns)
        self._check(game, event)
        self.undone.append(event)
        return event

    def _redo(self, game: Game, now_ns: int) -> Corrected:
        if not self.undone:
            raise MoveRefused(Sentence("redo.nothing"))
        last = self.undone[-1]
        event = Corrected("redone", last.index, last.put, last.removed, now_ns)
        self._check(game, event)
        self.undone.pop()
        return event

    def _changed(self, event: Corrected) -> list[Action]:
        put = [] if event.put is None else [event.put]
        gone = 0 if event.removed is None else 1
        return [*self.actions[: event.index], *put, *self.actions[event.index + gone :]]

    def _check(self, game: Game, event: Corrected) -> None:
        changed = self._changed(event)
        after, now = self.fold(changed, event.at_ns), self.state(event.at_ns)
        seen, known = game.furthest, [now]
        if event.put is not None:
            at_once = self.fold(changed[: event.index + 1], event.put.seen_ns)
            seen, known = max(seen, at_once.position), [now, at_once]
        ends = {one.phase for one in known} | {"collecting" for one in known if one.ended_by == "ranking"}
        if after.position > seen or (after.played and after.phase not in ends):
            raise MoveRefused(Sentence("undo.would_have_run_out"))
        if after.round < now.round - ROUNDS_BACK:
            raise MoveRefused(Sentence("undo.too_far_back", from_round=now.round, to_round=after.round))

    def _take(self, event: Corrected) -> Corrected:
        self.actions = self._changed(event)
        if event.put is not None:
            self.next_action = max(self.next_action, event.put.id + 1)
        return event
