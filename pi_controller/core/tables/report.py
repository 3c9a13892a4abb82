"""Reports about the table nodes: snapshot, metrics, journal notes, sentences. Pure."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pi_controller.bus.messages import SAY_SINCE
from pi_controller.bus.values import NodeView, SegmentSnapshot, nodes_of
from pi_controller.core.runtime.health import Numbers
from pi_controller.game.commands import ClaimsMode
from pi_controller.language.words import all_words, words
from pi_controller.protocol.sentences import view, views
from pi_controller.protocol.tables import EnrolmentView, SegmentView, TablesSnapshot
from pi_controller.roster.model import Roster
from pi_controller.sentence import Sentence

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
    boards = {board.node: board.name for board in roster.boards}
    lost = [
        boards[node.uid]
        for segment in segments
        for node in segment.nodes
        if node.state == "lost" and node.uid in boards
    ]
    if not lost:
        return None
    named, more = _named(lost)
    if more:
        return Sentence("tables.many_silent", names=named, more=more)
    return Sentence("tables.silent", names=named, count=len(lost))


def outdated_tables(segments: Sequence[SegmentSnapshot], roster: Roster) -> Sentence | None:
    """A sentence if tables use a protocol that this controller does not know; otherwise None."""
    boards = {board.node: board.name for board in roster.boards}
    names = [
        boards.get(node.uid, node.uid)
        for segment in segments
        for node in segment.nodes
        if node.state == "outdated"
    ]
    if not names:
        return None
    named, more = _named(names)
    if more:
        return Sentence("tables.many_outdated", names=named, more=more)
    return Sentence("tables.outdated", names=named, count=len(names))


def wordless_tables(segments: Sequence[SegmentSnapshot], roster: Roster) -> Sentence | None:
    """A sentence if tables lack texts for the hall's languages; otherwise None."""
    boards = {board.node: board.name for board in roster.boards}
    names = [boards.get(node.uid, node.uid) for node in nodes_of(segments) if node.wordless]
    if not names:
        return None
    named, more = _named(names)
    if more:
        return Sentence("tables.many_lack_words", names=named, more=more)
    return Sentence("tables.lack_words", names=named)


def messageless_tables(segments: Sequence[SegmentSnapshot], roster: Roster) -> Sentence | None:
    """A sentence if answering tables do not know the director's messages; otherwise None."""
    boards = {board.node: board.name for board in roster.boards}
    names = [
        boards.get(node.uid, node.uid)
        for node in nodes_of(segments)
        if node.state != "lost" and node.protocols[1] < SAY_SINCE
    ]
    if not names:
        return None
    named, more = _named(names)
    if more:
        return Sentence("tables.many_lack_message", names=named, more=more)
    return Sentence("tables.lack_message", names=named, count=len(names))


def _named(names: list[str]) -> tuple[str, int]:
    """The first names as a list, and the number of the others."""
    return ", ".join(names[:NAMED]), max(0, len(names) - NAMED)


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
