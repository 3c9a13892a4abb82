"""`pi-controller roster`: the hall's boards as a file that people can read, change and bring back."""

import re
import sys
from argparse import Namespace
from pathlib import Path

import msgspec

from pi_controller.cli.ask import core_of
from pi_controller.cli.tables import columns
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    REFUSED,
    Stop,
    add_state_dir,
    parser_for,
)
from pi_controller.roster import edits, store
from pi_controller.roster.model import Roster, RosterFault

ROWS = re.compile(r"(\d{1,3})x(\d{1,3})")


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    show = tasks.add_parser("show", help="rows, boards and the node at each board")
    show.add_argument("--json", action="store_true", help="as the API has it")
    export = tasks.add_parser("export", help="write the roster as TOML (or JSON when F ends in .json)")
    export.add_argument("-o", "--output", type=Path, metavar="F", help="default: stdout")
    bring = tasks.add_parser("import", help="put the roster of a file in force")
    bring.add_argument("file", type=Path, metavar="F")
    new = tasks.add_parser("new", help="rows A, B … with boards A1, A2 …, where no node stands yet")
    new.add_argument("--rows", required=True, metavar="RxB", help="rows and boards in each, such as 2x20")
    new.add_argument("--force", action="store_true", help="although there are boards already")
    for task in (show, export, bring, new):
        add_state_dir(task)
    arguments = parser.parse_args(given)
    try:
        return TASKS[arguments.task](arguments)
    except RosterFault as fault:
        raise Stop(BAD_USAGE, str(fault)) from fault


def _kept(arguments: Namespace) -> Roster:
    with core_of(arguments) as core:
        return core.roster()


def _show(arguments: Namespace) -> int:
    roster = _kept(arguments)
    if arguments.json:
        print(msgspec.json.encode(roster).decode())
        return ACCEPTED
    if not roster.boards:
        print("The roster has no boards: `pi-controller roster new --rows 2x20` makes some.")
        return ACCEPTED
    for row in roster.rows:
        angle = f", {row.angle}°" if row.shape == "angled" else ""
        print(f"Row {row.name} ({row.shape}{angle}, {len(row.boards)} boards)")
        found = [(board.name, board.node or "-", "swapped" if board.swapped else "") for board in row.boards]
        print("\n".join(f"  {line}" for line in columns(found)) if found else "  no boards")
    return ACCEPTED


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
        raise Stop(FAILED, f"{output}: {error.strerror}") from error
    print(f"{output}: {len(roster.boards)} boards", file=sys.stderr)
    return ACCEPTED


def _import(arguments: Namespace) -> int:
    return _put(arguments, store.from_file(arguments.file))


def _new(arguments: Namespace) -> int:
    found = ROWS.fullmatch(arguments.rows)
    if found is None:
        raise Stop(BAD_USAGE, f"--rows {arguments.rows!r} is not understood: write ROWSxBOARDS, such as 2x20")
    roster = edits.new_roster(int(found[1]), int(found[2]))
    if not arguments.force and _kept(arguments).boards:
        raise Stop(REFUSED, "The roster has boards already: add --force to begin anew.")
    return _put(arguments, roster)


def _put(arguments: Namespace, roster: Roster) -> int:
    with core_of(arguments) as core:
        answer = core.set_roster(msgspec.to_builtins(roster))
    for reason in answer.reasons:
        print(reason, file=sys.stderr)
    return ACCEPTED if answer.accepted else REFUSED


TASKS = {"show": _show, "export": _export, "import": _import, "new": _new}
