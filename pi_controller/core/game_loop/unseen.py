"""What has changed since the picture that the sender of a command saw: for each field that counts the `seq`
at which it last did. No picture is kept."""

from functools import reduce

from pi_controller.game.game import Game
from pi_controller.game.state import CountingDown, Frozen
from pi_controller.protocol.counting import COUNTING, COUNTING_FIELDS, CountingField
from pi_controller.sentence import Sentence

SEEN_BEFORE_RESTART = Sentence("answer.seen_before_restart")
_ROUND, _PAUSE = Sentence("unseen.round"), Sentence("unseen.pause")
_NAMES: dict[CountingField, Sentence] = {
    "game_id": Sentence("unseen.game"),
    "phase": _ROUND,
    "round": _ROUND,
    "paused": _PAUSE,
    "pause_reasons": _PAUSE,
    "claims": Sentence("unseen.claims"),
    "schedule": Sentence("unseen.schedule"),
    "claims_mode": Sentence("unseen.claims_mode"),
    "last_round": Sentence("unseen.last_round"),
    "message": Sentence("unseen.message"),
    "timer": Sentence("unseen.timer"),
    "public_word": Sentence("unseen.public_word"),
    "actions": Sentence("unseen.actions"),
}


class Unseen:
    """Called on the loop only. `session` is that of the pictures."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._values: dict[CountingField, object] = {}
        self._changed: dict[CountingField, int] = {}
        self._seq = 0

    def note(self, game: Game, seq: int) -> None:
        """This is the game of the picture `seq`."""
        self._seq = seq
        for name, value in _values(game).items():
            if name not in self._values or self._values[name] != value:
                self._values[name] = value
                self._changed[name] = seq

    def against(self, command: str, *, seq: int, session: str | None) -> Sentence | None:
        """Why it must not be done for who saw the picture `seq` of `session` (None: of this one), or None
        when nothing that counts for it has changed."""
        counting = COUNTING[command]
        if not counting:
            return None
        if session not in (None, self._session) or seq > self._seq:
            return SEEN_BEFORE_RESTART
        changed = dict.fromkeys(_NAMES[name] for name in counting if self._changed.get(name, 0) > seq)
        if not changed:
            return None
        what = reduce(lambda before, one: Sentence("list.and", before=before, next=one), changed)
        return Sentence("answer.changed_unseen", what=what)


def _values(game: Game) -> dict[CountingField, object]:
    """Nearly all are compared by identity first, so what has not changed costs next to nothing."""
    state, actions = game.state, game.actions
    newest = actions.last_undoable
    found: tuple[object, ...] = (
        game.game_id,
        state.phase,
        state.round,
        isinstance(state.clock, Frozen | CountingDown),
        state.clock.reasons if isinstance(state.clock, Frozen) else (),
        (
            len(state.claims),
            [(c.id, c.board, c.side, c.status, c.passed, c.sheet) for c in state.claims.standing],
        ),
        state.schedule,
        state.claims_mode,
        state.last_round,
        state.message,
        state.timer,
        state.word,
        (None if newest is None else actions[newest], game.undone),
    )
    return dict(zip(COUNTING_FIELDS, found, strict=True))
