"""What can go wrong, each as one sentence for the person at the bench."""


class FlashingError(Exception):
    """It did not work; the sentence says why and what to do."""


class ToolMissing(FlashingError):  # noqa: N818 - what is the case
    """A library that only this task needs is not installed."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not installed: pip install 'pi-controller[firmware]'")


class NotAPico(FlashingError):  # noqa: N818 - what is the case
    """Something else answers at the port, or nothing."""


class PicoLost(FlashingError):  # noqa: N818 - what is the case
    """The connection broke in the middle."""


class PicoFull(FlashingError):  # noqa: N818 - what is the case
    """No room on its flash."""
