"""The last actions of the game for whoever asks, and what undoing them would leave. Nothing is done."""

from pi_controller.core.game_loop.boards import NoSuchBoard
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.game.commands import Undo
from pi_controller.game.room import room
from pi_controller.game.timeline import Outcome, PastAction, outcome, timeline
from pi_controller.language.words import all_words, words
from pi_controller.protocol.actions import ActionsView, ActionView, OutcomeView
from pi_controller.protocol.answer_types import ActionsAnswer
from pi_controller.protocol.commands import parse_command
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import AskActions, encode, encode_malformed
from pi_controller.protocol.sentences import view, views

NS_PER_MS = 1_000_000


def answer_about_actions(loop: GameLoop, request: AskActions, boot_ns: int) -> bytes:
    """The answer's line, as of `boot_ns` (CLOCK_BOOTTIME)."""
    try:
        foreseen = None if request.replace is None else _replaced(loop, request, boot_ns)
    except Malformed as error:
        return encode_malformed(request.id, error.sentence, request.language)
    told = _Teller(loop, request.language, boot_ns).all(foreseen)
    return encode(ActionsAnswer(id=request.id, actions=told))


def _replaced(loop: GameLoop, request: AskActions, boot_ns: int) -> Outcome:
    """What an undo with this replacement would come to."""
    undo = parse_command("undo", {"replace": request.replace})
    try:
        spelled = loop.boards.spelled(undo) if isinstance(undo, Undo) else Undo()
    except NoSuchBoard as error:
        return Outcome(None, (error.sentence,))
    return outcome(loop.game, spelled if isinstance(spelled, Undo) else Undo(), loop.time.game_ns(boot_ns))


class _Teller:
    """Puts what the rules say into JSON, at one moment and in one language."""

    def __init__(self, loop: GameLoop, language: str, boot_ns: int) -> None:
        self._loop = loop
        self._language = language
        self._boot_ns = boot_ns
        self._game_ns = loop.time.game_ns(boot_ns)

    def all(self, replaced: Outcome | None) -> ActionsView:
        loop = self._loop
        found = timeline(loop.game, self._game_ns)
        return ActionsView(
            game_id=loop.game.game_id,
            session=loop.session,
            seq=loop.seq,
            as_of_ms=self._boot_ns // NS_PER_MS,
            actions=[self._action(action) for action in found.done],
            undone=[self._action(action) for action in found.undone],
            outcome=self._outcome(replaced),
        )

    def _outcome(self, found: Outcome | None) -> OutcomeView | None:
        if found is None:
            return None
        if found.unseen:
            return OutcomeView(phase="unseen")
        seen = room(found.game or self._loop.game, self._game_ns)
        return OutcomeView(
            phase=seen.phase,
            round=seen.round,
            side=seen.side,
            paused=seen.paused,
            remaining_ms=seen.remaining_ms,
            open_claims=sum(claim.status == "open" for claim in seen.claims),
            reasons=all_words(found.against, self._language),
            keys=views(found.against),
        )

    def _action(self, action: PastAction) -> ActionView:
        return ActionView(
            id=action.id,
            at_ms=self._loop.time.boot_ns(action.at_ns) // NS_PER_MS,
            source=action.source,
            text=words(action.said, self._language),
            said=view(action.said),
            steps=action.steps,
            outcome=self._outcome(action.outcome),
        )
