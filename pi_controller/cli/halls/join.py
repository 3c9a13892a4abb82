"""`pi-controller broker join`: a hall's controller takes the file that was made for it at the broker."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from pi_controller.cli.halls.broker_folder import HallFile, NotForHere, read_hall_file
from pi_controller.cli.setup.command import UNIT_SETTINGS, check_place, show_difference, write_settings
from pi_controller.cli.usage import ACCEPTED, BAD_USAGE, REFUSED, Stop, add_state_dir, state_dir
from pi_controller.journal.pairing import PairingKey, keep_key, key_from_text, read_key
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
    parser.add_argument(
        "--replace-pairing-key", action="store_true", help=words(Sentence("help.broker_replace_key"))
    )
    add_state_dir(parser)


def join(arguments: Namespace) -> int:
    """Raises Stop, NotForHere, PairingFault, OSError; the settings are written last."""
    file, path = read_hall_file(arguments.file), arguments.settings
    if file.role not in get_args(LinkRole):
        raise NotForHere(Sentence("broker.is_for_a_listener", path=str(arguments.file)))
    check_place(path)
    folder = state_dir(arguments)
    key = _pairing_key(file, folder, replace_it=arguments.replace_pairing_key)
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
    if key is not None:
        keep_key(folder, key)
    show_difference(path, text)
    for told in write_settings(path, text):
        print(words(told))
    if key is not None:
        print(words(Sentence("pair.paired", mark=key.mark)))
    print(words(Sentence("broker.joined", hall=file.user, path=str(arguments.file))))
    return ACCEPTED


def _pairing_key(file: HallFile, folder: Path, *, replace_it: bool) -> PairingKey | None:
    """The file's, where it is to be kept here. Raises Stop where another one would be lost."""
    if not file.pairing_key:
        return None
    key, before = key_from_text(file.pairing_key), read_key(folder)
    if before is None:
        return key
    if before.mark == key.mark:
        return None
    if not replace_it:
        raise Stop(REFUSED, Sentence("broker.other_pairing_key", own=before.mark, mark=key.mark))
    return key


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
        may_lead=file.may_lead,
    )
    return replace(before, links=links)
