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
    of_system,
    parser_for,
    state_dir,
)
from pi_controller.journal import pairing
from pi_controller.journal.pairing import PairingFault, PairingKey
from pi_controller.journal.store import private_folder, write_private
from pi_controller.language.words import words
from pi_controller.sentence import Sentence

LONGEST_FILE = 4096


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")), required=True)
    new = tasks.add_parser("new", help=words(Sentence("help.pair_new")))
    export = tasks.add_parser("export", help=words(Sentence("help.pair_export")))
    export.add_argument("-o", "--output", type=Path, metavar="F", help=words(Sentence("help.pair_output")))
    bring = tasks.add_parser("import", help=words(Sentence("help.pair_import")))
    bring.add_argument("file", metavar="F", help=words(Sentence("help.pair_file")))
    show = tasks.add_parser("show", help=words(Sentence("help.pair_show")))
    for task in (new, bring):
        task.add_argument("--force", action="store_true", help=words(Sentence("help.pair_force")))
    for task in (new, export, bring, show):
        add_state_dir(task)
    arguments = parser.parse_args(given)
    try:
        TASKS[arguments.task](arguments)
    except PairingFault as fault:
        raise Stop(BAD_USAGE, fault.sentence) from fault
    except OSError as error:
        raise Stop(FAILED, of_system(error, state_dir(arguments))) from error
    return ACCEPTED


def _new(arguments: Namespace) -> None:
    _keep(arguments, pairing.new_key())


def _import(arguments: Namespace) -> None:
    if arguments.file == "-":
        print(words(Sentence("pair.type_the_key")), file=sys.stderr, flush=True)
        text = sys.stdin.readline(LONGEST_FILE)
    else:
        with Path(arguments.file).open(encoding="ascii", errors="replace") as file:
            text = file.read(LONGEST_FILE)
    _keep(arguments, pairing.key_from_text(text))


def _keep(arguments: Namespace, key: PairingKey) -> None:
    folder = state_dir(arguments)
    before = pairing.read_key(folder)
    if before is not None and before.mark != key.mark and not arguments.force:
        raise Stop(REFUSED, Sentence("pair.paired_already", mark=before.mark))
    private_folder(folder)
    pairing.keep_key(folder, key)
    print(words(Sentence("pair.paired", mark=key.mark)))


def _export(arguments: Namespace) -> None:
    key = _own(arguments)
    if arguments.output is None:
        print(key.text())
        return
    if arguments.output.exists():
        raise Stop(REFUSED, Sentence("pair.file_exists", path=str(arguments.output)))
    write_private(arguments.output, f"{key.text()}\n".encode("ascii"))
    told = Sentence("pair.exported", path=str(arguments.output), mark=key.mark)
    print(words(told), file=sys.stderr)


def _show(arguments: Namespace) -> None:
    print(words(Sentence("pair.mark", mark=_own(arguments).mark)))


def _own(arguments: Namespace) -> PairingKey:
    key = pairing.read_key(state_dir(arguments))
    if key is None:
        raise Stop(REFUSED, Sentence("pair.not_paired"))
    return key


TASKS = {"new": _new, "export": _export, "import": _import, "show": _show}
