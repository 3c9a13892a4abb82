"""A command on its way through the loop, and its answer."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pi_controller.core.answers import KeptAnswer, fingerprint
from pi_controller.core.timers import Alarm
from pi_controller.game.commands import Command


@dataclass(frozen=True, slots=True)
class Answer:
    """*Accepted* means: done and on the disk; `done` without it: done and shown, but not on the disk.

    `seq` is the picture's after the command; reasons are sentences.
    """

    accepted: bool
    seq: int
    reasons: tuple[str, ...] = ()
    done: bool = False


def _nobody(_answer: Answer) -> None:
    """The button asks and looks at the lamps for its answer."""


def _still_there() -> bool:
    return False


def _nothing_special(asked: "Asked") -> None:
    raise ValueError(f"{asked.name} is neither a command of a game nor anything else that is known")


@dataclass(slots=True)
class Asked:
    """Who asks for what. `at_ns` is CLOCK_BOOTTIME of the cause; `body` is as it came, for its fingerprint.

    `command` is None for what is no command of a game (`arm`, `identify`); `special` then does it. `gone`
    says whether nobody waits for the answer any more. The rest is the gate's; `over`: refused for good.
    """

    name: str
    body: object
    command: Command | None
    source: str
    at_ns: int
    key: str | None = None
    answer: Callable[[Answer], None] = field(default=_nobody)
    special: "Callable[[Asked], None]" = field(default=_nothing_special)
    gone: Callable[[], bool] = field(default=_still_there)
    on_disk: bool = False
    keeps_gate: bool = False
    over: bool = False
    deadline_ns: int | None = None
    alarm: Alarm | None = None

    def kept(self, *, accepted: bool, reasons: tuple[str, ...] = ()) -> KeptAnswer | None:
        """The answer as it is kept by its key; None without a key."""
        if self.key is None:
            return None
        return KeptAnswer(fingerprint(self.name, self.body), accepted, reasons)
