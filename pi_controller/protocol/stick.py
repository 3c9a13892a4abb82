"""The evening on a stick: what is there, and how far it has come."""

from typing import Literal

from msgspec import Struct

from pi_controller.protocol.sentences import SentenceView

StickState = Literal["none", "working", "done", "failed"]
StickStep = Literal["reports", "writing"]


class StickPlace(Struct, kw_only=True, frozen=True):
    """A stick that is mounted; `free_kib` is null where it does not tell."""

    place: str
    name: str
    free_kib: int | None
    read_only: bool


class StickFile(Struct, frozen=True):
    name: str
    bytes: int


class StickView(Struct, kw_only=True):
    """`number`: so many times saving was begun since core runs; the rest is about the last of them. `done` of
    so many files `of` its present step. `folder` and `files` were written and read back."""

    sticks: list[StickPlace]
    number: int = 0
    state: StickState = "none"
    place: str = ""
    step: StickStep = "reports"
    done: int = 0
    of: int = 0
    folder: str = ""
    files: list[StickFile] = []
    reason: str = ""
    reason_key: SentenceView | None = None


class StickLine(Struct, kw_only=True):
    """A line of `pi-controller stick --lines`: how far it is, at last what was written or why not."""

    step: StickStep = "reports"
    done: int = 0
    of: int = 0
    folder: str = ""
    files: list[StickFile] = []
    reason: SentenceView | None = None


class CopyDeed(Struct, frozen=True, forbid_unknown_fields=True):
    """What is to become of a second copy that holds another controller's unfinished `game`: `take_over` ends
    core, which goes on with that game at its next start; `use` lets this hall write to the device, beside
    what is there."""

    do: Literal["take_over", "use"]
    game: str
