"""The shutdown button as a test holds it."""

from pi_controller.hal.roles import PinUnusable
from pi_controller.sentence import as_told

BROKEN = "Shutdown button on BCM 27 cannot be read: check its wiring."


class HandButton:
    """`down`: held; `broken`: cannot be read."""

    def __init__(self) -> None:
        self.down = False
        self.broken = False

    def pressed(self) -> bool:
        if self.broken:
            raise PinUnusable(as_told(BROKEN))
        return self.down

    def close(self) -> None:
        """Nothing to release."""
