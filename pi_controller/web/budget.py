"""So much a second, and so much at once: what is beyond it is not served."""

from collections.abc import Callable


class Budget:
    """Fills with `per_s` up to `at_once`."""

    def __init__(self, *, per_s: float, at_once: float, boot_s: Callable[[], float]) -> None:
        self._per_s = per_s
        self._at_once = at_once
        self._boot_s = boot_s
        self._left = at_once
        self._seen_s = boot_s()

    def take(self, amount: float) -> bool:
        """Whether there was so much left; otherwise nothing is taken."""
        now_s = self._boot_s()
        self._left = min(self._at_once, self._left + (now_s - self._seen_s) * self._per_s)
        self._seen_s = now_s
        if amount > self._left:
            return False
        self._left -= amount
        return True
