"""What can go wrong between core and those who ask it, each with a sentence."""

from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence

RequestId = int | str


class Malformed(WordedError, ValueError):  # noqa: N818 - the word of the wire
    """What was sent is no command or request, as whoever writes a program that asks is told; nothing was
    changed. `request_id` is None when unreadable."""

    def __init__(self, sentence: Sentence, *, request_id: RequestId | None = None) -> None:
        super().__init__(sentence)
        self.request_id = request_id


class NoCore(WordedError, ConnectionError):  # noqa: N818 - a state of the world, not a bug
    """Nobody answers at the control socket, or not in time."""


class CoreTrouble(WordedError, RuntimeError):  # noqa: N818 - core's own sentence
    """Core answered that it cannot do what was asked."""


class SocketPathTooLong(WordedError, ValueError):  # noqa: N818
    """The state folder lies too deep for a Unix socket."""
