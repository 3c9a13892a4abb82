"""The published picture: the game's room with what only core knows. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from msgspec.structs import asdict, replace

from pi_controller.core.game_loop.game_time import GameTime
from pi_controller.game.commands import PREPARED_LINES, PREPARED_TIMERS
from pi_controller.game.game import Game, not_allowed
from pi_controller.game.phases import NotAllowed
from pi_controller.game.room import Message, TimerView, room
from pi_controller.language.languages import ENGLISH
from pi_controller.language.turns import language_in_turn
from pi_controller.language.words import all_words, words
from pi_controller.protocol.halls import LinkView
from pi_controller.protocol.picture import (
    NO_EVENT,
    VERSION,
    EventView,
    HealthView,
    Identify,
    NotAllowedView,
    Picture,
)
from pi_controller.protocol.sentences import views
from pi_controller.protocol.sound import CaptionView, SoundView

HEAD_DIGITS = 8
NS_PER_US = 1_000
NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the game's own part of the picture.

    `against` is what stands against commands besides the rules. `languages` are the hall's; reasons and a
    prepared line are in the first. `closing_saved`: that the game was closed is on the disk. A seed that is
    shown before could be that of a game which a power cut reopens. `closes_at_ms` is the picture's.
    """

    session: str
    seq: int
    saved_seq: int
    head: str | None
    health: HealthView
    identify: Identify | None = None
    sound: SoundView | None = None
    closing_saved: bool = True
    closes_at_ms: int | None = None
    against: Mapping[str, NotAllowed] = field(default_factory=dict)
    languages: tuple[str, ...] = (ENGLISH,)
    event: EventView = NO_EVENT
    link: LinkView | None = None


def picture_at(game: Game, time: GameTime, now_ns: int, *, frame: Frame) -> Picture:
    """The whole picture as of `now_ns` (CLOCK_BOOTTIME), which is `as_of_us` in it."""
    shown = room(game, time.game_ns(now_ns))
    head = frame.head if shown.paused or shown.phase in ("collecting", "ended") else None
    of_the_game = asdict(shown) | {
        "message": _message(shown.message, now_ns // NS_PER_MS, rate=time.rate, language=frame.languages[0]),
        "timer": _timer(shown.timer, frame.languages[0]),
        "closed": shown.closed and frame.closing_saved,
        "seed": shown.seed if frame.closing_saved else None,
    }
    return Picture(
        **of_the_game,
        version=VERSION,
        session=frame.session,
        seq=frame.seq,
        saved_seq=frame.saved_seq,
        as_of_ms=now_ns // NS_PER_MS,
        as_of_us=now_ns // NS_PER_US,
        rate=time.rate,
        journal_head=head[:HEAD_DIGITS] if head else None,
        journal_head_full=head,
        allowed=allowed(not_allowed(game), frame.against, frame.languages[0]),
        health=frame.health,
        identify=frame.identify,
        closes_at_ms=frame.closes_at_ms,
        sound=frame.sound,
        caption=_caption(frame.sound),
        event=frame.event,
        link=frame.link,
        languages=[tag.replace("-", "_") for tag in frame.languages],
        language=language_in_turn(shown.phase, shown.round, frame.languages),
    )


def _caption(sound: SoundView | None) -> CaptionView | None:
    if sound is None or not sound.captions or sound.spoken_until_ms is None:
        return None
    first = sound.captions[0]
    return CaptionView(key=first.key, params=first.params, until_ms=sound.spoken_until_ms)


def _message(message: Message | None, as_of_ms: int, *, rate: float, language: str) -> Message | None:
    if message is None:
        return None
    text = message.text if message.line is None else words(PREPARED_LINES[message.line], language)
    until_ms = None if message.until_ms is None else as_of_ms + round(message.until_ms / rate)
    return Message(text=text, until_ms=until_ms, line=message.line, tables=message.tables)


def _timer(timer: TimerView | None, language: str) -> TimerView | None:
    if timer is None or timer.prepared is None:
        return timer
    return replace(timer, label=words(PREPARED_TIMERS[timer.prepared], language))


def allowed(
    by_the_rules: Mapping[str, NotAllowed | None], against: Mapping[str, NotAllowed], language: str = ENGLISH
) -> dict[str, NotAllowedView | None]:
    """All reasons at once; `identify` touches no game."""
    found = {**by_the_rules, "identify": None}
    for name, more in against.items():
        first = found[name]
        found[name] = (
            more
            if first is None
            else NotAllowed((*first.reasons, *more.reasons), first.override and more.override)
        )
    return {name: None if one is None else _shown(one, language) for name, one in found.items()}


@lru_cache(maxsize=512)
def _shown(against: NotAllowed, language: str) -> NotAllowedView:
    """Kept, because every picture asks for the same few."""
    return NotAllowedView(
        reasons=all_words(against.reasons, language),
        keys=views(against.reasons),
        override=against.override,
    )
