"""A clock for tests of the product's own time limits with real threads: the machine is as fast on it as a test
needs, however busy it is."""

from pi_controller.hal.system.kernel import SystemClock


class SlowClock(SystemClock):
    """CLOCK_BOOTTIME until it was made; from then on it goes `times` times slower."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self._times = times
        self._made_ns = super().boot_ns()

    def boot_ns(self) -> int:
        return self._made_ns + (super().boot_ns() - self._made_ns) // self._times
