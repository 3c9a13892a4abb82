"""Renders what can be said, in a process of its own so that core is not delayed.

python -m pi_controller.core.sound.rendering < order

Its input is one `RenderOrder`, its output one `Rendered` a line. At the end it removes files that are no
longer needed.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_controller.core.sound.phrases import NamedSeat, every_phrase
from pi_controller.game.rule_sets import RULE_SETS, seat_word
from pi_controller.hal.sound.library import Espeak, Library, SoundFile, WantedPhrase
from pi_controller.hal.system.kernel import take_lowest_priority
from pi_controller.protocol.sentences import SentenceView, view
from pi_controller.vocabulary import Target


class RenderOrder(Struct, kw_only=True):
    state_dir: str
    languages: tuple[str, ...]
    rule_set: str
    targets: tuple[Target, ...]
    program: str = "espeak-ng"


class Rendered(Struct, kw_only=True):
    """A sound, or with `path` None why it is missing. `of`: the number of all."""

    language: str
    name: str
    path: str | None
    ms: int
    of: int
    made: bool
    """Rendered just now."""
    trouble: SentenceView | None = None


def seats_of(rule_set: str) -> tuple[NamedSeat, ...]:
    """Seats of this rule set."""
    return tuple(NamedSeat(seat, seat_word(seat, sign.name)) for seat, sign in RULE_SETS[rule_set].may_sit)


def wanted(languages: Sequence[str], rule_set: str, targets: Sequence[Target]) -> list[WantedPhrase]:
    """Every phrase in every language."""
    seats = seats_of(rule_set)
    return [
        WantedPhrase(language, phrase.name, phrase.text(language))
        for language in languages
        for phrase in every_phrase(seats, targets)
    ]


def rendered(sound: SoundFile, of: int) -> Rendered:
    return Rendered(
        language=sound.wanted.language,
        name=sound.wanted.name,
        path=None if sound.path is None else str(sound.path),
        ms=sound.ms,
        of=of,
        made=sound.made,
        trouble=None if sound.trouble is None else view(sound.trouble),
    )


def main() -> None:
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=RenderOrder)
    take_lowest_priority()
    library = Library(Path(order.state_dir), Espeak(order.program))
    phrases = wanted(order.languages, order.rule_set, order.targets)
    sounds = []
    for sound in library.every(phrases):
        sounds.append(sound)
        sys.stdout.buffer.write(msgspec.json.encode(rendered(sound, len(phrases))) + b"\n")
        sys.stdout.buffer.flush()
    library.tidy(sounds)


if __name__ == "__main__":
    main()
