"""A leader's picture as this hall shows it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from pi_controller.language.languages import ENGLISH
from pi_controller.language.turns import language_in_turn
from pi_controller.language.words import words
from pi_controller.protocol.halls import LinkView
from pi_controller.protocol.picture import NotAllowedView, Picture
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import PauseReason

NS_PER_US = 1_000
NS_PER_MS = 1_000_000
FORWARDED = frozenset({"claim", "withdraw", "pause"})
"""Commands that a follower hands to its leader; all others are given where the game is."""


@dataclass(frozen=True, slots=True)
class Led:
    """A picture of the leader's. `shift_us` is added to its clock to have this one's: as much later as the
    clock's error may be, so that nothing here is ever early."""

    picture: Picture
    leader: str
    shift_us: int

    def left_us(self, now_ns: int) -> int:
        """Game microseconds left in the phase at this moment."""
        left = self.picture.remaining_us
        if not self.picture.running:
            return left
        passed_us = max(0, now_ns // NS_PER_US - self.picture.as_of_us - self.shift_us)
        return max(0, left - int(passed_us * self.picture.rate))


Still = tuple[int, PauseReason]
"""Since when time stands still (CLOCK_BOOTTIME), and why."""


def shown(own: Picture, led: Led, *, link: LinkView, still: list[Still]) -> Picture:
    """The leader's game in a picture of this core's. From the first of `still` on time stands still."""
    theirs, shift_ms = led.picture, led.shift_us // 1_000
    tags = tuple(code.replace("_", "-") for code in own.languages)
    message = theirs.message
    if message is not None and message.until_ms is not None:
        message = replace(message, until_ms=message.until_ms + shift_ms)
    closes_at_ms = None if theirs.closes_at_ms is None else theirs.closes_at_ms + shift_ms
    as_of_us = theirs.as_of_us + led.shift_us
    as_here = replace(
        theirs,
        session=own.session,
        seq=own.seq,
        saved_seq=own.saved_seq,
        as_of_us=as_of_us,
        as_of_ms=as_of_us // 1_000,
        message=message,
        closes_at_ms=closes_at_ms,
        identify=own.identify,
        sound=own.sound,
        caption=own.caption,
        health=own.health,
        languages=own.languages,
        language=language_in_turn(theirs.phase, theirs.round, tags),
        allowed=_allowed(own, theirs.allowed, Sentence("link.directed_elsewhere", hall=led.leader), tags),
        link=link,
    )
    return _still(as_here, link, led, still) if still else as_here


def unled(own: Picture, *, link: LinkView) -> Picture:
    """Before the first news: what is handed to a leader waits for one, whatever the own game says of it."""
    tags = tuple(code.replace("_", "-") for code in own.languages)
    return replace(own, link=link, allowed=_allowed(own, {}, Sentence("link.no_leader_yet"), tags))


def _still(picture: Picture, link: LinkView, led: Led, still: list[Still]) -> Picture:
    since_ns = min(at_ns for at_ns, _ in still)
    # Who pressed the button must see that it was heard, also where time stood still before.
    why: PauseReason = "button" if "button" in [reason for _, reason in still] else "fault"
    left_us = led.left_us(since_ns)
    if not picture.running and picture.resume_in_ms is None:
        return picture
    return replace(
        picture,
        link=replace(link, frozen=True),
        paused=True,
        running=False,
        resume_in_ms=None,
        pause_reasons=[*picture.pause_reasons, why],
        as_of_us=since_ns // NS_PER_US,
        as_of_ms=since_ns // NS_PER_MS,
        remaining_us=left_us,
        remaining_ms=-(-left_us // 1_000),
    )


def _allowed(
    own: Picture, theirs: Mapping[str, NotAllowedView | None], why: Sentence, tags: tuple[str, ...]
) -> dict[str, NotAllowedView | None]:
    """Each command of this core: what is handed over as the leader says, the rest refused for this reason."""
    said = words(why, tags[0] if tags else ENGLISH)
    against = NotAllowedView(reasons=[said], keys=[view(why)], override=False)
    return {
        name: theirs.get(name) if name in FORWARDED else None if name == "identify" else against
        for name in own.allowed
    }
