"""What is probably wrong with the cables and tables, and what to do about it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from pi_controller.bus.messages import OLDEST, SEATS_SINCE
from pi_controller.bus.values import Lately, NodeView, Place, SegmentSnapshot
from pi_controller.sentence import Sentence

# Everything is judged by what was counted lately: what stands here comes and goes with it. Who is meant is
# told by comparing: whoever has a good part of what the worst one has suffers from the same.

FEWEST_DAMAGED: Final = 30
"""Of some 3,000 frames that pass each node in 20 s: so many that chance does not hide who hears them."""
FEWEST_BAD_ANSWERS: Final = 12
"""Of some 1,500 answers of a segment."""
FEWEST_GARBLED: Final = 6
"""Of the 50 to 190 answers of one node."""
MOST_ELSEWHERE: Final = 0.1
"""Damaged answers may be some nodes' own when the others have no more than this part of what they would have
if it were everybody's,"""
LEAST_SURE: Final = 10.0
"""and are, when chance alone would bring that to any so many nodes once in e to the power of this."""
FEWEST_UNANSWERED: Final = 6
UNANSWERED_PART: Final = 0.1
ALIKE: Final = 0.22
"""Of what the worst has."""
FEWEST_LATE: Final = 4
LATE_PART: Final = 0.25
FEWEST_REASSIGNED: Final = 3
FEWEST_RESTARTS: Final = 3
FEWEST_CLAIMS: Final = 16
"""More than two players make who press all the time: a claim takes 0.6 s and a verdict."""
USB_V: Final = 8.0
LEAST_SUPPLY_V: Final = 20.0
MOST_SUPPLY_V: Final = 28.0
"""A zone's supply has 24 V, give or take a tenth; nodes that were never calibrated read it to 5 %. Above, the
parts that protect a node's input begin to conduct."""
MOST_NAMED: Final = 3
"""More newcomers than these are counted, not listed."""


@dataclass(frozen=True, slots=True)
class CablePlace:
    """One place along the cable; `node` is None as long as nothing has answered there."""

    name: str | Sentence
    node: NodeView | None

    @property
    def dead(self) -> bool:
        return self.node is None or self.node.state == "lost"


def diagnose(segments: Sequence[SegmentSnapshot], rows: Sequence[Sequence[Place]]) -> list[Sentence]:
    """Segment by segment, the gravest first. `rows` are the places of the roster, in the order in which the
    cable visits them; the controller may be at either end."""
    found: list[Sentence] = []
    seen = {node.uid: segment.name for segment in segments for node in segment.nodes}
    for segment in segments:
        found += _segment(segment, rows, seen)
    silent = [row for row in rows if row and not any(place.uid in seen for place in row)]
    return found + [
        Sentence("bus.row_has_never_answered", first=row[0].board, last=row[-1].board) for row in silent
    ]


def _segment(
    segment: SegmentSnapshot, rows: Sequence[Sequence[Place]], seen: dict[str, str]
) -> list[Sentence]:
    if segment.sentence is not None:
        return [segment.sentence]
    if segment.link != "open":
        return []
    nodes = {node.uid: node for node in segment.nodes}
    seats = [
        CablePlace(place.board, nodes.get(place.uid))
        for row in rows
        for place in _here(row, segment.name, seen)
    ]
    placed = {seat.node.uid for seat in seats if seat.node is not None}
    strangers = [node for uid, node in nodes.items() if uid not in placed]
    unplaced = [CablePlace(Sentence("bus.without_a_place", uid=node.uid), node) for node in strangers]
    if (seats or unplaced) and all(seat.dead for seat in [*seats, *unplaced]):
        return [Sentence("bus.no_table_answers", segment=segment.name)]
    return [
        *_silence(segment.name, seats),
        *_supply(segment),
        *_line(
            segment, [seat for seat in seats if not seat.dead], [seat for seat in unplaced if not seat.dead]
        ),
        *(sentence for seat in [*seats, *unplaced] for sentence in _table(seat)),
        *_newcomers(segment.name, seats, [seat for seat in unplaced if not seat.dead]),
    ]


def _here(row: Sequence[Place], segment: str, seen: dict[str, str]) -> list[Place]:
    """The places of the row that belong to the segment; who has never answered goes with the neighbours."""
    known = [seen.get(place.uid) for place in row]
    before: str | None = None
    for at, name in enumerate(known):
        before = name or before
        following = next((later for later in known[at:] if later), None)
        known[at] = name or before or following
    return [place for place, name in zip(row, known, strict=True) if name == segment]


def _silence(segment: str, seats: list[CablePlace]) -> list[Sentence]:
    sentences = []
    for first, last in _blocks([seat.dead for seat in seats]):
        if first == last:
            sentences.append(_one_dead(segment, seats, first))
        elif last == len(seats) - 1:
            sentences.append(_behind(segment, seats, first, last, living=seats[first - 1], dead=seats[first]))
        elif first == 0:
            sentences.append(_behind(segment, seats, first, last, living=seats[last + 1], dead=seats[last]))
        else:
            sentences.append(
                Sentence(
                    "bus.tables_silent_in_the_middle",
                    segment=segment,
                    first=seats[first].name,
                    last=seats[last].name,
                )
            )
    return sentences


def _behind(
    segment: str, seats: list[CablePlace], first: int, last: int, *, living: CablePlace, dead: CablePlace
) -> Sentence:
    return Sentence(
        "bus.tables_silent_behind_a_cable",
        segment=segment,
        first=seats[first].name,
        last=seats[last].name,
        living=living.name,
        dead=dead.name,
    )


def _one_dead(segment: str, seats: list[CablePlace], at: int) -> Sentence:
    board = seats[at].name
    if seats[at].node is None:
        return Sentence("bus.table_has_never_answered", segment=segment, board=board)
    if at in (0, len(seats) - 1):
        neighbour = seats[at - 1 if at else 1].name
        return Sentence("bus.last_table_silent", segment=segment, board=board, neighbour=neighbour)
    return Sentence("bus.table_silent_between_neighbours", segment=segment, board=board)


def _supply(segment: SegmentSnapshot) -> list[Sentence]:
    """Of all its tables together; single ones may hang on USB, or at the end of a long cable."""
    volts = [node.supply_v for node in segment.nodes if node.reported and node.state != "lost"]
    on_zone = sorted(volt for volt in volts if volt > USB_V)
    if not on_zone:
        return []
    if on_zone[-1] < LEAST_SUPPLY_V:
        return [Sentence("bus.supply_low", segment=segment.name, volts=on_zone[-1])]
    if median(on_zone) > MOST_SUPPLY_V:
        return [Sentence("bus.supply_high", segment=segment.name, volts=on_zone[-1])]
    return []


def _line(segment: SegmentSnapshot, seats: list[CablePlace], unplaced: list[CablePlace]) -> list[Sentence]:
    """What disturbs the conversation; what follows from it is not told as well. A late answer runs into the
    next request and is heard as damage everywhere; where frames are damaged, answers are missing too."""
    living = [(seat, seat.node.lately) for seat in [*seats, *unplaced] if seat.node is not None]
    late = [seat for seat, lately in living if _is_late(lately)]
    if late and len(late) == len(living) > 1:
        return [Sentence("bus.all_answer_late", segment=segment.name)]
    if late:
        return [Sentence("bus.answers_late", board=seat.name) for seat in late]
    if noise := _noise(segment, seats):
        return noise
    marks = _stand_out([_unanswered(lately) for _, lately in living], FEWEST_UNANSWERED)
    losing = [one for one, mark in zip(living, marks, strict=True) if mark]
    if not any(_is_much(lately) for _, lately in losing):
        return []
    if len(losing) > 1 and 2 * len(losing) > len(living):
        return [
            Sentence("bus.many_lose_answers", segment=segment.name, losing=len(losing), tables=len(living))
        ]
    return [
        Sentence(
            "bus.loses_answers",
            board=seat.name,
            missing=lately.unanswered,
            polls=lately.unanswered + lately.answered,
        )
        for seat, lately in losing
    ]


def _noise(segment: SegmentSnapshot, seats: list[CablePlace]) -> list[Sentence]:
    """Whose answers arrive damaged although it hears well; who hears damaged frames, and from where on;
    otherwise whether all answers arrive damaged."""
    living = [seat.node.lately for seat in seats if seat.node is not None]
    bad = _stand_out([lately.damaged for lately in living], FEWEST_DAMAGED)
    garbled, sure = _garbled([lately.garbled for lately in living])
    if any(garbled) and not any(mark and hears for mark, hears in zip(garbled, bad, strict=True)):
        if sure:
            return [_garbled_from(segment.name, seats, first, last) for first, last in _blocks(garbled)]
        if 2 * sum(garbled) <= len(garbled):
            return []
    if all(bad) and len(bad) > 1:
        return [Sentence("bus.all_hear_damage", segment=segment.name)]
    if any(bad):
        return [_noise_of(segment.name, seats, first, last) for first, last in _blocks(bad)]
    lately = segment.lately
    if lately.damaged < FEWEST_BAD_ANSWERS:
        return []
    return [
        Sentence("bus.damaged_answers", segment=segment.name, damaged=lately.damaged, good=lately.answered)
    ]


def _noise_of(segment: str, seats: list[CablePlace], first: int, last: int) -> Sentence:
    begin, end = seats[first].name, seats[last].name
    if first == last:
        return Sentence("bus.one_hears_damage", segment=segment, board=begin)
    if first > 0 and last < len(seats) - 1:
        return Sentence("bus.some_hear_damage", segment=segment, first=begin, last=end)
    near, far = (seats[first - 1], seats[first]) if first else (seats[last + 1], seats[last])
    return Sentence(
        "bus.damage_from_a_plug_on", segment=segment, first=begin, last=end, near=near.name, far=far.name
    )


def _garbled_from(segment: str, seats: list[CablePlace], first: int, last: int) -> Sentence:
    begin, end = seats[first].name, seats[last].name
    if first == last:
        return Sentence("bus.one_answers_damaged", segment=segment, board=begin)
    return Sentence("bus.some_answer_damaged", segment=segment, first=begin, last=end)


def _garbled(counts: list[int]) -> tuple[list[bool], bool]:
    """Whose answers arrive damaged while those of the others do not: the fewest nodes that nearly all damage
    is from; and whether that is sure: it may be chance, or too few frames to tell yet."""
    total, here, nodes = sum(counts), 0, len(counts)
    for number, count in enumerate(sorted(counts, reverse=True)[:-1], 1):
        here += count
        part = number / nodes
        if total - here <= MOST_ELSEWHERE * (1 - part) * total:
            sure = -total * math.log(part) - math.log(math.comb(nodes, number)) >= LEAST_SURE
            return [own >= count > 0 for own in counts], sure and max(counts) >= FEWEST_GARBLED
    return [False] * nodes, False


def _stand_out(counts: list[int], fewest: int) -> list[bool]:
    """Nobody as long as the worst has fewer; otherwise whoever has a good part of as many."""
    worst = max(counts, default=0)
    return [worst >= fewest and count > ALIKE * worst for count in counts]


def _unanswered(lately: Lately) -> int:
    """0 where something else explains them."""
    explained = lately.restarts >= FEWEST_RESTARTS or lately.reassigned >= FEWEST_REASSIGNED
    return 0 if explained else lately.unanswered


def _is_much(lately: Lately) -> bool:
    return lately.unanswered > UNANSWERED_PART * (lately.unanswered + lately.answered)


def _is_late(lately: Lately) -> bool:
    return lately.late >= FEWEST_LATE and lately.late > LATE_PART * lately.answered


def _again_and_again(board: str | Sentence, lately: Lately) -> list[Sentence]:
    sentences = []
    if lately.reassigned >= FEWEST_REASSIGNED:
        sentences.append(Sentence("bus.asks_again", board=board, times=lately.reassigned))
    if lately.restarts >= FEWEST_RESTARTS:
        sentences.append(Sentence("bus.restarts_again", board=board, times=lately.restarts))
    if lately.claims >= FEWEST_CLAIMS:
        sentences.append(Sentence("bus.claims_without_end", board=board, times=lately.claims))
    return sentences


def _table(seat: CablePlace) -> list[Sentence]:
    node = seat.node
    if node is None or seat.dead:
        return []
    if node.state == "outdated":
        low, high = node.protocols
        return [
            Sentence(
                "bus.firmware_outdated",
                board=seat.name,
                firmware=node.firmware,
                low=low,
                high=high,
                version=OLDEST if low > OLDEST else SEATS_SINCE,
            )
        ]
    sentences = _again_and_again(seat.name, node.lately)
    if node.state == "duplicate":
        sentences.append(Sentence("bus.address_twice", board=seat.name))
    if node.wordless:
        sentences.append(Sentence("bus.firmware_lacks_words", board=seat.name, firmware=node.firmware))
    if node.safe_mode:
        sentences.append(Sentence("bus.safe_mode", board=seat.name))
    if node.good and not node.displays.sun and not node.displays.moon:
        sentences.append(Sentence("bus.both_displays_silent", board=seat.name))
    elif node.good and not node.displays.sun:
        sentences.append(Sentence("bus.sun_display_silent", board=seat.name))
    elif node.good and not node.displays.moon:
        sentences.append(Sentence("bus.moon_display_silent", board=seat.name))
    return sentences


def _newcomers(segment: str, seats: list[CablePlace], strangers: list[CablePlace]) -> list[Sentence]:
    missing = [seat.name for seat in seats if seat.dead]
    if len(strangers) > MOST_NAMED:
        return [Sentence("bus.newcomers", segment=segment, count=len(strangers))]
    if len(missing) == 1:
        return [
            Sentence("bus.newcomer_instead", segment=segment, table=seat.name, missing=missing[0])
            for seat in strangers
        ]
    return [Sentence("bus.newcomer", segment=segment, table=seat.name) for seat in strangers]


def _blocks(marks: Sequence[bool]) -> list[tuple[int, int]]:
    """First and last index of each run of marks."""
    starts = [at for at, mark in enumerate(marks) if mark and not (at and marks[at - 1])]
    ends = [at for at, mark in enumerate(marks) if mark and not (at + 1 < len(marks) and marks[at + 1])]
    return list(zip(starts, ends, strict=True))
