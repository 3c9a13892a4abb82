"""Hears what a null sink plays: when each sound begins, after so much silence.

python -m pi_controller.bench.listener DEVICE QUIET_MS

One line for each sound: its CLOCK_BOOTTIME in nanoseconds. It ends with its input.
"""

import contextlib
import select
import sys
from array import array

from pi_controller.hal.sound.orders import RATE_HZ
from pi_controller.hal.sound.player import Pcm

LATENCY_US = 200_000
TURN_S = 0.004
HEARD = 150
"""A sample above this is no silence: the first of a faded tone are softer."""
NS_PER_S = 1_000_000_000


class Ear:
    """Finds beginnings in blocks of samples. Pure."""

    def __init__(self, quiet_ns: int) -> None:
        self._quiet_ns = quiet_ns
        self._last_ns: int | None = None

    def hear(self, frames: bytes, first_ns: int) -> list[int]:
        """When sounds begin in these frames, of which the first was played at `first_ns`."""
        begun = []
        for number, sample in enumerate(array("h", frames)[0::2]):
            if abs(sample) > HEARD:
                at_ns = first_ns + number * NS_PER_S // RATE_HZ
                if self._last_ns is None or at_ns - self._last_ns >= self._quiet_ns:
                    begun.append(at_ns)
                self._last_ns = at_ns
        return begun


def listen(pcm: Pcm, ear: Ear) -> None:
    """Until the input ends."""
    pcm.start()
    while True:
        readable, _, _ = select.select([sys.stdin], [], [], TURN_S)
        if readable:
            return
        try:
            old = pcm.delay()
            for at_ns in ear.hear(pcm.read(RATE_HZ // 10), old.at_ns - old.frames * NS_PER_S // RATE_HZ):
                print(at_ns, flush=True)
        except OSError as error:
            with contextlib.suppress(OSError):
                pcm.recover(error)
                pcm.start()


def main() -> None:
    device, quiet_ms = sys.argv[1:3]
    with Pcm(device, rate_hz=RATE_HZ, latency_us=LATENCY_US, stream="capture") as pcm:
        print("ready", flush=True)
        listen(pcm, Ear(int(quiet_ms) * 1_000_000))


if __name__ == "__main__":
    main()
