"""A stream of samples to a sound card (or from one), by ALSA's own library.

with Pcm("default") as pcm:
    pcm.write(block)
    heard_in_frames = pcm.delay()

Nothing here waits: what the card has no room for is not taken. Every error is an OSError with its number:
ENODEV when the card was pulled.
"""

import ctypes
import errno
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Literal

LIBRARY = "libasound.so.2"
CHANNELS = 2
BYTES_PER_FRAME = 4
"""Two channels of 16 bits."""

READINGS = 5
TOGETHER_NS = 500_000
"""Readings of card and clock that are no further apart belong together."""

_STREAM: Mapping[str, int] = {"playback": 0, "capture": 1}
_NONBLOCK = 1
_S16_LE = 2
_INTERLEAVED = 3
_RESAMPLE = 1
_SILENT = 1


@dataclass(frozen=True, slots=True)
class Delay:
    """So many frames lay between card and loudspeaker at this CLOCK_BOOTTIME."""

    frames: int
    at_ns: int


class Pcm:
    """One open stream. Raises OSError when there is no such device, or no ALSA."""

    def __init__(
        self,
        device: str,
        *,
        rate_hz: int,
        latency_us: int,
        stream: Literal["playback", "capture"] = "playback",
    ) -> None:
        self._alsa = _library()
        self._handle = ctypes.c_void_p()
        kind = _STREAM[stream]
        self._check(self._alsa.snd_pcm_open(ctypes.byref(self._handle), os.fsencode(device), kind, _NONBLOCK))
        form = (_S16_LE, _INTERLEAVED, CHANNELS, rate_hz, _RESAMPLE, latency_us)
        try:
            self._check(self._alsa.snd_pcm_set_params(self._handle, *form))
        except OSError:
            self.close()
            raise

    def __enter__(self) -> "Pcm":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, frames: bytes) -> int:
        """So many frames were taken, none when there is no room."""
        count = self._alsa.snd_pcm_writei(self._handle, frames, len(frames) // BYTES_PER_FRAME)
        return 0 if count == -errno.EAGAIN else self._check(count)

    def read(self, most_frames: int) -> bytes:
        """What has been captured, nothing when nothing came since."""
        buffer = ctypes.create_string_buffer(most_frames * BYTES_PER_FRAME)
        count = self._alsa.snd_pcm_readi(self._handle, buffer, most_frames)
        frames = 0 if count == -errno.EAGAIN else self._check(count)
        return buffer.raw[: frames * BYTES_PER_FRAME]

    def delay(self) -> Delay:
        """Of a frame that is written now; of a capture, how old the next one is.

        A process that has to wait for the processor between the two readings would take the one for as old as
        the other, and be wrong by as long as it waited: it reads them again.
        """
        frames = ctypes.c_long()
        for _ in range(READINGS):
            before_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            self._check(self._alsa.snd_pcm_delay(self._handle, ctypes.byref(frames)))
            after_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            if after_ns - before_ns <= TOGETHER_NS:
                break
        return Delay(frames.value, (before_ns + after_ns) // 2)

    def start(self) -> None:
        """Let it run."""
        self._check(self._alsa.snd_pcm_start(self._handle))

    def recover(self, error: OSError) -> None:
        """Make ready again after an underrun or a suspend. Raises OSError when it was something else."""
        self._check(self._alsa.snd_pcm_recover(self._handle, -(error.errno or 0), _SILENT))

    def close(self) -> None:
        """May be called twice."""
        if self._handle:
            self._alsa.snd_pcm_close(self._handle)
            self._handle = ctypes.c_void_p()

    def _check(self, code: int) -> int:
        if code < 0:
            raise OSError(-code, self._alsa.snd_strerror(code).decode(errors="replace"))
        return code


@cache
def _library() -> ctypes.CDLL:
    alsa = ctypes.CDLL(LIBRARY)
    alsa.snd_pcm_writei.restype = alsa.snd_pcm_readi.restype = ctypes.c_long
    alsa.snd_pcm_writei.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_ulong]
    alsa.snd_pcm_readi.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_ulong]
    alsa.snd_strerror.restype = ctypes.c_char_p
    return alsa
