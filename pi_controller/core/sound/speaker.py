"""From pictures to the player: call-outs of a change at once, tones and call-outs at their moments, and the
sound's part of the next picture."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.runtime import Alarm, Numbers, Threads, Timers
from pi_controller.core.sound.phrases import (
    AT_ONCE_NS,
    COUNTS,
    GAP_MS,
    LOUDSPEAKERS,
    Callout,
    Spoken,
    SpokenAt,
    callouts_between,
    end_ns,
    moments,
    that_fit,
)
from pi_controller.core.sound.voice import PlayerOrders, RenderOrder, Voice, sound_name
from pi_controller.hal.names import Loudspeaker, SoundKind
from pi_controller.hal.sound.orders import LevelOrder, Planned, PlayerReport, SayOrder, SoundPlan, ToneOrder
from pi_controller.language.system_errors import why
from pi_controller.protocol.picture import MuteView, Picture, SoundAction, SoundView
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence

# Volume: muted for a time or until released, reduced while the director speaks. The end of a timed mute is
# announced.


FULL = 1000
WARNED_NS = 30_000_000_000
"""Time before the end of a mute at which it is announced."""
LONGEST_DUCK_NS = 120_000_000_000
"""Longest reduction, in case the director forgets to end it."""
NS_PER_MIN = 60_000_000_000
NS_PER_MS = 1_000_000


class SpeakerListener(Protocol):
    """Is told of each change."""

    def loudness_changed(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Mute:
    until_ns: int | None


class Loudness:
    """The volume. `permille` is its present value; 1000 is full."""

    def __init__(self, *, volume_percent: int, ducking_db: int, timers: Timers) -> None:
        self._full = FULL * volume_percent // 100
        self._ducking_db = ducking_db
        self._timers = timers
        self._listener: SpeakerListener | None = None
        self._mute: _Mute | None = None
        self._ducked = False
        self._alarms: list[Alarm] = []
        self._unduck: Alarm | None = None

    def tell(self, listener: SpeakerListener) -> None:
        """Tell this listener of each change from now on."""
        self._listener = listener

    def use(self, *, volume_percent: int, ducking_db: int) -> None:
        """From now on."""
        self._full = FULL * volume_percent // 100
        self._ducking_db = ducking_db
        self._changed()

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
        """True if a mute ends within WARNED_NS."""
        until_ns = None if self._mute is None else self._mute.until_ns
        return until_ns is not None and until_ns - self._timers.boot_ns() <= WARNED_NS

    def mute(self, minutes: int | None) -> None:
        """Mute for this many minutes, or with None until `release`."""
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
        """End a mute."""
        self._cancel()
        self._mute = None
        self._changed()

    def duck(self, *, on: bool) -> None:
        """Reduce the volume, for LONGEST_DUCK_NS at most."""
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


PART = "sound"
TOLD_NS = 100_000_000
"""The sound's part is published with the next picture, which usually tells that the change is on the disk, or
after this time with a picture of its own."""
TONE_SPARE_S = 0.2
"""Time until what the card has been given is over."""
ENDLESS_MS = 60_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What is said and how, from the settings."""

    device: str
    languages: tuple[str, ...]
    voice: bool
    off: frozenset[SoundKind]
    name_side_early_ns: int


class Speaker:
    """Follows the pictures. `shown` only records a picture; the work is done in the loop's next turn."""

    def __init__(
        self,
        manner: Manner,
        *,
        loop: GameLoop,
        timers: Timers,
        threads: Threads,
        player: PlayerOrders,
        voice: Voice,
        loudness: Loudness,
    ) -> None:
        self._manner = manner
        self._loop = loop
        self._timers = timers
        self._threads = threads
        self._player = player
        self._voice = voice
        self._loudness = loudness
        self._waiting: list[Picture] = []
        self._before: Picture | None = None
        self._captions: tuple[Sentence, ...] = ()
        self._spoken_until_ms: int | None = None
        self._to_caption: list[Alarm] = []
        self._tell: Alarm | None = None
        self._report: PlayerReport | None = None
        self._closed = False
        loudness.tell(self)

    def start(self) -> None:
        """Set the volume of the settings."""
        self._player.send(LevelOrder(permille=self._loudness.permille))

    def use(self, manner: Manner, order: RenderOrder, *, volume_percent: int, ducking_db: int) -> None:
        """From now on; of other languages what has been rendered."""
        self._manner = manner
        self._voice.use(order)
        self._loudness.use(volume_percent=volume_percent, ducking_db=ducking_db)

    def close(self) -> None:
        """Stop all sound."""
        self._closed = True
        self._voice.stop()
        self._player.close()

    def shown(self, picture: Picture) -> None:
        """Record this picture. Its sounds start in the loop's next turn, after everybody has been shown
        it."""
        self._waiting.append(picture)
        if len(self._waiting) == 1:
            self._timers.call_at(self._timers.boot_ns(), self._hear_all)

    def heard_of(self, report: PlayerReport | None) -> None:
        """A report of the player; None: it has ended. Called on any thread."""
        if report != self._report or report is None:
            self._report = report
            self._threads.call_on_loop(lambda: self._judge(report))

    def loudness_changed(self) -> None:
        """Called by `Loudness`."""
        self._player.send(LevelOrder(permille=self._loudness.permille))
        soon = Sentence("sound.back_soon") if self._loudness.back_soon() else None
        self._loop.report("mute", "warning", soon)
        self._show()

    def do(self, action: SoundAction, *, minutes: int | None, loudspeaker: Loudspeaker) -> None:
        """Carry out a request of a client."""
        match action:
            case "mute":
                self._loudness.mute(minutes)
            case "release":
                self._loudness.release()
            case "duck" | "unduck":
                self._loudness.duck(on=action == "duck")
            case "test":
                self._test(loudspeaker)

    def _test(self, loudspeaker: Loudspeaker) -> None:
        """Say this loudspeaker's name on it, in each language that has a sound for it."""
        phrase = LOUDSPEAKERS[loudspeaker]
        sounds = [
            (language, phrase.name)
            for language in self._manner.languages
            if (language, phrase.name) in self._voice.lengths
        ]
        said = tuple((sound_name(*sound),) for sound in sounds) or (("last_ten",),)
        self._player.send(
            SayOrder(groups=said, at_ns=self._timers.boot_ns(), gap_ms=GAP_MS, loudspeaker=loudspeaker)
        )
        if sounds:
            self._caption_now(phrase.sentence, _length_ms([self._voice.lengths[sound] for sound in sounds]))

    def trouble(self) -> Sentence | None:
        """Why nothing can be heard now; None if all is well."""
        report = self._report
        if report is None:
            return Sentence("sound.player_ended")
        if report.trouble is not None:
            refused = why(OSError(report.errno, report.trouble))
            return Sentence("sound.no_card", device=self._manner.device, why=refused)
        return None

    def play_tone(self, ms: int) -> Sentence | None:
        """Implements `roles.Sound`. Blocks; called on a thread."""
        self._player.send(ToneOrder(length_ms=ms))
        threading.Event().wait(ms / 1000 + TONE_SPARE_S)
        return self.trouble()

    def figures(self) -> Numbers:
        report = self._report
        return {
            "sound_left_out": 0 if report is None else report.late,
            "sound_underruns": 0 if report is None else report.underruns,
        }

    def _judge(self, report: PlayerReport | None) -> None:
        if not self._closed:
            self._loop.report(PART, "warning", self.trouble() if report == self._report else None)

    def _hear_all(self) -> None:
        waiting, self._waiting = self._waiting, []
        for picture in waiting:
            self._hear(picture)

    def _hear(self, picture: Picture) -> None:
        before, self._before = self._before, picture
        if self._closed:
            return
        self._voice.follow(picture)
        coming = self._coming(picture)
        said = self._wanted(callouts_between(before, picture))
        at_once = [one for one in coming if _begins(before, picture, one)]
        now = said or [one.what for one in at_once if isinstance(one.what, Callout)]
        later = [one for one in coming if one not in at_once and one.at_ns > picture.as_of_us * 1_000]
        if now:
            chosen = self._say(now, picture, later)
            self._caption(tuple(callout.sentence for callout in now), _length_ms([one.ms for one in chosen]))
        elif picture.resume_in_ms is None and COUNTS.issuperset(self._captions):
            self._caption((), 0)
        self._foresee(later, picture.language)
        self._show()

    def _wanted(self, callouts: Sequence[Callout]) -> list[Callout]:
        return [callout for callout in callouts if callout.kind not in self._manner.off]

    def _coming(self, picture: Picture) -> list[SpokenAt]:
        found = moments(picture, name_side_early_ns=self._manner.name_side_early_ns)
        return [
            one
            for one in found
            if (one.what.kind if isinstance(one.what, Callout) else one.what) not in self._manner.off
        ]

    def _say(
        self, callouts: Sequence[Callout], picture: Picture, coming: Sequence[SpokenAt]
    ) -> tuple[Spoken, ...]:
        chosen = self._fitting(callouts, self._room_ms(picture, coming), picture.language)
        self._player.send(SayOrder(groups=_groups(chosen), at_ns=self._timers.boot_ns(), gap_ms=GAP_MS))
        return chosen

    def _room_ms(self, picture: Picture, coming: Sequence[SpokenAt]) -> float:
        """Milliseconds until the next foreseeable words: those of the next phase, or said before it."""
        end = end_ns(picture)
        words = [one.at_ns for one in coming if isinstance(one.what, Callout)]
        next_ns = min([*words, *([] if end is None else [end])], default=None)
        return ENDLESS_MS if next_ns is None else (next_ns - self._timers.boot_ns()) / NS_PER_MS

    def _fitting(self, callouts: Sequence[Callout], room_ms: float, standing: str) -> tuple[Spoken, ...]:
        if not self._manner.voice:
            return ()
        languages, lengths = self._manner.languages, self._voice.lengths
        return that_fit(callouts, languages, lengths, room_ms=room_ms, standing=standing)

    def _foresee(self, coming: Sequence[SpokenAt], standing: str) -> None:
        """Give the player what comes at its moments, and show its caption then; each picture determines these
        anew."""
        for alarm in self._to_caption:
            alarm.cancel()
        self._to_caption = []
        planned = []
        for one in coming:
            if not isinstance(one.what, Callout):
                planned.append(Planned(at_ns=one.at_ns, groups=((one.what,),)))
                continue
            chosen = self._fitting([one.what], one.slot_ns / NS_PER_MS, standing)
            if chosen:
                planned.append(Planned(at_ns=one.at_ns, groups=_groups(chosen), gap_ms=GAP_MS, voice=True))
            read = partial(self._caption_now, one.what.sentence, _length_ms([said.ms for said in chosen]))
            self._to_caption.append(self._timers.call_at(one.at_ns, read))
        self._player.send(SoundPlan(moments=tuple(planned)))

    def _caption(self, said: tuple[Sentence, ...], spoken_ms: int) -> None:
        """Show a caption until something else is said; a number of the 3-2-1 until the countdown is over."""
        self._captions = said
        self._spoken_until_ms = self._timers.boot_ns() // NS_PER_MS + spoken_ms if said else None

    def _caption_now(self, said: Sentence, spoken_ms: int) -> None:
        self._caption((said,), spoken_ms)
        self._show()

    def _show(self) -> None:
        """Put the sound's part into the next picture."""
        captions = [view(said) for said in self._captions]
        now = SoundView(
            captions=captions,
            spoken_until_ms=self._spoken_until_ms,
            muted=self._loudness.muted(),
            ducked=self._loudness.ducked,
        )
        if now == self._loop.sound:
            return
        self._loop.tell_sound(now)
        if self._tell is None:
            self._tell = self._timers.call_at(self._timers.boot_ns() + TOLD_NS, self._tell_now)

    def _tell_now(self) -> None:
        self._tell = None
        shown = None if self._before is None else self._before.sound
        if shown != self._loop.sound and not self._closed:
            self._loop.changed()


def _groups(chosen: Sequence[Spoken]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(sound_name(*sound) for sound in one.sounds) for one in chosen)


def _length_ms(lengths_ms: Sequence[int]) -> int:
    """Duration from the first of these sounds to the end of the last."""
    return sum(lengths_ms) + GAP_MS * max(0, len(lengths_ms) - 1)


def _begins(before: Picture | None, picture: Picture, moment: SpokenAt) -> bool:
    """True for the first moment of a 3-2-1 that begins with this picture."""
    begins = before is not None and before.resume_in_ms is None and picture.resume_in_ms is not None
    return begins and moment.at_ns <= picture.as_of_us * 1_000 + AT_ONCE_NS
