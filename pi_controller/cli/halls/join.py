"""`pi-controller broker join`: a hall's controller takes the file that was made for it at the broker."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from pi_controller.cli.halls.broker_folder import HallFile, NotForHere, read_hall_file
from pi_controller.cli.setup.command import UNIT_SETTINGS, check_place, show_difference, write_settings
from pi_controller.cli.usage import ACCEPTED, BAD_USAGE, Stop, add_state_dir, state_dir
from pi_controller.journal.private import private_folder, write_private
from pi_controller.language.words import words
from pi_controller.protocol.halls import LinkRole
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import from_table, load, table_of
from pi_controller.settings.report import file_text
from pi_controller.settings.sections import Settings

PASSWORD, AUTHORITY = Path("links") / "password", Path("links") / "ca.pem"
"""In the state folder, where the installed process reads them."""


def add_join(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="F", help=words(Sentence("help.broker_file")))
    parser.add_argument(
        "--settings",
        type=Path,
        default=UNIT_SETTINGS,
        metavar="F",
        help=words(Sentence("help.setup_settings", path=str(UNIT_SETTINGS))),
    )
    add_state_dir(parser)


def join(arguments: Namespace) -> int:
    """Raises Stop, NotForHere, OSError; the settings are written last."""
    file, path = read_hall_file(arguments.file), arguments.settings
    if file.role not in get_args(LinkRole):
        raise NotForHere(Sentence("broker.is_for_a_listener", path=str(arguments.file)))
    check_place(path)
    folder = state_dir(arguments)
    try:
        before = load(path) if path.exists() else Settings()
        text = file_text(_joined(before, file, folder))
        from_table(table_of(text, path), file=str(path))
    except SettingsFault as fault:
        raise Stop(BAD_USAGE, Sentence("setup.mistakes", problems=str(fault))) from fault
    private_folder(folder / PASSWORD.parent)
    write_private(folder / PASSWORD, f"{file.password}\n".encode())
    if file.ca:
        write_private(folder / AUTHORITY, file.ca.encode())
    show_difference(path, text)
    for told in write_settings(path, text):
        print(words(told))
    print(words(Sentence("broker.joined", hall=file.user, path=str(arguments.file))))
    return ACCEPTED


def _joined(before: Settings, file: HallFile, folder: Path) -> Settings:
    links = replace(
        before.links,
        role=file.role,
        hall=file.user,
        broker=file.broker,
        port=file.port,
        user=file.user,
        password_file=str(folder / PASSWORD),
        ca_file=str(folder / AUTHORITY) if file.ca else "",
    )
    return replace(before, links=links)
