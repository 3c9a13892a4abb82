"""`pi-controller tables`, `table` and `roster`: what the table nodes do, something done to one of them, and
the hall's boards as a file that people can read, change and bring back."""

import json
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import get_args

import msgspec

from pi_controller.bus.values import (
    LinkState,
    MeasureAsked,
    NodeMeasured,
    NodeState,
    NodeView,
    RoundTripView,
    TableOrder,
)
from pi_controller.cli.ask import all_told, core_of, given, status_of
from pi_controller.cli.typed import unique_id
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    REFUSED,
    Argument,
    Stop,
    argument,
    columns,
    command,
    flag,
    lines_of_table,
    number,
    of_system,
    one_of,
    state_dir,
    whole_number,
)
from pi_controller.language.words import words
from pi_controller.protocol.messages import AskProbe, AskTestBegin
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.probes import JOB_DEADLINE_S, BusProbe, BusResult
from pi_controller.protocol.question import DEFAULT_TIMEOUT_S, BlockingConnection
from pi_controller.protocol.sentences import told
from pi_controller.protocol.tables import (
    LONGEST_IDENTIFY_S,
    NEEDED,
    SegmentView,
    TableAction,
    TableActionName,
    TablesSnapshot,
    check_action,
)
from pi_controller.roster import model, store
from pi_controller.roster.model import Roster, Row, Shape, is_node_id
from pi_controller.sentence import Sentence, separated

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


@command("tables", flag("--json", Sentence("help.tables_json")))
def tables(arguments: Namespace) -> None:
    """Segments and nodes as a table for people, or as they are."""
    found = core_of(arguments).tables()
    if arguments.json:
        print(json.dumps(msgspec.to_builtins(found), ensure_ascii=False))
    else:
        print("\n".join(describe(found)))


def describe(found: TablesSnapshot) -> Iterator[str]:
    """Lines for people, what is wrong last, where it is read."""
    if not found.segments:
        yield words(Sentence("tables.none"))
    else:
        yield from lines_of_table(SEGMENT, found.segments)
        yield ""
    if found.nodes:
        nodes = sorted(found.nodes, key=lambda node: (node.segment, node.address))
        yield from lines_of_table(NODE, nodes)
        yield ""
    pauses = found.claims_mode == "pause"
    yield words(Sentence("tables.claim_pauses") if pauses else Sentence("tables.claim_asks"))
    walk = found.enrolment
    if walk is not None:
        yield words(Sentence("tables.enrolling", row=walk.row, board=walk.next_board))
    for segment in found.segments:
        if segment.sentence is not None and segment.sentence not in found.doctor:
            yield f"! {words(told(segment.sentence, segment.sentence_key))}"
    for cause in all_told(found.doctor, found.doctor_keys):
        yield f"! {words(cause)}"


def _one_decimal(value: float) -> str:
    return words(Sentence("tables.one_decimal", value=value))


def _trip(times: RoundTripView | None) -> str:
    return "-" if times is None else words(Sentence("tables.trip_ms", p50=times.p50, p99=times.p99))


def _notes(node: NodeView) -> str:
    notes = {
        Sentence("tables.note_swapped"): node.swapped,
        Sentence("tables.note_safe_mode"): node.safe_mode,
        Sentence("tables.note_reset_by_watchdog"): node.reset == "watchdog",
        Sentence("tables.note_sun_display_silent"): not node.displays.sun,
        Sentence("tables.note_moon_display_silent"): not node.displays.moon,
    }
    noted = [note for note, is_so in notes.items() if is_so]
    return words(separated(noted)) if noted else ""


SEGMENT: Mapping[Sentence, Callable[[SegmentView], str]] = {
    Sentence("tables.column_segment"): lambda segment: segment.name,
    Sentence("tables.column_port"): lambda segment: segment.port,
    Sentence("tables.column_link"): lambda segment: words(LINKS[segment.link]),
    Sentence("tables.column_baud"): lambda segment: str(segment.baud),
    Sentence("tables.column_busy"): lambda segment: f"{segment.busy:.0%}",
    Sentence("tables.column_good"): lambda segment: str(segment.good),
    Sentence("tables.column_crc"): lambda segment: str(segment.crc_errors),
    Sentence("tables.column_missed"): lambda segment: str(segment.missed),
    Sentence("tables.column_trip"): lambda segment: _trip(segment.round_trip_ms),
}
NODE: Mapping[Sentence, Callable[[NodeView], str]] = {
    Sentence("tables.column_board"): lambda node: node.board or "-",
    Sentence("tables.column_node"): lambda node: node.uid,
    Sentence("tables.column_seg"): lambda node: node.segment,
    Sentence("tables.column_state"): lambda node: words(STATES[node.state]),
    Sentence("tables.column_age"): lambda node: _one_decimal(node.age_ms / 1000),
    Sentence("tables.column_firmware"): lambda node: node.firmware,
    Sentence("tables.column_supply"): lambda node: _one_decimal(node.supply_v) if node.reported else "-",
    Sentence("tables.column_gain"): lambda node: (
        "-" if node.gain is None else words(Sentence("tables.gain", gain=node.gain))
    ),
    Sentence("tables.column_temperature"): lambda node: str(node.temperature_c) if node.reported else "-",
    Sentence("tables.column_missed"): lambda node: str(node.missed),
    Sentence("tables.column_crc"): lambda node: str(node.crc_errors),
    Sentence("tables.column_trip"): lambda node: _trip(node.round_trip_ms),
    Sentence("tables.column_notes"): _notes,
}


# A gain for a node's reading of its supply.


@command(
    "tables calibrate",
    argument("node", type=unique_id, shown="UID", meaning=Sentence("help.calibrate_node")),
    one_of(
        argument("volts", nargs="?", type=number, shown="V", meaning=Sentence("help.calibrate_volts")),
        flag("--remove", Sentence("help.calibrate_remove")),
        required=True,
    ),
    meaning=Sentence("help.tables_calibrate"),
    refused=store.CannotCalibrate,
)
def calibrate(arguments: Namespace) -> None:
    """Learn the gain from what a multimeter shows, or forget it."""
    folder, uid, volts = state_dir(arguments), arguments.node, arguments.volts
    node = None if arguments.remove else _measured(arguments)
    try:
        known = store.load(folder)
        changed = known.without(uid) if node is None else known.learned(node, volts)
        store.save(changed, folder)
    except OSError as error:
        raise Stop(FAILED, of_system(error, folder / store.CALIBRATION_FILE)) from error
    if node is None:
        print(words(Sentence("calibration.removed", uid=uid)))
        return
    gain = changed.gains[uid]
    print(words(Sentence("calibration.kept", uid=uid, read=volts / gain, volts=volts, gain=gain)))


def _measured(arguments: Namespace) -> NodeMeasured:
    """What the node reads now; nothing may be played. Raises Stop, NoCore and CoreTrouble."""
    with closing(BlockingConnection(socket_path(state_dir(arguments)), DEFAULT_TIMEOUT_S)) as core:
        begin = AskTestBegin(who="tables calibrate", purpose="hardware_test")
        answer = core.ask(begin, DEFAULT_TIMEOUT_S)
        if not answer.accepted:
            raise Stop(
                REFUSED,
                Sentence("list.sentences", sentences=tuple(all_told(answer.reasons, answer.reason_keys))),
            )
        probe = AskProbe(probe=BusProbe(job=MeasureAsked(uids=(arguments.node,))), lease=answer.lease)
        result = core.ask(probe, DEFAULT_TIMEOUT_S + JOB_DEADLINE_S).result
    found = msgspec.convert(result, BusResult).results
    for node in (node for segment in found for node in segment.measured):
        return node
    raise Stop(REFUSED, Sentence("calibration.no_reading", uid=arguments.node))


# `table`: something is done to one table, or to all.

ORDERS: tuple[str, ...] = get_args(TableOrder)
BOARD, ROW = Sentence("metavar.board"), Sentence("metavar.row")
FIELDS: dict[str, Argument] = {
    "board": argument("board", shown=BOARD, meaning=Sentence("help.table_board")),
    "uid": argument("uid", shown=Sentence("metavar.node"), meaning=Sentence("help.table_node")),
    "row": argument("row", shown=ROW, meaning=Sentence("help.enrol_row")),
    "what": argument(
        "what",
        choices=ORDERS,
        shown=Sentence("metavar.what"),
        meaning=Sentence("help.orders", names=", ".join(ORDERS)),
    ),
}
"""For the fields of TableAction that an action needs."""
POSSIBLE: dict[TableActionName, tuple[Argument, ...]] = {
    "identify": (
        argument(
            "table", nargs="?", shown=Sentence("metavar.table"), meaning=Sentence("help.identify_table")
        ),
        argument(
            "--seconds",
            type=whole_number,
            shown="S",
            meaning=Sentence("help.identify_seconds", most=LONGEST_IDENTIFY_S),
        ),
    ),
    "enrol": (argument("--from", dest="board", shown=BOARD, meaning=Sentence("help.enrol_from")),),
}
"""`table` stands for a board or for a node."""
ACTIONS: dict[TableActionName, Sentence] = {
    "identify": Sentence("help.table_identify"),
    "swap": Sentence("help.table_swap"),
    "replace": Sentence("help.table_replace"),
    "clear": Sentence("help.table_clear"),
    "enrol": Sentence("help.table_enrol"),
    "stop_enrolment": Sentence("help.table_stop_enrolment"),
    "order": Sentence("help.table_order"),
}


def act(name: TableActionName, arguments: Namespace) -> int:
    """0 when it is done and kept, 3 when it was refused, with the reasons on stderr."""
    fields, core = given(arguments), core_of(arguments)
    if "table" in fields:
        table = fields.pop("table")
        fields["uid" if is_node_id(str(table)) else "board"] = table
    seconds = getattr(arguments, "seconds", None)
    if seconds is not None and not 1 <= seconds <= LONGEST_IDENTIFY_S:
        most = LONGEST_IDENTIFY_S
        raise Stop(BAD_USAGE, Sentence("command.identify_seconds", most=most, value=seconds))
    action = msgspec.convert({"do": name} | fields, TableAction)
    check_action(action)  # a mistake is told even when no core runs
    return status_of(core.table(action))


for _name, _meaning in ACTIONS.items():
    command(
        f"table {_name.replace('_', '-')}",
        *(FIELDS[field] for field in NEEDED.get(_name, ())),
        *POSSIBLE.get(_name, ()),
        meaning=_meaning,
    )(partial(act, _name))


# `roster`: rows and boards.

ROWS = re.compile(r"(\d{1,3})x(\d{1,3})")
SHAPES: Mapping[Shape, Sentence] = {
    "straight": Sentence("roster.shape_straight"),
    "angled": Sentence("roster.shape_angled"),
    "ring": Sentence("roster.shape_ring"),
}


@command("roster show", flag("--json", Sentence("help.roster_json")), meaning=Sentence("help.roster_show"))
def show(arguments: Namespace) -> None:
    """The rows with their boards, each with its node."""
    roster = core_of(arguments).roster()
    if arguments.json:
        print(msgspec.json.encode(roster).decode())
    elif not roster.boards:
        print(words(Sentence("roster.no_boards")))
    else:
        for row in roster.rows:
            print(words(_heading(row)))
            swapped = words(Sentence("tables.note_swapped"))
            found = [(one.name, one.node or "-", swapped if one.swapped else "") for one in row.boards]
            lines = list(columns(found)) if found else [words(Sentence("roster.row_without_boards"))]
            print("\n".join(f"  {line}" for line in lines))


def _heading(row: Row) -> Sentence:
    shape = SHAPES[row.shape]
    if row.shape == "angled":
        shape = Sentence("roster.shape_at_angle", shape=shape, degrees=row.angle)
    return Sentence("roster.row_shown", row=row.name, shape=shape, count=len(row.boards))


@command(
    "roster export",
    argument("-o", "--output", type=Path, shown="F", meaning=Sentence("help.roster_output")),
    meaning=Sentence("help.roster_export"),
)
def export(arguments: Namespace) -> None:
    """As TOML, or as JSON by the file's ending."""
    roster, output = core_of(arguments).roster(), arguments.output
    is_json = output is not None and output.suffix == ".json"
    written = store.to_json(roster) if is_json else store.to_toml(roster)
    if output is None:
        print(written, end="")
        return
    output.write_text(written, encoding="utf-8")
    print(words(Sentence("roster.exported", path=str(output), count=len(roster.boards))), file=sys.stderr)


@command("roster import", argument("file", type=Path, shown="F"), meaning=Sentence("help.roster_import"))
def import_(arguments: Namespace) -> int:
    """A file as `export` writes it."""
    return _put(arguments, store.from_file(arguments.file))


@command(
    "roster new",
    argument("--rows", required=True, shown="RxB", meaning=Sentence("help.roster_rows")),
    flag("--force", Sentence("help.roster_force")),
    meaning=Sentence("help.roster_new"),
)
def new(arguments: Namespace) -> int:
    """Rows of equal length, named from the beginning."""
    found = ROWS.fullmatch(arguments.rows)
    if found is None:
        raise Stop(BAD_USAGE, Sentence("roster.rows_not_understood", text=repr(arguments.rows)))
    roster = model.new_roster(int(found[1]), int(found[2]))
    if not arguments.force and core_of(arguments).roster().boards:
        raise Stop(REFUSED, Sentence("roster.has_boards"))
    return _put(arguments, roster)


def _put(arguments: Namespace, roster: Roster) -> int:
    status = status_of(core_of(arguments).set_roster(msgspec.to_builtins(roster)))
    if status == ACCEPTED:
        for said in map(_heading, roster.rows):
            print(words(Sentence("roster.in_force", row=said)), file=sys.stderr)
    return status
