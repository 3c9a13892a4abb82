"""Voice and tones into one stream of two channels, block by block. Pure: the moments come as arguments."""

from array import array
from collections.abc import Mapping, Sequence

from pi_controller.hal.names import Loudspeaker
from pi_controller.hal.sound.orders import Planned
from pi_controller.hal.sound.tones import RATE_HZ

FULL = 1000
LATEST_NS = 5_000_000
"""A planned sound that would begin later than this is left out."""
SAME_NS = 20_000_000
"""The same sound planned again within so little is the one that has begun."""
FADE = RATE_HZ // 50
"""Samples in which what is replaced ends: 20 ms."""
NS_PER_S = 1_000_000_000
_MOST_STARTED = 8

Samples = Sequence[int]


class _Track:
    """Sounds one after the other, from `offset` samples on after the beginning of the next block."""

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
        """End soon."""
        self._fade = FADE if self._fade is None else self._fade

    def add_to(self, block: list[int]) -> None:
        """Mix what belongs into this block."""
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
    """`block` gives the stream. `sounds` are all that can be named."""

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
        """These in place of those before; what sounds now goes on."""
        self._sounds = sounds

    def set_level(self, permille: int) -> None:
        """From the next block on, gently."""
        self._wanted_level = permille

    def say(
        self,
        groups: Sequence[Sequence[str]],
        *,
        gap_ms: int = 0,
        offset: int = 0,
        loudspeaker: Loudspeaker = "both",
    ) -> None:
        """In place of what is said now. Names that are not loaded are silent."""
        for voice in self._voices:
            voice.fade()
        self._voices.append(_Track(self._parts(groups, gap_ms), offset, loudspeaker))

    def sound(self, samples: Samples, offset: int = 0) -> None:
        """Beside whatever sounds."""
        self._tracks.append(_Track([samples], offset))

    def plan(self, moments: Sequence[Planned]) -> None:
        """These in place of what was planned before, but for what has begun."""
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
    """Loudness and the last limit, which levelled sounds never reach."""
    if levels is not None:
        samples = [sample * level // FULL for sample, level in zip(samples, levels, strict=True)]
    return array("h", [max(-32_768, min(32_767, sample)) for sample in samples])
