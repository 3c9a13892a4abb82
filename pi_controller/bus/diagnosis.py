"""What is probably wrong with the cables and tables, and what to do about it, in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pi_controller.bus.messages import VERSION
from pi_controller.bus.values import NodeCensus, Place, SegmentCensus

FEWEST_DAMAGED: Final = 10
DAMAGED_PART: Final = 0.005
"""Of the frames that pass a node: more than a sound cable ever damages."""
FEWEST_BAD_ANSWERS: Final = 20
BAD_ANSWERS_PART: Final = 0.02
PLUGGED_IN: Final = "check that their segment is plugged in"
MOST_NAMED: Final = 3
"""More newcomers than these are counted, not listed."""
TERMINATORS: Final = "the terminators at both ends"


@dataclass(frozen=True, slots=True)
class Seat:
    """One place along the cable; `node` is None as long as nothing has answered there."""

    name: str
    node: NodeCensus | None

    @property
    def dead(self) -> bool:
        return self.node is None or self.node.state == "lost"


def diagnose(segments: Sequence[SegmentCensus], rows: Sequence[Sequence[Place]]) -> list[str]:
    """Sentences, segment by segment, the gravest first. `rows` are the places of the roster, in the order in
    which the cable visits them; the controller may be at either end."""
    found: list[str] = []
    seen = {node.uid: segment.name for segment in segments for node in segment.nodes}
    for segment in segments:
        found += _segment(segment, rows, seen)
    silent = [row for row in rows if row and not any(place.uid in seen for place in row)]
    return found + [
        f"No table of {row[0].board} to {row[-1].board} has answered yet: {PLUGGED_IN}" for row in silent
    ]


def _segment(segment: SegmentCensus, rows: Sequence[Sequence[Place]], seen: dict[str, str]) -> list[str]:
    if segment.sentence is not None:
        return [segment.sentence]
    if segment.link != "open":
        return []
    nodes = {node.uid: node for node in segment.nodes}
    seats = [
        Seat(place.board, nodes.get(place.uid)) for row in rows for place in _here(row, segment.name, seen)
    ]
    placed = {seat.node.uid for seat in seats if seat.node is not None}
    strangers = [Seat(f"without a place ({uid})", node) for uid, node in nodes.items() if uid not in placed]
    if (seats or strangers) and all(seat.dead for seat in [*seats, *strangers]):
        return [f"Segment {segment.name}: no table answers: check the adapter, the first cable and the power"]
    return [
        *_silence(segment.name, seats),
        *_noise(segment, [seat for seat in seats if not seat.dead]),
        *(sentence for seat in [*seats, *strangers] for sentence in _table(seat)),
        *_newcomers(segment.name, seats, [seat for seat in strangers if not seat.dead]),
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


def _silence(segment: str, seats: list[Seat]) -> list[str]:
    sentences = []
    for first, last in _blocks([seat.dead for seat in seats]):
        names = _names(seats[first : last + 1])
        if first == last:
            sentences.append(_one_dead(segment, seats, first))
        elif last == len(seats) - 1:
            sentences.append(_cable(segment, names, seats[first - 1].name, seats[first].name))
        elif first == 0:
            sentences.append(_cable(segment, names, seats[last + 1].name, seats[last].name))
        else:
            sentences.append(
                f"Segment {segment}: tables {names} do not answer although those beyond do: check their power"
            )
    return sentences


def _cable(segment: str, names: str, living: str, dead: str) -> str:
    return (
        f"Segment {segment}: tables {names} do not answer: check the cable between {living} and {dead}, "
        f"and the power from {dead} on"
    )


def _one_dead(segment: str, seats: list[Seat], at: int) -> str:
    name = seats[at].name
    if seats[at].node is None:
        advice = "check its plugs, its power and its node's id"
        return f"Segment {segment}: table {name} has never answered: {advice}"
    if at in (0, len(seats) - 1):
        neighbour = seats[at - 1 if at else 1].name
        return (
            f"Segment {segment}: table {name} at the end of the row does not answer: check the cable between "
            f"{neighbour} and {name}, then its power, then replace its node"
        )
    return (
        f"Segment {segment}: table {name} does not answer although both neighbours do: check its plugs and "
        "its power, then replace its node"
    )


def _noise(segment: SegmentCensus, seats: list[Seat]) -> list[str]:
    """Who hears damaged frames, and from where on; otherwise whether the answers arrive damaged."""
    bad = [_hears_badly(seat.node, len(seats)) for seat in seats if seat.node is not None]
    if all(bad) and len(bad) > 1:
        return [f"{_hear(segment, 'all tables hear')}: check the adapter and {TERMINATORS}"]
    if any(bad):
        return [_noise_of(segment, seats, first, last) for first, last in _blocks(bad)]
    if segment.crc_errors < max(FEWEST_BAD_ANSWERS, BAD_ANSWERS_PART * segment.good):
        return []
    amount = f"{segment.crc_errors} against {segment.good} good ones"
    return [f"Segment {segment.name}: damaged answers arrive ({amount}): check the adapter and {TERMINATORS}"]


def _noise_of(segment: SegmentCensus, seats: list[Seat], first: int, last: int) -> str:
    names = _names(seats[first : last + 1])
    if first == last:
        return f"{_hear(segment, f'table {names} hears')}: check its plugs"
    start = _hear(segment, f"tables {names} hear")
    if first > 0 and last < len(seats) - 1:
        return f"{start}: check their plugs"
    near, far = (seats[first - 1], seats[first]) if first else (seats[last + 1], seats[last])
    plugs = f"the plugs between {near.name} and {far.name}"
    return f"{start}: check {plugs}, and the terminator at the end of the row"


def _hear(segment: SegmentCensus, who: str) -> str:
    return f"Segment {segment.name}: {who} damaged frames"


def _hears_badly(node: NodeCensus, tables: int) -> bool:
    passing = max(1, node.good) * 2 * tables
    return node.crc_errors >= FEWEST_DAMAGED and node.crc_errors > DAMAGED_PART * passing


def _table(seat: Seat) -> list[str]:
    node = seat.node
    if node is None or seat.dead:
        return []
    if node.state == "outdated":
        low, high = node.protocols
        speaks = f"its firmware {node.firmware} speaks protocols {low} to {high}, not {VERSION}"
        return [
            f"Table {seat.name}: {speaks}: it only shows the clock; install this controller's firmware on it"
        ]
    sentences = []
    if node.state == "duplicate":
        sentences.append(
            f"Table {seat.name}: two tables had its address; both get a new one, nothing is to be done"
        )
    if node.safe_mode:
        sentences.append(f"Table {seat.name}: its node runs in safe mode after several restarts: replace it")
    for name, works in zip(("Sun", "Moon"), node.displays, strict=True):
        if not works and node.good:
            sentences.append(f"Table {seat.name}: the {name} display does not answer: check its plug")
    return sentences


def _newcomers(segment: str, seats: list[Seat], strangers: list[Seat]) -> list[str]:
    missing = [seat.name for seat in seats if seat.dead]
    instead = f", maybe instead of {missing[0]}" if len(missing) == 1 else ""
    if len(strangers) > MOST_NAMED:
        many = f"{len(strangers)} tables without a place answer"
        return [f"Segment {segment}: {many}: walk the row on the technician's page to give them boards"]
    return [
        f"Segment {segment}: a table {seat.name} answers: give it a board on the technician's page{instead}"
        for seat in strangers
    ]


def _blocks(marks: Sequence[bool]) -> list[tuple[int, int]]:
    """First and last index of each run of marks."""
    starts = [at for at, mark in enumerate(marks) if mark and not (at and marks[at - 1])]
    ends = [at for at, mark in enumerate(marks) if mark and not (at + 1 < len(marks) and marks[at + 1])]
    return list(zip(starts, ends, strict=True))


def _names(seats: Sequence[Seat]) -> str:
    if len(seats) == 1:
        return seats[0].name
    return f"{seats[0].name} to {seats[-1].name}"
