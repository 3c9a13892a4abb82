"""`pi-controller settings`: what is in force, and every mistake of a file at once."""

import sys
from pathlib import Path

from pi_controller.cli.usage import ACCEPTED, BAD_USAGE, add_settings, parser_for
from pi_controller.settings import report
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load


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
    arguments = parser.parse_args(given)
    try:
        settings = load(arguments.settings)
    except SettingsFault as fault:
        for problem in fault.problems:
            print(problem, file=sys.stderr)
        return BAD_USAGE
    if arguments.task == "check":
        print(f"{arguments.settings}: no mistakes")
    else:
        text = report.diff(settings) if arguments.diff else report.show(settings)
        print(text.rstrip("\n"))
    return ACCEPTED
