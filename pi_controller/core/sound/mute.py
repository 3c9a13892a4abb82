"""How loud: muted for a while or until it is released, softer while the director speaks. A mute comes to an
end by itself, and says so before."""

from dataclasses import dataclass
from typing import Protocol

from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.protocol.sound import MuteView

FULL = 1000
WARNED_NS = 30_000_000_000
"""So long before the sound comes back it is told."""
LONGEST_DUCK_NS = 120_000_000_000
"""A director who forgets to release it does not make the hall deaf."""
NS_PER_MIN = 60_000_000_000
NS_PER_MS = 1_000_000


class Listener(Protocol):
    """Hears of it."""

    def loudness_changed(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Mute:
    until_ns: int | None


class Loudness:
    """`permille` is how loud it is now, 1000 is full."""

    def __init__(self, *, volume_percent: int, ducking_db: int, timers: Timers) -> None:
        self._full = FULL * volume_percent // 100
        self._ducking_db = ducking_db
        self._timers = timers
        self._listener: Listener | None = None
        self._mute: _Mute | None = None
        self._ducked = False
        self._alarms: list[Alarm] = []
        self._unduck: Alarm | None = None

    def tell(self, listener: Listener) -> None:
        """Of each change from now on."""
        self._listener = listener

    @property
    def permille(self) -> int:
        if self._mute is not None:
            return 0
        return round(self._full * 10 ** (-self._ducking_db / 20)) if self._ducked else self._full

    @property
    def ducked(self) -> bool:
        return self._ducked

    def muted(self) -> MuteView | None:
        if self._mute is None:
            return None
        until_ns = self._mute.until_ns
        return MuteView(until_ms=None if until_ns is None else until_ns // NS_PER_MS)

    def back_soon(self) -> bool:
        """The sound comes back within half a minute."""
        until_ns = None if self._mute is None else self._mute.until_ns
        return until_ns is not None and until_ns - self._timers.boot_ns() <= WARNED_NS

    def mute(self, minutes: int | None) -> None:
        """For so long, or until `release`."""
        self._cancel()
        until_ns = None if minutes is None else self._timers.boot_ns() + minutes * NS_PER_MIN
        self._mute = _Mute(until_ns)
        if until_ns is not None:
            self._alarms = [
                self._timers.call_at(until_ns - WARNED_NS, self._changed),
                self._timers.call_at(until_ns, self.release),
            ]
        self._changed()

    def release(self) -> None:
        """Heard again."""
        self._cancel()
        self._mute = None
        self._changed()

    def duck(self, *, on: bool) -> None:
        """Softer, two minutes at the most."""
        if self._unduck is not None:
            self._unduck.cancel()
        self._ducked = on
        if on:
            until_ns = self._timers.boot_ns() + LONGEST_DUCK_NS
            self._unduck = self._timers.call_at(until_ns, lambda: self.duck(on=False))
        self._changed()

    def _changed(self) -> None:
        if self._listener is not None:
            self._listener.loudness_changed()

    def _cancel(self) -> None:
        for alarm in self._alarms:
            alarm.cancel()
        self._alarms = []
