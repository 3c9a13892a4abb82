"""Phrases: everything the voice can say, when it is said, and what has room. Pure.

A phrase is spoken as one piece with one sound file. Only a phrase with a board's name is put together,
because boards may have any name: the text before the name, its letters and numbers, the text after it.

What has a number or a side has a text for the voice beside its caption: numbers in words, in the case and
gender of what they count. The keys of these texts begin with `voice.say_`; they have one phrase a line.
"""

import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pi_controller.game.room import SeatView
from pi_controller.game.rule_sets import SeatId, seat_word
from pi_controller.hal.names import CalloutKind, ToneKind
from pi_controller.language.words import words
from pi_controller.protocol.picture import Picture
from pi_controller.sentence import Sentence, as_told
from pi_controller.vocabulary import Target

SUMS = range(2, 13)
MOST_ROUNDS_COUNTED = 20
"""Rounds before the last one that are announced; earlier ones are not."""
MOST_COUNTED = 3
"""First number of the 3-2-1 before the clock runs."""
SIGNS = (*string.ascii_uppercase, *map(str, range(100)))
"""What board names are spelled with; a hyphen is not spoken."""
_SIGN = re.compile(r"[A-Z]|(?<!\d)[1-9]?\d(?!\d)|\d")
"""Digit by digit where a number has more than two or begins with a 0."""
_HEXES = tuple(number for number in SUMS if number != 7)
_BOARD = "\0"


@dataclass(frozen=True, slots=True)
class Phrase:
    """A piece that is spoken as one. `name`: its file's name without language and extension. `part`: only
    what comes before or after a board's name."""

    name: str
    sentence: Sentence
    part: Literal["whole", "before_board", "after_board"] = "whole"

    def text(self, language: str) -> str:
        """The text for the voice; empty if this language has no words here."""
        before, _, after = words(self.sentence, language).partition(_BOARD)
        text = after if self.part == "after_board" else before
        return text.strip() if any(sign.isalnum() for sign in text) else ""


@dataclass(frozen=True, slots=True)
class Callout:
    """Something to say: its caption and its phrases."""

    kind: CalloutKind
    sentence: Sentence
    phrases: tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class NamedSeat:
    """A seat and the word for it."""

    id: str
    word: Sentence

    @property
    def spoken(self) -> Sentence:
        """The word for the voice."""
        known = get_args(SeatId)
        return Sentence("voice.say_sides", nth=known.index(self.id)) if self.id in known else self.word


def named(seats: Iterable[SeatView]) -> tuple[NamedSeat, ...]:
    """The seats of a picture."""
    return tuple(NamedSeat(seat.id, seat_word(seat.id, seat.name)) for seat in seats)


def _simple(kind: CalloutKind, name: str, caption: Sentence, said: Sentence | None = None) -> Callout:
    return Callout(kind, caption, (Phrase(name, said or caption),))


def next_round(number: int, seat: NamedSeat) -> Callout:
    """The roll of a round and who acts. The number comes first, since everybody waits for it."""
    caption = Sentence("voice.round", number=number, side=seat.word)
    said = Sentence("voice.say_round", nth=SUMS.index(number), side=seat.spoken)
    return _simple("round", f"round_{seat.id}_{number}", caption, said)


def next_side(seat: NamedSeat) -> Callout:
    """Who acts after this round."""
    caption, said = (Sentence("voice.next_side", side=word) for word in (seat.word, seat.spoken))
    return _simple("next_side", f"next_{seat.id}", caption, said)


def robber(target: Target) -> Callout:
    """The robber phase. The number does not come first, so that nobody takes it for a roll."""
    if target == "desert":
        return _simple("robber", "robber_desert", Sentence("voice.robber_desert"))
    said = Sentence("voice.say_robber_to_hex", nth=_HEXES.index(target))
    return _simple("robber", f"robber_{target}", Sentence("voice.robber_to_hex", number=target), said)


def last_rounds(left: int) -> Callout:
    """The number of rounds after this one."""
    if left == 0:
        return _simple("last_rounds", "last_round", Sentence("voice.last_round"))
    said = Sentence("voice.say_last_rounds", nth=left - 1)
    return _simple("last_rounds", f"last_rounds_{left}", Sentence("voice.last_rounds", count=left), said)


def count(number: int) -> Callout:
    """A number of the 3-2-1."""
    said = Sentence("voice.say_numbers", nth=number)
    return _simple("count", f"count_{number}", as_told(str(number)), said)


COUNTS = frozenset(count(number).sentence for number in range(1, MOST_COUNTED + 1))
"""Captions of the 3-2-1."""
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
"""Said by the loudspeaker test."""


def winner(board: str, seat: NamedSeat) -> Callout:
    """A winner; the board's name is spelled."""
    before, after = _around_the_board(seat)
    caption = Sentence("voice.winner", board=board, side=seat.word)
    return Callout("winner", caption, (before, *map(_sign, _SIGN.findall(board.upper())), after))


def _around_the_board(seat: NamedSeat) -> tuple[Phrase, Phrase]:
    said = Sentence("voice.winner", board=_BOARD, side=seat.spoken)
    return (
        Phrase(f"winner_{seat.id}_before", said, "before_board"),
        Phrase(f"winner_{seat.id}_after", said, "after_board"),
    )


def _sign(sign: str) -> Phrase:
    if sign.isdigit():
        return Phrase(f"sign_{sign}", Sentence("voice.say_numbers", nth=int(sign)))
    return Phrase(f"sign_{sign.lower()}", Sentence("voice.say_letters", nth=SIGNS.index(sign)))


def every_callout(seats: Iterable[NamedSeat], targets: Iterable[Target]) -> Iterator[Callout]:
    """Everything that can be said in a game of these seats, except winners."""
    for seat in seats:
        yield from (next_round(number, seat) for number in SUMS)
        yield next_side(seat)
    yield from (robber(target) for target in targets)
    yield from (last_rounds(left) for left in range(MOST_ROUNDS_COUNTED + 1))
    yield from (count(number) for number in range(1, MOST_COUNTED + 1))
    yield from (ROBBER_POSSIBLE, PAUSE, CLAIM, REJECTED, COLLECTING, GAME_OVER, WINNER_UNKNOWN)


def every_phrase(seats: tuple[NamedSeat, ...], targets: Iterable[Target]) -> tuple[Phrase, ...]:
    """Everything that is rendered in advance."""
    said = [phrase for callout in every_callout(seats, targets) for phrase in callout.phrases]
    around = [phrase for seat in seats for phrase in _around_the_board(seat)]
    return (*said, *around, *map(_sign, SIGNS), *LOUDSPEAKERS.values())


# Call-outs: what is said when one picture follows another. Pure; knows seats only from the picture. A
# call-out is found by comparing two pictures, so that nothing is said after a restart.


def callouts_between(before: Picture | None, after: Picture) -> tuple[Callout, ...]:
    """Call-outs for the change from one picture to the next, the most urgent first."""
    if before is None or before.game_id != after.game_id:
        return ()
    return tuple(_said(before, after))


def _said(before: Picture, after: Picture) -> Iterator[Callout]:
    if _rejected(after) - _rejected(before):
        yield REJECTED
    if after.phase == "ended":
        if before.phase != "ended":
            yield from _end(after)
    elif after.phase == "collecting":
        if before.phase not in ("collecting", "ended"):
            yield COLLECTING
    elif after.paused:
        yield from _in_a_pause(before, after)
    elif after.running and _turned(before, after):
        yield from _phase_callouts(before, after)


def _turned(before: Picture, after: Picture) -> bool:
    """Whether a new phase has begun. Two robber phases in a row differ only in the history."""
    return (before.phase, before.round, before.seat, before.history) != (
        after.phase,
        after.round,
        after.seat,
        after.history,
    )


def _in_a_pause(before: Picture, after: Picture) -> Iterator[Callout]:
    broken_off = before.resume_in_ms is not None and after.resume_in_ms is None
    if after.resume_in_ms is None and (not before.paused or broken_off):
        yield PAUSE
        if _open(after):
            yield CLAIM
    elif _open(after) - _open(before):
        yield CLAIM


def _phase_callouts(before: Picture, after: Picture) -> Iterator[Callout]:
    seats = named(after.seats)
    if after.phase == "robber" and after.robber_target is not None:
        yield robber(after.robber_target)
    elif after.sum is not None and after.seat is not None:
        yield next_round(after.sum, seats[after.seat])
        yield from _rounds_left(after)
    if "robber_possible" in after.notices and "robber_possible" not in before.notices:
        yield ROBBER_POSSIBLE


def _rounds_left(picture: Picture) -> Iterator[Callout]:
    if picture.last_round is not None:
        left = picture.last_round - picture.round
        if 0 <= left <= MOST_ROUNDS_COUNTED:
            yield last_rounds(left)


def _end(picture: Picture) -> Iterator[Callout]:
    seats = {seat.id: seat for seat in named(picture.seats)}
    if not picture.winners:
        yield GAME_OVER
    for winner in picture.winners:
        yield _winner(winner.board, seats.get(winner.side or ""))


def _winner(board: str | None, seat: NamedSeat | None) -> Callout:
    return WINNER_UNKNOWN if board is None or seat is None else winner(board, seat)


def _open(picture: Picture) -> frozenset[str]:
    return frozenset(claim.id for claim in picture.claims if claim.status == "open" and not claim.passed)


def _rejected(picture: Picture) -> frozenset[str]:
    return frozenset(claim.id for claim in picture.claims if claim.status == "rejected")


# Moments that a picture determines in advance: the last seconds, the 3-2-1, the next side. Pure.


NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
AT_ONCE_NS = 100_000_000
"""A moment within this time after the picture is played at once."""


@dataclass(frozen=True, slots=True)
class SpokenAt:
    """A tone or call-out at this CLOCK_BOOTTIME; a call-out must be over after `slot_ns`."""

    at_ns: int
    what: ToneKind | Callout
    slot_ns: int = 0


def end_ns(picture: Picture) -> int | None:
    """CLOCK_BOOTTIME of the end of the running phase or 3-2-1; None if neither runs."""
    if picture.resume_in_ms is not None:
        left_ns = picture.resume_in_ms * NS_PER_MS
    elif picture.running:
        left_ns = picture.remaining_us * 1_000
    else:
        return None
    return picture.as_of_us * 1_000 + int(left_ns / picture.rate)


def moments(picture: Picture, *, name_side_early_ns: int = 0) -> tuple[SpokenAt, ...]:
    """All moments from this picture on, in order, valid until the next picture."""
    as_of_ns, end = picture.as_of_us * 1_000, end_ns(picture)
    if end is None:
        return ()
    found = _countdown(picture, end) if picture.resume_in_ms is not None else _phase_moments(picture, end)
    if picture.resume_in_ms is None and name_side_early_ns:
        found = (*found, *_next_side(picture, end, name_side_early_ns))
    return tuple(sorted((one for one in found if one.at_ns >= as_of_ns), key=lambda moment: moment.at_ns))


def _second_ns(picture: Picture) -> int:
    """A second of game time, in ns of the machine's clock."""
    return int(NS_PER_S / picture.rate)


def _countdown(picture: Picture, end: int) -> tuple[SpokenAt, ...]:
    second = _second_ns(picture)
    counts = tuple(
        SpokenAt(end - number * second, count(number), second) for number in range(MOST_COUNTED, 0, -1)
    )
    return counts if picture.phase == "ready" else (*counts, SpokenAt(end, "go"))


def _phase_moments(picture: Picture, end: int) -> tuple[SpokenAt, ...]:
    second = _second_ns(picture)
    ticks = tuple(SpokenAt(end - left * second, "last_three") for left in (3, 2, 1))
    return ticks if picture.phase == "robber" else (SpokenAt(end - 10 * second, "last_ten"), *ticks)


def _next_side(picture: Picture, end: int, early_ns: int) -> Iterator[SpokenAt]:
    if picture.phase != "robber" and picture.next_seat is not None and picture.round != picture.last_round:
        seat = named(picture.seats)[picture.next_seat]
        yield SpokenAt(end - early_ns, next_side(seat), early_ns)


# Room: in which languages a call-out is said, so that none runs into the next or is cut. Pure.


GAP_MS = 150
"""Silence between two call-outs and between two languages."""

SLOTS_MS: Mapping[CalloutKind, int] = {
    "round": 4_000,
    "next_side": 3_000,
    "robber": 5_000,
    "robber_possible": 6_000,
    "last_rounds": 4_000,
    "pause": 3_000,
    "count": 950,
    "claim": 5_000,
    "rejected": 5_000,
    "winner": 15_000,
    "end": 5_000,
}
"""Longest duration of a call-out of this kind, all its languages together."""

Lengths = Mapping[tuple[str, str], int]
"""Duration in ms of each existing sound, by language and phrase."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A call-out in one language, with its sounds in order."""

    language: str
    callout: Callout
    sounds: tuple[tuple[str, str], ...]
    ms: int


def spoken(callout: Callout, language: str, lengths: Lengths) -> Spoken | None:
    """The call-out in this language; None if one of its sounds is missing."""
    sounds = tuple((language, phrase.name) for phrase in callout.phrases)
    if any(sound not in lengths for sound in sounds):
        return None
    return Spoken(language, callout, sounds, sum(lengths[sound] for sound in sounds))


def that_fit(
    callouts: Sequence[Callout],
    languages: Sequence[str],
    lengths: Lengths,
    *,
    room_ms: float,
    standing: str,
) -> tuple[Spoken, ...]:
    """What is said within `room_ms`, in order.

    First every call-out in the `standing` language, or in another if that one has no room, by urgency; then
    each in the other languages while there is room. What has no room is left out as a whole; nothing is
    shortened.
    """
    chosen: list[list[Spoken]] = []
    left_ms = room_ms
    for callout in callouts:
        one = _first(callout, languages, lengths, room_ms=left_ms, standing=standing)
        chosen.append([] if one is None else [one])
        left_ms -= 0 if one is None else one.ms + GAP_MS
    for said in chosen:
        left_ms -= _add_languages(said, languages, lengths, room_ms=left_ms)
    return tuple(
        one for said in chosen for one in sorted(said, key=lambda part: languages.index(part.language))
    )


def _first(
    callout: Callout, languages: Sequence[str], lengths: Lengths, *, room_ms: float, standing: str
) -> Spoken | None:
    room_ms = min(room_ms, SLOTS_MS[callout.kind])
    first = sorted(languages, key=lambda language: language != standing)
    found = (spoken(callout, language, lengths) for language in first)
    return next((one for one in found if one is not None and one.ms <= room_ms), None)


def _add_languages(said: list[Spoken], languages: Sequence[str], lengths: Lengths, *, room_ms: float) -> int:
    """Add other languages of what is said already; returns the milliseconds that they take."""
    added_ms = 0
    if not said:
        return 0
    callout, slot_ms = said[0].callout, SLOTS_MS[said[0].callout.kind] - said[0].ms
    for language in languages:
        more = spoken(callout, language, lengths)
        if more is None or any(one.language == language for one in said):
            continue
        if more.ms + GAP_MS + added_ms <= min(slot_ms, room_ms):
            said.append(more)
            added_ms += more.ms + GAP_MS
    return added_ms
