"""The player: a process of its own, so that neither its work nor a card that hangs delays a freeze.

python -m pi_controller.hal.sound.player DEVICE DELAY_MS

Orders come on its standard input, reports go to its standard output (`orders.py`); it ends with its input.
"""

import gc
import mmap
import os
import select
import sys
import time
import wave
from collections.abc import Iterator, Mapping
from pathlib import Path

from pi_controller.hal.sound import orders
from pi_controller.hal.sound.mixer import Mixer
from pi_controller.hal.sound.orders import Level, Load, Order, Plan, Report, Say, Tone
from pi_controller.hal.sound.stream import Stream
from pi_controller.hal.sound.tones import HEADER, RATE_HZ, every_tone, tone

TURN_S = 0.008
REPORT_NS = 500_000_000
EXPIRES_NS = 500_000_000
"""What is said so much later than it should be would only confuse."""
TEST_TONE_HZ = 880


class Player:
    """Orders in, blocks out. `turn` is called as often as TURN_S says."""

    def __init__(self, mixer: Mixer, stream: Stream) -> None:
        self._mixer = mixer
        self._stream = stream
        self._told: Report | None = None
        self._tell_ns = 0

    def take(self, order: Order, now_ns: int) -> None:
        match order:
            case Load():
                self._mixer.load(_loaded(order.files))
            case Say() if now_ns - order.at_ns <= EXPIRES_NS:
                self._mixer.say(order.groups, gap_ms=order.gap_ms, loudspeaker=order.loudspeaker)
            case Say():
                self._mixer.late += 1
            case Plan():
                self._mixer.plan(order.moments)
            case Level():
                self._mixer.set_level(order.permille)
            case Tone():
                self._mixer.sound(tone(TEST_TONE_HZ, order.length_ms))

    def turn(self, now_ns: int) -> Report | None:
        """Feed the card; the report when one is due."""
        stream = self._stream
        stream.keep(now_ns)
        report = Report(
            trouble=stream.trouble, errno=stream.errno, late=self._mixer.late, underruns=stream.underruns
        )
        if report == self._told and now_ns < self._tell_ns:
            return None
        self._told, self._tell_ns = report, now_ns + REPORT_NS
        return report


def _loaded(files: Mapping[str, str]) -> dict[str, memoryview]:
    """Of files that can be read; their pages stay the file system's and count once for all processes."""
    return {name: sound for name, path in files.items() if (sound := _mapped(Path(path))) is not None}


def _mapped(path: Path) -> memoryview | None:
    try:
        with path.open("rb") as file:
            with wave.open(file) as sound:
                form = (sound.getnchannels(), sound.getsampwidth(), sound.getframerate())
            if form != (1, 2, RATE_HZ):
                return None
            flags = mmap.MAP_SHARED | mmap.MAP_POPULATE
            whole = mmap.mmap(file.fileno(), 0, flags=flags, prot=mmap.PROT_READ)
    except (OSError, EOFError, ValueError, wave.Error):
        return None
    samples = memoryview(whole)[HEADER:]
    return samples[: len(samples) // 2 * 2].cast("h")


def _lines(rest: bytearray) -> Iterator[bytes]:
    """Whole lines; what is left of one stays."""
    while (end := rest.find(b"\n")) >= 0:
        yield bytes(rest[:end])
        del rest[: end + 1]


def run(player: Player, orders_from: int, reports_to: int) -> None:
    """Until the orders end."""
    rest = bytearray()
    while True:
        readable, _, _ = select.select([orders_from], [], [], TURN_S)
        if readable:
            read = os.read(orders_from, 1 << 16)
            if not read:
                return
            rest += read
            for line in _lines(rest):
                player.take(orders.order(line), _now_ns())
        report = player.turn(_now_ns())
        if report is not None:
            os.write(reports_to, orders.encode(report))


def _now_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def _silence_the_library() -> None:
    """ALSA writes each failure to descriptor 2, once a second without a card; the reports tell it. Our own
    errors still get there."""
    sys.stderr = os.fdopen(os.dup(2), "w", buffering=1)
    with Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), 2)


def main() -> None:
    device, delay_ms = sys.argv[1:3]
    _silence_the_library()
    mixer = Mixer(every_tone())
    player = Player(mixer, Stream(device, mixer, delay_ns=int(delay_ms) * 1_000_000))
    gc.collect()
    gc.freeze()
    run(player, sys.stdin.fileno(), sys.stdout.fileno())


if __name__ == "__main__":
    main()
