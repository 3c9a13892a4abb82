"""Sound in the picture: what is being said, and what keeps it from being heard."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.protocol.sentences import SentenceView

LONGEST_MUTE_MIN = 120
SoundAction = Literal["mute", "release", "duck", "unduck", "test"]


class MuteView(Struct, kw_only=True, frozen=True):
    """Nothing is heard until this moment of core's clock; None: until somebody releases it."""

    until_ms: int | None


class CaptionView(SentenceView, kw_only=True, frozen=True):
    """What the voice says, until this moment of core's clock."""

    until_ms: int


class SoundView(Struct, kw_only=True, frozen=True):
    """`captions`: what was said last, one call-out each; it stands until something else is said.
    `spoken_until_ms`: the moment of core's clock when all of it has been spoken."""

    captions: list[SentenceView]
    spoken_until_ms: int | None = None
    muted: MuteView | None
    ducked: bool
    """Softer, while the director speaks."""


Minutes = Annotated[int, Meta(ge=1, le=LONGEST_MUTE_MIN)]
