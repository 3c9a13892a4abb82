"""From pictures to what is heard: the call-outs of a change at once, what comes at its moments; and what
stands in the next picture about it.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.runtime.health import Numbers
from pi_controller.core.runtime.threads import Threads
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.core.sound.phrases import (
    AT_ONCE_NS,
    COUNTS,
    GAP_MS,
    LOUDSPEAKERS,
    Callout,
    Moment,
    Spoken,
    callouts_between,
    end_ns,
    moments,
    that_fit,
)
from pi_controller.core.sound.voice import Player, Voice, sound_name
from pi_controller.hal.names import Loudspeaker, SoundKind
from pi_controller.hal.sound.orders import Level, Plan, Planned, Report, Say, Tone
from pi_controller.language.system_errors import why
from pi_controller.protocol.picture import MuteView, Picture, SoundAction, SoundView
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence

# How loud: muted for a while or until it is released, softer while the director speaks. A mute comes to an
# end by itself, and says so before.


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


PART = "sound"
TOLD_NS = 100_000_000
"""What stands in the picture comes with the next one, which tells that the change is on the disk; at the
latest after so long it has one of its own."""
TONE_SPARE_S = 0.2
"""Until what the card was given has been heard."""
ENDLESS_MS = 60_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What is said and how, by the settings."""

    device: str
    languages: tuple[str, ...]
    voice: bool
    off: frozenset[SoundKind]
    name_side_early_ns: int


class Speaker:
    """`shown` is told every picture and costs it nothing: the work is done in the loop's next turn."""

    def __init__(
        self,
        manner: Manner,
        *,
        loop: GameLoop,
        timers: Timers,
        threads: Threads,
        player: Player,
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
        self._report: Report | None = None
        self._closed = False
        loudness.tell(self)

    def start(self) -> None:
        """As loud as the settings say."""
        self._player.send(Level(permille=self._loudness.permille))

    def close(self) -> None:
        """Silence."""
        self._closed = True
        self._voice.stop()
        self._player.close()

    def shown(self, picture: Picture) -> None:
        """Take note; what belongs to it sounds at once, but after all who see it have seen it."""
        self._waiting.append(picture)
        if len(self._waiting) == 1:
            self._timers.call_at(self._timers.boot_ns(), self._hear_all)

    def heard_of(self, report: Report | None) -> None:
        """The player's news; None: it has ended. On whatever thread."""
        if report != self._report or report is None:
            self._report = report
            self._threads.call_on_loop(lambda: self._judge(report))

    def loudness_changed(self) -> None:
        """Told by `Loudness`."""
        self._player.send(Level(permille=self._loudness.permille))
        soon = Sentence("sound.back_soon") if self._loudness.back_soon() else None
        self._loop.report("mute", "warning", soon)
        self._show()

    def do(self, action: SoundAction, *, minutes: int | None, loudspeaker: Loudspeaker) -> None:
        """What somebody asks for."""
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
        """Name this loudspeaker on it, in each language that has a sound for it."""
        phrase = LOUDSPEAKERS[loudspeaker]
        sounds = [
            (language, phrase.name)
            for language in self._manner.languages
            if (language, phrase.name) in self._voice.lengths
        ]
        said = tuple((sound_name(*sound),) for sound in sounds) or (("last_ten",),)
        self._player.send(
            Say(groups=said, at_ns=self._timers.boot_ns(), gap_ms=GAP_MS, loudspeaker=loudspeaker)
        )
        if sounds:
            self._caption_now(phrase.sentence, _length_ms([self._voice.lengths[sound] for sound in sounds]))

    def trouble(self) -> Sentence | None:
        """Why nothing can be heard now."""
        report = self._report
        if report is None:
            return Sentence("sound.player_ended")
        if report.trouble is not None:
            refused = why(OSError(report.errno, report.trouble))
            return Sentence("sound.no_card", device=self._manner.device, why=refused)
        return None

    def play_tone(self, ms: int) -> Sentence | None:
        """Implements `roles.Sound`, on a thread that may wait."""
        self._player.send(Tone(length_ms=ms))
        threading.Event().wait(ms / 1000 + TONE_SPARE_S)
        return self.trouble()

    def figures(self) -> Numbers:
        report = self._report
        return {
            "sound_left_out": 0 if report is None else report.late,
            "sound_underruns": 0 if report is None else report.underruns,
        }

    def _judge(self, report: Report | None) -> None:
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

    def _coming(self, picture: Picture) -> list[Moment]:
        found = moments(picture, name_side_early_ns=self._manner.name_side_early_ns)
        return [
            one
            for one in found
            if (one.what.kind if isinstance(one.what, Callout) else one.what) not in self._manner.off
        ]

    def _say(
        self, callouts: Sequence[Callout], picture: Picture, coming: Sequence[Moment]
    ) -> tuple[Spoken, ...]:
        chosen = self._fitting(callouts, self._room_ms(picture, coming), picture.language)
        self._player.send(Say(groups=_groups(chosen), at_ns=self._timers.boot_ns(), gap_ms=GAP_MS))
        return chosen

    def _room_ms(self, picture: Picture, coming: Sequence[Moment]) -> float:
        """Until the next words that are foreseen: the next phase, or what is said before it."""
        end = end_ns(picture)
        words = [one.at_ns for one in coming if isinstance(one.what, Callout)]
        next_ns = min([*words, *([] if end is None else [end])], default=None)
        return ENDLESS_MS if next_ns is None else (next_ns - self._timers.boot_ns()) / NS_PER_MS

    def _fitting(self, callouts: Sequence[Callout], room_ms: float, standing: str) -> tuple[Spoken, ...]:
        if not self._manner.voice:
            return ()
        languages, lengths = self._manner.languages, self._voice.lengths
        return that_fit(callouts, languages, lengths, room_ms=room_ms, standing=standing)

    def _foresee(self, coming: Sequence[Moment], standing: str) -> None:
        """What comes at its moments goes to the player, and is read from then on; every picture foretells it
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
        self._player.send(Plan(moments=tuple(planned)))

    def _caption(self, said: tuple[Sentence, ...], spoken_ms: int) -> None:
        """It stands until something else is said; a number of the 3-2-1 until that is over."""
        self._captions = said
        self._spoken_until_ms = self._timers.boot_ns() // NS_PER_MS + spoken_ms if said else None

    def _caption_now(self, said: Sentence, spoken_ms: int) -> None:
        self._caption((said,), spoken_ms)
        self._show()

    def _show(self) -> None:
        """Have it stand in the next picture."""
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
    """From the first of these sounds to the end of the last."""
    return sum(lengths_ms) + GAP_MS * max(0, len(lengths_ms) - 1)


def _begins(before: Picture | None, picture: Picture, moment: Moment) -> bool:
    """It belongs to the first instant of a 3-2-1, which this picture tells of."""
    begins = before is not None and before.resume_in_ms is None and picture.resume_in_ms is not None
    return begins and moment.at_ns <= picture.as_of_us * 1_000 + AT_ONCE_NS
