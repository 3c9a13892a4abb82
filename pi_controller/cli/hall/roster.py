"""`pi-controller roster`: the hall's boards as a file that people can read, change and bring back."""

import re
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pi_controller.cli.ask import core_of, say_reasons
from pi_controller.cli.hall.tables import columns
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    REFUSED,
    Stop,
    add_state_dir,
    of_system,
    parser_for,
)
from pi_controller.language.words import words
from pi_controller.roster import model, store
from pi_controller.roster.model import Roster, RosterFault, Row, Shape
from pi_controller.sentence import Sentence, said_by

ROWS = re.compile(r"(\d{1,3})x(\d{1,3})")
SHAPES: Mapping[Shape, Sentence] = {
    "straight": Sentence("roster.shape_straight"),
    "angled": Sentence("roster.shape_angled"),
    "ring": Sentence("roster.shape_ring"),
}


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")), required=True)
    show = tasks.add_parser("show", help=words(Sentence("help.roster_show")))
    show.add_argument("--json", action="store_true", help=words(Sentence("help.roster_json")))
    export = tasks.add_parser("export", help=words(Sentence("help.roster_export")))
    export.add_argument("-o", "--output", type=Path, metavar="F", help=words(Sentence("help.roster_output")))
    bring = tasks.add_parser("import", help=words(Sentence("help.roster_import")))
    bring.add_argument("file", type=Path, metavar="F")
    new = tasks.add_parser("new", help=words(Sentence("help.roster_new")))
    new.add_argument("--rows", required=True, metavar="RxB", help=words(Sentence("help.roster_rows")))
    new.add_argument("--force", action="store_true", help=words(Sentence("help.roster_force")))
    for task in (show, export, bring, new):
        add_state_dir(task)
    arguments = parser.parse_args(given)
    try:
        return TASKS[arguments.task](arguments)
    except RosterFault as fault:
        raise Stop(BAD_USAGE, said_by(fault)) from fault


def _kept(arguments: Namespace) -> Roster:
    with core_of(arguments) as core:
        return core.roster()


def _show(arguments: Namespace) -> int:
    roster = _kept(arguments)
    if arguments.json:
        print(msgspec.json.encode(roster).decode())
        return ACCEPTED
    if not roster.boards:
        print(words(Sentence("roster.no_boards")))
        return ACCEPTED
    for row in roster.rows:
        print(words(_heading(row)))
        swapped = words(Sentence("tables.note_swapped"))
        found = [(board.name, board.node or "-", swapped if board.swapped else "") for board in row.boards]
        lines = list(columns(found)) if found else [words(Sentence("roster.row_without_boards"))]
        print("\n".join(f"  {line}" for line in lines))
    return ACCEPTED


def _heading(row: Row) -> Sentence:
    shape = SHAPES[row.shape]
    if row.shape == "angled":
        shape = Sentence("roster.shape_at_angle", shape=shape, degrees=row.angle)
    return Sentence("roster.row_shown", row=row.name, shape=shape, count=len(row.boards))


def _export(arguments: Namespace) -> int:
    roster, output = _kept(arguments), arguments.output
    is_json = output is not None and output.suffix == ".json"
    written = store.to_json(roster) if is_json else store.to_toml(roster)
    if output is None:
        print(written, end="")
        return ACCEPTED
    try:
        output.write_text(written, encoding="utf-8")
    except OSError as error:
        raise Stop(FAILED, of_system(error, output)) from error
    print(words(Sentence("roster.exported", path=str(output), count=len(roster.boards))), file=sys.stderr)
    return ACCEPTED


def _import(arguments: Namespace) -> int:
    return _put(arguments, store.from_file(arguments.file))


def _new(arguments: Namespace) -> int:
    found = ROWS.fullmatch(arguments.rows)
    if found is None:
        raise Stop(BAD_USAGE, Sentence("roster.rows_not_understood", text=repr(arguments.rows)))
    roster = model.new_roster(int(found[1]), int(found[2]))
    if not arguments.force and _kept(arguments).boards:
        raise Stop(REFUSED, Sentence("roster.has_boards"))
    return _put(arguments, roster)


def _put(arguments: Namespace, roster: Roster) -> int:
    with core_of(arguments) as core:
        answer = core.set_roster(msgspec.to_builtins(roster))
    say_reasons(answer)
    if not answer.accepted:
        return REFUSED
    for said in map(_heading, roster.rows):
        print(words(Sentence("roster.in_force", row=said)), file=sys.stderr)
    return ACCEPTED


TASKS = {"show": _show, "export": _export, "import": _import, "new": _new}
