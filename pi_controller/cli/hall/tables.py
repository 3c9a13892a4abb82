"""`pi-controller tables`: segments and nodes as a table for people, or as they are."""

import json
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from pi_controller.bus.values import LinkState, NodeState, NodeView, RoundTripView
from pi_controller.cli.ask import all_told, core_of
from pi_controller.cli.hall.calibrate import calibrate
from pi_controller.cli.typed import unique_id
from pi_controller.cli.usage import ACCEPTED, add_state_dir, number, parser_for
from pi_controller.language.words import all_words, words
from pi_controller.protocol.sentences import told
from pi_controller.protocol.tables import SegmentView, TablesSnapshot
from pi_controller.sentence import Sentence, listed

SEGMENT_HEAD = (
    Sentence("tables.column_segment"),
    Sentence("tables.column_port"),
    Sentence("tables.column_link"),
    Sentence("tables.column_baud"),
    Sentence("tables.column_busy"),
    Sentence("tables.column_good"),
    Sentence("tables.column_crc"),
    Sentence("tables.column_missed"),
    Sentence("tables.column_trip"),
)
NODE_HEAD = (
    Sentence("tables.column_board"),
    Sentence("tables.column_node"),
    Sentence("tables.column_seg"),
    Sentence("tables.column_state"),
    Sentence("tables.column_age"),
    Sentence("tables.column_firmware"),
    Sentence("tables.column_supply"),
    Sentence("tables.column_gain"),
    Sentence("tables.column_temperature"),
    Sentence("tables.column_missed"),
    Sentence("tables.column_crc"),
    Sentence("tables.column_trip"),
    Sentence("tables.column_notes"),
)
LINKS: Mapping[LinkState, Sentence] = {
    "open": Sentence("tables.link_open"),
    "closed": Sentence("tables.link_closed"),
    "wrong_device": Sentence("tables.link_wrong_device"),
    "busy": Sentence("tables.link_busy"),
}
STATES: Mapping[NodeState, Sentence] = {
    "good": Sentence("tables.node_good"),
    "suspect": Sentence("tables.node_suspect"),
    "lost": Sentence("tables.node_lost"),
    "outdated": Sentence("tables.node_outdated"),
    "duplicate": Sentence("tables.node_duplicate"),
}


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    parser.add_argument("--json", action="store_true", help=words(Sentence("help.tables_json")))
    add_state_dir(parser)
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")))
    task = tasks.add_parser("calibrate", help=words(Sentence("help.tables_calibrate")))
    task.add_argument("node", type=unique_id, metavar="UID", help=words(Sentence("help.calibrate_node")))
    how = task.add_mutually_exclusive_group(required=True)
    how.add_argument(
        "volts", nargs="?", type=number, metavar="V", help=words(Sentence("help.calibrate_volts"))
    )
    how.add_argument("--remove", action="store_true", help=words(Sentence("help.calibrate_remove")))
    add_state_dir(task)
    arguments = parser.parse_args(given)
    if arguments.task == "calibrate":
        return calibrate(arguments)
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
        yield words(Sentence("tables.none"))
    else:
        yield from columns(
            [tuple(all_words(SEGMENT_HEAD)), *(_segment(segment) for segment in tables.segments)]
        )
        yield ""
    if tables.nodes:
        nodes = sorted(tables.nodes, key=lambda node: (node.segment, node.address))
        yield from columns([tuple(all_words(NODE_HEAD)), *(_node(node) for node in nodes)])
        yield ""
    pauses = tables.claims_mode == "pause"
    yield words(Sentence("tables.claim_pauses") if pauses else Sentence("tables.claim_asks"))
    walk = tables.enrolment
    if walk is not None:
        yield words(Sentence("tables.enrolling", row=walk.row, board=walk.next_board))
    for segment in tables.segments:
        if segment.sentence is not None and segment.sentence not in tables.doctor:
            yield f"! {words(told(segment.sentence, segment.sentence_key))}"
    for cause in all_told(tables.doctor, tables.doctor_keys):
        yield f"! {words(cause)}"


def columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The rows with their cells below each other."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _segment(segment: SegmentView) -> tuple[str, ...]:
    return (
        segment.name,
        segment.port,
        words(LINKS[segment.link]),
        str(segment.baud),
        f"{segment.busy:.0%}",
        str(segment.good),
        str(segment.crc_errors),
        str(segment.missed),
        _trip(segment.round_trip_ms),
    )


def _node(node: NodeView) -> tuple[str, ...]:
    notes = list(_notes(node))
    return (
        node.board or "-",
        node.uid,
        node.segment,
        words(STATES[node.state]),
        _one_decimal(node.age_ms / 1000),
        node.firmware,
        _one_decimal(node.supply_v) if node.reported else "-",
        "-" if node.gain is None else words(Sentence("tables.gain", gain=node.gain)),
        str(node.temperature_c) if node.reported else "-",
        str(node.missed),
        str(node.crc_errors),
        _trip(node.round_trip_ms),
        words(listed(notes)) if notes else "",
    )


def _notes(node: NodeView) -> Iterator[Sentence]:
    if node.swapped:
        yield Sentence("tables.note_swapped")
    if node.safe_mode:
        yield Sentence("tables.note_safe_mode")
    if node.reset == "watchdog":
        yield Sentence("tables.note_reset_by_watchdog")
    if not node.displays.sun:
        yield Sentence("tables.note_sun_display_silent")
    if not node.displays.moon:
        yield Sentence("tables.note_moon_display_silent")


def _one_decimal(value: float) -> str:
    return words(Sentence("tables.one_decimal", value=value))


def _trip(times: RoundTripView | None) -> str:
    return "-" if times is None else words(Sentence("tables.trip_ms", p50=times.p50, p99=times.p99))
