"""`pi-controller tables`: segments and nodes as a table for people, or as they are."""

import json
from collections.abc import Iterator, Sequence

import msgspec

from pi_controller.bus.values import NodeView, RoundTripView
from pi_controller.cli.ask import core_of
from pi_controller.cli.usage import ACCEPTED, add_state_dir, parser_for
from pi_controller.protocol.tables import SegmentView, TablesSnapshot

SEGMENT_HEAD = ("SEGMENT", "PORT", "LINK", "BAUD", "BUSY", "GOOD", "CRC", "MISSED", "TRIP ms")
NODE_HEAD = (
    "BOARD",
    "NODE",
    "SEG",
    "STATE",
    "AGE s",
    "FIRMWARE",
    "SUPPLY V",
    "°C",
    "MISSED",
    "CRC",
    "TRIP ms",
    "NOTES",
)


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    parser.add_argument("--json", action="store_true", help="everything, as the API has it")
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    with core_of(arguments) as core:
        tables = core.tables()
    if arguments.json:
        print(json.dumps(msgspec.to_builtins(tables), ensure_ascii=False))
    else:
        print("\n".join(describe(tables)))
    return ACCEPTED


def describe(tables: TablesSnapshot) -> Iterator[str]:
    """Lines for people, what is wrong last, where it is read."""
    if not tables.segments:
        yield "There are no table nodes: name their segments under [tables] in the settings."
    else:
        yield from columns([SEGMENT_HEAD, *(_segment(segment) for segment in tables.segments)])
        yield ""
    if tables.nodes:
        nodes = sorted(tables.nodes, key=lambda node: (node.segment, node.address))
        yield from columns([NODE_HEAD, *(_node(node) for node in nodes)])
        yield ""
    yield f"A claim {'pauses at once' if tables.claims_mode == 'pause' else 'asks the director'}."
    walk = tables.enrolment
    if walk is not None:
        yield f"Enrolling row {walk.row}: press the Sun button of board {walk.next_board}."
    for segment in tables.segments:
        if segment.sentence is not None and segment.sentence not in tables.doctor:
            yield f"! {segment.sentence}"
    for sentence in tables.doctor:
        yield f"! {sentence}"


def columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The rows with their cells below each other."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _segment(segment: SegmentView) -> tuple[str, ...]:
    return (
        segment.name,
        segment.port,
        segment.link.replace("_", " "),
        str(segment.baud),
        f"{segment.busy:.0%}",
        str(segment.good),
        str(segment.crc_errors),
        str(segment.missed),
        _trip(segment.round_trip_ms),
    )


def _node(node: NodeView) -> tuple[str, ...]:
    return (
        node.board or "-",
        node.uid,
        node.segment,
        node.state,
        f"{node.age_ms / 1000:.1f}",
        node.firmware,
        f"{node.supply_v:.1f}" if node.reported else "-",
        str(node.temperature_c) if node.reported else "-",
        str(node.missed),
        str(node.crc_errors),
        _trip(node.round_trip_ms),
        ", ".join(_notes(node)),
    )


def _notes(node: NodeView) -> Iterator[str]:
    if node.swapped:
        yield "swapped"
    if node.safe_mode:
        yield "safe mode"
    if node.reset == "watchdog":
        yield "was reset by its watchdog"
    for side, answers in (("Sun", node.displays.sun), ("Moon", node.displays.moon)):
        if not answers:
            yield f"{side}'s display is silent"


def _trip(times: RoundTripView | None) -> str:
    return "-" if times is None else f"{times.p50:.1f}/{times.p99:.1f}"
