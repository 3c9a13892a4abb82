"""What all tables show, and reports about them: snapshot, metrics, journal notes, sentences. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import get_args
from unicodedata import normalize

from msgspec.structs import replace

from pi_controller.bus.messages import SAY_SINCE, carried
from pi_controller.bus.values import (
    LONGEST_SEAT,
    MOST_SEATS,
    NODES_LANGUAGE,
    NodeView,
    SegmentSnapshot,
    TableSeat,
    TableState,
    nodes_of,
)
from pi_controller.core.runtime import Numbers
from pi_controller.game.commands import PREPARED_LINES, ClaimsMode
from pi_controller.game.room import Message, SeatView
from pi_controller.language.words import all_words, words
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.sentences import view, views
from pi_controller.protocol.tables import EnrolmentView, SegmentView, TablesSnapshot
from pi_controller.roster.model import Roster
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import SIDES, PauseReason


def table_state(
    picture: Picture,
    *,
    offset_us: int,
    brightness: int,
    maintenance: bool = False,
    languages: tuple[str, ...] = (NODES_LANGUAGE,),
) -> TableState:
    """The tables' state for this picture, in a hall with these languages. `offset_us`: how far this machine's
    clock is ahead of the clock of the core that made the picture; 0 on the same machine.

    While sheets are collected, nodes get the phase *ended*, which nodes of every release know: they show that
    the game is over and take no claims.
    """
    robber = picture.phase == "robber"
    # At one table the wire's first two seats are left empty: a node takes them for its own two sides, and
    # only core knows whose those are.
    empty = 0 if picture.turn is None else len(SIDES)
    message = picture.message
    rolls_before = picture.history if picture.dice is None else picture.history[1:]
    return TableState(
        as_of_us=picture.as_of_us + offset_us,
        phase="ended" if picture.phase == "collecting" else picture.phase,
        running=picture.running,
        paused=picture.paused,
        pause_reasons=tuple(one for one in get_args(PauseReason) if one in picture.pause_reasons),
        resume_in_ms=picture.resume_in_ms,
        seats=() if tuple(seat.id for seat in picture.seats) == SIDES else _seats(picture, empty),
        seat=_index(picture.seat, empty),
        next_seat=_index(picture.next_seat, empty),
        languages=languages,
        second_language=picture.language in languages[1:],
        robber_possible="robber_possible" in picture.notices,
        claims_pause=picture.claims_mode == "pause",
        last_round=picture.last_round is not None and picture.round >= picture.last_round,
        left_us=picture.remaining_us,
        duration_ms=picture.duration_ms,
        rate=picture.rate,
        round=picture.round,
        dice=picture.dice,
        target=picture.robber_target if robber else None,
        last_sum=rolls_before[0].sum if rolls_before else None,
        message="" if message is None or not message.tables else _said(message, picture.language),
        brightness=brightness,
        maintenance=maintenance,
    )


def _seats(picture: Picture, empty: int) -> tuple[TableSeat, ...]:
    """The seats on the wire, the first of them empty. Sun and Moon, which every node knows, are not sent."""
    nobodies = (TableSeat(name="", sign=None),) * empty
    return (*nobodies, *map(_seat, picture.seats))[:MOST_SEATS]


def _seat(seat: SeatView) -> TableSeat:
    """The seat's name in characters of the wire, cut to its length: accents are dropped, other characters
    left out; if none is left, the word for its colour."""
    letters = normalize("NFKD", seat.name).encode("ascii", "ignore").decode()
    printable = "".join(letter for letter in letters if letter.isprintable())
    return TableSeat(
        name=printable.strip()[:LONGEST_SEAT].strip() or seat.colour.capitalize(),
        sign=next((side for side in SIDES if side == seat.sign), None),
    )


def _said(message: Message, language: str) -> str:
    """The director's message; a prepared one in this language."""
    return carried(message.text if message.line is None else words(PREPARED_LINES[message.line], language))


def _index(seat: int | None, empty: int) -> int | None:
    """The seat's index on the wire; None for seats that the wire cannot name."""
    at = None if seat is None else seat + empty
    return at if at is not None and at < MOST_SEATS else None


# Reports about the table nodes: snapshot, metrics, journal notes, sentences. Pure.


SEGMENT_COUNTERS = ("good", "crc_errors", "missed", "echoes", "collisions", "reopened")
NAMED = 8
"""Most tables that a sentence names; the others are counted."""
NODE_COUNTERS = ("good", "missed", "crc_errors", "states_missed")


def snapshot(
    segments: Sequence[SegmentSnapshot],
    roster: Roster,
    *,
    doctor: Sequence[Sentence],
    enrolment: EnrolmentView | None,
    claims_mode: ClaimsMode,
    language: str,
    gains: Mapping[str, float],
) -> TablesSnapshot:
    """Everything at this moment, in this language. A node's board is the roster's, even if the node does not
    know it yet. `gains`: the calibration's, by unique id."""
    boards = {board.node: board.name for board in roster.boards}
    return TablesSnapshot(
        segments=[_segment(segment, language) for segment in segments],
        nodes=[_node(node, boards.get(node.uid), gains.get(node.uid)) for node in nodes_of(segments)],
        doctor=all_words(doctor, language),
        doctor_keys=views(tuple(doctor)),
        enrolment=enrolment,
        claims_mode=claims_mode,
    )


def figures(segments: Sequence[SegmentSnapshot]) -> Numbers:
    """For `/metrics`: counters and round trips by segment and by node."""
    numbers: dict[str, dict[str, float]] = {}

    def add(name: str, label: str, value: float) -> None:
        numbers.setdefault(name, {})[label] = value

    for segment in segments:
        label = f'segment="{segment.name}"'
        add("bus_open", label, int(segment.link == "open"))
        add("bus_busy", label, segment.busy)
        add("bus_nodes_good", label, sum(node.state == "good" for node in segment.nodes))
        for name in SEGMENT_COUNTERS:
            add(f"bus_{name}_total", label, getattr(segment, name))
        if segment.round_trip is not None:
            add("bus_round_trip_p50_seconds", label, segment.round_trip.p50 / 1000)
            add("bus_round_trip_p99_seconds", label, segment.round_trip.p99 / 1000)
        for node in segment.nodes:
            label = f'segment="{segment.name}",node="{node.uid}"'
            add("table_age_seconds", label, node.age_ms / 1000)
            if node.reported:
                add("table_supply_volts", label, node.supply_v)
            for name in NODE_COUNTERS:
                add(f"table_{name}_total", label, getattr(node, name))
    return dict(numbers)


def minute_note(before: Sequence[SegmentSnapshot], now: Sequence[SegmentSnapshot]) -> dict[str, object]:
    """The change of the counters: SEGMENT_COUNTERS per segment, NODE_COUNTERS per node."""
    segments = {segment.name: segment for segment in before}
    nodes = {node.uid: node for segment in before for node in segment.nodes}
    return {
        "tables": {
            segment.name: {
                "link": segment.link,
                "counts": _moved(segment, segments.get(segment.name), SEGMENT_COUNTERS),
                "nodes": {
                    node.uid: [node.state, *_moved(node, nodes.get(node.uid), NODE_COUNTERS)]
                    for node in segment.nodes
                },
            }
            for segment in now
        }
    }


def silent_boards(segments: Sequence[SegmentSnapshot], roster: Roster) -> Sentence | None:
    """A sentence if tables that were heard before do not answer; otherwise None."""
    boards = {board.node for board in roster.boards}
    count, names, more = _named(segments, roster, lambda n: n.state == "lost" and n.uid in boards)
    if more:
        return Sentence("tables.many_silent", names=names, more=more)
    return Sentence("tables.silent", names=names, count=count) if count else None


def outdated_tables(segments: Sequence[SegmentSnapshot], roster: Roster) -> Sentence | None:
    """A sentence if tables use a protocol that this controller does not know; otherwise None."""
    count, names, more = _named(segments, roster, lambda node: node.state == "outdated")
    if more:
        return Sentence("tables.many_outdated", names=names, more=more)
    return Sentence("tables.outdated", names=names, count=count) if count else None


def wordless_tables(segments: Sequence[SegmentSnapshot], roster: Roster) -> Sentence | None:
    """A sentence if tables lack texts for the hall's languages; otherwise None."""
    count, names, more = _named(segments, roster, lambda node: node.wordless)
    if more:
        return Sentence("tables.many_lack_words", names=names, more=more)
    return Sentence("tables.lack_words", names=names) if count else None


def messageless_tables(segments: Sequence[SegmentSnapshot], roster: Roster) -> Sentence | None:
    """A sentence if answering tables do not know the director's messages; otherwise None."""
    count, names, more = _named(
        segments, roster, lambda node: node.state != "lost" and node.protocols[1] < SAY_SINCE
    )
    if more:
        return Sentence("tables.many_lack_message", names=names, more=more)
    return Sentence("tables.lack_message", names=names, count=count) if count else None


def _named(
    segments: Sequence[SegmentSnapshot], roster: Roster, which: Callable[[NodeView], bool]
) -> tuple[int, str, int]:
    """How many nodes these are, the first of them by name, and the number of the others."""
    boards = {board.node: board.name for board in roster.boards}
    names = [boards.get(node.uid, node.uid) for node in nodes_of(segments) if which(node)]
    return len(names), ", ".join(names[:NAMED]), max(0, len(names) - NAMED)


def _moved(now: object, before: object | None, names: tuple[str, ...]) -> list[int]:
    return [getattr(now, name) - (0 if before is None else getattr(before, name)) for name in names]


def _node(node: NodeView, board: str | None, gain: float | None) -> NodeView:
    return replace(node, board=board, gain=gain, supply_v=node.supply_v * (gain or 1.0))


def _segment(segment: SegmentSnapshot, language: str) -> SegmentView:
    return SegmentView(
        name=segment.name,
        port=segment.port,
        link=segment.link,
        sentence=None if segment.sentence is None else words(segment.sentence, language),
        sentence_key=None if segment.sentence is None else view(segment.sentence),
        baud=segment.baud,
        good=segment.good,
        crc_errors=segment.crc_errors,
        missed=segment.missed,
        echoes=segment.echoes,
        collisions=segment.collisions,
        reopened=segment.reopened,
        busy=min(1.0, max(0.0, segment.busy)),
        round_trip_ms=segment.round_trip,
    )
