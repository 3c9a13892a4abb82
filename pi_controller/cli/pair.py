"""`pi-controller pair`: the key that lets a spare controller go on with a game from its second copy."""

import sys
from argparse import Namespace
from pathlib import Path

from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    REFUSED,
    Stop,
    add_state_dir,
    parser_for,
    state_dir,
)
from pi_controller.journal import pairing
from pi_controller.journal.pairing import PairingFault, PairingKey
from pi_controller.journal.private import private_folder, write_private

LONGEST_FILE = 4096


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    new = tasks.add_parser("new", help="make a key; then export it, and import it on the spare")
    export = tasks.add_parser("export", help="this controller's key, for the other one; keep it from others")
    export.add_argument("-o", "--output", type=Path, metavar="F", help="default: this terminal")
    bring = tasks.add_parser("import", help="take the other controller's key")
    bring.add_argument("file", metavar="F", help="- to type it in")
    show = tasks.add_parser("show", help="the key's mark, by which two controllers are compared")
    for task in (new, bring):
        task.add_argument("--force", action="store_true", help="in the place of another key")
    for task in (new, export, bring, show):
        add_state_dir(task)
    arguments = parser.parse_args(given)
    try:
        TASKS[arguments.task](arguments)
    except PairingFault as fault:
        raise Stop(BAD_USAGE, str(fault)) from fault
    except OSError as error:
        raise Stop(FAILED, f"{error.filename or state_dir(arguments)}: {error.strerror}") from error
    return ACCEPTED


def _new(arguments: Namespace) -> None:
    _keep(arguments, pairing.new_key())


def _import(arguments: Namespace) -> None:
    if arguments.file == "-":
        print("Type the key, then Enter:", file=sys.stderr, flush=True)
        text = sys.stdin.readline(LONGEST_FILE)
    else:
        with Path(arguments.file).open(encoding="ascii", errors="replace") as file:
            text = file.read(LONGEST_FILE)
    _keep(arguments, pairing.key_from_text(text))


def _keep(arguments: Namespace, key: PairingKey) -> None:
    folder = state_dir(arguments)
    before = pairing.read_key(folder)
    if before is not None and before.mark != key.mark and not arguments.force:
        raise Stop(
            REFUSED,
            f"This controller is paired already (mark {before.mark}): add --force to take another key;"
            " copies sealed with the old one can then not go on here.",
        )
    private_folder(folder)
    pairing.keep_key(folder, key)
    print(f"Paired, mark {key.mark}. It counts from the controller's next start.")


def _export(arguments: Namespace) -> None:
    key = _own(arguments)
    if arguments.output is None:
        print(key.text())
        return
    if arguments.output.exists():
        raise Stop(REFUSED, f"{arguments.output} exists already: choose another name.")
    write_private(arguments.output, f"{key.text()}\n".encode("ascii"))
    print(
        f"{arguments.output}: the key with the mark {key.mark}. Keep it apart from the stick with the second"
        " copy, and delete it once it is imported.",
        file=sys.stderr,
    )


def _show(arguments: Namespace) -> None:
    print(f"Mark {_own(arguments).mark}; it is the same on a controller that is paired with this one.")


def _own(arguments: Namespace) -> PairingKey:
    key = pairing.read_key(state_dir(arguments))
    if key is None:
        raise Stop(REFUSED, "This controller is not paired: `pi-controller pair new` makes a key.")
    return key


TASKS = {"new": _new, "export": _export, "import": _import, "show": _show}
