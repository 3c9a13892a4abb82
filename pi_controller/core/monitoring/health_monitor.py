"""The loop's regular look at everything: signs of life, lateness, and what parts say about themselves."""

from collections.abc import Callable

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.runtime.supervise import CHECK_NS, Supervisor, Watchdog
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.hal.system.systemd import Notices
from pi_controller.sentence import Sentence

LATE_NS = 100_000_000
"""Longer than a blink of an eye: from here on the director is told that the machine is too busy."""

LATE_STAYS_NS = 30_000_000_000


class HealthMonitor:
    """Looks each CHECK_NS. The watchdog's beat is given first: it says that the loop moves."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        outputs: Outputs,
        supervisor: Supervisor,
        watchdog: Watchdog,
        notices: Notices,
        timers: Timers,
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        self._loop = loop
        self._outputs = outputs
        self._supervisor = supervisor
        self._watchdog = watchdog
        self._notices = notices
        self._timers = timers
        self._keep = keep
        """Makes again what somebody may have removed."""
        self._alarm: Alarm | None = None
        self._due_ns = timers.boot_ns()
        self._late_ns = 0

    def go(self) -> None:
        """Look now, and again in CHECK_NS."""
        now_ns = self._timers.boot_ns()
        self._watchdog.beat()
        lag_ns = self._measure_lag(now_ns)
        self._due_ns = now_ns + CHECK_NS
        self._alarm = self._timers.call_at(self._due_ns, self.go)
        self._keep()
        self._listen()
        # When this loop itself was away, so were all others: they get until the next look.
        if lag_ns < CHECK_NS and self._supervisor.check(now_ns):
            self._notices.alive()

    def stop(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def _measure_lag(self, now_ns: int) -> int:
        lag_ns = now_ns - self._due_ns
        self._loop.metrics.loop_lag.add_ns(lag_ns)
        if lag_ns > LATE_NS:
            self._late_ns = now_ns
            self._loop.report("lag", "warning", Sentence("health.late", ms=lag_ns / 1e6))
        elif now_ns - self._late_ns > LATE_STAYS_NS:
            self._loop.report("lag", "warning", None)
            self._loop.report("still", "warning", None)
        return lag_ns

    def _listen(self) -> None:
        display = self._outputs.display
        self._loop.report("display", "warning", None if display is None else display.trouble())
        problems = self._outputs.trouble()
        self._loop.report(
            "panel", "fault", Sentence("panel.problems", problems=problems) if problems else None
        )
