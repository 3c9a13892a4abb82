"""Every phrase that the voice can say, with the name under which its sound is kept. Pure.

A phrase is spoken as one; only what names a board is put together, because boards may have any name: the
text before the name, its letters and digits one by one, the text after it.
"""

import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from pi_controller.game.room import SeatView
from pi_controller.game.rule_sets import seat_word
from pi_controller.hal.names import CalloutKind
from pi_controller.language.words import words
from pi_controller.sentence import Sentence, as_told
from pi_controller.vocabulary import Target

SUMS = range(2, 13)
MOST_ROUNDS_COUNTED = 10
"""Before the last one; further away than that is not worth a word."""
MOST_COUNTED = 3
"""The 3-2-1 before the clock runs."""
SIGNS = string.ascii_uppercase + string.digits
"""Of the names of boards. A hyphen is not spoken."""
_BOARD = "\0"


@dataclass(frozen=True, slots=True)
class Phrase:
    """What is spoken as one. `name` is that of its file, without language and ending; `part`: only what
    stands before or after a board's name."""

    name: str
    sentence: Sentence
    part: Literal["whole", "before_board", "after_board"] = "whole"

    def text(self, language: str) -> str:
        """What the voice is given; empty when this language has nothing to say here."""
        before, _, after = words(self.sentence, language).partition(_BOARD)
        text = after if self.part == "after_board" else before
        return text.strip() if any(sign.isalnum() for sign in text) else ""


@dataclass(frozen=True, slots=True)
class Callout:
    """Something to say: as a person reads it, and as it is spoken."""

    kind: CalloutKind
    sentence: Sentence
    phrases: tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class NamedSeat:
    """Who acts in turn, and the word for it."""

    id: str
    word: Sentence


def named(seats: Iterable[SeatView]) -> tuple[NamedSeat, ...]:
    """The seats of a picture."""
    return tuple(NamedSeat(seat.id, seat_word(seat.id, seat.name)) for seat in seats)


def _simple(kind: CalloutKind, name: str, sentence: Sentence) -> Callout:
    return Callout(kind, sentence, (Phrase(name, sentence),))


def next_round(number: int, seat: NamedSeat) -> Callout:
    """The roll of a round and who acts, the number first: it is what everybody waits for."""
    said = Sentence("voice.round", number=number, side=seat.word)
    return _simple("round", f"round_{seat.id}_{number}", said)


def next_side(seat: NamedSeat) -> Callout:
    """Who acts after this round."""
    return _simple("next_side", f"next_{seat.id}", Sentence("voice.next_side", side=seat.word))


def robber(target: Target) -> Callout:
    """Not the number first: nobody may take it for a roll."""
    said = (
        Sentence("voice.robber_desert")
        if target == "desert"
        else Sentence("voice.robber_to_hex", number=target)
    )
    return _simple("robber", f"robber_{target}", said)


def last_rounds(left: int) -> Callout:
    """So many rounds come after this one."""
    if left == 0:
        return _simple("last_rounds", "last_round", Sentence("voice.last_round"))
    return _simple("last_rounds", f"last_rounds_{left}", Sentence("voice.last_rounds", count=left))


def count(number: int) -> Callout:
    """A number of the 3-2-1."""
    return _simple("count", f"count_{number}", as_told(str(number)))


COUNTS = frozenset(count(number).sentence for number in range(1, MOST_COUNTED + 1))
"""How they are read."""
ROBBER_POSSIBLE = _simple("robber_possible", "robber_possible", Sentence("voice.robber_possible"))
PAUSE = _simple("pause", "pause", Sentence("voice.pause"))
CLAIM = _simple("claim", "claim", Sentence("voice.claim"))
REJECTED = _simple("rejected", "rejected", Sentence("voice.rejected"))
COLLECTING = _simple("end", "collecting", Sentence("voice.collecting"))
GAME_OVER = _simple("end", "game_over", Sentence("voice.game_over"))
WINNER_UNKNOWN = _simple("winner", "winner_unknown", Sentence("voice.winner_unknown"))
LOUDSPEAKERS = {
    "left": Phrase("test_left", Sentence("voice.test_left")),
    "right": Phrase("test_right", Sentence("voice.test_right")),
    "both": Phrase("test_both", Sentence("voice.test_both")),
}
"""Said by the test of the loudspeakers."""


def winner(board: str, seat: NamedSeat) -> Callout:
    """The board's name is spelled."""
    before, after = _around_the_board(seat)
    letters = (_letter(sign) for sign in board.upper() if sign in SIGNS)
    said = Sentence("voice.winner", board=board, side=seat.word)
    return Callout("winner", said, (before, *letters, after))


def _around_the_board(seat: NamedSeat) -> tuple[Phrase, Phrase]:
    said = Sentence("voice.winner", board=_BOARD, side=seat.word)
    return (
        Phrase(f"winner_{seat.id}_before", said, "before_board"),
        Phrase(f"winner_{seat.id}_after", said, "after_board"),
    )


def _letter(sign: str) -> Phrase:
    return Phrase(f"sign_{sign.lower()}", as_told(sign))


def every_callout(seats: Iterable[NamedSeat], targets: Iterable[Target]) -> Iterator[Callout]:
    """Everything that can be said in a game of these seats, but for winners."""
    for seat in seats:
        yield from (next_round(number, seat) for number in SUMS)
        yield next_side(seat)
    yield from (robber(target) for target in targets)
    yield from (last_rounds(left) for left in range(MOST_ROUNDS_COUNTED + 1))
    yield from (count(number) for number in range(1, MOST_COUNTED + 1))
    yield from (ROBBER_POSSIBLE, PAUSE, CLAIM, REJECTED, COLLECTING, GAME_OVER, WINNER_UNKNOWN)


def every_phrase(seats: tuple[NamedSeat, ...], targets: Iterable[Target]) -> tuple[Phrase, ...]:
    """Everything that is rendered ahead."""
    said = [phrase for callout in every_callout(seats, targets) for phrase in callout.phrases]
    around = [phrase for seat in seats for phrase in _around_the_board(seat)]
    return (*said, *around, *map(_letter, SIGNS), *LOUDSPEAKERS.values())
