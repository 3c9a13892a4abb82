"""The player: a process of its own, so that neither its work nor a card that hangs delays a freeze.

python -m pi_controller.hal.sound.player DEVICE DELAY_MS

Orders come on its standard input, reports go to its standard output (`orders.py`); it ends with its input.
"""

import ctypes
import errno
import gc
import mmap
import os
import select
import sys
import time
import wave
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Literal

from pi_controller.hal.names import Loudspeaker
from pi_controller.hal.sound import orders
from pi_controller.hal.sound.orders import (
    HEADER,
    RATE_HZ,
    LevelOrder,
    LoadOrder,
    Order,
    Planned,
    PlayerReport,
    SayOrder,
    SoundPlan,
    ToneOrder,
    every_tone,
    tone,
)

# Mixer: voice and tones into one stream of two channels, block by block. Pure: moments are arguments.


FULL = 1000
LATEST_NS = 5_000_000
"""A planned sound that would begin later than this is left out."""
SAME_NS = 20_000_000
"""The same sound planned again within this time is the one that has begun."""
FADE = RATE_HZ // 50
"""Samples in which what is replaced ends: 20 ms."""
NS_PER_S = 1_000_000_000
_MOST_STARTED = 8

Samples = Sequence[int]


class _Track:
    """Sounds in sequence, starting `offset` samples after the beginning of the next block."""

    def __init__(self, parts: Sequence[Samples], offset: int, loudspeaker: Loudspeaker = "both") -> None:
        self._parts = [part for part in parts if len(part)]
        self._offset = offset
        self._at = 0
        self._fade: int | None = None
        self.loudspeaker = loudspeaker

    @property
    def over(self) -> bool:
        return not self._parts

    def fade(self) -> None:
        """Fade out."""
        self._fade = FADE if self._fade is None else self._fade

    def add_to(self, block: list[int]) -> None:
        """Add this block's part."""
        place, count = min(self._offset, len(block)), len(block)
        self._offset -= place
        while place < count and self._parts:
            part = self._parts[0]
            piece = part[self._at : self._at + count - place]
            self._mix(block, piece, place)
            place += len(piece)
            self._at += len(piece)
            if self._parts and self._at >= len(part):
                del self._parts[0]
                self._at = 0

    def _mix(self, block: list[int], piece: Samples, place: int) -> None:
        if self._fade is None:
            for number, sample in enumerate(piece, place):
                block[number] += sample
            return
        for number, sample in enumerate(piece, place):
            if self._fade <= 0:
                self._parts = []
                return
            block[number] += sample * self._fade // FADE
            self._fade -= 1


class Mixer:
    """`block` gives the stream. `sounds` are all sounds that can be named."""

    def __init__(self, tones: Mapping[str, Samples]) -> None:
        self.late = 0
        """Planned sounds that were left out because their moment was over."""
        self._tones = tones
        self._sounds: Mapping[str, Samples] = {}
        self._voices: list[_Track] = []
        self._tracks: list[_Track] = []
        self._plan: list[Planned] = []
        self._started: list[Planned] = []
        self._level = self._wanted_level = FULL

    def load(self, sounds: Mapping[str, Samples]) -> None:
        """Replace the sounds; what plays now goes on."""
        self._sounds = sounds

    def set_level(self, permille: int) -> None:
        """Change the volume smoothly from the next block on."""
        self._wanted_level = permille

    def say(
        self,
        groups: Sequence[Sequence[str]],
        *,
        gap_ms: int = 0,
        offset: int = 0,
        loudspeaker: Loudspeaker = "both",
    ) -> None:
        """Say this in place of what is said now. Unknown names are silent."""
        for voice in self._voices:
            voice.fade()
        self._voices.append(_Track(self._parts(groups, gap_ms), offset, loudspeaker))

    def sound(self, samples: Samples, offset: int = 0) -> None:
        """Play this beside whatever plays."""
        self._tracks.append(_Track([samples], offset))

    def plan(self, moments: Sequence[Planned]) -> None:
        """Replace the plan, except for what has begun."""
        self._plan = [moment for moment in moments if not self._has_begun(moment)]

    def block(self, frames: int, heard_ns: int) -> bytes:
        """The next frames, of which the first is heard at `heard_ns`."""
        self._begin(frames, heard_ns)
        if not self._voices and not self._tracks:
            self._level = self._wanted_level
            return bytes(4 * frames)
        left, right = [0] * frames, [0] * frames
        for track in (*self._voices, *self._tracks):
            self._add(track, left, right)
        self._voices = [track for track in self._voices if not track.over]
        self._tracks = [track for track in self._tracks if not track.over]
        return self._interleaved(left, right)

    def _add(self, track: _Track, left: list[int], right: list[int]) -> None:
        one = [0] * len(left)
        track.add_to(one)
        for loudspeaker, channel in (("left", left), ("right", right)):
            if track.loudspeaker in {"both", loudspeaker}:
                channel[:] = [sample + more for sample, more in zip(channel, one, strict=True)]

    def _interleaved(self, left: list[int], right: list[int]) -> bytes:
        count, before, after = len(left), self._level, self._wanted_level
        self._level = after
        if before == after == FULL:
            levels = None
        else:
            levels = [before + (after - before) * number // count for number in range(count)]
        frames = array("h", bytes(4 * count))
        frames[0::2] = _channel(left, levels)
        frames[1::2] = _channel(right, levels)
        return frames.tobytes()

    def _begin(self, frames: int, heard_ns: int) -> None:
        end_ns = heard_ns + frames * NS_PER_S // RATE_HZ
        due = [moment for moment in self._plan if moment.at_ns < end_ns]
        if not due:
            return
        self._plan = [moment for moment in self._plan if moment.at_ns >= end_ns]
        for moment in due:
            if moment.at_ns < heard_ns - LATEST_NS:
                self.late += 1
                continue
            self._started = [*self._started[-_MOST_STARTED:], moment]
            offset = max(0, (moment.at_ns - heard_ns) * RATE_HZ // NS_PER_S)
            if moment.voice:
                self.say(moment.groups, gap_ms=moment.gap_ms, offset=offset)
            else:
                parts = self._parts(moment.groups, moment.gap_ms)
                self._tracks.append(_Track(parts, offset))

    def _has_begun(self, moment: Planned) -> bool:
        return any(
            one.groups == moment.groups and abs(one.at_ns - moment.at_ns) <= SAME_NS for one in self._started
        )

    def _parts(self, groups: Sequence[Sequence[str]], gap_ms: int) -> list[Samples]:
        gap = array("h", bytes(2 * (RATE_HZ * gap_ms // 1000)))
        parts: list[Samples] = []
        for group in groups:
            if parts:
                parts.append(gap)
            parts += [sound for name in group if (sound := self._named(name)) is not None]
        return parts

    def _named(self, name: str) -> Samples | None:
        return self._tones.get(name) or self._sounds.get(name)


def _channel(samples: list[int], levels: list[int] | None) -> "array[int]":
    """Apply the volume and clip; levelled sounds never reach the limit."""
    if levels is not None:
        samples = [sample * level // FULL for sample, level in zip(samples, levels, strict=True)]
    return array("h", [max(-32_768, min(32_767, sample)) for sample in samples])


# ALSA: a stream of samples to a sound card, or from one, by ALSA's own library. Nothing here blocks: what the
# card has no room for is not taken. Every error is an OSError with its number: ENODEV if the card was pulled.


LIBRARY = "libasound.so.2"
CHANNELS = 2
BYTES_PER_FRAME = 4
"""Two channels of 16 bits."""

READINGS = 5
TOGETHER_NS = 500_000
"""Readings of card and clock no further apart than this belong together."""

_STREAM: Mapping[str, int] = {"playback": 0, "capture": 1}
_NONBLOCK = 1
_S16_LE = 2
_INTERLEAVED = 3
_RESAMPLE = 1
_SILENT = 1


@dataclass(frozen=True, slots=True)
class Delay:
    """The number of frames between card and loudspeaker at this CLOCK_BOOTTIME."""

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
        """Write frames; returns how many were taken, 0 without room."""
        count = self._alsa.snd_pcm_writei(self._handle, frames, len(frames) // BYTES_PER_FRAME)
        return 0 if count == -errno.EAGAIN else self._check(count)

    def read(self, most_frames: int) -> bytes:
        """Frames captured since the last call."""
        buffer = ctypes.create_string_buffer(most_frames * BYTES_PER_FRAME)
        count = self._alsa.snd_pcm_readi(self._handle, buffer, most_frames)
        frames = 0 if count == -errno.EAGAIN else self._check(count)
        return buffer.raw[: frames * BYTES_PER_FRAME]

    def delay(self) -> Delay:
        """The delay of a frame written now; for a capture, the age of the next frame.

        If the process had to wait for the processor between the two readings, the result would be wrong by
        that time; then it reads again.
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
        """Recover from an underrun or a suspend. Raises OSError for anything else."""
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


# Stream: keeps a card supplied from the mixer, a few blocks ahead; opens it again after it was gone.


BLOCK = RATE_HZ // 100
"""Frames of a block: 10 ms."""
LEAST_AHEAD, MOST_AHEAD = 3 * BLOCK, 8 * BLOCK
"""Frames given to the card in advance: a sound begins that much later, and the process may be delayed that
long. Each underrun adds a block."""
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
        """Write what the card has room for."""
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


TURN_S = 0.008
REPORT_NS = 500_000_000
EXPIRES_NS = 500_000_000
"""Speech that is later than this is left out."""
TEST_TONE_HZ = 880


class Player:
    """Takes orders and gives blocks. `turn` is called each TURN_S."""

    def __init__(self, mixer: Mixer, stream: Stream) -> None:
        self._mixer = mixer
        self._stream = stream
        self._told: PlayerReport | None = None
        self._tell_ns = 0

    def take(self, order: Order, now_ns: int) -> None:
        match order:
            case LoadOrder():
                self._mixer.load(_loaded(order.files))
            case SayOrder() if now_ns - order.at_ns <= EXPIRES_NS:
                self._mixer.say(order.groups, gap_ms=order.gap_ms, loudspeaker=order.loudspeaker)
            case SayOrder():
                self._mixer.late += 1
            case SoundPlan():
                self._mixer.plan(order.moments)
            case LevelOrder():
                self._mixer.set_level(order.permille)
            case ToneOrder():
                self._mixer.sound(tone(TEST_TONE_HZ, order.length_ms))

    def turn(self, now_ns: int) -> PlayerReport | None:
        """Supply the card; returns a report if one is due."""
        stream = self._stream
        stream.keep(now_ns)
        report = PlayerReport(
            trouble=stream.trouble, errno=stream.errno, late=self._mixer.late, underruns=stream.underruns
        )
        if report == self._told and now_ns < self._tell_ns:
            return None
        self._told, self._tell_ns = report, now_ns + REPORT_NS
        return report


def _loaded(files: Mapping[str, str]) -> dict[str, memoryview]:
    """The readable files, mapped: their pages belong to the page cache and count once for all processes."""
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
    """Keep ALSA from writing each failure to descriptor 2, once a second without a card; the reports tell it.
    Our own errors still get there."""
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
