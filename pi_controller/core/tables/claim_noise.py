"""Buttons of tables that claim faster than a hand can: they are told, and their claims fill no lists."""

from collections import deque

from pi_controller.vocabulary import Side

MOST = 10
WINDOW_NS = 10_000_000_000
"""A claim and its taking back are two holds of 0.6 s: in 10 s a hand manages eight."""
QUIET_NS = 60_000_000_000
"""So long without a claim, and the button is taken for well again."""
Button = tuple[str, Side]
"""A node's id and a side."""


class ClaimNoise:
    """Pure; times are CLOCK_BOOTTIME at which claims were heard."""

    def __init__(self) -> None:
        self._heard_ns: dict[Button, deque[int]] = {}
        self._noisy: set[Button] = set()

    def heard(self, button: Button, now_ns: int) -> bool:
        """A new claim; whether its button is faulty."""
        times = self._heard_ns.setdefault(button, deque(maxlen=MOST + 1))
        times.append(now_ns)
        if len(times) > MOST and now_ns - times[0] < WINDOW_NS:
            self._noisy.add(button)
        return button in self._noisy

    def faulty(self, button: Button) -> bool:
        return button in self._noisy

    def look(self, now_ns: int) -> tuple[list[Button], list[Button]]:
        """The buttons that are faulty, and those that have become quiet since the last look."""
        quiet = [button for button in self._noisy if now_ns - self._heard_ns[button][-1] >= QUIET_NS]
        self._noisy.difference_update(quiet)
        return sorted(self._noisy), quiet
