"""`pi-controller settings`: what is in force, and every mistake of a file at once."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from pi_controller.cli.usage import ACCEPTED, BAD_USAGE, FAILED, Stop, add_settings, parser_for
from pi_controller.language.words import all_words
from pi_controller.settings import report
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import from_table, load, read_text, table_of
from pi_controller.settings.versions import replace_file, upgrade


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name, "Show or check the settings.")
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    show = tasks.add_parser("show", help="the settings in force, as a settings file")
    add_settings(show)
    show.add_argument("--diff", action="store_true", help="only what differs from the defaults")
    check = tasks.add_parser(
        "check", help="every mistake of a settings file; exit status 2 when there is one"
    )
    check.add_argument("settings", type=Path, metavar="F")
    bring = tasks.add_parser(
        "upgrade", help="the newest form of a settings file; the old one stays beside it"
    )
    bring.add_argument("settings", type=Path, metavar="F")
    arguments = parser.parse_args(given)
    try:
        if arguments.task == "upgrade":
            return _upgrade(arguments.settings)
        settings = load(arguments.settings)
    except SettingsFault as fault:
        print(fault, file=sys.stderr)
        return BAD_USAGE
    if arguments.task == "check":
        print(f"{arguments.settings}: no mistakes")
    else:
        text = report.diff(settings) if arguments.diff else report.show(settings)
        print(text.rstrip("\n"))
    return ACCEPTED


def stamp() -> str:
    """What a backup's name ends in."""
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def _upgrade(path: Path) -> int:
    """Raises SettingsFault when the newest form would not be settings; then nothing is written."""
    try:
        text = read_text(path)
        newest = upgrade(text, table_of(text, path), str(path))
        if not newest.changes:
            print(f"{path}: it has the newest form already, nothing had to change.")
            return ACCEPTED
        from_table(table_of(newest.text, path), file=str(path))
        backup = replace_file(path, newest.text, stamp())
    except OSError as error:
        raise Stop(FAILED, f"{error.filename or path}: {error.strerror}; nothing was changed.") from error
    for sentence in all_words(newest.changes):
        print(f"{path}: {sentence}")
    print(f"The file as it was: {backup}.")
    return ACCEPTED
