"""`pi-controller settings`: what is in force, and every mistake of a file at once."""

import contextlib
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    Stop,
    add_settings,
    add_state_dir,
    parser_for,
    state_dir,
)
from pi_controller.core.monitoring import judge_time
from pi_controller.journal.errors import JournalError
from pi_controller.journal.recovery import recover
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import (
    diff,
    from_table,
    load,
    read_text,
    replace_file,
    show,
    table_of,
    upgrade,
)
from pi_controller.settings.sections import Settings
from pi_controller.web.http.tls import CertificateFault, served_files


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name, Sentence("cli.settings_description"))
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")), required=True)
    shown = tasks.add_parser("show", help=words(Sentence("help.settings_show")))
    add_settings(shown)
    shown.add_argument("--diff", action="store_true", help=words(Sentence("help.settings_diff")))
    check = tasks.add_parser("check", help=words(Sentence("help.settings_check")))
    check.add_argument("settings", type=Path, metavar="F")
    add_state_dir(check)
    bring = tasks.add_parser("upgrade", help=words(Sentence("help.settings_upgrade")))
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
        print(words(Sentence("settings.no_mistakes", path=str(arguments.settings))))
        for doubt in _doubts(settings, state_dir(arguments)):
            print(words(doubt), file=sys.stderr)
    else:
        text = diff(settings) if arguments.diff else show(settings)
        print(text.rstrip("\n"))
    return ACCEPTED


def _doubts(settings: Settings, folder: Path) -> Iterator[Sentence]:
    """What is no mistake of the settings, and yet to be put right: the certificate's dates, the clock. What
    this account may not read is passed over."""
    web, now = settings.web, datetime.now(UTC)
    if web.staff_tls and web.staff_port:
        files = served_files(folder, staff_certificate=web.staff_certificate, staff_key=web.staff_key)
        if files.certificate.exists() or web.staff_certificate:
            try:
                doubt = files.validity().doubt(now)
            except CertificateFault as fault:
                doubt = fault.sentence
            if doubt is not None:
                yield doubt
    with contextlib.suppress(OSError, JournalError):
        newest = recover(folder, mend=False)
        last = newest.records[-1].wall if newest is not None and newest.records else ""
        if (judged := judge_time(now.isoformat(), last)) is not None:
            yield judged[1]


def stamp() -> str:
    """What a backup's name ends in."""
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def _upgrade(path: Path) -> int:
    """Raises SettingsFault when the newest form would not be settings; then nothing is written."""
    try:
        text = read_text(path)
        newest = upgrade(text, table_of(text, path), str(path))
        if not newest.changes:
            print(words(Sentence("settings.newest_form", path=str(path))))
            return ACCEPTED
        from_table(table_of(newest.text, path), file=str(path))
        backup = replace_file(path, newest.text, stamp())
    except OSError as error:
        where = str(error.filename or path)
        raise Stop(FAILED, Sentence("settings.not_changed", path=where, why=why(error))) from error
    for change in newest.changes:
        print(words(Sentence("cli.about", name=str(path), told=change)))
    print(words(Sentence("settings.file_as_it_was", path=str(backup))))
    return ACCEPTED
