"""What can go wrong between core and those who ask it. Each text is one sentence for who asked."""


class Malformed(ValueError):  # noqa: N818 - the word of the wire
    """What was sent is no command or request; nothing was changed. `request_id` is None when unreadable."""

    def __init__(self, sentence: str, *, request_id: int | str | None = None) -> None:
        super().__init__(sentence)
        self.request_id = request_id


class NoCore(ConnectionError):  # noqa: N818 - a state of the world, not a bug
    """Nobody answers at the control socket, or not in time."""


class CoreTrouble(RuntimeError):  # noqa: N818 - core's own sentence
    """Core answered that it cannot do what was asked."""


class SocketPathTooLong(ValueError):  # noqa: N818
    """The state folder lies too deep for a Unix socket."""
