"""Keeps a card fed from a mixer, a few blocks ahead; opens it again when it was gone."""

import errno
import os
from collections.abc import Callable

from pi_controller.hal.sound.alsa import Pcm
from pi_controller.hal.sound.mixer import NS_PER_S, Mixer
from pi_controller.hal.sound.tones import RATE_HZ

BLOCK = RATE_HZ // 100
"""Frames of a block: 10 ms."""
LEAST_AHEAD, MOST_AHEAD = 3 * BLOCK, 8 * BLOCK
"""So many frames are given to the card before they are heard: a sound begins that much later, and the
process may be held up that long. Each underrun adds a block, on a machine that needs it."""
LATENCY_US = 100_000
"""The card's whole buffer; only what is given ahead of it is used."""
STALLED_NS = 1_000_000_000
"""A card that has taken nothing for so long is closed and opened again."""
TRY_AGAIN_NS = 1_000_000_000
UNDERRUN = (errno.EPIPE, errno.ESTRPIPE)


class Stream:
    """`keep` is called at least every 10 ms. `delay_ns`: how much later than the card says a sound is heard,
    such as in the PA system's own processor."""

    def __init__(
        self, device: str, mixer: Mixer, *, delay_ns: int, open_pcm: Callable[..., Pcm] = Pcm
    ) -> None:
        self.trouble: str | None = None
        self.errno: int | None = None
        """The system's number for the trouble."""
        self.underruns = 0
        self._device = device
        self._mixer = mixer
        self._delay_ns = delay_ns
        self._open_pcm = open_pcm
        self._pcm: Pcm | None = None
        self._next_try_ns = 0
        self._moved_ns = 0
        self._left = 0
        self._ahead = LEAST_AHEAD

    def keep(self, now_ns: int) -> None:
        """Give the card what it has room for."""
        if self._pcm is None:
            if now_ns < self._next_try_ns:
                return
            self._open(now_ns)
        if self._pcm is None:
            return
        try:
            self._fill(self._pcm, now_ns)
        except OSError as error:
            self._failed(error, now_ns)

    def close(self) -> None:
        if self._pcm is not None:
            self._pcm.close()
            self._pcm = None

    def _open(self, now_ns: int) -> None:
        try:
            self._pcm = self._open_pcm(self._device, rate_hz=RATE_HZ, latency_us=LATENCY_US)
            self._begin(self._pcm, now_ns)
        except OSError as error:
            self._lost(error, now_ns)
        else:
            self.trouble = self.errno = None

    def _begin(self, pcm: Pcm, now_ns: int) -> None:
        pcm.write(bytes(4 * self._ahead))
        pcm.start()
        self._moved_ns, self._left = now_ns, self._ahead

    def _fill(self, pcm: Pcm, now_ns: int) -> None:
        known = pcm.delay()
        delay = known.frames
        if delay < self._left:
            self._moved_ns = now_ns
        elif now_ns - self._moved_ns > STALLED_NS:
            raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
        while delay < self._ahead:
            heard_ns = known.at_ns + delay * NS_PER_S // RATE_HZ + self._delay_ns
            taken = pcm.write(self._mixer.block(BLOCK, heard_ns))
            delay += taken
            if taken < BLOCK:
                break
        self._left = delay

    def _failed(self, error: OSError, now_ns: int) -> None:
        """An underrun is mended at once; anything else means that the card is gone."""
        pcm = self._pcm
        if pcm is None or error.errno not in UNDERRUN:
            self._lost(error, now_ns)
            return
        self.underruns += 1
        self._ahead = min(MOST_AHEAD, self._ahead + BLOCK)
        try:
            pcm.recover(error)
            self._begin(pcm, now_ns)
        except OSError as second:
            self._lost(second, now_ns)

    def _lost(self, error: OSError, now_ns: int) -> None:
        self.trouble, self.errno = error.strerror or str(error), error.errno
        self.close()
        self._next_try_ns = now_ns + TRY_AGAIN_NS
