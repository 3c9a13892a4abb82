"""The last actions of the game as they are published, with what undoing and redoing them would leave."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from pi_controller.game.room import PositiveOrZero
from pi_controller.protocol.sentences import SentenceView
from pi_controller.vocabulary import Phase


class OutcomeView(Struct, kw_only=True):
    """The game as it would be, in fields of the picture; or why that is refused: then `reasons` are the
    sentences, `keys` the same before they were put into words, and the rest is as it stands now. `unseen` and
    nothing else: it would be done, and what then comes is a roll that the hall has not seen."""

    phase: Phase | Literal["unseen"]
    round: PositiveOrZero | UnsetType = UNSET
    side: str | UnsetType | None = UNSET
    paused: bool | UnsetType = UNSET
    remaining_ms: PositiveOrZero | UnsetType = UNSET
    open_claims: PositiveOrZero | UnsetType = UNSET
    reasons: list[str] | UnsetType = UNSET
    keys: list[SentenceView] | UnsetType = UNSET


class ActionView(Struct, kw_only=True):
    """What was done and who did it: `web`, `cli`, `button`, `table`, `system` or the name that a program gave
    itself. `at_ms` is its moment on core's clock."""

    id: int
    at_ms: int
    source: str
    text: str
    said: SentenceView
    """What `text` says, before it was put into words."""
    steps: int | None
    """The undo (or redo) of this action is so many away; None: none is foreseen."""
    outcome: OutcomeView | None
    """What the game would be after so many of them."""


class ActionsView(Struct, kw_only=True):
    """As of the picture `seq` of `session`, newest first. `outcome` is that of an undo with the replacement
    that was asked about; None without one."""

    game_id: str
    session: str
    seq: PositiveOrZero
    as_of_ms: int
    actions: list[ActionView]
    undone: list[ActionView]
    """In the order in which redo brings them back."""
    outcome: OutcomeView | None
